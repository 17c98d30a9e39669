"""Notes on lines of differences: where their rows stand, and which lines are chosen."""

from __future__ import annotations

import pytest

from acp_tui.ui.widgets.diff.layout import DiffPart, lay_out
from acp_tui.ui.widgets.diff.line_diff import compute
from acp_tui.ui.widgets.diff.notes import (
    DiffNote,
    LinePlace,
    LineRange,
    extended,
    first_line,
    line_of,
    next_line,
    note_words,
    other_side,
    with_notes,
)
from acp_tui.ui.widgets.diff.rows import DiffRows

OLD = "".join(f"line {number}\n" for number in range(30))
NEW = OLD.replace("line 4\n", "four\nand more\n").replace("line 20\n", "")


def parts(*, sides: bool) -> list[tuple[int, DiffPart]]:
    return [(0, DiffPart("header", 1)), *((0, part) for part in lay_out(compute(OLD, NEW), sides))]


def kinds(rows: DiffRows) -> list[str]:
    return [rows.place(row).part.kind for row in range(len(rows))]


def note_on(use_old: bool, first: int, last: int, text: str = "Why?") -> DiffNote:
    return DiffNote(7, LineRange(0, use_old, first, last), text)


@pytest.mark.parametrize("sides", [False, True])
@pytest.mark.parametrize(
    ("use_old", "first", "last"), [(False, 4, 5), (True, 4, 4), (False, 2, 3), (True, 4, 5)]
)
def test_a_note_stands_right_below_its_last_line(sides: bool, use_old: bool, first: int, last: int) -> None:
    rows = DiffRows(list(with_notes(parts(sides=sides), [note_on(use_old, first, last)], 80)))

    row = rows.row_of_note(7)
    assert row is not None
    assert rows.row_of_line(0, use_old, last) == row - 1


@pytest.mark.parametrize("sides", [False, True])
def test_notes_take_no_line_away_and_make_no_change_of_one(sides: bool) -> None:
    plain = DiffRows(parts(sides=sides))
    notes = [note_on(False, 4, 4), note_on(True, 4, 4)._replace(key=8), note_on(False, 3, 3)._replace(key=9)]

    rows = DiffRows(list(with_notes(parts(sides=sides), notes, 80)))

    assert [kind for kind in kinds(rows) if kind != "note"] == kinds(plain)
    assert len(rows.changes) == len(plain.changes)
    assert [rows.blocks_of(number) for number in range(len(rows.changes))] == [
        plain.blocks_of(number) for number in range(len(plain.changes))
    ]


def test_a_note_in_a_fold_has_no_row() -> None:
    rows = DiffRows(list(with_notes(parts(sides=False), [note_on(False, 14, 14)], 80)))

    assert rows.row_of_note(7) is None


def test_lines_are_gone_through_one_by_one_over_all_that_is_no_line() -> None:
    rows = DiffRows(list(with_notes(parts(sides=False), [note_on(False, 4, 4)], 80)))
    line = first_line(rows, 0)
    found = []
    while line is not None:
        found.append(line)
        line = next_line(rows, LineRange(*line, line.line), 1)

    assert found == [place for row in range(len(rows)) if (place := line_of(rows, row)) is not None]
    assert next_line(rows, LineRange(*found[0], found[0].line), -1) is None


def test_a_range_grows_along_its_side_and_stops_at_a_fold() -> None:
    rows = DiffRows(parts(sides=False))
    lines = LineRange(0, False, 4, 4)

    for _ in range(20):
        lines = extended(rows, lines, 1)

    assert (lines.first, lines.last) == (4, 8)
    assert extended(rows, lines, -1).last == 7


def test_the_other_side_of_a_line_is_there_where_both_are_in_a_row() -> None:
    two, one = DiffRows(parts(sides=True)), DiffRows(parts(sides=False))

    assert other_side(two, LineRange(0, False, 4, 4)) == LinePlace(0, True, 4)
    assert other_side(two, LineRange(0, False, 3, 3)) is None, "it is the same line"
    assert other_side(one, LineRange(0, False, 4, 4)) is None


def test_long_notes_are_wrapped_and_cut() -> None:
    assert len(note_words(note_on(False, 0, 0, "word " * 30), 60)) == 3
    assert len(note_words(note_on(False, 0, 0, "line\n" * 90), 60)) == 20
    assert (
        note_words(note_on(False, 0, 0)._replace(remark="moved from line 3"), 60)[-1] == "(moved from line 3)"
    )
