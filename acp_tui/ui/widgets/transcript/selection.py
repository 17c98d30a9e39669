"""The text of a selection in a transcript."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final, NamedTuple

from textual.selection import Selection

from acp_tui.ui.widgets.text import Row, joined, row_text
from acp_tui.ui.widgets.transcript.layout import BlockLayout

_ROW_BITS: Final = 20
"""Bits of the row in a selection's line, block << bits | row: growth of other blocks does not move it."""


class _Edge(NamedTuple):
    row: int
    character: int


def line_of(layout: BlockLayout, row: int) -> int:
    """Return the line of a row in a selection."""
    if not len(layout):
        return 0
    index, number = layout.at(row)
    return index << _ROW_BITS | number


def selected_text(layout: BlockLayout, selection: Selection) -> str:
    """Return the selected text: the source of whole blocks, and the unwrapped rows of parts.

    A block of several keeps the marks before its lines, which show whose they are.
    """
    first, start = (0, _Edge(0, 0))
    last, end = (len(layout) - 1, None)
    if selection.start:
        first, row = divmod(selection.start.y, 1 << _ROW_BITS)
        start = _Edge(row, selection.start.x)
    if selection.end:
        last, row = divmod(selection.end.y, 1 << _ROW_BITS)
        end = _Edge(row, selection.end.x)
    last = min(last, len(layout) - 1)
    return "\n".join(
        _text_of(
            layout,
            index,
            start if index == first else _Edge(0, 0),
            end if index == last else None,
            is_alone=first == last,
        )
        for index in range(first, last + 1)
    )


def _text_of(layout: BlockLayout, index: int, start: _Edge, end: _Edge | None, *, is_alone: bool) -> str:
    if start == (0, 0) and end is None:
        return _whole(layout, index, is_alone=is_alone)
    layout.lay_out(index, inf)
    rows = layout.rows(index) or ()
    if start == (0, 0) and end is not None and _covers(end, rows):
        return _whole(layout, index, is_alone=is_alone)
    stop = len(rows) if end is None else end.row + 1
    return joined(rows[start.row : stop], start.character, end.character if end else None)


def _whole(layout: BlockLayout, index: int, *, is_alone: bool) -> str:
    block = layout.blocks[index]
    text = block.source() if is_alone else block.source_among_others()
    if text is not None:
        return text
    layout.lay_out(index, inf)
    return joined(layout.rows(index) or ()).strip("\n")


def _covers(end: _Edge, rows: Sequence[Row]) -> bool:
    """Return True if only blanks follow the end of a selection."""
    rest = "".join(row_text(row) for row in rows[end.row :])
    return not rest[end.character :].strip()
