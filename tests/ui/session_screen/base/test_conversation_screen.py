"""A conversation's screen while another one is in view."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from acp_tui.ui.screens.base.menu import Menu, MenuItem
from tests.ui.seats import seat


@pytest.mark.slow
async def test_a_dialog_of_a_session_waits_until_the_session_is_seen(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        first = here.session
        await here.tabs.open(running=here.conversation.running)
        await here.until(lambda: here.session is not first and here.conversation.phase == "ready")
        assert not first.is_seen

        asking = asyncio.create_task(
            first.ask(Menu("Well?", [MenuItem("y", "Yes")], None, first.theme_styles))
        )
        await here.pilot.pause()
        assert not isinstance(here.app.screen, Menu)
        await here.press("alt+1")
        await here.is_before(Menu)
        await here.press("enter")

        assert await asking == "y"
        await here.tabs.end()


@pytest.mark.slow
async def test_of_what_waits_only_the_newest_is_done_and_only_once(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        first, done = here.session, list[str]()
        first.when_seen(lambda: done.append("at once"))
        assert done == ["at once"]
        await here.tabs.open(running=here.conversation.running)
        await here.until(lambda: not first.is_seen)
        first.when_seen(lambda: done.append("older"))
        first.when_seen(lambda: done.append("newer"))

        await here.press("alt+1")
        await here.until(lambda: first.is_seen and len(done) > 1)
        await here.press("alt+2", "alt+1")
        await here.until(lambda: first.is_seen)

        assert done == ["at once", "newer"]
        await here.tabs.end()
