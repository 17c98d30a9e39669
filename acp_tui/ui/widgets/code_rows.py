"""The rows of code in a text: laid out plain, and coloured when they are painted."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style

from acp_tui.ui.widgets.inline import blend
from acp_tui.ui.widgets.listing import Listing
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.wrap import Row, row_cells, wrap


class Code(NamedTuple):
    """A piece of code in the rows of a text: a whole block, or a part of a long one."""

    row: int
    """The first of its rows."""
    rows: int
    listing: Listing
    line: int
    """The first of its lines in the listing."""
    lines: int
    """How many lines: one without any has a row all the same."""
    marks: int
    """How many segments stand before the code in each row."""
    begins: Sequence[int]
    """The row, counted from the first, in which each line begins."""
    before: Sequence[int]
    """For each row the characters of its line that stand in the rows above: a line may take thousands."""


class CodeRows:
    """The pieces of code among the rows of one text, at one width and look."""

    def __init__(self, rows: Sequence[Row], width: int, look: Look) -> None:
        self._rows = rows
        self._width = width
        self._styles = _Styles(look)
        self._pieces: list[Code] = []

    def laid_out(self, listing: Listing, start: int, end: int, first: Row, rest: Row) -> list[Row]:
        """Return the rows of some lines of code, plain, behind the marks of the first row and of the rest."""
        plain = self._styles[""]
        filled = plain.bgcolor is not None
        laid_out: list[Row] = []
        marks, begins, before = len(rest), array("I"), array("I")
        for line in listing.lines[start:end] or ("",):
            text = line.expandtabs(4)
            rows = wrap([(text, plain)] if text else [], self._width, first, rest, words=False)
            first = rest
            begins.append(len(laid_out))
            before.extend(accumulate((len(row[marks].text) for row in rows[:-1]), initial=0))
            if filled:
                for row in rows:
                    row.append(Segment(" " * (self._width - row_cells(row)), plain))
            laid_out += rows
        at, lines = len(self._rows), end - start
        self._pieces.append(Code(at, len(laid_out), listing, start, lines, marks, begins, before))
        return laid_out

    def forget_from(self, row: int) -> None:
        """Forget the pieces that begin at a row or below: they are laid out anew."""
        while self._pieces and self._pieces[-1].row >= row:
            self._pieces.pop()

    @property
    def last(self) -> Code:
        """The piece that was laid out last."""
        return self._pieces[-1]

    def at(self, row: int) -> Code | None:
        """Return the piece of code that a row is in."""
        place = bisect_right(self._pieces, row, key=_row) - 1
        code = self._pieces[place] if place >= 0 else None
        return code if code is not None and row < code.row + code.rows else None

    def inked(self, number: int, code: Code) -> tuple[Row, bool]:
        """Return a row of a piece of code in its colours, and whether these are final."""
        row = self._rows[number]
        if not code.lines:
            return row, True
        place = number - code.row
        line = bisect_right(code.begins, place) - 1
        spans, settled = code.listing.spans(code.line + line)
        if not spans:
            return row, settled
        skipped = code.before[place]
        if skipped or place + 1 < (code.begins[line + 1] if line + 1 < len(code.begins) else code.rows):
            spans = list(_between(spans, skipped, skipped + len(row[code.marks].text)))
        colours = [Segment(text, self._styles[role]) for text, role in spans]
        return [*row[: code.marks], *colours, *row[code.marks + 1 :]], settled


class _Styles(dict[str, Style]):
    """The styles of code in one look, by the role of its pieces; plain code has none."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look

    def __missing__(self, role: str) -> Style:
        style = self[role] = blend(self._look, ("code-block", role) if role else ("code-block",))
        return style


def _between(spans: Iterable[tuple[str, str]], start: int, end: int) -> Iterator[tuple[str, str]]:
    """Yield the characters from `start` to `end` of a line of code."""
    position = 0
    for text, role in spans:
        if position >= end:
            break
        piece = text[max(0, start - position) : max(0, end - position)]
        if piece:
            yield piece, role
        position += len(text)


def _row(code: Code) -> int:
    return code.row
