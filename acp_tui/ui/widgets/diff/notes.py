"""Notes on lines of a difference: their flags, their rows, and the lines of a new one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Final, NamedTuple, Protocol

from rich.segment import Segment

from acp_tui.ui.widgets.diff.layout import DiffPart
from acp_tui.ui.widgets.diff.paint import CODE, from_line
from acp_tui.ui.widgets.diff.rows import ComparedFile, DiffRows
from acp_tui.ui.widgets.painter import fit
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Row, safe_line

_INDENT: Final = 6
"""Cells before the text of a note."""
_MOST: Final = 20
"""Most rows of a note; a longer one is cut."""


class LinePlace(NamedTuple):
    """A line of a side, from 0."""

    file: int
    """Index of the file."""
    use_old: bool
    line: int


class LineRange(NamedTuple):
    """Lines of a side, from 0."""

    file: int
    use_old: bool
    start: int
    """The line that was chosen first."""
    end: int
    """The line to which the choice was extended, which may be above it."""

    @property
    def first(self) -> int:
        """The first line."""
        return min(self.start, self.end)

    @property
    def last(self) -> int:
        """The last line."""
        return max(self.start, self.end)

    def has(self, line: LinePlace | None) -> bool:
        """Return True for one of the lines."""
        return line is not None and line[:2] == self[:2] and self.first <= line.line <= self.last


class DiffNote(NamedTuple):
    """A note as the view shows it."""

    key: int
    lines: LineRange
    text: str
    remark: str = ""
    """A word about its lines, such as `moved from line 3`."""


class Notebook(Protocol):
    """The notes on the files of a view."""

    def notes(self, files: Sequence[ComparedFile]) -> Sequence[DiffNote]:
        """Return the notes whose lines are in the files."""

    def place(self, files: Sequence[ComparedFile], lines: LineRange) -> str:
        """Return the place of lines in words."""

    def write(self, files: Sequence[ComparedFile], lines: LineRange, text: str) -> int:
        """Write a note; return its key."""

    def rewrite(self, key: int, text: str) -> None:
        """Change the text of a note."""

    def drop(self, key: int) -> None:
        """Drop a note."""


def line_of(rows: DiffRows, row: int) -> LinePlace | None:
    """Return the line of a row; None for a row without one."""
    number, part, inside = rows.place(row)
    if part.kind not in CODE:
        return None
    at = 0 if part.room else inside
    use_old = part.kind == "removed" or (part.kind == "changed" and at >= part.new_lines)
    return LinePlace(number, use_old, (part.old if use_old else part.new) + at)


def places_of(rows: DiffRows, row: int) -> list[LinePlace]:
    """Return the lines of a row on both sides; none for a row without one."""
    number, part, inside = rows.place(row)
    return list(_sides(number, part, 0 if part.room else inside)) if part.kind in CODE else []


def other_side(rows: DiffRows, lines: LineRange) -> LinePlace | None:
    """Return the line beside the last of these lines, if both sides of a change are in one row."""
    row = rows.row_of_line(lines.file, lines.use_old, lines.end)
    if row is None or rows.place(row).part.kind != "changed":
        return None
    return next((place for place in places_of(rows, row) if place.use_old != lines.use_old), None)


def first_line(rows: DiffRows, row: int) -> LinePlace | None:
    """Return the first line at a row or below, else the last one above."""
    below = (line_of(rows, at) for at in range(max(0, row), len(rows)))
    found = next((line for line in below if line is not None), None)
    return found or next((line for at in range(row - 1, -1, -1) if (line := line_of(rows, at))), None)


def next_line(rows: DiffRows, lines: LineRange, step: int) -> LinePlace | None:
    """Return the line below the last of these lines (1), or above the first (-1)."""
    line = lines.last if step > 0 else lines.first
    at = rows.row_of_line(lines.file, lines.use_old, line)
    while at is not None and 0 <= at + step < len(rows):
        at += step
        found = line_of(rows, at)
        if found is not None and not lines.has(found):
            return found
    return None


def extended(rows: DiffRows, lines: LineRange, step: int) -> LineRange:
    """Return lines that end a line further, if that line is shown."""
    end = lines.end + step
    return lines._replace(end=end) if rows.row_of_line(lines.file, lines.use_old, end) is not None else lines


def with_notes(
    parts: Iterable[tuple[int, DiffPart]], notes: Sequence[DiffNote], width: int
) -> Iterator[tuple[int, DiffPart]]:
    """Yield parts with each note below its last line."""
    ends: dict[LinePlace, list[DiffNote]] = {}
    for note in notes:
        ends.setdefault(LinePlace(note.lines.file, note.lines.use_old, note.lines.last), []).append(note)
    for number, part in parts:
        begun = 0
        for line in range(part.lines) if ends and part.kind in CODE else ():
            here = [note for end in _sides(number, part, line) for note in ends.get(end, ())]
            if not here:
                continue
            yield number, part if part.room else from_line(part, begun, line + 1 - begun)
            begun = line + 1
            for note in here:
                rows = len(note_words(note, width))
                yield (
                    number,
                    DiffPart("note", rows, part.block, part.old + line, part.new + line, note=note.key),
                )
        if begun < part.lines or not part.lines:
            yield number, from_line(part, begun, part.rows - begun) if begun else part


def _sides(number: int, part: DiffPart, line: int) -> Iterator[LinePlace]:
    """Yield the lines of a row of a part on its sides."""
    if part.kind != "added" and line < part.old_lines:
        yield LinePlace(number, True, part.old + line)
    if part.kind != "removed" and line < part.new_lines:
        yield LinePlace(number, False, part.new + line)


def note_words(note: DiffNote, width: int) -> list[str]:
    """Return the text of a note in rows of `width` cells."""
    text = f"{note.text}\n({note.remark})" if note.remark else note.text
    rows: list[str] = []
    for line in text.split("\n"):
        rows += wrap(safe_line(line), max(10, width - _INDENT - 1)) or [""]
    return rows[:_MOST]


def note_row(note: DiffNote, inside: int, width: int, styles: Styles, *, is_current: bool) -> Row:
    """Return a row of a note, counted from 0."""
    ground = styles.base + (styles["cursor"] if is_current else styles["code-block"])
    mark = styles.symbol("note") if inside == 0 else " "
    words = note_words(note, width)[inside]
    row = [
        Segment(f"{mark:>{_INDENT - 2}}  ", ground + styles["warning"]),
        Segment(words, ground + styles["text"]),
    ]
    return fit(row, 0, width, ground, styles)


def flagged(row: Row, styles: Styles, *, on_right: bool = False) -> Row:
    """Return the row of a line with a flag in the margin, before its sign; `on_right` of two columns."""
    column = styles.symbol("column")
    ends = (at + 1 for at, segment in enumerate(row) if segment.text == column)
    at = next(ends, 0) if on_right else 0
    text, style, _ = row[at]
    if text[-1:] != " " or style is None:
        return row
    flag = Segment(styles.symbol("note"), style + styles["warning"])
    return [*row[:at], Segment(text[:-1], style), flag, *row[at + 1 :]]


def chosen(row: Row, styles: Styles) -> Row:
    """Return the row of a line for which a note is being written."""
    return [Segment(text, (style or styles.base) + styles["cursor"]) for text, style, _ in row]
