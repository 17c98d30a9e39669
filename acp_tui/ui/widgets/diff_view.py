"""The diff view: files one below the other, unified or side by side, with keys for changes and files."""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import ClassVar, Final, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click, MouseScrollLeft, MouseScrollRight
from textual.message import Message

from acp_tui.ui.widgets.cells import fit
from acp_tui.ui.widgets.diff import CONTEXT, Difference, compute
from acp_tui.ui.widgets.diff_hits import Hit, hits_in, place_of, row_of
from acp_tui.ui.widgets.diff_layout import Part, lay_out
from acp_tui.ui.widgets.diff_paint import DiffPainter, Row
from acp_tui.ui.widgets.diff_patch import patch_of
from acp_tui.ui.widgets.find_bar import open_find_bar
from acp_tui.ui.widgets.line_view import LineView
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import safe_line

SIDE_BY_SIDE_FROM: Final = 100
"""Columns from which two sides are shown beside each other unless the person chose."""

_SMALL: Final = 2_000
"""Lines of both texts together up to which they are compared at once."""
_AT_ONCE: Final = 0.02
"""Seconds of comparing within one call of `show`; the other files follow from a thread."""
_LONGEST: Final = 3.0
"""Seconds for the comparison of one file, after which the rest of it is compared roughly."""
_PAN: Final = 8
_COPIED: Final = 1 << 20
"""Characters that are copied at most: more would block the terminal."""
_CHANGED: Final = frozenset({"removed", "added", "changed"})


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


class Change(NamedTuple):
    """A change in one of the files: lines from 0 of both texts, the last not included."""

    file: int
    """Its place among the files."""
    old_start: int
    old_stop: int
    new_start: int
    new_stop: int


@dataclass(eq=False)
class _Page:
    """A file in the view: what came of comparing it, and which folds are open."""

    file: FileDiff
    difference: Difference | None = None
    opened: set[int] = field(default_factory=set)
    painter: DiffPainter | None = None

    def compare(self) -> Difference:
        file = self.file
        return compute(file.old, file.new, time.monotonic() + _LONGEST, first_line=file.first_line)

    def is_small(self) -> bool:
        return (self.file.old or "").count("\n") + (self.file.new or "").count("\n") <= _SMALL

    def parts(self, side_by_side: bool, gap: bool) -> Iterator[Part]:
        if gap:
            yield Part("gap", 1)
        yield Part("header", 1)
        if self.difference is None:
            yield Part("waiting", 1)
        else:
            yield from lay_out(self.difference, side_by_side, self.opened)

    def has_two_sides(self) -> bool:
        return self.difference is not None and self.difference.status == "changed"

    def longest(self) -> int:
        lines = (*self.difference.old, *self.difference.new) if self.difference else ()
        return max(map(len, lines), default=0)


