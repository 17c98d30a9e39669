"""Marks what is searched for in the segments of a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.segment import Segment
from rich.style import Style


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
