"""Line notes in screens: those of a diff view, the dialog for one, and replies to passages of a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from textwrap import wrap
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static
from typing_extensions import override

from acp_tui.conversation.line_notes import LineNotes
from acp_tui.session.line_notes import LineNote, Subject, note_on, place_of
from acp_tui.ui.screens.base.dialog import Dialog
from acp_tui.ui.screens.base.full_screens import FullScreen, move_keys
from acp_tui.ui.widgets.diff.line_diff import Difference
from acp_tui.ui.widgets.diff.notes import DiffNote, LineRange
from acp_tui.ui.widgets.diff.rows import ComparedFile
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.rows.note_field import NotedList, NoteField
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import safe_line
from acp_tui.ui.widgets.transcript.blocks import Piece


class FileNotes:
    """The notes of a conversation on the files of a view."""

    def __init__(
        self, notes: LineNotes, cwd: str, path_of: Callable[[int], str], *, are_proposed: bool = False
    ) -> None:
        """Use the notes of a conversation.

        Args:
            notes: the notes.
            cwd: the workspace; paths are shown relative to it.
            path_of: returns the absolute path of a file in the view.
            are_proposed: True for edits that are not made yet, so that the file has the old lines.
        """
        self._notes = notes
        self._cwd = cwd
        self._path_of = path_of
        self._new: Subject = "proposed" if are_proposed else "file"
        self._old: Subject = "file" if are_proposed else "removed"

    def notes(self, files: Sequence[ComparedFile]) -> Sequence[DiffNote]:
        """Return the notes whose lines are in the files."""
        found: list[DiffNote] = []
        for number, compared in enumerate(files):
            if compared.difference is None:
                continue
            for key, note in self._notes.of(self._path_of(number)).items():
                lines = self._lines(number, compared, note)
                if lines is not None and key not in {one.key for one in found}:
                    found.append(DiffNote(key, lines, note.text, note.remark(self._cwd)))
        return found

    def place(self, files: Sequence[ComparedFile], lines: LineRange) -> str:
        """Return the place of lines, for display."""
        return place_of(self._note(files, lines, ""), self._cwd)

    def write(self, files: Sequence[ComparedFile], lines: LineRange, text: str) -> int:
        """Write a note; return its key."""
        return self._notes.add(self._note(files, lines, text))

    def rewrite(self, key: int, text: str) -> None:
        """Change the text of a note."""
        note = self._notes.notes.get(key)
        if note is not None:
            self._notes.change(key, replace(note, text=text))

    def drop(self, key: int) -> None:
        """Drop a note."""
        self._notes.drop(key)

    def _note(self, files: Sequence[ComparedFile], lines: LineRange, text: str) -> LineNote:
        compared = files[lines.file]
        assert compared.difference is not None, "a line that is shown was compared"
        return note_on(
            compared.difference.old if lines.use_old else compared.difference.new,
            lines.first,
            lines.last,
            text,
            path=self._path_of(lines.file),
            subject=self._old if lines.use_old else self._new,
            first_line=compared.file.first_line,
        )

    def _lines(self, number: int, compared: ComparedFile, note: LineNote) -> LineRange | None:
        """Return the lines of a note in a file of the view, found by their text; None if missing."""
        assert compared.difference is not None, "only compared files have notes"
        if note.state == "gone":
            return None
        sides = [(True, compared.difference.old), (False, compared.difference.new)]
        if note.subject != "removed":
            sides.reverse()
        shift = compared.file.first_line or 1
        for use_old, texts in sides if self._old == "file" else sides[:1]:
            start = note.first - shift if note.first else _only_place(note.quoted, texts)
            stop = start + len(note.quoted)
            if start >= 0 and tuple(line.rstrip() for line in texts[start:stop]) == note.quoted:
                lines = LineRange(number, use_old, start, stop - 1)
                return _unchanged(compared.difference, lines) or lines
        return None


def _unchanged(difference: Difference, lines: LineRange) -> LineRange | None:
    """Return the new line numbers of unchanged old lines; None if they changed."""
    for block in difference.blocks:
        if lines.use_old and block.equal and block.old_start <= lines.first <= lines.last < block.old_stop:
            shift = block.new_start - block.old_start
            return LineRange(lines.file, False, lines.first + shift, lines.last + shift)
    return None


def _only_place(quoted: Sequence[str], lines: Sequence[str]) -> int:
    """Return the index of the only occurrence of the lines, from 0; -1 if there is none, or several."""
    bare = [line.rstrip() for line in lines]
    found = [at for at in range(len(bare)) if tuple(bare[at : at + len(quoted)]) == tuple(quoted)]
    return found[0] if len(found) == 1 else -1


_QUOTED: Final = 8
"""Most quoted lines that are shown."""


class NoteDialog(Dialog[str]):
    """Takes the text of a note; dismisses with it, or None."""

    IS_GUARDED = False

    def __init__(self, place: str, quoted: Sequence[str], text: str, styles: Styles) -> None:
        """Show a note; `place` names its lines, `quoted` has their text."""
        super().__init__(f"Note on {place}", styles)
        self._quoted = quoted
        self._text = text

    @override
    def compose_body(self) -> ComposeResult:
        shown = [safe_line(line) for line in self._quoted[:_QUOTED]]
        if len(self._quoted) > _QUOTED:
            shown.append(f"{self.theme_styles.symbol('cut')} {len(self._quoted) - _QUOTED} more lines")
        yield Static(Content("\n").join(Content.styled(line, "$muted") for line in shown))
        yield NoteField(self._text)

    @override
    def hints(self) -> Sequence[tuple[str, str]]:
        field = self.query_one(NoteField)
        names = (("note.keep", "keep"), ("note.new-line", "new line"), ("note.close", "close"))
        return [(key_of(field, name), does) for name, does in names]

    @override
    def first_focus(self) -> Widget | None:
        return self.query_one(NoteField)

    @on(NoteField.NoteSubmitted)
    def _submit(self, event: NoteField.NoteSubmitted) -> None:
        event.stop()
        self.dismiss(self.query_one(NoteField).text.strip())

    @on(NoteField.NoteClosed)
    def _close_wanted(self, event: NoteField.NoteClosed) -> None:
        event.stop()
        self.dismiss(None)


_WIDTH: Final = 96
"""Characters of a row, since a line of prose may be a whole paragraph."""


class PassageList(NotedList[str]):
    """The rows of a text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *move_keys("passage"),
        Binding("enter", "write_note", "Reply", show=False, id="passage.reply"),
    ]

    @override
    def pieces(self, item: str) -> tuple[list[Piece], list[Piece]]:
        return [("text", f" {safe_line(item.replace(chr(9), '    '))}")], []


