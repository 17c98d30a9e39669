"""Layout of a difference in rows, unified or side by side, with unchanged runs folded; and search in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Final, Literal, NamedTuple

from acp_tui.ui.widgets.diff.line_diff import CONTEXT, DiffBlock, Difference

FEWEST: Final = 4
"""Unchanged lines from which they are folded; a fold takes a row itself."""

DiffPartKind = Literal[
    "gap", "header", "origin", "fact", "waiting", "equal", "removed", "added", "changed", "fold", "note"
]


class DiffPart(NamedTuple):
    """Adjacent rows of one kind. A row is identified by its part and its number in it, from 0."""

    kind: DiffPartKind
    rows: int
    block: int = -1
    """Index of the block in its difference, or of the fact."""
    old: int = 0
    new: int = 0
    """Lines of the first row on both sides, from 0; removed and added rows have both, too."""
    old_lines: int = 0
    new_lines: int = 0
    """Lines of the block on each side, counted from the first row."""
    room: int = 0
    """Cells of a row if all rows are one wrapped line, else 0."""
    note: int = 0
    """The key of a note, which stands below its last line."""

    @property
    def lines(self) -> int:
        """Number of lines in these rows."""
        return 1 if self.room or self.note else self.rows


def lay_out(
    difference: Difference, side_by_side: bool, opened: Set[int] = frozenset(), context: int = CONTEXT
) -> Iterator[DiffPart]:
    """Yield the parts of a difference; the unchanged blocks in `opened` are not folded."""
    for number in range(len(difference.facts())):
        yield DiffPart("fact", 1, number)
    for index, block in enumerate(difference.blocks):
        if not block.equal:
            yield from _changed(index, block, side_by_side)
        elif index in opened:
            yield _equal(index, block, 0, block.old_stop - block.old_start)
        else:
            above = context if index else 0
            below = context if index < len(difference.blocks) - 1 else 0
            yield from _folded(index, block, above, below)


def _changed(index: int, block: DiffBlock, side_by_side: bool) -> Iterator[DiffPart]:
    old_lines, new_lines = block.old_stop - block.old_start, block.new_stop - block.new_start
    where = (index, block.old_start, block.new_start, old_lines, new_lines)
    if side_by_side:
        yield DiffPart("changed", max(old_lines, new_lines), *where)
        return
    if old_lines:
        yield DiffPart("removed", old_lines, *where)
    if new_lines:
        yield DiffPart("added", new_lines, *where)


def _folded(index: int, block: DiffBlock, above: int, below: int) -> Iterator[DiffPart]:
    length = block.old_stop - block.old_start
    hidden = length - above - below
    if hidden < FEWEST:
        yield _equal(index, block, 0, length)
        return
    if above:
        yield _equal(index, block, 0, above)
    yield DiffPart("fold", 1, index, block.old_start + above, block.new_start + above, hidden, hidden)
    if below:
        yield _equal(index, block, length - below, below)


def _equal(index: int, block: DiffBlock, start: int, lines: int) -> DiffPart:
    return DiffPart("equal", lines, index, block.old_start + start, block.new_start + start, lines, lines)


class DiffHit(NamedTuple):
    """A line that contains the search text."""

    file_number: int
    """Index of the file."""
    block: int
    use_old: bool
    line: int
    """Line of its side, from 0."""
    column: int
    """Characters before the hit."""


def hits_in(differences: Sequence[Difference | None], needle: str) -> list[DiffHit]:
    """Return the lines with a text in any case, in their order; an unchanged line counts once."""
    needle = needle.casefold()
    return [
        hit
        for file_number, difference in enumerate(differences)
        if difference is not None and needle
        for hit in _in_file(file_number, difference, needle)
    ]


def place_of(hit: DiffHit) -> tuple[int, int, bool, int]:
    """Return the sort key of a hit: removed lines of a block come before added ones."""
    return hit.file_number, hit.block, not hit.use_old, hit.line


def row_of(hit: DiffHit, parts: Sequence[tuple[int, DiffPart]], starts: Sequence[int]) -> int | None:
    """Return the row of a hit, None if it is folded; `starts` has the first row of each part."""
    for (file_number, part), start in zip(parts, starts, strict=False):
        if file_number != hit.file_number or part.block != hit.block or part.kind in ("fold", "fact", "note"):
            continue
        is_side = part.kind in ("changed", "equal") or (part.kind == "removed") == hit.use_old
        line = hit.line - (part.old if hit.use_old else part.new)
        if is_side and 0 <= line < part.lines:
            return start + (min(hit.column // part.room, part.rows - 1) if part.room else line)
    return None


def _in_file(number: int, difference: Difference, needle: str) -> Iterator[DiffHit]:
    for index, block in enumerate(difference.blocks):
        old = () if block.equal else range(block.old_start, block.old_stop)
        sides = ((True, difference.old, old), (False, difference.new, range(block.new_start, block.new_stop)))
        for use_old, lines, places in sides:
            for line in places:
                column = lines[line].casefold().find(needle)
                if column >= 0:
                    yield DiffHit(number, index, use_old, line, column)
