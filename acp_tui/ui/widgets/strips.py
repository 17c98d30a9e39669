"""Strips that fill the width of their widget, for whoever paints rows and keeps them between frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.cache import FIFOCache
from textual.color import Color
from textual.filter import LineFilter
from textual.strip import Strip

from acp_tui.ui.widgets.look import Look

_CACHED: Final = 16
"""What one cache of a strip holds at most, as in Textual's own."""


class FullStrip(Strip):
    """A strip that is drawn as a whole, and gone as soon as nobody keeps it.

    A strip of Textual's that is divided at its end keeps itself in its own cache: each one that was ever
    drawn waits for a full collection of garbage, which is rare. And each has seven caches, of which hardly
    any is used for a strip that is drawn as it is: here they are made when they are asked for.
    """

    __slots__ = ("__weakref__",)

    def __init__(self, segments: list[Segment], width: int) -> None:
        """Take segments of `width` cells, and the list itself."""
        self._segments = segments
        self._cell_length = width
        self._render_cache = self._link_ids = self._cell_count = None

    def __getattr__(self, name: str) -> FIFOCache[Any, Any]:
        """Return a cache that is asked for the first time."""
        if not name.endswith("_cache") or name not in Strip.__slots__:
            raise AttributeError(name)
        cache: FIFOCache[Any, Any] = FIFOCache(_CACHED)
        setattr(self, name, cache)
        return cache

    def divide(self, cuts: Iterable[int]) -> Sequence[Strip]:
        """Return the parts between the cuts, as the compositor asks for them."""
        cuts = list(cuts)
        return [self] if cuts == [self.cell_length] else super().divide(cuts)


def full_strip(
    segments: list[Segment], width: int, filters: Iterable[LineFilter], ground: Color
) -> FullStrip:
    """Return segments of `width` cells as one strip, with line filters applied over the colour `ground`."""
    for line_filter in filters:
        segments = line_filter.apply(segments, ground)
    return FullStrip(segments, width)


def fit(segments: list[Segment], pan: int, width: int, ground: Style, look: Look) -> list[Segment]:
    """Return segments moved left by `pan` cells and exactly `width` wide, marked where they are cut."""
    if width <= 0:
        return []
    length = sum([cell_len(text) for text, _, _ in segments])
    if pan == 0 and length <= width:
        return [*segments, Segment(" " * (width - length), ground)] if length < width else segments
    mark = Segment(look.glyph("cut"), ground + look["accent"])
    left = bool(pan and length)
    right = length > pan + width and width > left  # one cell has room for one mark
    inner = Strip(segments, length).crop(pan + left, pan + width - right)
    inner = inner.adjust_cell_length(width - left - right, ground)
    return [*([mark] if left else []), *inner, *([mark] if right else [])]


def marked(row: Sequence[Segment], needle: str, style: Style) -> list[Segment]:
    """Return a row with `style` over every place that has a text, in any case; `needle` is casefolded."""
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