class DiffView(LineView, can_focus=True):
    """Shows the differences of files; knows nothing of where they come from."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "next_change", "Next change", id="diff.next-change"),
        Binding("p", "previous_change", "Previous change", show=False, id="diff.previous-change"),
        Binding("N", "next_file", "Next file", show=False, id="diff.next-file"),
        Binding("P", "previous_file", "Previous file", show=False, id="diff.previous-file"),
        Binding("s", "toggle_sides", "Side by side", id="diff.side-by-side"),
        Binding("enter", "open_fold", "Unfold", id="diff.unfold"),
        Binding("f", "toggle_folds", "All lines", id="diff.all-lines"),
        Binding("slash,ctrl+f", "find", "Find", show=False, id="diff.find"),
        Binding("c", "copy_patch", "Copy as patch", show=False, id="diff.copy-patch"),
        Binding("C", "copy_all", "Copy all as patch", show=False, id="diff.copy-all"),
        Binding("e", "edit", "Edit here", show=False, id="diff.edit"),
        Binding("left", "pan(-1)", "Pan left", show=False, id="diff.pan-left"),
        Binding("right", "pan(1)", "Pan right", show=False, id="diff.pan-right"),
    ]

    @dataclass
    class EditWanted(Message):
        """The person wants to edit a file at a line (from 1)."""

        path: str
        """As it is shown."""
        line: int

    def __init__(
        self,
        files: Sequence[FileDiff] = (),
        look: Look | None = None,
        *,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(look, id=id, classes=classes)
        self._pages = [_Page(file) for file in files]
        self._chosen_sides: bool | None = None
        self._pan = 0
        self._parts: list[tuple[int, Part]] = []
        self._starts = [0]
        self._headers: list[int] = []
        self._changes: list[int] = []
        self._folds: list[int] = []
        self._hits: list[Hit] = []
        self._at_change = -1
        self._change_scroll = -1.0
        self._marked_fold = -1
        self._at_file = -1
        self._marked_file: int | None = None
        self._marked_row = -1

    @property
    def side_by_side(self) -> bool:
        """Whether changed files are shown in two columns now."""
        if self._chosen_sides is not None:
            return self._chosen_sides
        return self.size.width >= SIDE_BY_SIDE_FROM

    @property
    def is_comparing(self) -> bool:
        """Whether some file is still being compared."""
        return any(page.difference is None for page in self._pages)

    @property
    def current_file(self) -> int | None:
        """The file that keys act on, by its place: the one gone to, else the one at the top."""
        if not self._headers:
            return None
        if self._at_file >= 0 and self._change_scroll == self.scroll_y:
            return self._at_file
        return max(0, bisect_right(self._headers, self.top_row()) - 1)

    @property
    def current_change(self) -> Change | None:
        """The change that was gone to, while it is where it was put."""
        if self._marked_row < 0:
            return None
        first = bisect_right(self._starts, self._marked_row) - 1
        number = self._parts[first][0]
        following = self._changes[self._at_change + 1 : self._at_change + 2]
        stop = bisect_right(self._starts, following[0]) - 1 if following else len(self._parts)
        parts = [part for page, part in self._parts[first:stop] if page == number and part.kind in _CHANGED]
        difference = self._pages[number].difference
        assert difference is not None, "a file has changes once it is compared"
        one, last = difference.blocks[parts[0].block], difference.blocks[parts[-1].block]
        return Change(number, one.old_start, last.old_stop, one.new_start, last.new_stop)

    def show(self, files: Sequence[FileDiff]) -> None:
        """Show these files from the top; large ones appear when a thread has compared them."""
        self._pages = [_Page(file) for file in files]
        self._pan = 0
        self._at_change = self._at_file = -1
        if self.is_mounted:
            self._compare()
            self.scroll_to(y=0, animate=False)

    def show_again(self, files: Sequence[FileDiff]) -> None:
        """Show the files as they are by now; the person stays where they are.

        The change that was gone to stays marked only if it is still the same.
        """
        top, at, marked = self.scroll_y, self._at_change, self._marked_lines()
        self.show(files)
        self.scroll_to(y=top, animate=False, immediate=True)
        if marked is not None:
            self._go_to_change(at)
            if self._marked_lines() != marked:
                self._at_change = -1
                self._mark_place()

    def _marked_lines(self) -> tuple[Change, list[str], list[str]] | None:
        """Return the change that was gone to, with its lines on both sides."""
        change = self.current_change
        difference = self._pages[change.file].difference if change is not None else None
        if change is None or difference is None:
            return None
        old = list(difference.old[change.old_start : change.old_stop])
        return change, old, list(difference.new[change.new_start : change.new_stop])

    def on_mount(self) -> None:
        """Compare what was given before the view was there."""
        self._compare()

    def lay_out_rows(self) -> None:
        """Place every row again: after a resize, a new look, a fold or a finished comparison."""
        anchor = self._anchor()
        for page in self._pages:
            page.painter = None
        self._parts = [
            (number, part)
            for number, page in enumerate(self._pages)
            for part in page.parts(self.side_by_side and page.has_two_sides(), gap=number > 0)
        ]
        self._starts = [0, *accumulate(part.rows for _, part in self._parts)]
        self._index_rows()
        self.show_rows(self._starts[-1])
        self._return_to(anchor)
        self._mark_fold()
        self._mark_place()

    def paint_row(self, row: int) -> list[Segment]:
        """Return a row of a file; negative rows are the headers that stay at the top."""
        if row < 0:
            return self._header(-row - 1)
        index = bisect_right(self._starts, row) - 1
        number, part = self._parts[index]
        if part.kind == "header":
            return self._header(number)
        if part.kind == "gap":
            return self._remark("")
        if part.kind == "waiting":
            return self._remark(" comparing…")
        painter = self._painter(number)
        if part.kind == "fold":
            return painter.fold(part, marked=row == self._marked_fold)
        painted = painter.row(part, row - self._starts[index], self._pan)
        return self._marked(painted) if row == self._marked_row else painted

    def row_at(self, y: int) -> int:
        """Return the row at a line of the view; the first line is the header of the file below it."""
        row = self.top_row() + y
        if y == 0 and self._headers:
            return -bisect_right(self._headers, row) or row
        return row

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Move the mark of the fold that Enter opens."""
        super().watch_scroll_y(old_value, new_value)
        self._mark_fold()
        self._mark_place()

    def on_click(self, event: Click) -> None:
        """Open the fold that was clicked."""
        row = self.row_at(event.y)
        if row in self._folds:
            self._open(row)

    def on_mouse_scroll_left(self, event: MouseScrollLeft) -> None:
        """Pan to the start of the lines."""
        self.action_pan(-1)

    def on_mouse_scroll_right(self, event: MouseScrollRight) -> None:
        """Pan to the end of the lines."""
        self.action_pan(1)

    def action_next_change(self) -> None:
        """Go to the next change, in whichever file it is."""
        if self._change_scroll == self.scroll_y and self._at_change >= 0:
            self._go_to_change(self._at_change + 1)
        else:
            self._go_to_change(bisect_left(self._changes, self.top_row() + 1))

    def action_previous_change(self) -> None:
        """Go to the change before."""
        if self._change_scroll == self.scroll_y and self._at_change >= 0:
            self._go_to_change(self._at_change - 1)
        else:
            self._go_to_change(bisect_left(self._changes, self.top_row() + 1) - 1)

    def action_next_file(self) -> None:
        """Go to the next file."""
        self._go_to_file((self.current_file or 0) + 1)

    def action_previous_file(self) -> None:
        """Go to the start of this file, or of the one before."""
        current = self.current_file or 0
        is_inside = self._headers != [] and self.top_row() > self._headers[current]
        self._go_to_file(current if is_inside else current - 1)

    def action_toggle_sides(self) -> None:
        """Change between unified and side by side, until told otherwise."""
        self._chosen_sides = not self.side_by_side
        self.lay_out_rows()

    def action_open_fold(self) -> None:
        """Show the unchanged lines of the marked fold."""
        if self._marked_fold >= 0:
            self._open(self._marked_fold)

    def action_toggle_folds(self) -> None:
        """Show all unchanged lines, or fold them all again."""
        unfold = bool(self._folds)
        for page in self._pages:
            page.opened.clear()
            if unfold and page.difference:
                page.opened.update(range(len(page.difference.blocks)))
        self.lay_out_rows()

    async def action_find(self) -> None:
        """Search both sides."""
        await open_find_bar(self, self)

    def search(self, text: str) -> int:
        """Mark a text and return how many lines have it; folded ones count."""
        self.mark(text)
        self._hits = hits_in([page.difference for page in self._pages], text)
        return len(self._hits)

    def first_hit(self) -> int:
        """Return the number of the first line that was found in or below the view, else of the last."""
        row = min(self.top_row(), self._starts[-1] - 1)
        index = bisect_right(self._starts, row) - 1
        number, part = self._parts[index]
        is_old = part.kind in ("removed", "changed")
        line = (part.old if is_old else part.new) + row - self._starts[index]
        place = bisect_left(self._hits, (number, part.block, not is_old, line), key=place_of)
        return min(place, len(self._hits) - 1)

    def show_hit(self, number: int) -> None:
        """Bring a line that was found into view, unfolded and panned to."""
        hit = self._hits[number]
        row = self._row_of(hit)
        if row is None:
            self._pages[hit.page].opened.add(hit.block)
            self.lay_out_rows()
            row = self._row_of(hit)
        self._pan_to(hit.column)
        if row is not None:
            self.scroll_to(y=max(0, row - self.size.height // 2), animate=False, immediate=True)

    def action_copy_patch(self) -> None:
        """Copy the change that was gone to, else the file, as a patch."""
        change = self.current_change
        number = change.file if change is not None else self.current_file
        if number is not None:
            lines = (change.old_start, change.old_stop) if change is not None else None
            what = "change" if change is not None else "file"
            self._copy(self._patch(number, lines), f"The {what} is copied as a patch.")

    def action_copy_all(self) -> None:
        """Copy everything as a patch."""
        self._copy(self.patch(), "All is copied as a patch.")

    def patch(self) -> str:
        """Return all that is shown as a patch."""
        return "".join(self._patch(number) for number in range(len(self._pages)))

    def action_edit(self) -> None:
        """Ask for an editor at the change that was gone to, else at the top row."""
        number, change = self.current_file, self.current_change
        if number is None:
            return
        line = change.new_start if change is not None else self._line_at(self.top_row() + 1)
        first = self._pages[number].file.first_line or 1
        self.post_message(self.EditWanted(self._pages[number].file.path, line + first))

    def action_pan(self, steps: int) -> None:
        """Move long lines to the left or back; as far as the longest line reaches."""
        longest = max((page.longest() for page in self._pages), default=0)
        half_shown = self.row_width // (4 if self.side_by_side else 2)
        pan = max(0, min(self._pan + steps * _PAN, longest - half_shown))
        if pan != self._pan:
            self._pan = pan
            self.show_rows(self.row_count)

    def _row_of(self, hit: Hit) -> int | None:
        return row_of(hit, self._parts, self._starts)

    def _line_at(self, row: int) -> int:
        """Return the line of the new text at or after a row, from 0."""
        index = min(bisect_right(self._starts, row) - 1, len(self._parts) - 1)
        part = self._parts[index][1]
        if part.kind == "fold":
            return part.new + part.new_lines
        return part.new + min(max(0, row - self._starts[index]), max(0, part.new_lines - 1))

    def _pan_to(self, column: int) -> None:
        """Show the cell of a long line, when it is out of sight."""
        shown = self.row_width // (2 if self.side_by_side else 1) - 2 * _PAN
        if not self._pan <= column < self._pan + shown:
            self._pan = max(0, column - shown // 2)
            self.show_rows(self.row_count)

    def _patch(self, number: int, lines: tuple[int, int] | None = None) -> str:
        page = self._pages[number]
        return patch_of(page.difference, page.file.path, lines) if page.difference is not None else ""

    def _copy(self, text: str, said: str) -> None:
        if not text:
            self.notify("There is no text to copy here.", severity="warning")
        elif len(text) > _COPIED:
            self.notify(f"{len(text):,} characters are too many to copy.", severity="warning")
        else:
            self.app.copy_to_clipboard(text)
            self.notify(said)

    def _compare(self) -> None:
        """Compare small files now and leave the others to a thread."""
        until = time.monotonic() + _AT_ONCE
        for page in self._pages:
            if page.is_small() and time.monotonic() < until:
                page.difference = page.compare()
        self.lay_out_rows()
        self.workers.cancel_group(self, "compare")
        waiting = [page for page in self._pages if page.difference is None]
        if waiting:
            self.run_worker(self._compare_later(waiting), group="compare")

    async def _compare_later(self, pages: list[_Page]) -> None:
        for page in pages:
            page.difference = await asyncio.to_thread(page.compare)
            self.lay_out_rows()

    def _index_rows(self) -> None:
        """Note at which rows files, changes and folds begin."""
        self._headers, self._changes, self._folds = [], [], []
        apart = True
        for row, (_, part) in zip(self._starts, self._parts, strict=False):
            if part.kind == "header":
                self._headers.append(row)
                apart = True
            elif part.kind == "fold":
                self._folds.append(row)
                apart = True
            elif part.kind in _CHANGED:
                if apart:
                    self._changes.append(row)
                apart = False
            elif part.rows > 2 * CONTEXT:
                apart = True

    def _anchor(self) -> tuple[int, int] | None:
        """Return what is at the top, as file and block, to find it again in another layout."""
        if not self._parts or self.scroll_y == 0:
            return None
        index = min(bisect_right(self._starts, self.top_row()) - 1, len(self._parts) - 1)
        number, part = self._parts[index]
        return number, part.block

    def _return_to(self, anchor: tuple[int, int] | None) -> None:
        if anchor is None:
            return
        for row, (number, part) in zip(self._starts, self._parts, strict=False):
            if (number, part.block) >= anchor and part.kind != "fact":
                self.scroll_to(y=row, animate=False)
                return

    def _go_to_change(self, index: int) -> None:
        if not 0 <= index < len(self._changes):
            return
        self._at_change = index
        self.scroll_to(y=max(0, self._changes[index] - 1 - CONTEXT), animate=False, immediate=True)
        self._change_scroll = self.scroll_y
        self._at_file = bisect_right(self._headers, self._changes[index]) - 1
        self._mark_place()
        self.repaint(*self._headers, *range(-len(self._pages), 0))

    def _go_to_file(self, number: int) -> None:
        if not 0 <= number < len(self._headers):
            return
        self.scroll_to(y=self._headers[number], animate=False, immediate=True)
        self._at_change, self._at_file, self._change_scroll = -1, number, self.scroll_y
        self._mark_place()

    def _open(self, row: int) -> None:
        number, part = self._parts[bisect_right(self._starts, row) - 1]
        self._pages[number].opened.add(part.block)
        top = self.scroll_y
        self.lay_out_rows()
        self.scroll_to(y=top, animate=False)

    def _mark_fold(self) -> None:
        """Mark the first fold in view: the one that Enter opens."""
        index = bisect_left(self._folds, self.top_row() + 1)
        row = self._folds[index] if index < len(self._folds) else -1
        visible = row if row < self.top_row() + self.size.height else -1
        if visible != self._marked_fold:
            before, self._marked_fold = self._marked_fold, visible
            self.repaint(before, visible)

    def _mark_place(self) -> None:
        """Mark the change that was gone to, and the header of the file that keys act on."""
        is_there = 0 <= self._at_change < len(self._changes) and self._change_scroll == self.scroll_y
        row = self._changes[self._at_change] if is_there else -1
        if row != self._marked_row:
            before, self._marked_row = self._marked_row, row
            self.repaint(before, row)
        if self.current_file != self._marked_file:
            self._marked_file = self.current_file
            self.repaint(*self._headers, *range(-len(self._pages), 0))

    def _painter(self, number: int) -> DiffPainter:
        page = self._pages[number]
        if page.painter is None:
            assert page.difference is not None, "a file is painted once it is compared"
            sides = self.side_by_side and page.has_two_sides()
            page.painter = DiffPainter(
                page.difference, page.file.path, self.row_width, self.look, side_by_side=sides
            )
        return page.painter

    def _header(self, number: int) -> Row:
        """Return the row that names a file, with its place, size and note, and the change gone to."""
        page, look = self._pages[number], self.look
        ground = look.base + look["hunk"]
        row = []
        if len(self._pages) > 1:
            mark = look.glyph("current") if number == self._marked_file else " "
            row.append(Segment(f"{mark}{number + 1}/{len(self._pages)} files ", ground))
        row.append(Segment(f" {safe_line(page.file.path)} ", ground + look["text"] + look["strong"]))
        if page.difference is not None and page.difference.blocks:
            row.append(Segment(f" +{page.difference.added}", ground + look["added"]))
            row.append(Segment(f" {look.glyph('minus')}{page.difference.removed}", ground + look["removed"]))
        if page.file.note:
            row.append(Segment(f"  {safe_line(page.file.note)}", ground + look["warning"]))
        if self._at_change >= 0:
            row.append(Segment(f"  change {self._at_change + 1}/{len(self._changes)}", ground))
        return fit(row, 0, self.row_width, ground, look)

    def _marked(self, row: Row) -> Row:
        """Put a mark before the number of a line."""
        text, style, _ = row[0]
        return (
            [Segment(f"{self.look.glyph('current')}{text[1:]}", style), *row[1:]] if text[:1] == " " else row
        )

    def _remark(self, text: str) -> Row:
        style: Style = self.look.base + self.look["notice"]
        return fit([Segment(text, style)], 0, self.row_width, style, self.look)
