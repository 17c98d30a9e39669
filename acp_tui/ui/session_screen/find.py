"""Searching the chat: a line above the prompt, with the hits counted and stepped through."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.widget import Widget
from textual.widgets import Input

from acp_tui.ui.entries.entry import EntryBlock
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.widgets.search_line import SearchLine, search_keys
from acp_tui.ui.widgets.transcript.transcript import Hit, Hits, look_through

if TYPE_CHECKING:
    from acp_tui.ui.session_screen.screen import SessionScreen
    from acp_tui.ui.widgets.look import Look
    from acp_tui.ui.widgets.transcript.blocks import Block


_KEYS = "find"


async def find(screen: SessionScreen) -> None:
    """Have the person search the chat of a session."""
    for line in screen.query(FindLine):
        line.focus_field()
        return
    screen.arranging.show_chat()
    chat = screen.query_one("#chat", ChatPane)
    await screen.mount(FindLine(chat, screen.look, screen.focused), before="#queue")


class FindLine(SearchLine):
    """Where the person writes what to look for; it gives the keys back to whoever had them before."""

    BINDINGS: ClassVar[list[BindingType]] = [*search_keys(_KEYS)]

    def __init__(self, chat: ChatPane, look: Look, focus_back: Widget | None) -> None:
        super().__init__(look, _KEYS, "find in the chat")
        self._chat = chat
        self._focus_back = focus_back
        self._hits = Hits()
        self._at: Hit | None = None
        self._opened: EntryBlock | None = None
        """What was folded before a hit in it was shown."""

    @property
    def block(self) -> Block | None:
        """The block of the hit that is shown."""
        return self._at[0] if self._at is not None else None

    async def look_for(self) -> None:
        """Show the first hit at or below what is in view, else the last."""
        if await self._look_through():
            self._go(self._first_in_view())

    async def action_step(self, step: int) -> None:
        """Show the next or the previous hit, round the ends; the chat may have grown meanwhile."""
        before = self._hits.place(self._at)
        if await self._look_through() and self._hits:
            now = self._hits.place(self._at)
            place = now if now >= 0 else before - (step < 0)
            self._go((place + step) % len(self._hits))

    def action_close(self) -> None:
        """Take the line and the marks away."""
        self._chat.mark("")
        if self._focus_back is not None and self._focus_back.is_attached:
            self._focus_back.focus()
        super().action_close()

    async def _look_through(self) -> bool:
        """Find what the person has written; return False when they have written more meanwhile, or left."""
        text = self.text
        self._chat.mark(text)
        hits = await look_through(
            tuple(self._chat.blocks),
            text,
            lambda: self.is_attached and self.query_one(Input).value == text,
        )
        if hits is not None:
            self._hits = hits
        return hits is not None

    def _first_in_view(self) -> int:
        order = {block: index for index, block in enumerate(self._chat.blocks)}
        return self._hits.first_from(self._chat.first_in_view, lambda block: order.get(block, 0))

    def _go(self, place: int) -> None:
        """Show a hit; -1 for none."""
        self._at = self._hits[place] if place >= 0 else None
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
        self.show_count(self._hits.place(self._at), len(self._hits))
