"""The diff view: files one below the other, unified or side by side."""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.binding import Binding, BindingType
from textual.events import Click, MouseScrollLeft, MouseScrollRight
from textual.message import Message
from typing_extensions import override

from acp_tui.store.preferences import DiffPreferences
from acp_tui.ui.widgets.diff.layout import DiffHit, DiffPart, hits_in, place_of
from acp_tui.ui.widgets.diff.line_diff import CONTEXT
from acp_tui.ui.widgets.diff.paint import ALL_ROWS, CODE, MOST_ROWS, DiffPainter
from acp_tui.ui.widgets.diff.rows import (
    Anchor,
    ComparedFile,
    ComparedFiles,
    DiffChange,
    DiffPosition,
    DiffRows,
    FileDiff,
)
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.painter import fit
from acp_tui.ui.widgets.rows.row_view import RowView
from acp_tui.ui.widgets.rows.search_bar import open_find_bar
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Row, safe_line


class DiffSearch:
    """A diff view as the search bar searches it."""

    def __init__(self, view: DiffView) -> None:
        self._view = view
        self._hits: list[DiffHit] = []
        self._shown = -1

    async def search(self, text: str, is_wanted: Callable[[], bool]) -> int:
        """Mark a text and return the number of lines that have it; folded ones count."""
        self._view.mark(text)
        self._hits = hits_in([compared.difference for compared in self._view.files], text)
        return len(self._hits)

    def first_hit(self) -> int:
        """Return the number of the first hit in or below the view, else of the last."""
        rows = self._view.rows
        number, part, inside = rows.place(min(self._view.top_row(), len(rows) - 1))
        is_old = part.kind in ("removed", "changed")
        line = (part.old if is_old else part.new) + min(inside, part.lines - 1)
        place = bisect_left(self._hits, (number, part.block, not is_old, line), key=place_of)
        return min(place, len(self._hits) - 1)

    def next_hit(self, step: int) -> int:
        """Return the number of the hit before or after the shown one."""
        return self._shown + step

    def show_hit(self, number: int) -> None:
        """Bring a hit into view; open its fold and pan to it."""
        self._shown = number
        if number < 0:
            return
        view, hit = self._view, self._hits[number]
        row = view.rows.row_of(hit)
        if row is None:
            view.files[hit.file_number].opened.add(hit.block)
            view.lay_out_rows()
            row = view.rows.row_of(hit)
        view.pan_to(hit.column)
        if row is not None:
            view.scroll_to(y=max(0, row - view.size.height // 2), animate=False, immediate=True)


SIDE_BY_SIDE_FROM: Final = 100
"""Columns from which changed files may have two columns, unless the user chose."""
_MOST_WRAPPED: Final = 20_000
"""Changed lines up to which long ones are wrapped without being asked for: each is measured."""

AT_ONCE: Final = 0.02
"""Seconds of comparing in `show`; a thread compares the rest."""
_REST: Final = 10
"""Pause between layouts while files are compared, as a multiple of the time of a layout."""
_PAN: Final = 8


class DiffView(RowView, can_focus=True):
    """A view of differences of files from any source."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,right_square_bracket,shift+down", "next_change", "Next change", id="diff.next-change"),
        Binding(
            "p,left_square_bracket,shift+up",
            "previous_change",
            "Previous change",
            show=False,
            id="diff.previous-change",
        ),
        Binding("N,right_curly_bracket", "next_file", "Next file", show=False, id="diff.next-file"),
        Binding(
            "P,left_curly_bracket", "previous_file", "Previous file", show=False, id="diff.previous-file"
        ),
        Binding("s", "toggle_sides", "Side by side", id="diff.side-by-side"),
        Binding("enter", "open_fold", "Unfold", id="diff.unfold"),
        Binding("f", "toggle_folds", "All lines", id="diff.all-lines"),
        Binding("l", "toggle_wrap", "Wrap long lines", id="diff.wrap"),
        Binding("slash,ctrl+f", "find", "Find", show=False, id="diff.find"),
        Binding("c", "copy_patch", "Copy as patch", show=False, id="diff.copy-patch"),
        Binding("C", "copy_all", "Copy all as patch", show=False, id="diff.copy-all"),
        Binding("e", "edit", "Edit here", show=False, id="diff.edit"),
        Binding("j", "scroll_down", "Scroll down", show=False, id="diff.down"),
        Binding("k", "scroll_up", "Scroll up", show=False, id="diff.up"),
        Binding("left", "pan(-1)", "Pan left", show=False, id="diff.pan-left"),
        Binding("right", "pan(1)", "Pan right", show=False, id="diff.pan-right"),
        Binding("home", "pan_to_start", "Start of the lines, then top", show=False, id="diff.start"),
        Binding("end", "pan_to_end", "End of the lines, then bottom", show=False, id="diff.end"),
    ]

    @dataclass
    class EditWanted(Message):
        """The user wants to edit a file at a line (from 1)."""

        path: str
        """The path as it is shown."""
        line: int

    def __init__(
        self,
        files: Sequence[FileDiff] = (),
        styles: Styles | None = None,
        *,
        noun: str = "files",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """Show files; `noun` names them in the header, as in "2/3 files"."""
        super().__init__(styles, id=id, classes=classes)
        self._noun = noun
        self.files = ComparedFiles(files)
        """The files in order."""
        self.rows = DiffRows()
        """The rows of the current layout."""
        self._preferences = DiffPreferences()
        self.side_by_side = False
        """True if changed files have two columns."""
        self.wraps = False
        """True if long lines are wrapped."""
        self._pan = 0
        self._shows_whole_lines = False
        self._place = DiffPosition()
        self._marked_fold = -1
        self._marked_file: int | None = None
        self._marked_row = -1

    @property
    def _has_room_for_sides(self) -> bool:
        return self.size.width >= SIDE_BY_SIDE_FROM and self._fits(side_by_side=True)

    def _fits(self, *, side_by_side: bool) -> bool:
        """Return True if no changed line would be cut."""
        return all(compared.fits(self.row_width, side_by_side=side_by_side) for compared in self.files)

    @property
    def _should_wrap(self) -> bool:
        if self._fits(side_by_side=self.side_by_side):
            return False
        return sum(compared.changed_lines for compared in self.files) <= _MOST_WRAPPED

    @property
    def cut_lines(self) -> int:
        """Number of changed lines whose end is not shown."""
        if self.wraps:
            return 0
        sides = self.side_by_side
        return sum(compared.cut_lines(self.row_width, side_by_side=sides) for compared in self.files)

    @property
    def is_comparing(self) -> bool:
        """True while a file is being compared."""
        return bool(self.files.waiting)

    @property
    def current_file(self) -> int | None:
        """Index of the file that keys act on: the current one, else the one at the top."""
        return self._place.file(self.rows, self.scroll_y)

    @property
    def current_change(self) -> DiffChange | None:
        """The change that the user went to, while the view stays there."""
        if self._marked_row < 0:
            return None
        return self.files.change(*self.rows.blocks_of(self._place.change))

    def show(self, files: Sequence[FileDiff]) -> None:
        """Show files from the top; large ones appear when a thread has compared them."""
        self.files = ComparedFiles(files)
        self._pan = 0
        self._place.forget()
        if self.is_mounted:
            self._compare()
            self.scroll_to(y=0, animate=False)

    def show_again(self, files: Sequence[FileDiff]) -> None:
        """Show new contents of the files at the same scroll position.

        The current change stays marked only if it is unchanged.
        """
        top, at, marked = self.scroll_y, self._place.change, self._marked_lines()
        self.show(files)
        self.scroll_to(y=top, animate=False, immediate=True)
        if marked is not None:
            self._go_to_change(at)
            if self._marked_lines() != marked:
                self._place.change = -1
                self._mark_place()

    def _marked_lines(self) -> tuple[DiffChange, list[str], list[str]] | None:
        """Return the current change with its lines on both sides."""
        change = self.current_change
        return (change, *self.files.lines_of(change)) if change is not None else None

    def on_mount(self) -> None:
        """Compare the files given to the constructor."""
        self._preferences = _preferences_of(self.app)
        self._compare()

    @override
    def lay_out_rows(self) -> None:
        top = self.top_row()
        anchor = self.rows.anchor(min(top + 1, len(self.rows) - 1)) if top else None  # below the header
        self.files.paint_again()
        sides, wraps = self._preferences.sides, self._preferences.wraps
        self.side_by_side = self._has_room_for_sides if sides is None else sides
        self.wraps = self._should_wrap if wraps is None else wraps
        self.rows = DiffRows(list(self.parts_shown()))
        self.show_rows(len(self.rows))
        self._return_to(anchor)
        self._mark_fold()
        self._mark_place()

    def parts_shown(self) -> Iterator[tuple[int, DiffPart]]:
        """Return the parts of all files, each with the index of its file; a subclass may add some."""
        return self.files.parts(self.side_by_side, self._wrapping)

    def about_file(self, number: int) -> str:
        """Return a fact for the header of a file; for a subclass to give."""
        return ""

    @override
    def paint_row(self, row: int) -> list[Segment]:
        if row < 0:
            return self._header(-row - 1)
        number, part, inside = self.rows.place(row)
        if part.kind == "header":
            return self._header(number)
        if part.kind == "gap":
            return self._remark("")
        if part.kind == "waiting":
            return self._remark(" comparing…")
        if part.kind == "origin":
            return self._remark(f" {safe_line(self.files[number].file.origin)}")
        painter = self._painter_of(self.files[number])
        if part.kind == "fold":
            return painter.fold(part, marked=row == self._marked_fold and self.can_focus)
        painted = painter.row(part, inside, self._pan)
        return self._marked(painted) if row == self._marked_row else painted

    @override
    def row_at(self, y: int) -> int:
        row = self.top_row() + y
        file = self.rows.file_at(row) if y == 0 else None
        return row if file is None else -1 - file

    @override
    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._mark_fold()
        self._mark_place()

    def on_click(self, event: Click) -> None:
        """Open the clicked fold."""
        row = self.row_at(event.y)
        if row in self.rows.folds:
            self._open(row)

    def on_mouse_scroll_left(self, event: MouseScrollLeft) -> None:
        """Pan to the start of the lines."""
        self.action_pan(-1)

    def on_mouse_scroll_right(self, event: MouseScrollRight) -> None:
        """Pan to the end of the lines."""
        self.action_pan(1)

    def action_next_change(self) -> None:
        """Go to the next change, in this file or a later one."""
        self._go_to_change(self._place.next_change(self.rows, self.scroll_y))

    def action_previous_change(self) -> None:
        """Go to the previous change."""
        self._go_to_change(self._place.previous_change(self.rows, self.scroll_y))

    def action_next_file(self) -> None:
        """Go to the next file."""
        self.go_to_file((self.current_file or 0) + 1)

    def action_previous_file(self) -> None:
        """Go to the start of this file, or of the previous one."""
        current = self.current_file or 0
        is_inside = self.rows.headers != [] and self.top_row() > self.rows.headers[current]
        self.go_to_file(current if is_inside else current - 1)

    def action_toggle_sides(self) -> None:
        """Switch between one and two columns."""
        chosen = not self.side_by_side
        self._preferences.sides = None if chosen == self._has_room_for_sides else chosen
        self._preferences.keep()
        self.lay_out_rows()

    def action_toggle_wrap(self) -> None:
        """Wrap long lines, or show them on one row that pans."""
        chosen, self._pan = not self.wraps, 0
        self._preferences.wraps = None if chosen == self._should_wrap else chosen
        self._preferences.keep()
        self.lay_out_rows()

    async def action_open_fold(self) -> None:
        """Open the marked fold."""
        if self._marked_fold >= 0:
            self._open(self._marked_fold)

    def action_toggle_folds(self) -> None:
        """Open all folds, or close them."""
        has_cuts = self.wraps and not self._shows_whole_lines and self._cuts_lines
        self._shows_whole_lines = all_lines = bool(self.rows.folds) or has_cuts
        self.files.unfold(all_lines=all_lines)
        self.lay_out_rows()

    @property
    def _cuts_lines(self) -> bool:
        """True if the middle of a wrapped line is left out."""
        return any(
            compared.longest > self._painter_of(compared).room * MOST_ROWS
            for compared in self.files
            if compared.difference is not None
        )

    async def action_find(self) -> None:
        """Search both sides."""
        await open_find_bar(self, DiffSearch(self))

    def action_copy_patch(self) -> None:
        """Copy the current change as a patch, else the current file."""
        change, number = self.current_change, self.current_file
        if change is not None:
            lines = (change.old_start, change.old_stop)
            self._copy(self.files[change.file].patch(lines), "Change copied as a patch.")
        elif number is not None:
            self._copy(self.files[number].patch(), "File copied as a patch.")

    def action_copy_all(self) -> None:
        """Copy all files as a patch."""
        self._copy(self.patch(), "All changes copied as a patch.")

    def _copy(self, text: str, said: str) -> None:
        if not text:
            self.notify("No text to copy here.", severity="warning")
        else:
            self.app.copy_to_clipboard(text)
            self.notify(said)

    def patch(self) -> str:
        """Return all files as a patch."""
        return self.files.patch()

    @property
    def place(self) -> tuple[str, int] | None:
        """The path and the line (from 1) of the current change, else of the top row."""
        number, change = self.current_file, self.current_change
        if number is None:
            return None
        line = change.new_start if change is not None else self.rows.line_at(self.top_row() + 1)
        return self.files[number].file.path, line + (self.files[number].file.first_line or 1)

    def action_edit(self) -> None:
        """Ask for an editor at the current change, else at the top row."""
        if self.place is not None:
            self.post_message(self.EditWanted(*self.place))

    def action_pan(self, steps: int) -> None:
        """Pan long lines, up to the end of the longest one."""
        half_shown = self.row_width // (4 if self.side_by_side else 2)
        reach = 0 if self.wraps else self.files.longest - half_shown
        pan = max(0, min(self._pan + steps * _PAN, reach))
        if pan != self._pan:
            self._pan = pan
            self.show_rows(self.row_count)

    def action_pan_to_end(self) -> None:
        """Go to the end of the longest line in view; from there, or if all are seen, to the bottom."""
        end = 0 if self.wraps else max(0, self._longest_in_view() + 1)
        if self._pan < end:
            self._pan_by(end - self._pan)
        else:
            self.scroll_end(animate=False, immediate=True)

    def action_pan_to_start(self) -> None:
        """Go to the start of the lines; from there to the top."""
        if self._pan:
            self._pan_by(-self._pan)
        else:
            self.scroll_home(animate=False, immediate=True)

    def _pan_by(self, cells: int) -> None:
        self._pan += cells
        self.show_rows(self.row_count)

    def _longest_in_view(self) -> int:
        """Return how far the longest line in view reaches beyond the room of a row, in cells."""
        reach = -1
        for row in range(self.top_row(), min(self.top_row() + self.size.height, len(self.rows))):
            number, part, inside = self.rows.place(row)
            compared = self.files[number]
            if compared.difference is not None and part.kind in CODE:
                painter = self._painter_of(compared)
                reach = max(reach, painter.length(part, inside) - painter.room)
        return reach

    def pan_to(self, column: int) -> None:
        """Pan to a cell of a long line if it is out of sight."""
        shown = self.row_width // (2 if self.side_by_side else 1) - 2 * _PAN
        if not self.wraps and not self._pan <= column < self._pan + shown:
            self._pan = max(0, column - shown // 2)
            self.show_rows(self.row_count)

    def _compare(self) -> None:
        """Compare small files now and the others in a thread."""
        self.files.compare_small(time.monotonic() + AT_ONCE)
        self.lay_out_rows()
        self.workers.cancel_group(self, "compare")
        if waiting := self.files.waiting:
            self.run_worker(self._compare_later(waiting), group="compare")

    async def _compare_later(self, files: list[ComparedFile]) -> None:
        """Compare in a thread; lay out after the first file, then seldom enough to be cheap."""
        rests_until = 0.0
        for compared in files:
            compared.difference = await asyncio.to_thread(compared.compare)
            began = time.monotonic()
            if began >= rests_until or compared is files[-1]:
                self.lay_out_rows()
                rests_until = time.monotonic() + _REST * (time.monotonic() - began)

    def _painter_of(self, compared: ComparedFile) -> DiffPainter:
        return compared.painter(self.row_width, self.theme_styles, self.side_by_side)

    def _wrapping(self, compared: ComparedFile) -> DiffPainter | None:
        """Return what wraps the lines of a page, if that is wanted and possible yet."""
        if not self.wraps or compared.difference is None:
            return None
        painter = self._painter_of(compared)
        if self._shows_whole_lines:
            painter.cut_at(ALL_ROWS, "")
        else:
            painter.cut_at(MOST_ROWS, f"{key_of(self, 'diff.all-lines')} shows more")
        return painter

    def _return_to(self, anchor: Anchor | None) -> None:
        row = self.rows.row_at_anchor(anchor) if anchor is not None else None
        if row is not None:
            self.scroll_to(y=max(0, row - 1), animate=False)

    def _go_to_change(self, index: int) -> None:
        if not 0 <= index < len(self.rows.changes):
            return
        self.scroll_to(y=max(0, self.rows.changes[index] - 1 - CONTEXT), animate=False, immediate=True)
        self._place.went_to_change(index, self.rows, self.scroll_y)
        self._mark_place()
        self.repaint(*self.rows.headers, *range(-len(self.files), 0))

    def go_to_file(self, number: int) -> None:
        """Scroll to a file, and make it the current one."""
        if not 0 <= number < len(self.rows.headers):
            return
        self.scroll_to(y=self.rows.headers[number], animate=False, immediate=True)
        self._place.went_to_file(number, self.scroll_y)
        self._mark_place()

    def _open(self, row: int) -> None:
        number, part, _ = self.rows.place(row)
        self.files[number].opened.add(part.block)
        top = self.scroll_y
        self.lay_out_rows()
        self.scroll_to(y=top, animate=False)

    def _mark_fold(self) -> None:
        """Mark the first fold in view: the one that Enter opens."""
        row = self.rows.first_fold(self.top_row() + 1)
        visible = row if row < self.top_row() + self.size.height else -1
        if visible != self._marked_fold:
            before, self._marked_fold = self._marked_fold, visible
            self.repaint(before, visible)

    def _mark_place(self) -> None:
        """Mark the current change, and the header of the current file."""
        row = self._place.row(self.rows, self.scroll_y)
        if row != self._marked_row:
            before, self._marked_row = self._marked_row, row
            self.repaint(before, row)
        if self.current_file != self._marked_file:
            self._marked_file = self.current_file
            self.repaint(*self.rows.headers, *range(-len(self.files), 0))

    def _header(self, number: int) -> Row:
        """Return the header row of a file, with its place among the files and the current change."""
        place = change = ""
        if len(self.files) > 1:
            mark = (
                self.theme_styles.symbol("current") if number == self._marked_file and self.can_focus else " "
            )
            place = f"{mark}{number + 1}/{len(self.files)} {self._noun} "
        if self._place.change >= 0 and number == self._marked_file:
            change = f"change {self._place.change + 1}/{len(self.rows.changes)}"
        facts = "  ".join(filter(None, (change, self.about_file(number))))
        return self.files[number].header(place, facts, self.row_width, self.theme_styles)

    def _marked(self, row: Row) -> Row:
        """Put a mark before the number of a line."""
        text, style, _ = row[0]
        return (
            [Segment(f"{self.theme_styles.symbol('current')}{text[1:]}", style), *row[1:]]
            if text[:1] == " "
            else row
        )

    def _remark(self, text: str) -> Row:
        style: Style = self.theme_styles.base + self.theme_styles["notice"]
        return fit([Segment(text, style)], 0, self.row_width, style, self.theme_styles)


def _preferences_of(app: App[object]) -> DiffPreferences:
    """Return the preferences of an app, or the defaults."""
    found = getattr(app, "diff_preferences", None)
    return found if isinstance(found, DiffPreferences) else DiffPreferences()
