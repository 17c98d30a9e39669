"""Which row of the diff view shows what: where files, changes and folds begin, and what is at a row."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from acp_tui.ui.widgets.diff import CONTEXT
from acp_tui.ui.widgets.diff_hits import Hit, row_of
from acp_tui.ui.widgets.diff_layout import Part

_CHANGED: Final = frozenset({"removed", "added", "changed"})
_REMARKS: Final = ("gap", "origin", "fact", "waiting")


class Place(NamedTuple):
    """What a row shows."""

    page: int
    """Which of the files."""
    part: Part
    row: int
    """Number of the row within the part, from 0."""


class Anchor(NamedTuple):
    """A place in the texts, whatever the layout."""

    page: int
    block: int
    use_old: bool
    line: int
    """From 0, of its side."""


class DiffRows:
    """The rows of all files, one below the other; made anew with each layout. Rows count from 0."""

    def __init__(self, parts: Sequence[tuple[int, Part]] = ()) -> None:
        """Count the rows of parts, each with the number of its file."""
        self._parts = parts
        self._starts = [0, *accumulate(part.rows for _, part in parts)]
        self.headers: list[int] = []
        """The first rows of the files."""
        self.changes: list[int] = []
        """The first rows of the changes of all files."""
        self.folds: list[int] = []
        self._index()

    def __len__(self) -> int:
        return self._starts[-1]

    def place(self, row: int) -> Place:
        """Return what a row shows."""
        index = self._part_at(row)
        return Place(*self._parts[index], row - self._starts[index])

    def file_at(self, row: int) -> int | None:
        """Return the file of a row, None where there is no file at all."""
        return max(0, bisect_right(self.headers, row) - 1) if self.headers else None

    def first_change(self, row: int) -> int:
        """Return the number of the first change at a row or below; past the last one where there is none."""
        return bisect_left(self.changes, row)

    def first_fold(self, row: int) -> int:
        """Return the first fold at a row or below, -1 for none."""
        index = bisect_left(self.folds, row)
        return self.folds[index] if index < len(self.folds) else -1

    def blocks_of(self, change: int) -> tuple[int, int, int]:
        """Return the file of a change, and the first and the last of its blocks."""
        first = self._part_at(self.changes[change])
        following = self.changes[change + 1 : change + 2]
        stop = self._part_at(following[0]) if following else len(self._parts)
        number = self._parts[first][0]
        blocks = [
            part.block for page, part in self._parts[first:stop] if page == number and part.kind in _CHANGED
        ]
        return number, blocks[0], blocks[-1]

    def line_at(self, row: int) -> int:
        """Return the line of the new text at or after a row, from 0."""
        _, part, inside = self.place(row)
        if part.kind == "fold":
            return part.new + part.new_lines
        return part.new + min(max(0, inside), part.lines - 1, max(0, part.new_lines - 1))

    def row_of(self, hit: Hit) -> int | None:
        """Return the row of a line that was found, None while it is folded."""
        return row_of(hit, self._parts, self._starts)

    def anchor(self, row: int) -> Anchor | None:
        """Return what `row_at_anchor` of another layout finds a row by."""
        if not self._parts or row == 0:
            return None
        page, part, inside = self.place(row)
        use_old = part.kind == "removed"
        first = part.old if use_old else part.new
        return Anchor(page, part.block, use_old, first + min(inside, part.lines - 1))

    def row_at_anchor(self, anchor: Anchor) -> int | None:
        """Return the row of a file, block and line, or the first one after it."""
        found = None
        passed = (*_REMARKS, "added" if anchor.use_old else "removed")
        for row, (number, part) in zip(self._starts, self._parts, strict=False):
            if part.kind in passed or (number, part.block) < anchor[:2]:
                continue
            first = part.old if anchor.use_old else part.new
            if (number, part.block) > anchor[:2] or first > anchor.line:
                return row if found is None else found
            found = row + min(anchor.line - first, part.lines - 1)
        return found

    def _part_at(self, row: int) -> int:
        return min(bisect_right(self._starts, row) - 1, len(self._parts) - 1)

    def _index(self) -> None:
        """Note at which rows files, changes and folds begin; a few equal lines do not part two changes."""
        apart, equal = True, 0
        for row, (_, part) in zip(self._starts, self._parts, strict=False):
            if part.kind in _CHANGED:
                if apart or equal > 2 * CONTEXT:
                    self.changes.append(row)
                apart, equal = False, 0
                continue
            equal += part.lines
            if part.kind == "header":
                self.headers.append(row)
                apart = True
            elif part.kind == "fold":
                self.folds.append(row)
                apart = True