class PassageScreen(FullScreen[None]):
    """Shows a text whose rows the user can quote and reply to."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "close", "Close", id="passage.close")]

    def __init__(
        self, heading: str, text: str, keep: Callable[[Sequence[str], str], None], styles: Styles
    ) -> None:
        """Show a text; `keep` gets the quoted rows and the reply."""
        super().__init__(styles)
        self._heading = heading
        self._rows = rows_of(text)
        self._keep = keep

    @override
    def compose_content(self) -> ComposeResult:
        yield PassageList(self.theme_styles, writes=self._write, place_of=self._place)

    async def on_mount(self) -> None:
        """Show the rows, and the field for the reply."""
        self.show_title(([("strong", f" {self._heading}")], [("muted", "choose the lines, and reply ")]))
        rows = self.query_one(PassageList)
        rows.show(self._rows)
        rows.focus()
        await rows.action_write_note()

    def _place(self, first: int, last: int) -> str:
        return f"line {first + 1}" if first == last else f"lines {first + 1}-{last + 1}"

    def _write(self, first: int, last: int, text: str) -> None:
        self._keep(self._rows[first : last + 1], text)
        self.dismiss(None)


def rows_of(text: str) -> list[str]:
    """Return a text in rows that can be quoted: its lines, with long ones split."""
    rows: list[str] = []
    for line in text.strip("\n").split("\n"):
        rows += wrap(line, _WIDTH, break_on_hyphens=False) if len(line) > _WIDTH else [line.rstrip()]
    return rows
