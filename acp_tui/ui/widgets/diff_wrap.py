"""Long lines of a difference on several rows: how many each takes, and the parts that come of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from acp_tui.ui.widgets.diff_layout import Part
from acp_tui.ui.widgets.wrap import TAB

MOST_ROWS: Final = 500
"""Rows of one line; the rest of an endless one is left out, marked as cut."""
_WIDE: Final = re.compile(
    "[\u1100-\u115f\u231a-\u23f3\u25fd-\u2b55\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\U00010000-\U0003ffff]"
)
"""Characters that take two cells, and a few that may."""
_CODE: Final = frozenset({"equal", "removed", "added", "changed"})

_NARROW: Final = re.compile(
    "[\x00-\x7e\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e]*"
)
"""Lines whose characters take a cell each: these are broken at words."""

Height = Callable[[Part, int], int]
"""Returns the rows that a line of a part takes; the first is 0."""


def height_of(line: str, room: int) -> int:
    """Return how many rows of `room` cells a line takes; with wide characters perhaps one too many.

    Exact would be to lay such a line out, which takes seconds where very many lines are long.
    """
    length = len(line)
    if length <= room and line.isascii() and "\t" not in line:
        return 1
    line = line[: room * MOST_ROWS]
    if _NARROW.fullmatch(line):
        return min(MOST_ROWS, len(_word_spans(line.replace("\t", TAB), room)))
    cells = len(line) + (len(TAB) - 1) * line.count("\t")
    if not line.isascii():
        wide = len(_WIDE.findall(line))
        cells += wide
        room = max(1, room - bool(wide))  # a wide character that finds one cell left takes the next row
    return max(1, min(MOST_ROWS, -(-cells // room)))


def row_spans(line: str, room: int) -> list[tuple[int, int]] | None:
    """Return where the rows of a line begin and end, tabs laid out; None if it may have wide characters."""
    line = line[: room * MOST_ROWS]
    return _word_spans(line.replace("\t", TAB), room) if _NARROW.fullmatch(line) else None


def _word_spans(text: str, room: int) -> list[tuple[int, int]]:
    """Return the rows of at most `room` characters: broken behind a space where there is one, else anywhere.

    In code blanks count: only a single one between two words is left out, where a row is full before it.
    """
    spans, start, stop = [], 0, len(text)
    while stop - start > room:
        edge = start + room
        is_full = text[edge] == " " and text[edge - 1] != " " and text[edge + 1 : edge + 2] not in ("", " ")
        space = edge if text[edge] == " " else text.rfind(" ", start, edge) + 1
        if space <= start or text[start:space].isspace():  # no space, or only those that indent
            space, is_full = edge, False
        spans.append((start, space))
        start = space + is_full
    return [*spans, (start, stop)]


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
    old, new = part.old + line, part.new + line
    return Part(part.kind, rows, part.block, old, new, part.old_lines - line, part.new_lines - line, room)
