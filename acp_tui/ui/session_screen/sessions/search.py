"""The search of recorded sessions, over a session."""

from __future__ import annotations

import asyncio

from acp_tui.store.documents import document_at
from acp_tui.store.folders import data_folder
from acp_tui.store.search_index import Hit, index_folder
from acp_tui.ui.screens.search import SearchScreen
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.session_screen.sessions.places import go_to_place, tell_gone


def search(screen: ConversationScreen, words: str = "") -> None:
    """Let the user search all recorded sessions, and go to a result."""

    def opens(hit: Hit) -> None:
        screen.app.run_worker(_go_to(screen, hit), group="tabs")

    found = SearchScreen(
        data_folder() / "journals", index_folder(), opens, words.strip(), screen.theme_styles
    )
    screen.app.push_screen(found)


async def _go_to(screen: ConversationScreen, hit: Hit) -> None:
    """Show a recorded session at a search result."""
    try:
        document = await asyncio.to_thread(document_at, hit.path, hit.offset, hit.end)
    except OSError:
        document = None
    if document is None:
        tell_gone(screen)
    else:
        await go_to_place(screen, hit.path, document)
