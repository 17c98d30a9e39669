"""From rows to strips: what the compositor gets, made once for each row and kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import ANSIToTruecolor, LineFilter
from textual.strip import Strip

from acp_tui.ui.widgets.blocks import Block
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.strips import full_strip
from acp_tui.ui.widgets.wrap import Row, row_cells

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
