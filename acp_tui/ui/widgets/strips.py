"""Strips that fill the width of their widget, for whoever paints rows and keeps them between frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from rich.segment import Segment
from textual.cache import FIFOCache
from textual.color import Color
from textual.filter import LineFilter
from textual.strip import Strip

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
