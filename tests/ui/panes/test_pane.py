"""The titles of the panes beside the chat."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.seats import seat

pytestmark = pytest.mark.slow


async def test_the_panes_have_their_titles_when_a_narrow_terminal_becomes_wide(tmp_path: Path) -> None:
    async with seat(tmp_path, size=(80, 24)) as here:
        await here.pilot.resize_terminal(120, 40)
        await here.sees("─ plan ─", "─ tool calls ─", "─ changes ─")

        await here.pilot.resize_terminal(80, 24)
        await here.until(lambda: "─ plan ─" not in here.text and "plan F3" in here.text)
