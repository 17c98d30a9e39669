"""Which row of the diff view shows what: where files, changes and folds begin, and what is at a row."""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, NamedTuple, overload

from rich.segment import Segment

from acp_tui.ui.widgets.diff.diff import CONTEXT, Difference, compute, patch_of
from acp_tui.ui.widgets.diff.layout import DiffHit, DiffPart, lay_out, row_of
from acp_tui.ui.widgets.diff.paint import DiffPainter, wrapped
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.painter import fit
from acp_tui.ui.widgets.text import Row, exact_line, safe_line

_CHANGED: Final = frozenset({"removed", "added", "changed"})
_REMARKS: Final = ("gap", "origin", "fact", "waiting")


class RowPlace(NamedTuple):
    """What a row shows."""

    file_number: int
    """Which of the files."""
    part: DiffPart
    row: int
    """Number of the row within the part, from 0."""


class Anchor(NamedTuple):
    """A place in the texts, whatever the layout."""

    file_number: int
    block: int
    use_old: bool
    line: int
    """From 0, of its side."""


class DiffRows:
    """The rows of all files, one below the other; made anew with each layout. Rows count from 0."""

    def __init__(self, parts: Sequence[tuple[int, DiffPart]] = ()) -> None:
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

    def place(self, row: int) -> RowPlace:
        """Return what a row shows."""
        index = self._part_at(row)
        return RowPlace(*self._parts[index], row - self._starts[index])

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
            part.block
            for file_number, part in self._parts[first:stop]
            if file_number == number and part.kind in _CHANGED
        ]
        return number, blocks[0], blocks[-1]

    def line_at(self, row: int) -> int:
        """Return the line of the new text at or after a row, from 0."""
        _, part, inside = self.place(row)
        if part.kind == "fold":
            return part.new + part.new_lines
        return part.new + min(max(0, inside), part.lines - 1, max(0, part.new_lines - 1))

    def row_of(self, hit: DiffHit) -> int | None:
        """Return the row of a line that was found, None while it is folded."""
        return row_of(hit, self._parts, self._starts)

    def anchor(self, row: int) -> Anchor | None:
        """Return what `row_at_anchor` of another layout finds a row by."""
        if not self._parts or row == 0:
            return None
        file_number, part, inside = self.place(row)
        use_old = part.kind == "removed"
        first = part.old if use_old else part.new
        return Anchor(file_number, part.block, use_old, first + min(inside, part.lines - 1))

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


class DiffPosition:
    """The change or file that was gone to last. Numbers count from 0; a scroll position is a row."""

    def __init__(self) -> None:
        self.change = -1
        """Its number among the changes of all files; -1 for none."""
        self._file = -1
        self._scroll = -1.0
        """Where the view stood then: as long as it does, the keys go on from there."""

    def forget(self) -> None:
        """Nothing was gone to: other files are shown."""
        self.change = self._file = -1

    def went_to_change(self, change: int, rows: DiffRows, scroll: float) -> None:
        """The view stands at a change."""
        self.change, self._file, self._scroll = change, rows.blocks_of(change)[0], scroll

    def went_to_file(self, file: int, scroll: float) -> None:
        """The view stands at a file."""
        self.change, self._file, self._scroll = -1, file, scroll

    def file(self, rows: DiffRows, scroll: float) -> int | None:
        """Return the file that keys act on: the one gone to, else the one at the top."""
        if rows.headers and self._file >= 0 and self._scroll == scroll:
            return self._file
        return rows.file_at(round(scroll))

    def row(self, rows: DiffRows, scroll: float) -> int:
        """Return the first row of the change that was gone to; -1 when the view is elsewhere."""
        is_there = 0 <= self.change < len(rows.changes) and self._scroll == scroll
        return rows.changes[self.change] if is_there else -1

    def next_change(self, rows: DiffRows, scroll: float) -> int:
        """Return the number of the change after the one gone to, else of the first one in view."""
        if self._scroll == scroll and self.change >= 0:
            return self.change + 1
        return rows.first_change(round(scroll) + 1)

    def previous_change(self, rows: DiffRows, scroll: float) -> int:
        """Return the number of the change before the one gone to, else of the last one above the view."""
        if self._scroll == scroll and self.change >= 0:
            return self.change - 1
        return rows.first_change(round(scroll) + 1) - 1


_SMALL: Final = 2_000
"""Lines of both texts together up to which they are compared at once."""
_LONGEST: Final = 3.0
"""Seconds for the comparison of one file, after which the rest of it is compared roughly."""


@dataclass(frozen=True)
class FileDiff:
    """One file to show: its path as it is to be read, and its text before and after."""

    path: str
    old: str | None
    """None for a new file."""
    new: str | None
    """None for a deleted file."""
    note: str = ""
    """What else to say beside the path, such as "not written yet"."""
    first_line: int | None = 1
    """Number of the first line; None for a snippet whose place is not known."""
    origin: str = ""
    """Where the change comes from, for a row of its own."""


