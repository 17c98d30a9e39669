"""The search of recorded sessions: its screen, and the way from a document to its entry in the chat."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from acp_tui.session.entries import AgentMessage, Entry, Thought, ToolCall, UserCommand, UserMessage, text_of
from acp_tui.session.session import Session
from acp_tui.store.folders import journals_folder
from acp_tui.store.recordings import RecordedSession, head_of, sessions_in
from acp_tui.store.search_documents import Document, document_at
from acp_tui.store.search_index import Hit, index_folder
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.screens.base.full_screens import FullScreen
from acp_tui.ui.screens.search import SearchScreen
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.session_screen.sessions.sessions import SessionList

_BEGINNING: Final = 200
"""Characters by which a message is recognised."""


def search(screen: ConversationScreen, words: str = "") -> None:
    """Let the user search all recorded sessions, and go to a result."""

    def opens(hit: Hit) -> None:
        screen.app.run_worker(_go_to_hit(screen, hit), group="tabs")

    found = SearchScreen(journals_folder(), index_folder(), opens, words.strip(), screen.theme_styles)
    screen.app.push_screen(found)


async def _go_to_hit(screen: ConversationScreen, hit: Hit) -> None:
    """Show a recorded session at a search result."""
    try:
        document = await asyncio.to_thread(document_at, hit.path, hit.offset, hit.end)
    except OSError:
        document = None
    if document is None:
        _tell_gone(screen)
    else:
        await go_to_place(screen, hit.path, document)


async def go_to_place(screen: ConversationScreen, journal: Path, document: Document) -> None:
    """Show a recorded session with the cursor on the entry of a document.

    It is shown in the tab that continues the session, if the entry is surely there, else in that of the
    recording, or in a new one.
    """
    head = await asyncio.to_thread(head_of, journal)
    if head is None:
        _tell_gone(screen)
        return
    covering = screen.app.screen
    if isinstance(covering, FullScreen):
        covering.dismiss(None)  # for example the changes screen, from which blame was opened
    parts = await asyncio.to_thread(sessions_in, head)
    recorded = next((one for one in parts if one.session_id == document.session), head)
    there = next((one for one in screen.tabs.screens if _goes_on_in(one, recorded, document)), None)
    shown = await SessionList(screen).look_at(recorded, there)
    chat = shown.query_one(ChatPane)
    chat.go_to(lambda session: place_of(session, document))
    shown.set_focus(chat)


def _goes_on_in(screen: ConversationScreen, recorded: RecordedSession, document: Document) -> bool:
    """Return whether a tab has a later run of a recorded session, with exactly one entry of a document."""
    conversation, session = screen.conversation, screen.conversation.session
    if session is None or session.id != document.session:
        return False
    own = conversation.recorded or conversation.launch
    agent = own.agent if isinstance(own, RecordedSession) else own.name if own is not None else ""
    return agent == recorded.agent and len(_certain(session, document)) == 1


def _tell_gone(screen: ConversationScreen) -> None:
    """Notify that the recording no longer exists."""
    screen.notify("The recording of this session no longer exists.", severity="warning")


def place_of(session: Session, document: Document) -> int | None:
    """Return the index of the entry from which a document was made."""
    fitting, said = _fitting(session, document), _said(document)

    def distance(place: int) -> tuple[int, bool, float]:
        entry = session.entries[place]
        at = entry.started if isinstance(entry, ToolCall) else entry.at
        return _strangeness(entry, said), at > document.t, abs(at - document.t)

    return min(fitting, key=distance, default=None)


def _certain(session: Session, document: Document) -> list[int]:
    """Return the indices of entries that have the text of a document, or are its tool call."""
    if not document.call and not _said(document):
        return []
    return [
        place
        for place in _fitting(session, document)
        if _strangeness(session.entries[place], _said(document)) == 0
    ]


def _fitting(session: Session, document: Document) -> list[int]:
    return [place for place, entry in enumerate(session.entries) if _fits(entry, document)]


def _said(document: Document) -> str:
    return _on_one_line(document.text("prompt") or document.text("answer"))[:_BEGINNING]


def _strangeness(entry: Entry, said: str) -> int:
    """Return 0 for an entry that starts with a text, 1 for a message that contains it, 2 for others."""
    if not isinstance(entry, UserMessage | AgentMessage | Thought):
        return 0
    text = _on_one_line(text_of(entry))
    return 0 if text[:_BEGINNING] == said else 1 if said in text else 2


def _fits(entry: Entry, document: Document) -> bool:
    """Return whether an entry may be the one of a document; a plan has none, and is beside all."""
    if "plan" in document.texts:
        return True
    match entry:
        case ToolCall():
            is_output = not document.call and set(document.texts) == {"output"}  # the output of a terminal
            return is_output or (bool(document.call) and entry.tool_call_id == document.call)
        case UserMessage():
            return "prompt" in document.texts
        case AgentMessage() | Thought():
            return "answer" in document.texts
        case UserCommand():
            return not document.call and entry.command == document.text("tool")
    return False


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
