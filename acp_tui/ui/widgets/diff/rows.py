"""The rows of a diff view: files, changes and folds by row, and the current position."""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, NamedTuple, overload

from rich.segment import Segment

from acp_tui.ui.widgets.diff.layout import DiffHit, DiffPart, lay_out, row_of
from acp_tui.ui.widgets.diff.line_diff import CONTEXT, Difference, compute, patch_of
from acp_tui.ui.widgets.diff.paint import (
    CODE,
    DiffPainter,
    changes_wider_than,
    columns_of,
    widest_change,
    wrapped,
)
from acp_tui.ui.widgets.painter import fit
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Row, exact_line, safe_line

_CHANGED: Final = frozenset({"removed", "added", "changed"})
_REMARKS: Final = ("gap", "origin", "fact", "waiting", "note")


class RowPlace(NamedTuple):
    """The content of a row: file, part, and row of the part."""

    file_number: int
    """Index of the file."""
    part: DiffPart
    row: int
    """Row of the part, from 0."""


class Anchor(NamedTuple):
    """A place in the texts that is independent of the layout."""

    file_number: int
    block: int
    use_old: bool
    line: int
    """Line of its side, from 0."""


class DiffRows:
    """The rows of all files, in one layout. Rows count from 0."""

    def __init__(self, parts: Sequence[tuple[int, DiffPart]] = ()) -> None:
        """Take parts, each with the index of its file."""
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
        """Return the content of a row."""
        index = self._part_at(row)
        return RowPlace(*self._parts[index], row - self._starts[index])

    def file_at(self, row: int) -> int | None:
        """Return the file of a row; None without files."""
        return max(0, bisect_right(self.headers, row) - 1) if self.headers else None

    def first_change(self, row: int) -> int:
        """Return the number of the first change at a row or below, or the number of changes."""
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
        """Return the row of a hit, None if it is folded."""
        return row_of(hit, self._parts, self._starts)

    def row_of_line(self, file: int, use_old: bool, line: int) -> int | None:
        """Return the first row of a line of a side, from 0; None if it is folded."""
        without = "added" if use_old else "removed"
        for (number, part), start in zip(self._parts, self._starts, strict=False):
            if number != file or part.kind not in CODE or part.kind == without:
                continue
            at = line - (part.old if use_old else part.new)
            if 0 <= at < min(part.lines, part.old_lines if use_old else part.new_lines):
                return start + (0 if part.room else at)
        return None

    def row_of_note(self, key: int) -> int | None:
        """Return the first row of a note, None if it is folded."""
        rows = zip(self._parts, self._starts, strict=False)
        return next((start for (_, part), start in rows if part.note == key), None)

    def anchor(self, row: int) -> Anchor | None:
        """Return the anchor of a row, for `row_at_anchor` of another layout."""
        if not self._parts or row == 0:
            return None
        file_number, part, inside = self.place(row)
        use_old = part.kind == "removed"
        first = part.old if use_old else part.new
        return Anchor(file_number, part.block, use_old, first + min(inside, part.lines - 1))

    def row_at_anchor(self, anchor: Anchor) -> int | None:
        """Return the row of an anchor, or the first one after it."""
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
        """Find the first rows of files, changes and folds; a few equal lines do not separate two changes."""
        apart, equal = True, 0
        for row, (_, part) in zip(self._starts, self._parts, strict=False):
            if part.kind in _CHANGED:
                if apart or equal > 2 * CONTEXT:
                    self.changes.append(row)
                apart, equal = False, 0
                continue
            if part.kind == "note":
                continue
            equal += part.lines
            if part.kind == "header":
                self.headers.append(row)
                apart = True
            elif part.kind == "fold":
                self.folds.append(row)
                apart = True


