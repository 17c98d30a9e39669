"""Views of rows: scrolling ones, lists with a cursor, and rows as high as their content."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from rich.segment import Segment
from textual import events
from textual.color import Color
from textual.events import Click, MouseDown, MouseMove, MouseUp
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from acp_tui.ui.widgets.painter import NO_BAR, THUMB, TRACK, Painter, thumb_of
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.textual_internals import mark_rows
from acp_tui.ui.widgets.transcript.blocks import Piece, one_row


class RowView(ScrollView, can_focus=True):
    """A scroll view of rows; the last column is the scroll bar.

    A subclass implements `paint_row`, and calls `show_rows` when the number or content of rows has changed.
    """

    DEFAULT_CSS = """
    RowView {
        height: 1fr;
        scrollbar-size: 0 0;
        overflow-x: hidden;
        overflow-y: scroll;
    }
    """

    def __init__(
        self, styles: Styles | None = None, *, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.theme_styles = styles or Styles()
        self._rows = 0
        self._painter = Painter()
        self._laid_out_width = 0
        """Width for which the rows were counted: Textual may paint at a new one before it reports that."""
        self._dragging = False

    @property
    def row_width(self) -> int:
        """Cells of a row, without the scroll bar."""
        return max(0, self._laid_out_width - 1)

    @property
    def row_count(self) -> int:
        """Number of rows to scroll through."""
        return self._rows

    @abstractmethod  # mypy sees that each view gives it; Textual's metaclass leaves no room for an ABC
    def paint_row(self, row: int) -> list[Segment]:
        """Return row `row` (from 0); the painter adds the base style."""

    def has_cursor(self, row: int) -> bool:
        """Return True for a row in the style of the cursor."""
        return False

    def top_row(self) -> int:
        """Return the number of the first visible row."""
        return round(self.scroll_y)

    def set_theme_styles(self, styles: Styles) -> None:
        """Set the styles and redraw."""
        self.theme_styles = styles
        self.lay_out_rows()

    def show_rows(self, rows: int, unchanged: int = 0) -> None:
        """Set the number of rows and redraw; rows before `unchanged` have not changed."""
        self._rows = rows
        self._painter.forget(self, unchanged)
        self.virtual_size = Size(self.size.width, rows)
        self.refresh()

    def mark(self, text: str) -> None:
        """Mark a text in every row, in upper or lower case; an empty one removes the marks."""
        self._painter.mark(text)
        self.refresh()

    def repaint(self, *rows: int) -> None:
        """Redraw rows whose content has changed."""
        self._painter.forget_rows(self, rows)
        self.refresh()

    def on_resize(self) -> None:
        """Lay out for the new size."""
        self._laid_out_width = self.size.width
        self.lay_out_rows()

    def lay_out_rows(self) -> None:
        """Redraw everything at the new width; a subclass may count its rows again."""
        self.show_rows(self._rows)

    @override
    def render_lines(self, crop: Region) -> list[Strip]:
        width, base = self._laid_out_width, self.theme_styles.base
        ground = Color.from_rich_color(base.bgcolor) if base.bgcolor else self.background_colors[1]
        self._painter.configure(self.theme_styles, base, width, self.app.get_line_filters(), ground)
        thumb = thumb_of(self.top_row(), self.size.height, self._rows)
        strips = [self._strip(y, thumb) for y in crop.line_range]
        if crop.column_span == (0, width):
            return strips
        return [strip.extend_cell_length(crop.right, base).crop(*crop.column_span) for strip in strips]

    @override
    def render_line(self, y: int) -> Strip:
        return self.render_lines(Region(0, y, self.size.width, 1))[0]

    def on_mouse_down(self, event: MouseDown) -> None:
        """Start to drag the thumb."""
        if event.x == self.size.width - 1 and self.max_scroll_y > 0:
            event.stop()
            self._dragging = True
            self.capture_mouse()
            self._drag_to(event.y)

    def on_mouse_move(self, event: MouseMove) -> None:
        """Drag the thumb."""
        if self._dragging:
            event.stop()
            self._drag_to(event.y)

    def on_mouse_up(self, event: MouseUp) -> None:
        """Release the thumb."""
        if self._dragging:
            event.stop()
            self._dragging = False
            self.release_mouse()

    def _drag_to(self, y: int) -> None:
        share = y / max(1, self.size.height - 1)
        self.scroll_to(y=round(share * self.max_scroll_y), animate=False)

    def row_at(self, y: int) -> int:
        """Return the row at line `y` of the view."""
        return self.top_row() + y

    def _strip(self, y: int, thumb: range) -> Strip:
        row, bar = self.row_at(y), THUMB if y in thumb else TRACK if thumb else NO_BAR
        strip = self._painter.kept(self, row, bar)
        if strip is None:
            segments = self.paint_row(row) if row < self._rows else []
            strip = self._painter.paint(self, row, bar, segments, cursor=self.has_cursor(row))
        return strip


Item = TypeVar("Item")


class RowList(RowView, Generic[Item]):
    """A list with one item per row. A subclass implements `pieces` and binds keys to the actions."""

    FOLLOWS: ClassVar[bool] = False
    """True for a list that grows at its end, where the cursor stays until it is moved."""

    @dataclass
    class Opened(Message):
        """The user opened an item."""

        item: Any

    class Moved(Message):
        """The cursor is on another row."""

    def __init__(self, styles: Styles | None = None, *, id: str | None = None) -> None:
        super().__init__(styles, id=id)
        self._items: Sequence[Item] = ()
        self._cursor = 0
        self.follows = self.FOLLOWS
        """True while the cursor stays on the last item."""

    @abstractmethod
    def pieces(self, item: Item) -> tuple[list[Piece], list[Piece]]:
        """Return an item's row as (left, right)."""

    @property
    def current(self) -> Item | None:
        """The item under the cursor."""
        return self._items[self._cursor] if self._cursor < len(self._items) else None

    def show(self, items: Sequence[Item], unchanged: int = 0) -> None:
        """Show items; the first `unchanged` ones are the same as before."""
        self._items = items
        before = self._cursor
        last = max(0, len(items) - 1)
        self._cursor = last if self.follows else min(self._cursor, last)
        self.show_rows(len(items), min(unchanged, before))
        if self.follows:
            self.scroll_to(y=len(items), animate=False, immediate=True)

    @override
    def paint_row(self, row: int) -> list[Segment]:
        return one_row(*self.pieces(self._items[row]), self.row_width, self.theme_styles)

    @override
    def has_cursor(self, row: int) -> bool:
        return row == self._cursor and row < len(self._items)

    def on_resize(self) -> None:
        """Keep the cursor in view."""
        super().on_resize()
        self._place(self._cursor)

    def on_click(self, event: Click) -> None:
        """Move the cursor to an item; a second click opens it."""
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
        """Move the cursor to an item, or for -1 to the last one and follow."""
        self._place(len(self._items) - 1 if row < 0 else row)

    def action_open(self) -> None:
        """Open the item under the cursor."""
        if self.current is not None:
            self.post_message(self.Opened(self.current))

    def _place(self, row: int) -> None:
        last = max(0, len(self._items) - 1)
        before, self._cursor = self._cursor, min(max(0, row), last)
        self.follows = self.FOLLOWS and self._cursor == last
        self.repaint(before, self._cursor)
        if before != self._cursor:
            self.post_message(self.Moved())
        top, height = self.top_row(), self.size.height
        if self._cursor < top:
            self.scroll_to(y=self._cursor, animate=False, immediate=True)
        elif self._cursor >= top + height:
            self.scroll_to(y=self._cursor - height + 1, animate=False, immediate=True)


