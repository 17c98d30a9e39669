"""A list of items with a cursor, one a row; for lists of any length."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from rich.segment import Segment
from textual.events import Click
from textual.message import Message

from acp_tui.ui.widgets.cells import fit
from acp_tui.ui.widgets.line_view import LineView
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.one_line import Piece, one_row

Item = TypeVar("Item")


class RowList(LineView, Generic[Item]):
    """Items, one a row. A subclass gives `pieces` and binds keys to the actions."""

    FOLLOWS: ClassVar[bool] = False
    """Whether the list grows at its end, and the cursor goes with it until it is moved."""

    @dataclass
    class Opened(Message):
        """The person wants to see an item."""

        item: Any

    def __init__(self, look: Look | None = None, *, id: str | None = None) -> None:
        super().__init__(look, id=id)
        self._items: Sequence[Item] = ()
        self._cursor = 0
        self.follows = self.FOLLOWS
        """Whether the cursor stays on the last item."""

    @abstractmethod
    def pieces(self, item: Item) -> tuple[list[Piece], list[Piece]]:
        """Return an item's row as (left, right)."""

    @property
    def current(self) -> Item | None:
        """The item under the cursor."""
        return self._items[self._cursor] if self._cursor < len(self._items) else None

    def show(self, items: Sequence[Item], unchanged: int = 0) -> None:
        """Show these items, of which the first `unchanged` are those shown before."""
        self._items = items
        before = self._cursor
        last = max(0, len(items) - 1)
        self._cursor = last if self.follows else min(self._cursor, last)
        self.show_rows(len(items), min(unchanged, before))
        if self.follows:
            self.scroll_to(y=len(items), animate=False, immediate=True)

    def paint_row(self, row: int) -> list[Segment]:
        """Return an item, marked if the cursor is on it."""
        ground = self.look.base + self.look["cursor"] if row == self._cursor else self.look.base
        left, right = self.pieces(self._items[row])
        segments = [
            Segment(segment.text, ground + (segment.style or ground))
            for segment in one_row(left, right, self.row_width, self.look)
        ]
        return fit(segments, 0, self.row_width, ground, self.look)

    def on_resize(self) -> None:
        """Keep the cursor in view."""
        super().on_resize()
        self._place(self._cursor)

    def on_click(self, event: Click) -> None:
        """Put the cursor on an item; a second click opens it."""
        row = self.row_at(event.y)
        if row >= len(self._items):
            return
        if row == self._cursor:
            self.action_open()
        self._place(row)

    def action_move(self, rows: int) -> None:
        """Move the cursor."""
        self._place(self._cursor + rows)

    def action_move_page(self, pages: int) -> None:
        """Move the cursor by a page."""
        self._place(self._cursor + pages * max(1, self.size.height - 1))

    def action_move_to(self, row: int) -> None:
        """Move the cursor to the first item, or to the last and follow."""
        self._place(len(self._items) - 1 if row < 0 else row)

    def action_open(self) -> None:
        """Show the item under the cursor."""
        if self.current is not None:
            self.post_message(self.Opened(self.current))

    def _place(self, row: int) -> None:
        last = max(0, len(self._items) - 1)
        before, self._cursor = self._cursor, min(max(0, row), last)
        self.follows = self.FOLLOWS and self._cursor == last
        self.repaint(before, self._cursor)
        top, height = self.top_row(), self.size.height
        if self._cursor < top:
            self.scroll_to(y=self._cursor, animate=False, immediate=True)
        elif self._cursor >= top + height:
            self.scroll_to(y=self._cursor - height + 1, animate=False, immediate=True)
