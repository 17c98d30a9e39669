"""The earlier sessions of the folder on the first screen of a session."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Final

from rich.cells import set_cell_size

from acp_tui.store.folders import journals_folder
from acp_tui.store.recordings import RecordedSession, changed_lines, recent_sessions
from acp_tui.ui.panes.chat import ChatPane, RecentLine
from acp_tui.ui.screens import start as start_screen
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.widgets.text import safe_line, shortened, start_of
from acp_tui.ui.widgets.transcript.blocks import OneRowBlock, Piece

_LOOKED_AT: Final = 20
"""Most journals that are read."""
_LISTED: Final = 5
_TITLE: Final = 32
_AGENT: Final = 12
_WHEN: Final = 12
"""Cells of a title, a name and an age."""


async def show_recent(screen: ConversationScreen) -> None:
    """List the sessions of the folder below the welcome, once they are read in a thread."""
    cwd = screen.conversation.cwd
    here = await asyncio.to_thread(_found, cwd)
    now, minus = datetime.now().astimezone(), screen.theme_styles.symbol("minus")
    heading = OneRowBlock([("strong", "  Recent in this folder")], above=1)
    rows = []
    for one, lines in here:
        title = screen.tabs.names.get(one.agent, one.session_id) or one.title
        rows.append(RecentLine(one, _pieces(one, title, now, lines, minus)))
    for chat in screen.query(ChatPane):
        chat.show_recent(heading, rows)


def _found(cwd: str) -> list[tuple[RecordedSession, tuple[int, int]]]:
    """Return the sessions of a folder, each with the lines added and removed in it."""
    found = recent_sessions(journals_folder(), _LOOKED_AT)
    here = [one for one in found if one.title and one.cwd == cwd][:_LISTED]
    return [(one, _changed(one)) for one in here]


def _changed(recorded: RecordedSession) -> tuple[int, int]:
    try:
        return changed_lines(recorded)
    except OSError:
        return 0, 0


def _pieces(
    recorded: RecordedSession, title: str, now: datetime, lines: tuple[int, int], minus: str
) -> list[Piece]:
    title = shortened(safe_line(start_of(title, 4 * _TITLE)), _TITLE)
    agent = shortened(safe_line(start_of(recorded.agent, 4 * _AGENT)), _AGENT)
    when = start_screen.ago(recorded.used, now) if recorded.used is not None else ""
    return [
        ("text", f"  {set_cell_size(title, _TITLE)}  "),
        ("accent", f"{set_cell_size(agent, _AGENT)}  "),
        ("muted", set_cell_size(when, _WHEN) if any(lines) else when),
        *([("added", f"  +{lines[0]}"), ("removed", f" {minus}{lines[1]}")] if any(lines) else []),
    ]
