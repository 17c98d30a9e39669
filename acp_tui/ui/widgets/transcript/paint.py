"""Painting of the blocks in view, and the text of a selection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import Final, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.selection import Selection
from textual.strip import Strip

from acp_tui.ui.widgets.painter import NO_BAR, THUMB, Painter, over, thumb_of
from acp_tui.ui.widgets.text import Row, joined, row_text
from acp_tui.ui.widgets.transcript.blocks import Block
from acp_tui.ui.widgets.transcript.layout import BlockLayout, Viewport

_ROW_BITS: Final = 20
"""Bits of the row in a selection's line, block << bits | row: growth of other blocks does not move it."""


class _Edge(NamedTuple):
    row: int
    character: int


def line_of(layout: BlockLayout, row: int) -> int:
    """Return the line of a row in a selection."""
    if not len(layout):
        return 0
    index, number = layout.at(row)
    return index << _ROW_BITS | number


def selected_text(layout: BlockLayout, selection: Selection) -> str:
    """Return the selected text: the source of whole blocks, and the unwrapped rows of parts.

    A block of several keeps the marks before its lines, which show whose they are.
    """
    first, start = (0, _Edge(0, 0))
    last, end = (len(layout) - 1, None)
    if selection.start:
        first, row = divmod(selection.start.y, 1 << _ROW_BITS)
        start = _Edge(row, selection.start.x)
    if selection.end:
        last, row = divmod(selection.end.y, 1 << _ROW_BITS)
        end = _Edge(row, selection.end.x)
    last = min(last, len(layout) - 1)
    return "\n".join(
        _text_of(
            layout,
            index,
            start if index == first else _Edge(0, 0),
            end if index == last else None,
            is_alone=first == last,
        )
        for index in range(first, last + 1)
    )


def _text_of(layout: BlockLayout, index: int, start: _Edge, end: _Edge | None, *, is_alone: bool) -> str:
    if start == (0, 0) and end is None:
        return _whole(layout, index, is_alone=is_alone)
    layout.lay_out(index, inf)
    rows = layout.rows(index) or ()
    if start == (0, 0) and end is not None and _covers(end, rows):
        return _whole(layout, index, is_alone=is_alone)
    stop = len(rows) if end is None else end.row + 1
    return joined(rows[start.row : stop], start.character, end.character if end else None)


def _whole(layout: BlockLayout, index: int, *, is_alone: bool) -> str:
    block = layout.blocks[index]
    text = block.source() if is_alone else block.source_among_others()
    if text is not None:
        return text
    layout.lay_out(index, inf)
    return joined(layout.rows(index) or ()).strip("\n")


def _covers(end: _Edge, rows: Sequence[Row]) -> bool:
    """Return True if only blanks follow the end of a selection."""
    rest = "".join(row_text(row) for row in rows[end.row :])
    return not rest[end.character :].strip()


def link_at(row: Row, column: int) -> str:
    """Return the address of the link at a cell of a row, or ""."""
    for segment in row:
        column -= segment.cell_length
        if column < 0:
            return (segment.style and segment.style.link) or ""
    return ""


_NEWS: Final = "new below"


class ViewportPainter:
    """Paints the blocks in a viewport. Rows count from the top of the view."""

    def __init__(self, layout: BlockLayout, view: Viewport, painter: Painter) -> None:
        self._layout, self._view, self._painter = layout, view, painter
        self._hit: tuple[Block, int] | None = None

    def show_hit(self, hit: tuple[Block, int] | None) -> None:
        """Mark the row of the current search hit, given as (block, row of it)."""
        for shown in (self._hit, hit):
            if shown is not None:
                self._painter.forget_rows(shown[0], [shown[1]])
        self._hit = hit

    def strips(self, start: int, end: int, cursor: Block | None) -> Iterator[Strip]:
        """Yield the strips of rows `start` to `end`: the same objects until something changes."""
        view, layout, painter = self._view, self._layout, self._painter
        thumb = thumb_of(view.top, view.height, layout.height)
        row = view.top + start
        index, number = layout.at(row) if row < layout.height else (len(layout), 0)
        y = start
        while y < end and index < len(layout):
            block = layout.blocks[index]
            rows: Sequence[Row] = layout.rows(index) or ()
            stop = min(layout.block_height(index), number + end - y)
            kept = painter.all_kept(block)
            for place, plain in enumerate(rows[number:stop], number):
                bar = THUMB if y in thumb else NO_BAR
                strip = kept.get((place, bar))
                if strip is None:
                    row_now = self._marked(block, place, block.highlighted(place, plain))
                    strip = painter.paint(block, place, bar, row_now, cursor=block is cursor)
                yield strip
                y += 1
            for _ in range(max(number, len(rows)), stop):  # as high as it was estimated
                yield painter.blank(THUMB if y in thumb else NO_BAR)
                y += 1
            index, number = index + 1, 0
        for below in range(y, end):
            yield painter.blank(THUMB if below in thumb else NO_BAR)

    def selected(self, y: int, strip: Strip, selection: Selection, style: Style) -> Strip:
        """Return a strip with its part of a selection over it."""
        row = self._view.top + y
        span = selection.get_span(line_of(self._layout, row)) if row < self._layout.height else None
        return strip if span is None else over(strip, *span, style)

    def news(self, width: int) -> Strip:
        """Return the mark for text that came in below the view."""
        styles = self._layout.theme_styles
        label = f" {styles.symbol('down')} {_NEWS} "
        room = max(0, (width - len(label)) // 2)
        return self._painter.finish([Segment(" " * room), Segment(label, styles["accent"])])

    def _marked(self, block: Block, number: int, row: Row) -> Row:
        """Return a row in the style of the cursor if the shown hit is in it."""
        if self._hit != (block, number):
            return row
        cursor = self._layout.theme_styles["cursor"]
        return [Segment(text, (style or Style.null()) + cursor) for text, style, _ in row]
