"""Rows painted as strips of the full width of their view, and cached between frames."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import ANSIToTruecolor, LineFilter
from textual.strip import Strip

from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import row_cells
from acp_tui.ui.widgets.textual_internals import FullStrip

KEPT_STRIPS: Final = 600
"""Strips kept by one painter; a screen needs about a hundred."""
_KEPT_STYLES: Final = 1_000

NO_BAR: Final = 0
TRACK: Final = 1
THUMB: Final = 2
"""The last cell of a row: nothing, the track of the scroll bar, or its thumb."""


def full_strip(
    segments: list[Segment], width: int, filters: Iterable[LineFilter], ground: Color
) -> FullStrip:
    """Return segments of `width` cells as one strip, with line filters applied over the colour `ground`."""
    for line_filter in filters:
        segments = line_filter.apply(segments, ground)
    return FullStrip(segments, width)


class _PaintedStyles(dict[Style | None, Style]):
    """The painted form of each style: over a base, with the terminal's own colours as true ones.

    Styles are few and segments are many: most of them cost one look-up.
    """

    def __init__(self, base: Style, true: ANSIToTruecolor | None, ground: Color) -> None:
        super().__init__()
        self._base, self._true, self._ground = base, true, ground.rich_color

    def __missing__(self, style: Style | None) -> Style:
        if len(self) >= _KEPT_STYLES:
            self.clear()  # an agent may link every word
        painted = self._base + style if style else self._base
        if self._true is not None:
            painted = self._true.truecolor_style(painted, self._ground)
        self[style] = painted
        return painted


class _Strips(dict[tuple[int, int], Strip]):
    """The kept strips of one owner by (row number, last cell)."""

    end = 0
    """The number after that of the last row with a strip."""


_NO_STRIPS: Final = _Strips()


class Painter:
    """Paints rows with base style, padding, line filters, search marks and the scroll bar.

    A strip is kept under its owner (a block, or the view itself) and row number, and is the same object
    until the row is forgotten: a view redraws the rows whose strips are other objects than in its last frame.
    """

    def __init__(self, *, has_bar: bool = True) -> None:
        """Paint for a view whose last column is its scroll bar, or with `has_bar` off for one without."""
        self.needle = ""
        """The casefolded text of the search, marked in every row."""
        self._columns = int(has_bar)
        self._strips: dict[Hashable, _Strips] = {}
        self._count = 0
        self._configured: tuple[object, ...] = ()
        self.configure(Styles(), Style.null(), 0, (), Color(0, 0, 0))

    def configure(
        self, styles: Styles, base: Style, width: int, filters: Sequence[LineFilter], ground: Color
    ) -> None:
        """Set styles and width; forget all strips if any of them is new."""
        configured = (styles, base, width, tuple(filters), ground)
        if configured == self._configured:
            return
        self._configured = configured
        self._theme_styles, self.width, self._ground = styles, width, ground
        true = filters[0] if filters and isinstance(filters[0], ANSIToTruecolor) else None
        self._filters = filters[1:] if true else filters
        self._styles = _PaintedStyles(base, true, ground)
        self._cursor_styles = _PaintedStyles(base + styles["cursor"], true, ground)
        bars = (
            (" ", None),
            (styles.symbol("track"), styles["faint"]),
            (styles.symbol("thumb"), styles["faint"]),
        )
        self._bars = [Segment(text, self._styles[style]) for text, style in bars]
        self.clear()

    def clear(self) -> None:
        """Forget all strips."""
        self._strips.clear()
        self._count = 0
        self._blank = [self.finish([], bar) for bar in (NO_BAR, TRACK, THUMB)]

    def mark(self, text: str) -> None:
        """Mark a text in every row, in upper or lower case; an empty one removes the marks."""
        self.needle = text.casefold()
        self.clear()

    def forget(self, owner: Hashable, start: int = 0) -> None:
        """Forget the strips of an owner from row `start` on."""
        strips = self._strips.get(owner)
        if strips is None:
            return
        if not start:
            self._count -= len(strips)
            del self._strips[owner]
            return
        below = range(start, strips.end)  # usually few of the hundreds in the cache
        self.forget_rows(
            owner, below if len(below) < len(strips) else {row for row, _ in strips if row >= start}
        )
        strips.end = min(start, strips.end)

    def forget_rows(self, owner: Hashable, rows: Iterable[int]) -> None:
        """Forget the strips of some rows of an owner."""
        strips = self._strips.get(owner, _NO_STRIPS)
        for row in rows:
            for bar in (NO_BAR, TRACK, THUMB):
                if strips.pop((row, bar), None) is not None:
                    self._count -= 1
        if not strips:
            self._strips.pop(owner, None)

    def blank(self, bar: int) -> Strip:
        """Return the strip of an empty row."""
        return self._blank[bar]

    def kept(self, owner: Hashable, number: int, bar: int) -> Strip | None:
        """Return the strip of a row if it is kept."""
        return self.all_kept(owner).get((number, bar))

    def all_kept(self, owner: Hashable) -> Mapping[tuple[int, int], Strip]:
        """Return the kept strips of an owner by (row number, last cell)."""
        return self._strips.get(owner, _NO_STRIPS)

    def paint(
        self, owner: Hashable, number: int, bar: int, row: Sequence[Segment], *, cursor: bool = False
    ) -> Strip:
        """Paint a row and keep its strip.

        Args:
            owner: the block or view that the row belongs to.
            number: the row's number in it.
            bar: the last cell.
            row: the row, without the base style.
            cursor: True if the cursor is on it.
        """
        if self._count >= KEPT_STRIPS:
            self.clear()
        if self.needle:
            row = marked(row, self.needle, self._theme_styles["match"])
        strip = self.finish(row, bar, cursor=cursor)
        strips = self._strips.setdefault(owner, _Strips())
        strips[number, bar] = strip
        strips.end = max(strips.end, number + 1)
        self._count += 1
        return strip

    def finish(self, row: Sequence[Segment], bar: int = NO_BAR, *, cursor: bool = False) -> Strip:
        """Return a row as a strip that is not kept."""
        styles = self._cursor_styles if cursor else self._styles
        segments = [Segment(text, styles[style]) for text, style, _ in row]
        room = self.width - self._columns - row_cells(segments)
        if room > 0:
            segments.append(Segment(" " * room, styles[None]))
        elif room < 0:
            segments = list(Strip(segments).crop(0, max(0, self.width - self._columns)))
        if self._columns:
            segments.append(self._bars[bar])
        return full_strip(segments, self.width, self._filters, self._ground)


def thumb_of(top: int, height: int, total: int) -> range:
    """Return the lines of the scroll bar's thumb; none if all rows are in view."""
    if total <= height or not height:
        return range(0)
    size = max(1, height * height // total)
    start = (height - size) * top // (total - height)
    return range(start, start + size)


def over(strip: Strip, start: int, end: int, style: Style) -> Strip:
    """Return a strip with the characters from `start` to `end` (-1: all text) in another style."""
    segments: list[Segment] = []
    position = 0
    last = len(strip.text[:-1].rstrip()) if end < 0 else end  # the last character is the scroll bar
    for text, own, _ in strip:
        low, high = (min(max(edge - position, 0), len(text)) for edge in (start, last))
        pieces = ((text[:low], own), (text[low:high], (own or Style.null()) + style), (text[high:], own))
        segments.extend([Segment(part, painted) for part, painted in pieces if part])
        position += len(text)
    return Strip(segments, strip.cell_length)


def fit(segments: list[Segment], pan: int, width: int, ground: Style, styles: Styles) -> list[Segment]:
    """Return segments panned by `pan` cells, exactly `width` wide, with marks where they are cut."""
    if width <= 0:
        return []
    length = sum([cell_len(text) for text, _, _ in segments])
    if pan == 0 and length <= width:
        return [*segments, Segment(" " * (width - length), ground)] if length < width else segments
    mark = Segment(styles.symbol("cut"), ground + styles["accent"])
    left = bool(pan and length)
    right = length > pan + width and width > left  # one cell has room for one mark
    inner = Strip(segments, length).crop(pan + left, pan + width - right)
    inner = inner.adjust_cell_length(width - left - right, ground)
    return [*([mark] if left else []), *inner, *([mark] if right else [])]


def marked(row: Sequence[Segment], needle: str, style: Style) -> list[Segment]:
    """Return a row with `style` over each occurrence of the casefolded `needle`."""
    text = "".join(segment.text for segment in row)
    folded = text.casefold()
    if len(folded) != len(text):  # letters that fold to several: positions would be off
        folded = text.lower()
    places = list(_places(folded, needle))
    return [part for part in _cut(row, places, style) if part.text] if places else list(row)


def _places(text: str, needle: str) -> Iterator[tuple[int, int]]:
    at = text.find(needle) if needle else -1
    while at >= 0:
        yield at, at + len(needle)
        at = text.find(needle, at + len(needle))


def _cut(row: Sequence[Segment], places: Sequence[tuple[int, int]], style: Style) -> Iterator[Segment]:
    start = 0
    for text, own, _ in row:
        at = 0
        for first, last in places:
            first, last = max(first - start, at), min(last - start, len(text))
            if first < last:
                yield Segment(text[at:first], own)
                yield Segment(text[first:last], (own or Style.null()) + style)
                at = last
        yield Segment(text[at:], own)
        start += len(text)
