"""Modes and other options, chosen and cycled."""

from __future__ import annotations

from pathlib import Path

from acp_tui.ui.screens.menu import Menu
from tests.ui.seats import seat


async def test_modes_are_cycled_and_chosen(tmp_path: Path) -> None:
    async with seat(tmp_path, modes=["ask", "plan", "code"]) as here:
        await here.sees("Ask ▾")
        await here.press("shift+tab")
        await here.sees("Plan ▾")

        await here.press("f6")
        await here.is_before(Menu)
        await here.press("c", "o", "enter")

        await here.sees("Code ▾")


async def test_a_mode_shows_as_pending_until_the_agent_agrees(tmp_path: Path) -> None:
    async with seat(tmp_path, modes=["ask", "plan"], ignores="session/set_mode") as here:
        await here.press("shift+tab")

        await here.sees("Plan … ▾")
