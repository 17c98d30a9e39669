"""What the mouse has selected in a stack of blocks, as text, and what is under it."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final, NamedTuple

from textual.selection import Selection

from acp_tui.ui.widgets.stack import Stack
from acp_tui.ui.widgets.wrap import Row, joined, row_text

_ROW_BITS: Final = 20
"""A line of a selection is block << bits | row, so that growth of other blocks does not move it."""


class _Edge(NamedTuple):
    row: int
    character: int


def line_of(stack: Stack, row: int) -> int:
    """Return the line by which a selection knows a row of the stack."""
    if not len(stack):
        return 0
    index, number = stack.at(row)
    return index << _ROW_BITS | number


def selected_text(stack: Stack, selection: Selection) -> str:
    """Return the selected text: of whole blocks the source, of parts the rows as before wrapping."""
    first, start = (0, _Edge(0, 0))
    last, end = (len(stack) - 1, None)
    if selection.start:
        first, row = divmod(selection.start.y, 1 << _ROW_BITS)
        start = _Edge(row, selection.start.x)
    if selection.end:
        last, row = divmod(selection.end.y, 1 << _ROW_BITS)
        end = _Edge(row, selection.end.x)
    return "\n".join(
        _text_of(stack, index, start if index == first else _Edge(0, 0), end if index == last else None)
        for index in range(first, min(last, len(stack) - 1) + 1)
    )


def _text_of(stack: Stack, index: int, start: _Edge, end: _Edge | None) -> str:
    if start == (0, 0) and end is None:
        return stack.blocks[index].source()
    stack.lay_out(index, inf)
    rows = stack.rows(index) or ()
    if start == (0, 0) and end is not None and _covers(end, rows):
        return stack.blocks[index].source()
    stop = len(rows) if end is None else end.row + 1
    return joined(rows[start.row : stop], start.character, end.character if end else None)


def _covers(end: _Edge, rows: Sequence[Row]) -> bool:
    """Whether nothing is left behind the end of a selection but blanks."""
    rest = "".join(row_text(row) for row in rows[end.row :])
    return not rest[end.character :].strip()


def link_at(row: Row, column: int) -> str:
    """Return the address that a cell of a row links to; empty for none."""
    for segment in row:
        column -= segment.cell_length
        if column < 0:
            return (segment.style and segment.style.link) or ""
    return ""
