"""Painting of the blocks in view, and the text of a selection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual.selection import Selection
from textual.strip import Strip

from acp_tui.ui.widgets.painter import NO_BAR, THUMB, Painter, over, thumb_of
from acp_tui.ui.widgets.text import Row
from acp_tui.ui.widgets.transcript.blocks import Block
from acp_tui.ui.widgets.transcript.layout import BlockLayout
from acp_tui.ui.widgets.transcript.selection import line_of
from acp_tui.ui.widgets.transcript.viewport import Viewport


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
