"""Modes and other options, chosen and cycled."""

from __future__ import annotations

from pathlib import Path

from acp_tui.acp.updates import CurrentModeUpdate
from acp_tui.ui.screens.menu import LiveMenu
from tests.ui.seats import seat


async def test_modes_are_cycled_and_chosen(tmp_path: Path) -> None:
    async with seat(tmp_path, modes=["ask", "plan", "code"]) as here:
        await here.sees("Ask ▾")
        await here.press("shift+tab")
        await here.sees("Plan ▾")

        await here.press("f6")
        await here.is_before(LiveMenu)
        await here.press("c", "o", "enter")

        await here.sees("Code ▾")


async def test_a_mode_shows_as_pending_until_the_agent_agrees(tmp_path: Path) -> None:
    async with seat(tmp_path, modes=["ask", "plan"], ignores="session/set_mode") as here:
        await here.press("shift+tab")

        await here.sees("Plan … ▾")


async def test_an_open_menu_follows_what_the_agent_offers_and_keeps_what_was_moved_to(tmp_path: Path) -> None:
    async with seat(tmp_path, modes=["ask", "plan", "code"]) as here:
        await here.sees("Ask ▾")
        await here.press("f6")
        menu = await here.is_before(LiveMenu)
        await here.press("down")
        assert menu.highlighted_key() == "plan"
        session = here.conversation.session
        assert session is not None
        change = session.apply(CurrentModeUpdate(current_mode_id="code"))
        assert change is not None
        here.session.showing.session_changed(change)
        mark = here.session.look.glyph("current")

        await here.until(lambda: any(mark in row and "Code" in row for row in here.text.splitlines()))
        assert menu.highlighted_key() == "plan"
