"""Blocks of a transcript: text with a source, laid out in rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from typing_extensions import override

from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import PROSE, Row, Span, safe, safe_line, start_of, wrap


class Block(ABC):
    """A piece of a transcript; compared by identity."""

    __slots__ = ()  # so that the blocks of which there are many can have theirs

    stable_rows: int = 0
    """Number of leading rows that the last `rows` or `some_rows` did not change."""
    waiting: int = 0
    """Characters that are not laid out yet."""
    is_action: bool = False
    """True if Enter or a click acts on the block."""
    landmark: bool = False
    """True if the keys from prompt to prompt stop here."""

    @abstractmethod
    def rows(self, width: int, styles: Styles) -> Sequence[Row]:
        """Return all rows of safe text, each of at most `width` cells; sets `stable_rows`.

        A growing block may return the same list again, extended.
        """

    def some_rows(self, width: int, styles: Styles, until: float) -> Sequence[Row]:
        """Return the rows laid out by `until` (a time of `time.perf_counter`); the rest is `waiting`.

        Only blocks that can be long implement this.
        """
        return self.rows(width, styles)

    def highlighted(self, number: int, row: Row) -> Row:
        """Return row `number` for painting, with colours that are too costly for rows out of view.

        Its text equals that of `row`.
        """
        return row

    @abstractmethod
    def height_hint(self, width: int) -> int:
        """Estimate the number of rows cheaply, before layout."""

    @abstractmethod
    def source(self) -> str:
        """Return the text of the block, for copying."""

    def source_among_others(self) -> str | None:
        """Return the text for copying it with other blocks; None for its rows as drawn."""
        return self.source()

    def searched(self) -> str:
        """Return the text for a search, including folded text."""
        return self.source()

    def forget_rows(self) -> None:  # noqa: B027  # most blocks keep none
        """Free the rows; they can be laid out again."""


class TextBlock(Block):
    """A short text, wrapped behind prefixes for its first row and the others."""

    __slots__ = (
        "_above",
        "_first",
        "_is_prose",
        "_laid_out",
        "_rest",
        "_spans",
        "is_action",
        "landmark",
        "stable_rows",
    )

    def __init__(
        self,
        spans: Sequence[tuple[str | Style, str]] = (),
        *,
        first: Sequence[tuple[str | Style, str]] = (),
        rest: Sequence[tuple[str | Style, str]] = (),
        above: int = 0,
        is_action: bool = False,
        landmark: bool = False,
        is_prose: bool = False,
    ) -> None:
        """Take pieces as pairs (role or style, text).

        Args:
            spans: the text.
            first: the prefix of the first row.
            rest: the prefix of the other rows, as wide as `first`.
            above: empty rows before the text.
            is_action: True if Enter or a click acts on it.
            landmark: True if the keys from prompt to prompt stop here.
            is_prose: True for text that is no wider than can be read well.
        """
        self.stable_rows = 0
        self._is_prose = is_prose
        self._above = above
        self.is_action = is_action
        self.landmark = landmark
        self._first = tuple(first)
        self._rest = tuple(rest)
        self._laid_out: tuple[int, Styles, list[Row]] | None = None
        self.set_spans(spans)

    def set_spans(
        self,
        spans: Sequence[tuple[str | Style, str]],
        *,
        first: Sequence[tuple[str | Style, str]] | None = None,
    ) -> None:
        """Replace the text, and the prefix of its first row if given; call `Transcript.changed` then."""
        self._spans = tuple(spans)
        self._first = self._first if first is None else tuple(first)
        self._laid_out = None

    @override
    def rows(self, width: int, styles: Styles) -> Sequence[Row]:
        if self._laid_out and self._laid_out[0] == width and self._laid_out[1] is styles:
            self.stable_rows = len(self._laid_out[2])
            return self._laid_out[2]
        first = [Segment(*span) for span in _spans(self._first, styles)]
        rest = [Segment(*span) for span in _spans(self._rest, styles)]
        rows: list[Row] = [[] for _ in range(self._above)]
        widest = min(width, PROSE) if self._is_prose else width
        rows.extend(wrap(_spans(self._spans, styles), widest, first, rest))
        self._laid_out = (width, styles, rows)
        self.stable_rows = 0
        return rows

    @override
    def height_hint(self, width: int) -> int:
        text = self._text
        return self._above + text.count("\n") + 1 + len(text) // max(1, width)

    @override
    def source(self) -> str:
        return self._text

    @property
    def _text(self) -> str:
        return "".join([text for _, text in self._spans])

    @override
    def forget_rows(self) -> None:  # most blocks keep none
        self._laid_out = None


def _spans(pieces: Sequence[tuple[str | Style, str]], styles: Styles) -> list[Span]:
    return [
        (safe(text.replace("\r\n", "\n")), kind if isinstance(kind, Style) else styles[kind])
        for kind, text in pieces
    ]


Piece = tuple[str | Style, str]
"""A role or style, and its text."""


class OneRowBlock(Block):
    """A row of text with a left and a right part."""

    __slots__ = ("_above", "_left", "_right", "is_action", "stable_rows")

    def __init__(
        self,
        left: Sequence[Piece] = (),
        right: Sequence[Piece] = (),
        *,
        is_action: bool = False,
        above: int = 0,
    ) -> None:
        """Take the text; `above` is the number of empty rows before it."""
        self.stable_rows = 0
        self.is_action = is_action
        self._above = above
        self._left: tuple[Piece, ...] = ()
        self._right: tuple[Piece, ...] = ()
        self.set_pieces(left, right)

    def set_pieces(self, left: Sequence[Piece], right: Sequence[Piece] = ()) -> bool:
        """Replace the text; return True if it differs."""
        new = tuple(left), tuple(right)
        changed = new != (self._left, self._right)
        self._left, self._right = new
        return changed

    @override
    def rows(self, width: int, styles: Styles) -> Sequence[Row]:
        self.stable_rows = 0
        if not self._left and not self._right:
            return []
        return [*([] for _ in range(self._above)), one_row(self._left, self._right, width, styles)]

    @override
    def height_hint(self, width: int) -> int:
        return 1 + self._above if self._left or self._right else 0

    @override
    def source(self) -> str:
        return "".join(text for _, text in (*self._left, *self._right))


def one_row(left: Sequence[Piece], right: Sequence[Piece], width: int, styles: Styles) -> Row:
    """Return a row with `right` at its end; `left` is cut if both do not fit."""
    ends = _segments(right, width, styles)
    room = width - sum(segment.cell_length for segment in ends) - (1 if ends else 0)
    row = crop_row(_segments(left, width, styles), max(0, room), styles)
    if ends:
        used = sum(segment.cell_length for segment in (*row, *ends))
        row = [*row, Segment(" " * max(0, width - used)), *ends]
    return row if sum(segment.cell_length for segment in row) <= width else crop_row(row, width, styles)


def _segments(pieces: Sequence[Piece], width: int, styles: Styles) -> list[Segment]:
    return [
        Segment(safe_line(start_of(text, width)), kind if isinstance(kind, Style) else styles[kind])
        for kind, text in pieces
        if text
    ]


def crop_row(segments: Sequence[Segment], room: int, styles: Styles) -> Row:
    """Return a row of at most `room` cells, with a mark where it is cut."""
    row: Row = []
    for segment in segments:
        length = cell_len(segment.text)
        if length > room:
            if room > 0:
                row.append(
                    Segment(set_cell_size(segment.text, room - 1) + styles.symbol("cut"), segment.style)
                )
            return row
        row.append(segment)
        room -= length
    return row
