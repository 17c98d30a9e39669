"""Long lines of a difference on several rows: how many each takes, and the parts that come of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from acp_tui.ui.widgets.diff_layout import Part
from acp_tui.ui.widgets.text import safe
from acp_tui.ui.widgets.wrap import TAB, cuts

MOST_ROWS: Final = 500
"""Rows of one line; the rest of an endless one is left out, marked as cut."""
_CODE: Final = frozenset({"equal", "removed", "added", "changed"})

Height = Callable[[Part, int], int]
"""Returns the rows that a line of a part takes; the first is 0."""


def height_of(line: str, room: int) -> int:
    """Return how many rows of `room` cells a line takes."""
    if len(line) <= room and line.isascii() and "\t" not in line:
        return 1
    if len(line) * len(TAB) <= room:  # no character is wider than a tab
        return 1
    text = safe(line[: room * MOST_ROWS]).replace("\t", TAB)
    return min(MOST_ROWS, len(cuts(text, max(1, room), words=False)))


def wrapped(parts: Iterable[Part], height: Height, room: int) -> Iterator[Part]:
    """Yield parts again, each line that is longer than a row as a part of its own."""
    for part in parts:
        if part.kind in _CODE:
            yield from _split(part, height, room)
        else:
            yield part


def _split(part: Part, height: Height, room: int) -> Iterator[Part]:
    begun = 0
    for line in range(part.rows):
        rows = height(part, line)
        if rows > 1:
            if line > begun:
                yield _from(part, begun, line - begun)
            yield _from(part, line, rows, room)
            begun = line + 1
    if begun < part.rows:
        yield _from(part, begun, part.rows - begun) if begun else part


def _from(part: Part, line: int, rows: int, room: int = 0) -> Part:
    return part._replace(
        rows=rows,
        old=part.old + line,
        new=part.new + line,
        old_lines=part.old_lines - line,
        new_lines=part.new_lines - line,
        room=room,
    )