class DiffPosition:
    """The change or file that the user went to last, while the view stays there. Numbers count from 0."""

    def __init__(self) -> None:
        self.change = -1
        """Its number among the changes of all files; -1 for none."""
        self._file = -1
        self._scroll = -1.0
        """Scroll position at that time; keys go on from there while it is unchanged."""

    def forget(self) -> None:
        """Forget the position: other files are shown."""
        self.change = self._file = -1

    def went_to_change(self, change: int, rows: DiffRows, scroll: float) -> None:
        """Set the position to a change."""
        self.change, self._file, self._scroll = change, rows.blocks_of(change)[0], scroll

    def went_to_file(self, file: int, scroll: float) -> None:
        """Set the position to a file."""
        self.change, self._file, self._scroll = -1, file, scroll

    def file(self, rows: DiffRows, scroll: float) -> int | None:
        """Return the file that keys act on: the current one, else the one at the top."""
        if rows.headers and self._file >= 0 and self._scroll == scroll:
            return self._file
        return rows.file_at(round(scroll))

    def row(self, rows: DiffRows, scroll: float) -> int:
        """Return the first row of the current change; -1 if the view has moved away."""
        is_there = 0 <= self.change < len(rows.changes) and self._scroll == scroll
        return rows.changes[self.change] if is_there else -1

    def next_change(self, rows: DiffRows, scroll: float) -> int:
        """Return the change after the current one, else the first one in view."""
        if self._scroll == scroll and self.change >= 0:
            return self.change + 1
        return rows.first_change(round(scroll) + 1)

    def previous_change(self, rows: DiffRows, scroll: float) -> int:
        """Return the change before the current one, else the last one above the view."""
        if self._scroll == scroll and self.change >= 0:
            return self.change - 1
        return rows.first_change(round(scroll) + 1) - 1


_SMALL: Final = 2_000
"""Lines of both texts up to which they are compared at once."""
_LONGEST: Final = 3.0
"""Seconds for comparing one file exactly; the rest is compared roughly."""


NOT_SHOWN: Final = ("\0", "\0\0")
"""Stands for content that differs and is not shown."""


@dataclass(frozen=True)
class FileDiff:
    """A file to show: its path for display, and its text before and after."""

    path: str
    old: str | None
    """None for a new file."""
    new: str | None
    """None for a deleted file."""
    note: str = ""
    """A remark after the path, such as "not written yet"."""
    first_line: int | None = 1
    """Number of the first line; None for a snippet at an unknown place."""
    origin: str = ""
    """The origin of the change, shown in a row of its own."""


