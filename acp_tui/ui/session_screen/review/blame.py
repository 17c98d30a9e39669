"""Blame over a session: shows the author of each line, and its origin in the chat."""

from __future__ import annotations

import asyncio
from pathlib import Path

from acp_tui.changes.blame import RecordedStep, place_in
from acp_tui.formatting import expand_home
from acp_tui.store.folders import journals_folder, snapshots_folder
from acp_tui.store.search_documents import Document, document_at
from acp_tui.ui.screens.review.blame import BlameScreen
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.session_screen.sessions.search import go_to_place


def show_blame(screen: ConversationScreen, file: str, line: int = 0) -> None:
    """Show the blame of a file; a relative path is in the workspace.

    `line` counts from 1; 0 means the first one that a turn wrote.
    """

    def opens(step: RecordedStep) -> None:
        screen.app.run_worker(_go_to(screen, step), group="tabs")

    path = Path(screen.conversation.cwd) / Path(expand_home(file))
    folders = journals_folder(), snapshots_folder()
    notes = screen.conversation.line_notes
    screen.app.push_screen(BlameScreen(path, line, folders, opens, screen.theme_styles, notes))


def blame_of(screen: ConversationScreen, words: str) -> None:
    """Show the blame of the file in a command's argument, which may have a line."""
    path, line = place_in(words.strip().removeprefix("@"), Path(screen.conversation.cwd))
    show_blame(screen, str(path), line or 0)


def blame_newest(screen: ConversationScreen) -> None:
    """Show the blame of the last changed file."""
    session = screen.conversation.session
    if session is None or not session.files:
        screen.notify("Name a file, as in /blame src/app.py:12")
    else:
        show_blame(screen, next(reversed(session.files)))


async def _go_to(screen: ConversationScreen, step: RecordedStep) -> None:
    """Show the tool call of a step in its session, else its prompt."""
    document = Document(0, 0, step.t, step.session, step.call) if step.call else None
    if document is None:
        try:
            document = await asyncio.to_thread(document_at, step.journal, *step.prompt_at)
        except OSError:
            document = None
    await go_to_place(screen, step.journal, document or Document(0, 0, step.t, step.session))
