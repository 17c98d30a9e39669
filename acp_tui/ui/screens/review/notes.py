"""File notes: the user's notes on lines, as a diff view shows and writes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from acp_tui.conversation.line_notes import LineNotes
from acp_tui.session.line_notes import LineNote, Subject, note_on, place_of
from acp_tui.ui.widgets.diff.diff import Difference
from acp_tui.ui.widgets.diff.notes import DiffNote, LineRange
from acp_tui.ui.widgets.diff.rows import ComparedFile


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
