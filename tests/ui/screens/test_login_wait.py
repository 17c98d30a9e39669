from __future__ import annotations

import re
from typing import cast

from acp_tui.agent.agent import Agent
from acp_tui.ui.screens.login_wait import LoginWait
from tests.ui.screens.dialogs import LOOK, NOTHING, shown
from tests.ui.screens.stage import until


class LoggingIn:
    """An agent that logs in, as far as the dialog looks at it."""

    def __init__(self) -> None:
        self.stderr_tail = "started\n"
        self.stops = 0
        self.logins = self
        self.connection = self
        self.strays = ""

    def stop(self) -> None:
        self.stops += 1


def dialog(agent: LoggingIn) -> LoginWait:
    return LoginWait(cast(Agent, agent), name="[/x] Agent", method="[/x] Browser", look=LOOK)


async def test_what_the_agent_says_on_the_side_since_then_is_shown_as_it_comes() -> None:
    agent = LoggingIn()
    async with shown(dialog(agent)) as (app, pilot):
        assert "[/x] Agent logs in" in app.text
        assert "[/x] Browser" in app.text
        assert "started" not in app.text

        agent.stderr_tail += "visit https://example.com/\x1b[31m[/x]\n"
        await until(pilot, lambda: "visit https://example.com/" in app.text)
        assert "\x1b" not in app.text
        assert "started" not in app.text


async def test_the_first_escape_asks_the_agent_to_stop_and_the_second_one_leaves() -> None:
    agent = LoggingIn()
    async with shown(dialog(agent)) as (app, pilot):
        await pilot.press("escape")
        await until(pilot, lambda: "waiting for its answer" in app.text)
        assert (agent.stops, app.result) == (1, NOTHING)

        await pilot.press("escape")
        await until(pilot, lambda: app.result is None)
        assert agent.stops == 1


async def test_the_time_runs() -> None:
    async with shown(dialog(LoggingIn())) as (app, pilot):
        await until(pilot, lambda: bool(re.search(r"0:(0[1-9]|[1-5]\d)", app.text)))
