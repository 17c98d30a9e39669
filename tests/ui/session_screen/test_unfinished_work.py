"""Unfinished work: the question before it ends with a session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_tui.ui.screens.base.menu import Menu
from tests.ui.seats import Seat, seat

pytestmark = pytest.mark.slow


async def busy(here: Seat) -> None:
    """Have the agent work, with a prompt in the queue."""
    await here.say("wait")
    await here.until(lambda: here.conversation.is_busy)
    await here.say("and then")
    await here.until(lambda: here.conversation.prompts.queue)


async def leave_by(here: Seat, way: str) -> None:
    if way.startswith("/"):
        await here.say(way)
    else:
        await here.press(way)


@pytest.mark.parametrize("way", ["ctrl+q", "ctrl+d", "/exit"])
async def test_what_works_and_is_queued_is_asked_about_once_before_it_ends(tmp_path: Path, way: str) -> None:
    async with seat(tmp_path) as here:
        await busy(here)
        await leave_by(here, way)
        await here.is_before(Menu)
        await here.sees("Quit with 1 running turn and 1 queued prompt?")
        await here.sees("stops what runs, keeps queued prompts as your draft")
        await here.press("ctrl+q")

        await here.press("enter")  # nothing ends by Enter alone
        await here.until(lambda: here.app.screen is here.session)
        assert here.conversation.is_busy

        await leave_by(here, way)
        await here.is_before(Menu)
        await here.press("1")
        await here.until(lambda: not here.app.is_running)


async def test_work_in_the_background_is_asked_about_too(tmp_path: Path) -> None:
    child = {"kind": "subagent_update", "sessionId": "k", "title": "Explorer", "state": {"state": "running"}}
    async with seat(tmp_path) as here:
        await here.say(f"updates {json.dumps([child])}")
        await here.sees("works in the background (1)")
        await here.press("ctrl+q")

        await here.is_before(Menu)
        await here.sees("Quit with 1 background task?", "stops what runs")


async def test_an_idle_session_ends_at_once(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.write("a draft")
        await here.press("ctrl+q")

        await here.until(lambda: not here.app.is_running)


async def test_the_sessions_in_other_tabs_count_and_closing_one_asks_about_that_one(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        first = here.session
        await here.press("ctrl+n")
        await here.until(lambda: here.session is not first and here.conversation.phase == "ready")
        second = here.session
        await here.press("alt+1")
        await here.until(lambda: here.session is first)
        await busy(here)
        await here.press("alt+2")
        await here.until(lambda: here.session is second)
        await here.press("ctrl+q")
        await here.sees("Quit with 1 running turn and 1 queued prompt?")
        await here.press("2")
        await here.until(lambda: here.app.screen is here.session)

        await here.press("alt+w")
        await here.until(lambda: here.session is first)
        await here.press("alt+w")
        await here.sees("Close with 1 running turn and 1 queued prompt?")
