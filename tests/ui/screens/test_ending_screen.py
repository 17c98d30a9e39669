"""A session screen that is being taken away."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.session.events import SessionChange
from acp_tui.ui.panes.status import StatusLine
from acp_tui.ui.session_screen.screen import SessionScreen
from tests.ui.seats import seat

pytestmark = pytest.mark.slow


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
            gone.setattr(screen, "query_one", lambda *_: pytest.fail("nothing is there to draw on"))
            gone.setattr(screen, "query", lambda *_: ())
            screen.view.draw(session, SessionChange((), ("turn",)))
        assert screen.query(StatusLine)
