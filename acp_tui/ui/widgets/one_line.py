"""A block of one row: text on the left, cut when there is no room, and facts on the right."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style

from acp_tui.ui.widgets.blocks import Block
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import safe_line, start_of
from acp_tui.ui.widgets.wrap import Row

Piece = tuple[str | Style, str]
"""A role or a style, and the text drawn in it."""


class OneLine(Block):
    """A line of a list."""

    __slots__ = ("_above", "_left", "_right", "is_action", "kept")

    def __init__(
        self,
        left: Sequence[Piece] = (),
        right: Sequence[Piece] = (),
        *,
        is_action: bool = False,
        above: int = 0,
    ) -> None:
        """Take the text; `above` is the number of empty rows before it."""
        self.kept = 0
        self.is_action = is_action
        self._above = above
        self._left: tuple[Piece, ...] = ()
        self._right: tuple[Piece, ...] = ()
        self.set_pieces(left, right)

    def set_pieces(self, left: Sequence[Piece], right: Sequence[Piece] = ()) -> bool:
        """Show other text; return whether it differs from what is shown."""
        new = tuple(left), tuple(right)
        changed = new != (self._left, self._right)
        self._left, self._right = new
        return changed

    def rows(self, width: int, look: Look) -> Sequence[Row]:
        """Return the row, or none at all when there is no text."""
        self.kept = 0
        if not self._left and not self._right:
            return []
        return [*([] for _ in range(self._above)), one_row(self._left, self._right, width, look)]

    def height_hint(self, width: int) -> int:
        """One row, or none."""
        return 1 + self._above if self._left or self._right else 0

    def source(self) -> str:
        """Return the text without styles."""
        return "".join(text for _, text in (*self._left, *self._right))


def one_row(left: Sequence[Piece], right: Sequence[Piece], width: int, look: Look) -> Row:
    """Return a row with `right` at its end; `left` is cut with a mark when both do not fit."""
    ends = _segments(right, width, look)
    room = width - sum(segment.cell_length for segment in ends) - (1 if ends else 0)
    row = crop_row(_segments(left, width, look), max(0, room), look)
    if ends:
        used = sum(segment.cell_length for segment in (*row, *ends))
        row = [*row, Segment(" " * max(0, width - used)), *ends]
    return row if sum(segment.cell_length for segment in row) <= width else crop_row(row, width, look)


def _segments(pieces: Sequence[Piece], width: int, look: Look) -> list[Segment]:
    return [
        Segment(safe_line(start_of(text, width)), kind if isinstance(kind, Style) else look[kind])
        for kind, text in pieces
        if text
    ]


def crop_row(segments: Sequence[Segment], room: int, look: Look) -> Row:
    """Return a row of at most `room` cells; where something is cut stands a mark."""
    row: Row = []
    for segment in segments:
        length = cell_len(segment.text)
        if length > room:
            if room > 0:
                row.append(Segment(set_cell_size(segment.text, room - 1) + look.glyph("cut"), segment.style))
            return row
        row.append(segment)
        room -= length
    return row
