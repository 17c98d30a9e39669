"""From rows to strips: what the compositor gets, made once for each row and kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from typing import Final, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import ANSIToTruecolor, LineFilter
from textual.selection import Selection
from textual.strip import Strip

from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.strips import full_strip
from acp_tui.ui.widgets.text import Row, joined, row_cells, row_text
from acp_tui.ui.widgets.transcript.blocks import Block
from acp_tui.ui.widgets.transcript.stack import Stack, Viewport

KEPT_STRIPS: Final = 600
_KEPT_INKS: Final = 1_000


class Inks(dict[Style | None, Style]):
    """Styles of rows, and how they are drawn: over a base, with the terminal's own colours as true ones.

    There are few styles and many segments: a look-up is all that most cost.
    """

    def __init__(self, base: Style, true: ANSIToTruecolor | None, ground: Color) -> None:
        super().__init__()
        self._base, self._true, self._ground = base, true, ground.rich_color

    def __missing__(self, style: Style | None) -> Style:
        if len(self) >= _KEPT_INKS:
            self.clear()  # an agent may link every word
        ink = self._base + style if style else self._base
        if self._true is not None:
            ink = self._true.truecolor_style(ink, self._ground)
        self[style] = ink
        return ink


class Paint:
    """Strips of full width: with base style, padding, line filters and the column of the scroll thumb."""

    def __init__(self) -> None:
        self._strips: dict[Block, dict[int, Strip]] = {}
        self._count = 0
        self._pots: tuple[object, ...] = ()
        self.dip(Look(), Style.null(), 0, (), Color(0, 0, 0))

    def dip(self, look: Look, base: Style, width: int, filters: Sequence[LineFilter], ground: Color) -> None:
        """Use other styles or another width from now on; everything is painted again when it is seen."""
        pots = (look, base, width, tuple(filters), ground)
        if pots == self._pots:
            return
        self._pots = pots
        self._look, self.width, self._ground = look, width, ground
        self.base = base + look.base
        true = filters[0] if filters and isinstance(filters[0], ANSIToTruecolor) else None
        self._filters = filters[1:] if true else filters
        self._inks = Inks(self.base, true, ground)
        self._cursor_inks = Inks(self.base + look["cursor"], true, ground)
        self._thumb = Segment(look.glyph("thumb"), self._inks[look["faint"]])
        self._edge = Segment(" ", self._inks[None])
        self.clear()

    def clear(self) -> None:
        """Forget all strips."""
        self._strips.clear()
        self._count = 0
        self._blank = {thumb: self._finished([], self._inks, thumb) for thumb in (False, True)}

    def keep(self, block: Block, rows: int) -> None:
        """Forget the strips of a block but for its first `rows` rows."""
        strips = self._strips.get(block)
        if strips is None:
            return
        gone = [key for key in reversed(strips) if key >> 1 >= rows] if rows else list(strips)
        self._count -= len(gone)
        if len(gone) == len(strips):
            del self._strips[block]
            return
        for key in gone:
            del strips[key]

    def blank(self, thumb: bool) -> Strip:
        """Return the strip of an empty row."""
        return self._blank[thumb]

    def strip(self, block: Block, number: int, row: Row, thumb: bool, cursor: bool) -> Strip:
        """Return the strip of a row of a block: the same object until the row changes.

        Args:
            block: the block.
            number: which of its rows.
            row: the row.
            thumb: whether the scroll thumb is beside it.
            cursor: whether the keyboard is on the block; `keep(block, 0)` when that changes.
        """
        strips = self._strips.setdefault(block, {})
        key = number << 1 | thumb
        strip = strips.get(key)
        if strip is None:
            if self._count >= KEPT_STRIPS:
                self.clear()
                strips = self._strips.setdefault(block, {})
            inks = self._cursor_inks if cursor else self._inks
            strip = strips[key] = self._finished(block.inked(number, row), inks, thumb)
            self._count += 1
        return strip

    def line(self, row: Row) -> Strip:
        """Return the strip of a row that belongs to no block, as a mark over the others."""
        return self._finished(row, self._inks, thumb=False)

    def over(self, strip: Strip, start: int, end: int, style: Style) -> Strip:
        """Return a strip with the characters from `start` to `end` (-1: all text) in another style."""
        segments: list[Segment] = []
        position = 0
        last = len(strip.text[:-1].rstrip()) if end < 0 else end  # the last character is the thumb
        for text, own, _ in strip:
            low, high = (min(max(edge - position, 0), len(text)) for edge in (start, last))
            pieces = ((text[:low], own), (text[low:high], (own or Style.null()) + style), (text[high:], own))
            segments.extend([Segment(part, ink) for part, ink in pieces if part])
            position += len(text)
        return Strip(segments, strip.cell_length)

    def _finished(self, row: Row, inks: Inks, thumb: bool) -> Strip:
        segments = [Segment(text, inks[style]) for text, style, _ in row]
        room = self.width - 1 - row_cells(row)
        if room > 0:
            segments.append(Segment(" " * room, inks[None]))
        elif room < 0:
            segments = list(Strip(segments).crop(0, self.width - 1))
        segments.append(self._thumb if thumb else self._edge)
        return full_strip(segments, self.width, self._filters, self._ground)


_ROW_BITS: Final = 20
"""A line of a selection is block << bits | row, so that growth of other blocks does not move it."""


class _Edge(NamedTuple):
    row: int
    character: int


def line_of(stack: Stack, row: int) -> int:
    """Return the line by which a selection knows a row of the stack."""
    if not len(stack):
        return 0
    index, number = stack.at(row)
    return index << _ROW_BITS | number


def selected_text(stack: Stack, selection: Selection) -> str:
    """Return the selected text: of whole blocks the source, of parts the rows as before wrapping."""
    first, start = (0, _Edge(0, 0))
    last, end = (len(stack) - 1, None)
    if selection.start:
        first, row = divmod(selection.start.y, 1 << _ROW_BITS)
        start = _Edge(row, selection.start.x)
    if selection.end:
        last, row = divmod(selection.end.y, 1 << _ROW_BITS)
        end = _Edge(row, selection.end.x)
    return "\n".join(
        _text_of(stack, index, start if index == first else _Edge(0, 0), end if index == last else None)
        for index in range(first, min(last, len(stack) - 1) + 1)
    )


def _text_of(stack: Stack, index: int, start: _Edge, end: _Edge | None) -> str:
    if start == (0, 0) and end is None:
        return stack.blocks[index].source()
    stack.lay_out(index, inf)
    rows = stack.rows(index) or ()
    if start == (0, 0) and end is not None and _covers(end, rows):
        return stack.blocks[index].source()
    stop = len(rows) if end is None else end.row + 1
    return joined(rows[start.row : stop], start.character, end.character if end else None)


def _covers(end: _Edge, rows: Sequence[Row]) -> bool:
    """Whether nothing is left behind the end of a selection but blanks."""
    rest = "".join(row_text(row) for row in rows[end.row :])
    return not rest[end.character :].strip()


def link_at(row: Row, column: int) -> str:
    """Return the address that a cell of a row links to; empty for none."""
    for segment in row:
        column -= segment.cell_length
        if column < 0:
            return (segment.style and segment.style.link) or ""
    return ""


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
