"""Search in the chat."""

from __future__ import annotations

from collections.abc import Callable

from acp_tui.ui.entries.entry import EntryBlock
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.session_screen.base.conversation_screen import ConversationScreen
from acp_tui.ui.session_screen.base.pane_layout import PaneLayout
from acp_tui.ui.widgets.rows.search_bar import SearchBar
from acp_tui.ui.widgets.transcript.blocks import Block
from acp_tui.ui.widgets.transcript.transcript import Hit, Hits, look_through


async def find(screen: ConversationScreen, layout: PaneLayout) -> None:
    """Show the search bar of the chat above the prompt, or go to it."""
    for bar in screen.query("#find").results(SearchBar):
        bar.focus_field()
        return
    layout.show_chat()
    search = ChatSearch(screen.query_one("#chat", ChatPane))
    bar = SearchBar(search, screen.theme_styles, "find in the chat", screen.focused, id="find")
    await screen.mount(bar, before="#queue")


def found_block(screen: ConversationScreen) -> Block | None:
    """Return the block of the hit that a search in the chat shows."""
    for bar in screen.query("#find").results(SearchBar):
        if isinstance(bar.searched, ChatSearch):
            return bar.searched.block
    return None


class ChatSearch:
    """Searches the chat for the search bar; folded text counts, and is unfolded while its hit is shown."""

    def __init__(self, chat: ChatPane) -> None:
        self._chat = chat
        self._hits = Hits()
        self._at: Hit | None = None
        self._number_before = -1
        self._opened: EntryBlock | None = None

    @property
    def block(self) -> Block | None:
        """The block of the hit that is shown."""
        return self._at[0] if self._at is not None else None

    async def search(self, text: str, is_wanted: Callable[[], bool]) -> int | None:
        """Mark a text and count its hits, in slices."""
        self._chat.mark(text)
        hits = await look_through(tuple(self._chat.blocks), text, is_wanted)
        if hits is None:
            return None
        self._number_before = self._hits.place(self._at)
        self._hits = hits
        return len(hits)

    def first_hit(self) -> int:
        """Return the number of the first hit in or below the view, else of the last."""
        order = {block: index for index, block in enumerate(self._chat.blocks)}
        return self._hits.first_from(self._chat.first_in_view, lambda block: order.get(block, 0))

    def next_hit(self, step: int) -> int:
        """Return the number of a neighbour of the shown hit, whose number changes as the chat grows."""
        number = self._hits.place(self._at)
        return number + step if number >= 0 else self._number_before - (step < 0) + step

    def show_hit(self, number: int) -> None:
        """Show a hit: unfold its line, and fold that of the previous hit again."""
        self._at = self._hits[number] if number >= 0 else None
        block = self.block
        if self._opened is not None and self._opened is not block:
            self._opened.choose()
            self._opened = None
        if block is not None:
            self._chat.open_fold(block)
        if isinstance(block, EntryBlock) and block.is_folded:
            block.choose()
            self._opened = block
        if self._at is not None:
            self._chat.show_hit(*self._at)
