"""Strips that fill the width of their widget, for whoever paints rows and keeps them between frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter
from textual.strip import Strip


class FullStrip(Strip):
    """A strip that is drawn as a whole, and gone as soon as nobody keeps it.

    A strip of Textual's that is divided at its end keeps itself in its own cache: each one that was ever
    drawn waits for a full collection of garbage, which is rare.
    """

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
