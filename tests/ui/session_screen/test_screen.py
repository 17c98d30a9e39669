"""The session screen: Ctrl+C on it, and its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.session.events import SessionChange
from acp_tui.ui.panes.status import StatusLine
from acp_tui.ui.session_screen.screen import SessionScreen
from tests.ui.seats import seat, told

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


async def test_a_change_that_comes_when_the_parts_of_a_screen_are_gone_is_not_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    async with seat(tmp_path) as here:
        screen, session = here.app.screen, here.conversation.session
        assert isinstance(screen, SessionScreen)
        assert session is not None
        await here.pilot.pause()
        with monkeypatch.context() as gone:
            gone.setattr(screen.query_one(StatusLine), "_pruning", True)
            gone.setattr(screen, "query_one", lambda *_: pytest.fail("nothing is there to draw on"))
            screen.view.draw(session, SessionChange((), ("turn",)))
