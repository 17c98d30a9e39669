"""Which rows of a view have to be sent to the terminal again: those that differ from what it shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.geometry import Region
from textual.strip import Strip


class Redraw:
    """Remembers the strips that were drawn last. What is not known for certain is drawn again.

    Textual asks for more rows than it draws, namely all between those that changed; so only a row that was
    wanted, by `differing`, counts as drawn by the next `drawn`.
    """

    def __init__(self) -> None:
        self._drawn: list[Strip | None] = []
        self._wanted: set[int] = set()

    def forget(self) -> None:
        """Know nothing of what the terminal shows."""
        self._drawn = []

    def differing(self, strips: Sequence[Strip], width: int) -> list[Region]:
        """Return the rows of a view to draw anew, as regions of neighbouring rows; `strips` is all of it."""
        if len(self._drawn) != len(strips):
            self._drawn = [None] * len(strips)
        rows = [y for y, (old, new) in enumerate(zip(self._drawn, strips, strict=True)) if old is not new]
        self._wanted.update(rows)
        return [Region(0, first, width, last + 1 - first) for first, last in _runs(rows)]

    def drawn(self, start: int, strips: Sequence[Strip]) -> None:
        """Take note of rows that Textual has asked for, from the row `start` of the view on."""
        for y, strip in enumerate(strips, start):
            if y >= len(self._drawn):
                break
            if y in self._wanted:
                self._wanted.discard(y)
                self._drawn[y] = strip
            elif self._drawn[y] is not strip:
                self._drawn[y] = None


def _runs(rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of neighbouring numbers."""
    first = last = -1
    for row in rows:
        if first >= 0 and row != last + 1:
            yield first, last
            first = row
        elif first < 0:
            first = row
        last = row
    if first >= 0:
        yield first, last
