"""The login dialog."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest
from textual.pilot import Pilot

from acp_tui.agent.agent import Agent
from acp_tui.conversation.login import STOPPED
from acp_tui.protocol.schema import AuthMethod
from acp_tui.ui.screens.questions.login import LoginDialog, LoginWait, TerminalLoginScreen, failure
from acp_tui.ui.widgets.controls import AnswerList
from acp_tui.workspace.processes import ExitStatus
from acp_tui.workspace.terminals import Terminals
from tests.ui.screens.dialogs import NOTHING, STYLES, Desk, shown
from tests.ui.screens.stage import screen_text, until

METHODS = [
    AuthMethod(id="a:1", name="[b]Browser", description="Opens a page"),
    AuthMethod(id="t", name="Terminal", type="terminal"),
    AuthMethod(id="k", name="Key", type="env_var", vars=[{"name": "DEMO_KEY"}, {"label": "odd"}]),
]


def login() -> LoginDialog:
    return LoginDialog(METHODS, agent="demo", hint="Log in first.", styles=STYLES, error="timed out")


async def test_every_method_says_what_it_does() -> None:
    async with shown(login(), turned=False) as (app, pilot):
        for text in (
            "Log in to demo",
            "timed out",
            "[b]Browser",
            "Opens a page",
            "in a terminal",
            "DEMO_KEY",
        ):
            assert text in app.text
        await pilot.press("enter")
        assert app.result is NOTHING, "it appeared under typing hands"


async def test_arguments_and_variables_of_a_login_in_a_terminal_are_shown() -> None:
    method = AuthMethod(
        id="t", name="Log in", type="terminal", args=["--login", "a b"], env={"LD_PRELOAD": "/w/x.so"}
    )
    async with shown(LoginDialog([method], agent="demo", hint="", styles=STYLES)) as (app, _):
        assert "With the arguments: --login 'a b'" in app.text
        assert "With the variables: LD_PRELOAD=/w/x.so" in app.text


@pytest.mark.slow
async def test_of_very_many_methods_the_first_are_offered_and_the_rest_is_counted() -> None:
    methods = [AuthMethod(id=f"m{number}", name=f"Way {number}") for number in range(5_000)]
    many = LoginDialog(methods, agent="demo", hint="Log in first.", styles=STYLES)
    async with shown(many) as (app, _):
        text = screen_text(app)

        assert "4,900 more ways to log in are not shown." in text
        assert "Way 0" in text
        assert many.query_one(AnswerList).option_count == 100


async def test_the_method_moved_to_is_chosen() -> None:
    async with shown(login()) as (app, pilot):
        await pilot.press("down", "enter")

        assert app.result == "t"


@pytest.mark.slow
async def test_escape_leaves_without_a_login() -> None:
    async with shown(login()) as (app, pilot):
        await pilot.press("escape")

        assert app.result is None


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
    return LoginWait(cast(Agent, agent), name="[/x] Agent", method="[/x] Browser", styles=STYLES)


@pytest.mark.slow
async def test_what_the_agent_says_on_the_side_since_then_is_shown_as_it_comes() -> None:
    agent = LoggingIn()
    async with shown(dialog(agent)) as (app, pilot):
        assert "[/x] Agent: logging in" in app.text
        assert "[/x] Browser" in app.text
        assert "started" not in app.text

        agent.stderr_tail += "visit https://example.com/\x1b[31m[/x]\n"
        await until(pilot, lambda: "visit https://example.com/" in app.text)
        assert "\x1b" not in app.text
        assert "started" not in app.text


@pytest.mark.slow
async def test_the_first_escape_asks_the_agent_to_stop_and_the_second_one_leaves() -> None:
    agent = LoggingIn()
    async with shown(dialog(agent)) as (app, pilot):
        await pilot.press("escape")
        await until(pilot, lambda: "waiting for its answer" in app.text)
        assert (agent.stops, app.result) == (1, NOTHING)

        await pilot.press("escape")
        await until(pilot, lambda: app.result is None)
        assert agent.stops == 1


@pytest.mark.slow
async def test_the_time_runs() -> None:
    async with shown(dialog(LoggingIn())) as (app, pilot):
        await until(pilot, lambda: bool(re.search(r"0:(0[1-9]|[1-5]\d)", app.text)))


ASKS = "read name; echo hello $name"


@asynccontextmanager
async def logging_in(tmp_path: Path, script: str) -> AsyncIterator[tuple[Desk, Pilot[None]]]:
    terminals = Terminals()
    app = Desk()
    try:
        async with app.run_test(size=(90, 20)) as pilot:
            with app._context():  # as in the program, where all that reads the terminal belongs to the app
                terminal = await terminals.create("login", "sh", ["-c", script, "[/x]"], cwd=str(tmp_path))
            screen = TerminalLoginScreen(terminal, title="Log in to [/x]", styles=STYLES)
            await app.push_screen(screen, app.take)
            await until(pilot, lambda: "Log in to [/x]" in app.text or app.result is not NOTHING)
            yield app, pilot
    finally:
        await terminals.close()


@pytest.mark.slow
async def test_the_exact_command_is_shown_and_keys_go_to_it_from_the_start(tmp_path: Path) -> None:
    async with logging_in(tmp_path, f"printf 'name? '; {ASKS}; sleep 300") as (app, pilot):
        assert shlex.join(["sh", "-c", f"printf 'name? '; {ASKS}; sleep 300", "[/x]"]) in app.text

        await until(pilot, lambda: "name?" in app.text)
        await pilot.press("q", "i", "c", "enter")
        await until(pilot, lambda: "hello qic" in app.text)


async def test_c39_a_command_that_ends_well_is_a_login(tmp_path: Path) -> None:
    async with logging_in(tmp_path, ASKS) as (app, pilot):
        await pilot.press("x", "enter")
        await until(pilot, lambda: app.result == "")


async def test_it_runs_on_a_real_terminal(tmp_path: Path) -> None:
    async with logging_in(tmp_path, "test -t 0 && test -t 1 && test -t 2") as (app, pilot):
        await until(pilot, lambda: app.result == "")


@pytest.mark.slow
async def test_ctrl_c_interrupts_the_command_and_is_a_failure(tmp_path: Path) -> None:
    script = f"exec {shlex.quote(sys.executable)} -S -c 'import time; print(40 + 2); time.sleep(300)'"
    async with logging_in(tmp_path, script) as (app, pilot):
        await until(pilot, lambda: "42" in app.text)  # an interpreter that only starts may swallow it
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app.result is not NOTHING)
        assert app.result.startswith("The login")


async def test_leaving_is_a_failure(tmp_path: Path) -> None:
    async with logging_in(tmp_path, "sleep 300") as (app, pilot):
        await pilot.press("escape", "q")
        assert app.result is NOTHING, "these are the command's keys"

        await pilot.press("ctrl+right_square_bracket")
        await until(pilot, lambda: app.result == STOPPED)


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (ExitStatus(0, None), ""),
        (ExitStatus(3, None), "The login ended with exit code 3."),
        (ExitStatus(None, "SIGKILL"), "The login was ended by SIGKILL."),
        (ExitStatus(None, None), "The login ended."),
    ],
)
def test_c39_only_exit_code_0_is_a_login(status: ExitStatus, text: str) -> None:
    assert failure(status) == text