@dataclass(eq=False)
class ComparedFile:
    """A file with its difference (None until compared) and its opened folds."""

    file: FileDiff
    difference: Difference | None = None
    opened: set[int] = field(default_factory=set)
    widest: int = 0
    """Cells of its longest changed line, once it is compared."""
    _painter: DiffPainter | None = None

    def compare(self) -> Difference:
        """Compare both texts, in up to some seconds; return the difference, which is not shown yet."""
        file = self.file
        found = compute(file.old, file.new, time.monotonic() + _LONGEST, first_line=file.first_line)
        self.widest = widest_change(found)
        return found

    def fits(self, width: int, *, side_by_side: bool) -> bool:
        """Return True if no changed line is cut in rows of `width` cells; also before it is compared."""
        if self.difference is None:
            return True
        sides = side_by_side and self.has_two_sides
        return self.widest <= columns_of(self.difference, width, side_by_side=sides).room

    def cut_lines(self, width: int, *, side_by_side: bool) -> int:
        """Return the number of changed lines that are cut in rows of `width` cells."""
        if self.difference is None or self.fits(width, side_by_side=side_by_side):
            return 0
        sides = side_by_side and self.has_two_sides
        room = columns_of(self.difference, width, side_by_side=sides).room
        return changes_wider_than(self.difference, room)

    @property
    def changed_lines(self) -> int:
        """Number of its changed lines."""
        return self.difference.added + self.difference.removed if self.difference is not None else 0

    @property
    def is_small(self) -> bool:
        """True if it is compared quickly enough for the event loop."""
        return (self.file.old or "").count("\n") + (self.file.new or "").count("\n") <= _SMALL

    @property
    def has_two_sides(self) -> bool:
        """True if it has text on both sides."""
        return self.difference is not None and self.difference.status == "changed"

    @property
    def longest(self) -> int:
        """Characters of the longest line."""
        lines = (*self.difference.old, *self.difference.new) if self.difference else ()
        return max(map(len, lines), default=0)

    def parts(self, side_by_side: bool, gap: bool, wraps: DiffPainter | None = None) -> Iterator[DiffPart]:
        """Yield the parts of the file, after a gap if `gap`; the painter in `wraps` wraps long lines."""
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
        """Return the file as a patch, or only the hunks at these lines of the old text (from 0)."""
        return patch_of(self.difference, self.file.path, lines) if self.difference is not None else ""

    def paint_again(self) -> None:
        """Drop the painters, for another width or theme."""
        self._painter = None

    def painter(self, width: int, styles: Styles, side_by_side: bool) -> DiffPainter:
        """Return the painter of a compared file."""
        if self._painter is None:
            assert self.difference is not None, "a file is painted once it is compared"
            sides = side_by_side and self.has_two_sides
            self._painter = DiffPainter(self.difference, self.file.path, width, styles, side_by_side=sides)
        return self._painter

    def header(self, place: str, change: str, width: int, styles: Styles) -> Row:
        """Return the header row: place, path, counts, note, and current change."""
        ground = styles.base + styles["hunk"]
        row = [Segment(place, ground)] if place else []
        row.append(Segment(f" {exact_line(self.file.path)} ", ground + styles["text"] + styles["strong"]))
        if self.difference is not None and self.difference.blocks:
            row.append(Segment(f" +{self.difference.added}", ground + styles["added"]))
            row.append(
                Segment(f" {styles.symbol('minus')}{self.difference.removed}", ground + styles["removed"])
            )
        if self.file.note:
            row.append(Segment(f"  {safe_line(self.file.note)}", ground + styles["warning"]))
        if change:
            row.append(Segment(f"  {change}", ground))
        return fit(row, 0, width, ground, styles)


class DiffChange(NamedTuple):
    """A change in a file, as ranges of lines from 0 of both texts."""

    file: int
    """Index of the file."""
    old_start: int
    old_stop: int
    new_start: int
    new_stop: int


class ComparedFiles(Sequence[ComparedFile]):
    """Files of a diff view, in order."""

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
        """The files that are not compared yet."""
        return [compared for compared in self._files if compared.difference is None]

    @property
    def longest(self) -> int:
        """Characters of the longest line."""
        return max((compared.longest for compared in self._files), default=0)

    def compare_small(self, until: float) -> None:
        """Compare the small files until a time of `time.monotonic`."""
        for compared in self._files:
            if compared.is_small and time.monotonic() < until:
                compared.difference = compared.compare()

    def parts(
        self, sides: bool, wrapping: Callable[[ComparedFile], DiffPainter | None]
    ) -> Iterator[tuple[int, DiffPart]]:
        """Yield the parts of all files as (index, part); `wrapping` returns the painter that wraps a file."""
        for number, compared in enumerate(self._files):
            for part in compared.parts(sides, number > 0, wrapping(compared)):
                yield number, part

    def paint_again(self) -> None:
        """Drop the painters, for another width or theme."""
        for compared in self._files:
            compared.paint_again()

    def unfold(self, *, all_lines: bool) -> None:
        """Open all folds, or close them."""
        for compared in self._files:
            compared.opened.clear()
            if all_lines and compared.difference:
                compared.opened.update(range(len(compared.difference.blocks)))

    def change(self, file: int, first: int, last: int) -> DiffChange:
        """Return the change made of the blocks `first` to `last` of a compared file."""
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
