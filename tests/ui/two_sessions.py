"""Two sessions on one demo agent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from acp_tui.session.session import Session
from acp_tui.store.agents import demo_launch
from acp_tui.store.settings import Settings
from acp_tui.ui.session_screen.screen import SessionScreen
from tests.ui.seats import Seat, seat


@asynccontextmanager
async def two_sessions(
    folder: Path, settings: Settings | None = None
) -> AsyncIterator[tuple[Seat, SessionScreen, SessionScreen]]:
    """Two sessions on one demo agent; the second is seen."""
    workspace = folder / "workspace"
    workspace.mkdir()
    launch = demo_launch()
    launch = launch._replace(env={**launch.env, "ACP_TUI_DEMO_SPEED": "0"})
    async with seat(workspace, settings, given=launch) as here:
        first = here.session
        await here.press("ctrl+n")
        await here.until(lambda: here.session is not first and here.session.conversation.phase == "ready")
        await here.until(lambda: here.session.query("#prompt"))
        try:
            yield here, first, here.session
        finally:
            await here.tabs.end()


def is_over(session: Session) -> bool:
    """Return True once a turn has ended."""
    return bool(session.turns) and session.turn_state == "idle"