@dataclass(eq=False)
class ComparedFile:
    """A file with its difference (None until it is compared) and the blocks whose lines are all shown."""

    file: FileDiff
    difference: Difference | None = None
    opened: set[int] = field(default_factory=set)
    _painter: DiffPainter | None = None

    def compare(self) -> Difference:
        """Return the difference of both texts; this may take seconds."""
        file = self.file
        return compute(file.old, file.new, time.monotonic() + _LONGEST, first_line=file.first_line)

    @property
    def is_small(self) -> bool:
        """Whether comparing takes no time to speak of."""
        return (self.file.old or "").count("\n") + (self.file.new or "").count("\n") <= _SMALL

    @property
    def has_two_sides(self) -> bool:
        """Whether there is anything to show beside each other."""
        return self.difference is not None and self.difference.status == "changed"

    @property
    def longest(self) -> int:
        """Characters of the longest line."""
        lines = (*self.difference.old, *self.difference.new) if self.difference else ()
        return max(map(len, lines), default=0)

    def parts(self, side_by_side: bool, gap: bool, wraps: DiffPainter | None = None) -> Iterator[DiffPart]:
        """Yield what the file is made of, below a gap or not; with a painter, long lines are wrapped."""
        if gap:
            yield DiffPart("gap", 1)
        yield DiffPart("header", 1)
        if self.file.origin:
            yield DiffPart("origin", 1)
        if self.difference is None:
            yield DiffPart("waiting", 1)
            return
        parts = lay_out(self.difference, side_by_side and self.has_two_sides, self.opened)
        yield from wrapped(parts, wraps.height, wraps.room) if wraps is not None else parts

    def patch(self, lines: tuple[int, int] | None = None) -> str:
        """Return the file as a patch, or the hunks at these lines of the old text (from 0)."""
        return patch_of(self.difference, self.file.path, lines) if self.difference is not None else ""

    def paint_again(self) -> None:
        """Forget what was painted, for another width or look."""
        self._painter = None

    def painter(self, width: int, look: Look, side_by_side: bool) -> DiffPainter:
        """Return what paints the lines, of a file that is compared."""
        if self._painter is None:
            assert self.difference is not None, "a file is painted once it is compared"
            sides = side_by_side and self.has_two_sides
            self._painter = DiffPainter(self.difference, self.file.path, width, look, side_by_side=sides)
        return self._painter

    def header(self, place: str, change: str, width: int, look: Look) -> Row:
        """Return the row that names the file, with its size and note, between its place and a change."""
        ground = look.base + look["hunk"]
        row = [Segment(place, ground)] if place else []
        row.append(Segment(f" {exact_line(self.file.path)} ", ground + look["text"] + look["strong"]))
        if self.difference is not None and self.difference.blocks:
            row.append(Segment(f" +{self.difference.added}", ground + look["added"]))
            row.append(Segment(f" {look.glyph('minus')}{self.difference.removed}", ground + look["removed"]))
        if self.file.note:
            row.append(Segment(f"  {safe_line(self.file.note)}", ground + look["warning"]))
        if change:
            row.append(Segment(f"  {change}", ground))
        return fit(row, 0, width, ground, look)


class DiffChange(NamedTuple):
    """A change in one of the files: lines from 0 of both texts, the last not included."""

    file: int
    """Its place among the files."""
    old_start: int
    old_stop: int
    new_start: int
    new_stop: int


class ComparedFiles(Sequence[ComparedFile]):
    """Some files in their order."""

    def __init__(self, files: Iterable[FileDiff] = ()) -> None:
        self._files = [ComparedFile(file) for file in files]

    def __len__(self) -> int:
        return len(self._files)

    @overload
    def __getitem__(self, place: int) -> ComparedFile: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[ComparedFile]: ...

    def __getitem__(self, place: int | slice) -> ComparedFile | Sequence[ComparedFile]:
        return self._files[place]

    @property
    def waiting(self) -> list[ComparedFile]:
        """Those that are not compared yet."""
        return [compared for compared in self._files if compared.difference is None]

    @property
    def longest(self) -> int:
        """Characters of the longest line."""
        return max((compared.longest for compared in self._files), default=0)

    def compare_small(self, until: float) -> None:
        """Compare small files, until a time of `time.monotonic`."""
        for compared in self._files:
            if compared.is_small and time.monotonic() < until:
                compared.difference = compared.compare()

    def parts(
        self, sides: bool, wrapping: Callable[[ComparedFile], DiffPainter | None]
    ) -> Iterator[tuple[int, DiffPart]]:
        """Yield (file, part) of what the files are made of; `wrapping` gives what wraps the lines of one."""
        for number, compared in enumerate(self._files):
            for part in compared.parts(sides, number > 0, wrapping(compared)):
                yield number, part

    def paint_again(self) -> None:
        """Forget what was painted, for another width or look."""
        for compared in self._files:
            compared.paint_again()

    def unfold(self, *, all_lines: bool) -> None:
        """Show all unchanged lines, or fold them all."""
        for compared in self._files:
            compared.opened.clear()
            if all_lines and compared.difference:
                compared.opened.update(range(len(compared.difference.blocks)))

    def change(self, file: int, first: int, last: int) -> DiffChange:
        """Return the change that blocks of a compared file make up, the last of them included."""
        difference = self._files[file].difference
        assert difference is not None, "a file has changes once it is compared"
        one, other = difference.blocks[first], difference.blocks[last]
        return DiffChange(file, one.old_start, other.old_stop, one.new_start, other.new_stop)

    def lines_of(self, change: DiffChange) -> tuple[list[str], list[str]]:
        """Return the lines of a change on both sides."""
        difference = self._files[change.file].difference
        assert difference is not None, "a file has changes once it is compared"
        old = list(difference.old[change.old_start : change.old_stop])
        return old, list(difference.new[change.new_start : change.new_stop])

    def patch(self) -> str:
        """Return all files as a patch."""
        return "".join(compared.patch() for compared in self._files)
