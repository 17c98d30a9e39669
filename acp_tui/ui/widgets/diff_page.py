"""A file in the diff view: its texts, what came of comparing them, and which folds are open."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from rich.segment import Segment

from acp_tui.ui.widgets.cells import fit
from acp_tui.ui.widgets.diff import Difference, compute
from acp_tui.ui.widgets.diff_layout import Part, lay_out
from acp_tui.ui.widgets.diff_paint import DiffPainter, Row
from acp_tui.ui.widgets.diff_patch import patch_of
from acp_tui.ui.widgets.diff_wrap import wrapped
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import exact_line, safe_line

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
class Page:
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

    def parts(self, side_by_side: bool, gap: bool, wraps: DiffPainter | None = None) -> Iterator[Part]:
        """Yield what the file is made of, below a gap or not; with a painter, long lines are wrapped."""
        if gap:
            yield Part("gap", 1)
        yield Part("header", 1)
        if self.file.origin:
            yield Part("origin", 1)
        if self.difference is None:
            yield Part("waiting", 1)
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
