"""Searching the chat: a line above the prompt, with the hits counted and stepped through."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input

from acp_tui.ui.entries.entry import EntryBlock
from acp_tui.ui.panes.chat import ChatPane
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.lines import Lines
from acp_tui.ui.widgets.searching import hits_in

if TYPE_CHECKING:
    from acp_tui.ui.session_screen.screen import SessionScreen
    from acp_tui.ui.widgets.blocks import Block
    from acp_tui.ui.widgets.look import Look

Hit = tuple["Block", int]
"""A block, and which of the hits in it."""

_ROOM: Final = 100
"""Columns from which there is room for the hints."""


async def find(screen: SessionScreen) -> None:
    """Have the person search the chat of a session."""
    for line in screen.query(FindLine):
        line.query_one(Input).focus()
        return
    screen.arranging.show_chat()
    chat = screen.query_one("#chat", ChatPane)
    await screen.mount(FindLine(chat, screen.look, screen.focused), before="#queue")


class FindLine(Horizontal):
    """Where the person writes what to look for; it gives the keys back to whoever had them before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "step(1)", "Next hit", show=False, id="find.next"),
        Binding("shift+enter,up", "step(-1)", "Previous hit", show=False, id="find.previous"),
        Binding("escape", "close", "Close the search", show=False, id="find.close"),
    ]

    def __init__(self, chat: ChatPane, look: Look, focus_back: Widget | None) -> None:
        super().__init__(id="find")
        self._chat = chat
        self._look = look
        self._focus_back = focus_back
        self._text = ""
        self._hits: list[Hit] = []
        self._at: Hit | None = None
        self._opened: EntryBlock | None = None
        """What was folded before a hit in it was shown."""

    def compose(self) -> ComposeResult:
        """The field and the count."""
        yield Input(placeholder="find in the chat", id="find-text", compact=True)
        yield Lines(self._look, id="find-count")

    def on_mount(self) -> None:
        """Wait for what to look for."""
        self._show_count()
        self.query_one(Input).focus()

    @property
    def block(self) -> Block | None:
        """The block of the hit that is shown."""
        return self._at[0] if self._at is not None else None

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        """Show the first hit at or below what is in view, else the last."""
        event.stop()
        self._text = event.value
        self._look_through()
        self._go(self._first_in_view())

    @on(Input.Submitted)
    def _next(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_step(1)

    def action_step(self, step: int) -> None:
        """Show the next or the previous hit, round the ends; the chat may have grown meanwhile."""
        before = self._hits.index(self._at) if self._at in self._hits else -1
        self._look_through()
        place = self._hits.index(self._at) if self._at in self._hits else before - (step < 0)
        if self._hits:
            self._go((place + step) % len(self._hits))

    def action_close(self) -> None:
        """Take the line and the marks away."""
        self._chat.search("")
        if self._focus_back is not None and self._focus_back.is_attached:
            self._focus_back.focus()
        self.remove()

    def _look_through(self) -> None:
        found = self._chat.search(self._text)
        self._hits = [
            (block, number) for block in found for number in range(hits_in(block.searched(), self._text))
        ]

    def _first_in_view(self) -> int:
        order = {block: index for index, block in enumerate(self._chat.blocks)}
        top = self._chat.first_in_view
        return min(bisect_left(self._hits, top, key=lambda hit: order[hit[0]]), len(self._hits) - 1)

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
        self._show_count()

    def _show_count(self) -> None:
        place = self._hits.index(self._at) + 1 if self._at is not None else 0
        if self._hits:
            count = ("accent", f"{place}/{len(self._hits)}")
        else:
            count = ("warning", "nothing found") if self._text else ("muted", "")
        hints = self._hints() if self.app.size.width >= _ROOM else ""
        self.query_one(Lines).set_lines([([], [count, ("muted", hints)])])

    def _hints(self) -> str:
        before, close = key_of(self, "find.previous"), key_of(self, "find.close")
        return f"  Enter next  {before} previous  {close} closes"
