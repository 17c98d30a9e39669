"""Ctrl+C on a session screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.seats import seat
from tests.ui.session_screen.test_export import told

pytestmark = pytest.mark.slow


async def test_ctrl_c_empties_the_prompt_then_stops_the_turn_and_quits_nothing(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.say("wait")
        await here.until(lambda: here.conversation.is_busy)
        await here.write("a draft")

        await here.press("ctrl+c")
        assert here.draft == ""
        assert here.conversation.is_busy
        await here.press("ctrl+z")
        assert here.draft == "a draft"

        await here.press("ctrl+c", "ctrl+c")
        await here.until(lambda: not here.conversation.is_busy)
        await here.press("ctrl+c")
        assert "Ctrl+Q ends the agent and quits." in told(here)
        assert here.conversation.phase == "ready"


async def test_ctrl_c_copies_what_is_selected_in_the_prompt_and_leaves_it(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.write("a draft")
        here.session.prompt.select_all()

        await here.press("ctrl+c")

        await here.until(lambda: here.app.clipboard == "a draft")
        assert here.draft == "a draft"


async def test_ctrl_c_in_a_pane_leaves_the_draft_and_stops_the_turn(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.say("wait")
        await here.until(lambda: here.conversation.is_busy)
        await here.write("a draft")
        await here.press("f3", "ctrl+c")

        await here.until(lambda: not here.conversation.is_busy)
        assert here.draft == "a draft"
