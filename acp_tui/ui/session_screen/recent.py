"""The earlier sessions of the folder on the first screen of a session."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Final

from rich.cells import set_cell_size

from acp_tui.store.folders import data_folder
from acp_tui.store.recordings import RecordedSession, recent_sessions
from acp_tui.ui.panes.chat import ChatPane, RecentLine
from acp_tui.ui.screens.start import ago
from acp_tui.ui.session_screen.conversation_screen import ConversationScreen
from acp_tui.ui.widgets.text import safe_line, shortened, start_of
from acp_tui.ui.widgets.transcript.blocks import OneRowBlock, Piece

_LOOKED_AT: Final = 20
"""Journals that are looked at."""
_LISTED: Final = 5
_TITLE: Final = 40
_AGENT: Final = 12
"""Cells of a title and of a name."""


async def show_recent(screen: ConversationScreen) -> None:
    """List the sessions of the folder below the welcome, once they are read in a thread."""
    cwd = screen.conversation.cwd
    found = await asyncio.to_thread(recent_sessions, data_folder() / "journals", _LOOKED_AT)
    here = [one for one in found if one.title and one.cwd == cwd][:_LISTED]
    now = datetime.now().astimezone()
    heading = OneRowBlock([("strong", "  Recent in this folder")], above=1)
    for chat in screen.query(ChatPane):
        chat.show_recent(heading, [RecentLine(one, _pieces(one, now)) for one in here])


def _pieces(recorded: RecordedSession, now: datetime) -> list[Piece]:
    title = shortened(safe_line(start_of(recorded.title, 4 * _TITLE)), _TITLE)
    agent = shortened(safe_line(start_of(recorded.agent, 4 * _AGENT)), _AGENT)
    when = ago(recorded.started, now) if recorded.started is not None else ""
    return [
        ("text", f"  {set_cell_size(title, _TITLE)}  "),
        ("accent", f"{set_cell_size(agent, _AGENT)}  "),
        ("muted", when),
    ]
