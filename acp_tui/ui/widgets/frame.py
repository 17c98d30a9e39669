"""One frame of a transcript: the strips in view, with what is drawn over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual.selection import Selection
from textual.strip import Strip

from acp_tui.ui.widgets.blocks import Block
from acp_tui.ui.widgets.paint import Paint
from acp_tui.ui.widgets.selecting import line_of
from acp_tui.ui.widgets.stack import Stack
from acp_tui.ui.widgets.viewport import Viewport
from acp_tui.ui.widgets.wrap import Row

_NEWS: Final = "new below"


class Frame:
    """Draws what a viewport shows of a stack. Rows are counted from the top of the view."""

    def __init__(self, stack: Stack, view: Viewport, paint: Paint) -> None:
        self._stack, self._view, self._paint = stack, view, paint
        self.needle = ""
        """What is searched for, marked wherever it is in view."""
        self.hit: tuple[Block, int] | None = None
        """The block and the row of the hit that the person is at."""

    def strips(self, start: int, end: int, cursor: Block | None) -> Iterator[Strip]:
        """Yield the strips of rows `start` to `end`: the same objects as long as nothing changes."""
        thumb, stack = self._thumb(), self._stack
        row = self._view.top + start
        index, number = stack.at(row) if row < stack.height else (len(stack), 0)
        y, paint = start, self._paint
        while y < end and index < len(stack):
            block = stack.blocks[index]
            rows: Sequence[Row] = stack.rows(index) or ()
            stop = min(stack.block_height(index), number + end - y)
            for place, drawn in enumerate(rows[number:stop], number):
                yield paint.strip(block, place, drawn, y in thumb, block is cursor)
                y += 1
            for _ in range(max(number, len(rows)), stop):  # as high as it was estimated
                yield paint.blank(y in thumb)
                y += 1
            index, number = index + 1, 0
        for below in range(y, end):
            yield paint.blank(below in thumb)

    def selected(self, y: int, strip: Strip, selection: Selection, style: Style) -> Strip:
        """Return a strip with its part of a selection over it."""
        row = self._view.top + y
        span = selection.get_span(line_of(self._stack, row)) if row < self._stack.height else None
        return strip if span is None else self._paint.over(strip, *span, style)

    def found(self, y: int, strip: Strip) -> Strip:
        """Return a strip with the places marked that hold what is searched for, and the row one is at."""
        if self._view.top + y == self._hit_row():
            strip = self._paint.over(strip, 0, -1, self._stack.look["cursor"])
        text = strip.text.casefold()
        if len(text) != len(strip.text):  # letters that fold to several: positions would be off
            text = strip.text.lower()
        place = text.find(self.needle)
        while place >= 0:
            end = place + len(self.needle)
            strip = self._paint.over(strip, place, end, self._stack.look["match"])
            place = text.find(self.needle, end)
        return strip

    def news(self, width: int) -> Strip:
        """Return the mark for text that came in below the view."""
        look = self._stack.look
        label = f" {look.glyph('down')} {_NEWS} "
        room = max(0, (width - len(label)) // 2)
        return self._paint.line([Segment(" " * room), Segment(label, look["accent"])])

    def _hit_row(self) -> int | None:
        """Return the row of the stack that the person is at."""
        if self.hit is None or self.hit[0] not in self._stack:
            return None
        return self._stack.top(self._stack.index(self.hit[0])) + self.hit[1]

    def _thumb(self) -> range:
        height, total = self._view.height, self._stack.height
        if total <= height or not height:
            return range(0)
        size = max(1, height * height // total)
        start = (height - size) * self._view.top // (total - height)
        return range(start, start + size)