StatusRow = tuple[Sequence[Piece], Sequence[Piece]]
"""The left and the right part of a row."""


class StatusRows(Widget):
    """A few rows of text; as high as their number."""

    DEFAULT_CSS = """
    StatusRows {
        height: auto;
        width: 1fr;
    }
    """

    class Clicked(Message):
        """A row was clicked; `piece` is the index of the piece on its left side, or -1."""

        def __init__(self, lines: StatusRows, line: int, piece: int) -> None:
            super().__init__()
            self.lines = lines
            self.line = line
            self.piece = piece

        @property
        def control(self) -> StatusRows:
            """The sender."""
            return self.lines

    def __init__(
        self, styles: Styles | None = None, *, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.theme_styles = styles or Styles()
        self._lines: list[StatusRow] = []
        self._selected: int | None = None
        self._painter = Painter(has_bar=False)

    def set_theme_styles(self, styles: Styles) -> None:
        """Set the styles and redraw."""
        self.theme_styles = styles
        self.refresh()

    def set_rows(self, lines: Sequence[StatusRow], selected: int | None = None) -> None:
        """Show rows, one of them marked if `selected`."""
        new = list(lines)
        if new == self._lines and selected == self._selected:
            return
        taller = len(new) != len(self._lines)
        self._lines, self._selected = new, selected
        self._painter.forget(self)
        if taller or not self.is_attached or not self.screen.is_current:
            self.refresh(layout=taller)
        else:
            mark_rows(self, [self.size.region])
            self.screen.check_idle()  # unless whoever sets them draws them at once

    @override
    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines)

    @override
    def render_lines(self, crop: Region) -> list[Strip]:
        filters, ground = self.app.get_line_filters(), self.background_colors[1]
        self._painter.configure(self.theme_styles, self.rich_style, self.size.width, filters, ground)
        return super().render_lines(crop)

    @override
    def render_line(self, y: int) -> Strip:
        if y >= len(self._lines):
            return self._painter.blank(NO_BAR)
        strip = self._painter.kept(self, y, NO_BAR)
        if strip is None:
            row = one_row(*self._lines[y], self._painter.width, self.theme_styles)
            strip = self._painter.paint(self, y, NO_BAR, row, cursor=y == self._selected)
        return strip

    def on_click(self, event: events.Click) -> None:
        """Post `Clicked`."""
        if event.y >= len(self._lines):
            return
        event.stop()
        column = event.x
        for number, (_, text) in enumerate(self._lines[event.y][0]):
            column -= Segment(text).cell_length
            if column < 0:
                self.post_message(self.Clicked(self, event.y, number))
                return
        self.post_message(self.Clicked(self, event.y, -1))
