"""Safe text, measured in cells, and wrapped into rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from rich.cells import cell_len, set_cell_size, split_graphemes
from rich.segment import Segment
from rich.style import Style

from acp_tui.safe_text import (
    PER_CELL,
    exact,
    exact_line,
    is_exact,
    open_end,
    plain,
    safe,
    safe_line,
    seen,
    start_of,
)

__all__ = [
    "cells",
    "exact",
    "exact_line",
    "is_exact",
    "open_end",
    "plain",
    "safe",
    "safe_line",
    "seen",
    "shortened",
    "start_of",
]


def cells(text: str) -> int:
    """Return the cells of a safe text without tabs and newlines; fast for ASCII."""
    return len(text) if text.isascii() else cell_len(text)


def shortened(text: str, width: int, mark: str = "…") -> str:
    """Return `text` in at most `width` cells, with `mark` where it is cut; fast for any length."""
    start = text[: PER_CELL * width]
    if len(start) == len(text) and cell_len(text) <= width:
        return text
    return (set_cell_size(start, width - 1) if cell_len(start) >= width else start) + mark


Span: TypeAlias = tuple[str, Style]
"""A piece of safe text and its style; a newline in it ends a row."""

Row: TypeAlias = list[Segment]
"""A row of the screen: not padded, without control segments and base style."""

TAB: Final = "    "


class Continued(list[Segment]):
    """A row that continues the line of the row above; this matters for copying."""

    __slots__ = ("glue", "prefix")

    def __init__(self, prefix: Row, glue: str) -> None:
        super().__init__(prefix)
        self.prefix = sum(len(segment.text) for segment in prefix)
        """Characters of indentation and marks at the start of the row."""
        self.glue = glue
        """Text removed by the break: a space, or nothing inside a long word."""


class _Cut(NamedTuple):
    start: int
    end: int
    glue: str | None
    """Text between this piece and the one before it; None at the start of a line."""


PROSE: Final = 100
"""Most cells of a row of prose: longer rows are hard to read. Code and tables may be wider."""


def wrap(spans: Sequence[Span], width: int, first: Row = [], rest: Row = [], words: bool = True) -> list[Row]:  # noqa: B006 - never changed
    """Wrap spans into rows of at most `width` cells.

    Args:
        spans: safe text with styles.
        width: cells of a row, prefixes included.
        first: the prefix of the first row.
        rest: the prefix of all other rows, as wide as `first`.
        words: True to break at spaces, False to break anywhere, as in code.
    """
    room = max(1, width - row_cells(first))
    text = "".join([text for text, _ in spans])
    if "\t" in text:
        spans = [(text.replace("\t", TAB), style) for text, style in spans]
        text = text.replace("\t", TAB)
    if len(text) <= room and text.isascii() and "\n" not in text:
        return [[*first, *[Segment(text, style) for text, style in spans if text]]]
    return _slice(spans, cuts(text, room, words), first, rest)


def cut_at(spans: Sequence[Span], places: Sequence[tuple[int, int]]) -> list[Row]:
    """Return rows of the spans' text from each start to its end."""
    pieces = [_Cut(start, end, "") for start, end in places]
    return _slice(spans, pieces, [], [])


def cuts(text: str, width: int, words: bool = True) -> list[_Cut]:
    """Return the pieces of `text` for rows of `width` cells."""
    found: list[_Cut] = []
    start = 0
    while True:
        end = text.find("\n", start)
        stop = len(text) if end < 0 else end
        if text.isascii():
            _cut_narrow(text, start, stop, width, words, found)
        else:
            _cut_wide(text, start, stop, width, words, found)
        if end < 0:
            return found
        start = end + 1


def row_cells(row: Row) -> int:
    """Return the cells of a row."""
    if not row:
        return 0
    text = "".join([text for text, _, _ in row])
    return len(text) if text.isascii() else sum([cell_len(text) for text, _, _ in row])


def row_text(row: Row) -> str:
    """Return the text of a row."""
    return "".join([segment.text for segment in row])


def joined(rows: Sequence[Row], start: int = 0, end: int | None = None) -> str:
    """Return the text of rows as before wrapping, for copying.

    Args:
        rows: the rows.
        start: the first character of the first row.
        end: the end in the last row; None for its end.
    """
    parts: list[str] = []
    for number, row in enumerate(rows):
        text = row_text(row)
        text = text[: end if number == len(rows) - 1 else None].rstrip()
        if not number:
            parts.append(text[start:])
        elif isinstance(row, Continued):
            parts.append(row.glue + text[row.prefix :])
        else:
            parts.append("\n" + text)
    return "".join(parts)


def _cut_narrow(text: str, start: int, stop: int, width: int, words: bool, found: list[_Cut]) -> None:
    """Cut one line of one-cell characters: a search backwards from each edge, no step per word."""
    glue: str | None = None
    while stop - start > width:
        edge = start + width
        space = text.rfind(" ", start, edge + 1) if words else -1
        end = len(text[start:space].rstrip(" ")) + start if space > start else start
        if end == start:  # no space, or only those that indent
            found.append(_Cut(start, edge, glue))
            start, glue = edge, ""
            continue
        found.append(_Cut(start, end, glue))
        start, glue = _skip_spaces(text, space, stop), " "
    found.append(_Cut(start, stop, glue))


def _cut_wide(text: str, start: int, stop: int, width: int, words: bool, found: list[_Cut]) -> None:
    """Cut one line of characters of any width; wide ones may be broken between as words are."""
    glue: str | None = None
    while True:
        edge, break_at = _reach(text, start, stop, width)
        if edge == stop:
            found.append(_Cut(start, stop, glue))
            return
        end = len(text[start:break_at].rstrip(" ")) + start if words else start
        if end == start:
            found.append(_Cut(start, edge, glue))
            start, glue = edge, ""
            continue
        found.append(_Cut(start, end, glue))
        after = _skip_spaces(text, break_at, stop)
        glue = " " if after > end else ""
        start = after


def _reach(text: str, start: int, stop: int, width: int) -> tuple[int, int]:
    """Return the end of `width` cells, and the last good place to break before it."""
    line = text[start : min(stop, start + 8 * width)]  # no grapheme of sense has more characters
    graphemes, _ = split_graphemes(line)
    cells, break_at, wide = 0, start, False
    for begin, _, size in graphemes:
        if line[begin] == " " or (begin and (size > 1 or wide)):
            break_at = start + begin
        if cells + size > width and begin:
            return start + begin, break_at
        cells, wide = cells + size, size > 1
    return start + len(line), break_at


def _skip_spaces(text: str, start: int, stop: int) -> int:
    while start < stop and text[start] == " ":
        start += 1
    return start


def _slice(spans: Sequence[Span], pieces: Sequence[_Cut], first: Row, rest: Row) -> list[Row]:
    rows: list[Row] = []
    parts = _parts(spans, pieces)
    for number, piece in enumerate(pieces):
        prefix = rest if number else first
        row: Row = [*prefix] if piece.glue is None else Continued(prefix, piece.glue)
        row.extend(next(parts))
        rows.append(row)
    return rows


def _parts(spans: Sequence[Span], pieces: Sequence[_Cut]) -> Iterator[Row]:
    """Yield the segments of each piece; spans and pieces are in the order of the text."""
    number, offset = 0, 0
    for position, end, _ in pieces:
        segments: Row = []
        while position < end:
            text, style = spans[number]
            low, high = position - offset, end - offset
            if low < len(text):
                part = text[low:high]
                segments.append(Segment(part, style))
                position += len(part)
            if high > len(text):
                offset += len(text)
                number += 1
        yield segments
