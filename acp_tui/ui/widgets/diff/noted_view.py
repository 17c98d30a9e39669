"""The diff view with notes on its lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, NamedTuple

from rich.segment import Segment
from textual import on
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message
from typing_extensions import override

from acp_tui.ui.widgets.diff.layout import DiffPart
from acp_tui.ui.widgets.diff.notes import (
    DiffNote,
    LinePlace,
    LineRange,
    Notebook,
    chosen,
    extended,
    first_line,
    flagged,
    line_of,
    next_line,
    note_row,
    other_side,
    places_of,
    with_notes,
)
from acp_tui.ui.widgets.diff.rows import ComparedFile, ComparedFiles, FileDiff
from acp_tui.ui.widgets.diff.view import DiffView
from acp_tui.ui.widgets.rows.note_field import NoteBar, open_note_bar
from acp_tui.ui.widgets.styles import Styles


class _Sought(NamedTuple):
    """Chosen lines to find again in other differences."""

    lines: LineRange
    quoted: Sequence[str]
    shift: int
    """The number of the first line of their text."""


class NotedDiffView(DiffView):
    """A diff view with notes on its lines; without a notebook it is a plain diff view."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "write_note", "Write a note", id="diff.note"),
        Binding("full_stop", "go_to_note(1)", "Next note", show=False, id="diff.next-note"),
        Binding("comma", "go_to_note(-1)", "Previous note", show=False, id="diff.previous-note"),
        Binding("delete", "drop_note", "Drop the note", show=False, id="diff.drop-note"),
    ]

    class NotesChanged(Message):
        """The user has written, changed or dropped a note."""

    def __init__(
        self,
        files: Sequence[FileDiff] = (),
        styles: Styles | None = None,
        *,
        noun: str = "files",
        notebook: Notebook | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """Show files; `noun` names them in the header, `notebook` has the notes."""
        super().__init__(files, styles, noun=noun, id=id, classes=classes)
        self._notebook = notebook
        self._notes: Sequence[DiffNote] = ()
        self._chosen: LineRange | None = None
        """The lines of the note that is being written, or clicked lines."""
        self._current_note = 0
        """The key of the current note."""
        self._edited = 0
        """The key of the note in the field."""
        self._sought: _Sought | None = None
        """The chosen lines, while new files are compared in which they may be found."""

    @property
    def has_notebook(self) -> bool:
        """True if notes can be written."""
        return self._notebook is not None

    @property
    def notes(self) -> Sequence[DiffNote]:
        """The notes in the files, in the order of their lines."""
        return self._notes

    def notes_changed(self) -> None:
        """Show the current notes."""
        self.lay_out_rows()
        self.post_message(self.NotesChanged())

    @override
    def show(self, files: Sequence[FileDiff]) -> None:
        if self._chosen is not None and self._sought is None:
            self._sought = self._quoted(self._chosen)
        self._chosen = None
        super().show(files)

    @override
    def lay_out_rows(self) -> None:
        super().lay_out_rows()
        if self._sought is not None and not self.is_comparing:
            sought, self._sought = self._sought, None
            self._choose_again(sought)

    def _quoted(self, lines: LineRange) -> _Sought:
        """Return the chosen lines with their text, to find them in other differences."""
        compared = self.files[lines.file]
        return _Sought(lines, _bare(compared, lines), compared.file.first_line or 1)

    def _choose_again(self, sought: _Sought) -> None:
        """Choose lines at their new place: the files have changed while a note is written."""
        bar = self._bar
        found = _found(sought, self.files)
        if found is None and bar is not None and (line := self._default_line()) is not None:
            found = LineRange(*line, line.line)
            self.notify("These lines have changed. Look where your note is.", severity="warning")
        if found is not None:
            if self.rows.row_of_line(found.file, found.use_old, found.end) is None:  # it is folded
                self.files.unfold(all_lines=True)
                self.lay_out_rows()
            self._choose(found)
        if bar is not None:
            bar.show_place()

    @property
    def _bar(self) -> NoteBar | None:
        """The field for a note, while one is open."""
        return next(iter(self.parent.query(NoteBar)), None) if self.parent is not None else None

    @override
    def parts_shown(self) -> Iterator[tuple[int, DiffPart]]:
        found = self._notebook.notes(self.files) if self._notebook is not None else ()
        self._notes = sorted(found, key=lambda note: (note.lines.file, note.lines.last, note.key))
        if self._current_note not in {note.key for note in self._notes}:
            self._current_note = 0
        return with_notes(super().parts_shown(), self._notes, self.row_width)

    @override
    def paint_row(self, row: int) -> list[Segment]:
        if row < 0 or (not self._notes and self._chosen is None):
            return super().paint_row(row)
        _, part, inside = self.rows.place(row)
        if part.kind == "note":
            note = next(note for note in self._notes if note.key == part.note)
            is_current = part.note == self._current_note
            return note_row(note, inside, self.row_width, self.theme_styles, is_current=is_current)
        painted = super().paint_row(row)
        if not part.room or inside == 0:
            sides = {place.use_old for place in places_of(self.rows, row) if self._has_note(place)}
            two = self.side_by_side and self.files[self.rows.place(row).file_number].has_two_sides
            for use_old in sides:
                painted = flagged(painted, self.theme_styles, on_right=two and not use_old)
        is_chosen = self._chosen is not None and any(map(self._chosen.has, places_of(self.rows, row)))
        return chosen(painted, self.theme_styles) if is_chosen else painted

    def _has_note(self, place: LinePlace) -> bool:
        return any(note.lines.has(place) for note in self._notes)

    @override
    def about_file(self, number: int) -> str:
        count = sum(note.lines.file == number for note in self._notes)
        return f"{count} note{'s' if count > 1 else ''}" if count else ""

    # ------------------------------------------------------------------ writing

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("write_note", "go_to_note", "drop_note"):
            return self.has_notebook
        return super().check_action(action, parameters)

    async def action_write_note(self) -> None:
        """Write a note on the chosen lines, else on the current change, else on a line in view."""
        if self._notebook is None:
            return
        self._edited = 0
        if self._chosen is None:
            line = self._default_line()
            if line is None:
                self.notify("No line here.", severity="warning")
                return
            self._choose(LineRange(*line, line.line))
        await open_note_bar(self, self, self.theme_styles)

    def _default_line(self) -> LinePlace | None:
        """Return the line of the current change, else the first changed one in view, else the first one."""
        top = self.top_row() + 1
        in_view = range(top, min(top + self.size.height - 1, len(self.rows)))
        changed = (line_of(self.rows, row) for row in in_view if self.rows.place(row).part.kind in _CHANGED)
        return self._line_of_change() or next(changed, None) or first_line(self.rows, top)

    def _line_of_change(self) -> LinePlace | None:
        """Return the first line of the current change, of the new ones where it has any."""
        change = self.current_change
        if change is None:
            return None
        if change.new_stop > change.new_start:
            return LinePlace(change.file, False, change.new_start)
        return LinePlace(change.file, True, change.old_start)

    async def _edit(self, note: DiffNote) -> None:
        self._edited = note.key
        self._choose(note.lines)
        await open_note_bar(self, self, self.theme_styles, note.text)

    def place_of_note(self) -> str:
        """Return the place of the note that is written, in words."""
        if self._notebook is None or self._chosen is None:  # the lines disappeared while the note was written
            return "no line"
        return self._notebook.place(self.files, self._chosen)

    def move(self, step: int) -> None:
        """Write the note on the next line (1) or the previous one (-1) instead."""
        if self._chosen is not None and not self._edited:
            line = next_line(self.rows, self._chosen, step)
            if line is not None:
                self._choose(LineRange(*line, line.line))

    def cross(self) -> None:
        """Write the note on the other side of a changed line."""
        if self._chosen is not None and not self._edited:
            line = other_side(self.rows, self._chosen)
            if line is not None:
                self._choose(LineRange(*line, line.line))

    def extend(self, step: int) -> None:
        """Write the note on one line more or less."""
        if self._chosen is not None and not self._edited:
            self._choose(extended(self.rows, self._chosen, step))

    def keep(self, text: str) -> None:
        """Save the note; an empty one is dropped."""
        lines, edited = self._kept, self._edited
        self._edited = 0
        if self._notebook is None or (lines is None and not edited):
            return
        if edited and text:
            self._notebook.rewrite(edited, text)
        elif edited:
            self._notebook.drop(edited)
        elif text and lines is not None:
            self._current_note = self._notebook.write(self.files, lines, text)
        self.notes_changed()

    def close(self) -> None:
        """Remove the marks: the field is closed."""
        self._kept, self._chosen, self._sought = self._chosen, None, None
        self.show_rows(self.row_count)

    _kept: LineRange | None = None
    """The lines of the note that is being kept."""

    def show_chosen(self) -> None:
        """Scroll to the chosen lines."""
        if self._chosen is not None:
            self._choose(self._chosen)

    def _choose(self, lines: LineRange) -> None:
        self._chosen = lines
        row = self.rows.row_of_line(lines.file, lines.use_old, lines.end)
        if row is not None:
            top, height = self.top_row(), max(1, self.size.height - _BAR_ROWS)
            if row <= top:  # below the header, which stays in view
                self.scroll_to(y=max(0, row - 1), animate=False, immediate=True)
            elif row >= top + height:
                self.scroll_to(y=row - height + 1, animate=False, immediate=True)
        self.show_rows(self.row_count)

    # ------------------------------------------------------------------ going from note to note

    def action_go_to_note(self, step: int) -> None:
        """Go to the next or previous note, wrapping around."""
        keys = [note.key for note in self._notes]
        if not keys:
            self.notify("No notes here.")
            return
        if self._current_note in keys:
            place = (keys.index(self._current_note) + step) % len(keys)
        else:
            place = 0 if step > 0 else len(keys) - 1
        self._go_to(self._notes[place])

    def _go_to(self, note: DiffNote) -> None:
        self._current_note = note.key
        row = self.rows.row_of_note(note.key)
        if row is None:  # its lines are folded
            self.files.unfold(all_lines=True)
            self.lay_out_rows()
            row = self.rows.row_of_note(note.key)
        if row is not None:
            self.scroll_to(y=max(0, row - self.size.height // 2), animate=False, immediate=True)
        self.show_rows(self.row_count)

    @override
    async def action_open_fold(self) -> None:
        """Edit the current note, else open the marked fold."""
        note = self._note_in_view()
        if note is not None:
            await self._edit(note)
        else:
            await super().action_open_fold()

    def action_drop_note(self) -> None:
        """Drop the current note."""
        note = self._note_in_view()
        if note is not None and self._notebook is not None:
            self._notebook.drop(note.key)
            self.notes_changed()
            self.notify("Note dropped.")

    def _note_in_view(self) -> DiffNote | None:
        """Return the current note, while it is in view."""
        note = next((note for note in self._notes if note.key == self._current_note), None)
        row = self.rows.row_of_note(note.key) if note is not None else None
        is_in_view = row is not None and self.top_row() <= row < self.top_row() + self.size.height
        return note if is_in_view else None

    @on(Click)
    async def _clicked(self, event: Click) -> None:
        """Choose a line, or with Shift a range; go to a note, or edit it if it is the current one."""
        row = self.row_at(event.y)
        if self._notebook is None or not 0 <= row < len(self.rows) or event.x >= self.row_width:
            return
        part = self.rows.place(row).part
        if part.kind == "note":
            note = next(note for note in self._notes if note.key == part.note)
            if note.key == self._current_note:
                await self._edit(note)
            self._current_note = note.key
            self.show_rows(self.row_count)
            return
        line, before = line_of(self.rows, row), self._chosen
        if line is None:
            return
        if event.shift and before is not None and before[:2] == line[:2]:
            self._choose(before._replace(end=line.line))
        elif before is not None and before.has(line):
            self.close()
        else:
            self._choose(LineRange(*line, line.line))


def _bare(compared: ComparedFile, lines: LineRange) -> Sequence[str]:
    """Return lines of a side; none if there are no such lines."""
    difference = compared.difference
    side = () if difference is None else difference.old if lines.use_old else difference.new
    return side[lines.first : lines.last + 1]


def _found(sought: _Sought, files: ComparedFiles) -> LineRange | None:
    """Return the same lines in the file with the same place, those nearest to the line number before."""
    lines = sought.lines
    if not sought.quoted or lines.file >= len(files) or (difference := files[lines.file].difference) is None:
        return None
    side = difference.old if lines.use_old else difference.new
    number = sought.shift + lines.first - (files[lines.file].file.first_line or 1)
    starts = range(len(side) - len(sought.quoted) + 1)
    same = (at for at in starts if list(side[at : at + len(sought.quoted)]) == list(sought.quoted))
    start = min(same, key=lambda at: abs(at - number), default=None)
    if start is None:
        return None
    shift = start - lines.first
    return lines._replace(start=lines.start + shift, end=lines.end + shift)


_CHANGED: Final = ("removed", "added", "changed")
_BAR_ROWS: Final = 2
"""Rows of the field, which the view loses."""
