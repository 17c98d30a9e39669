"""The files of a diff view together, without a screen."""

from __future__ import annotations

import time
from collections.abc import Callable

from acp_tui.ui.widgets.diff.layout import DiffHit, DiffPart
from acp_tui.ui.widgets.diff.rows import (
    ComparedFile,
    ComparedFiles,
    DiffChange,
    DiffPosition,
    DiffRows,
    FileDiff,
)
from tests.ui.widgets.differing import NEW, OLD, STYLES, laid_out

LARGE = "".join(f"{number}\n" for number in range(3_000))


def compared(*files: FileDiff) -> ComparedFiles:
    shown = ComparedFiles(files)
    for each in shown.waiting:
        each.difference = each.compare()
    return shown


def rows(files: ComparedFiles) -> DiffRows:
    return DiffRows(list(files.parts(False, lambda compared: None)))


def test_small_files_are_compared_at_once_and_large_ones_wait() -> None:
    files = ComparedFiles([FileDiff("a.py", OLD, NEW), FileDiff("b", LARGE, LARGE + "x\n")])

    files.compare_small(time.monotonic() - 1)
    assert len(files.waiting) == 2, "there was no time"
    files.compare_small(time.monotonic() + 60)

    assert [compared.file.path for compared in files.waiting] == ["b"]


def test_a_change_is_reported_with_its_lines_on_both_sides() -> None:
    files = compared(FileDiff("a.py", OLD, NEW))

    change = files.change(*rows(files).blocks_of(0))

    assert change == DiffChange(0, 19, 20, 19, 20)
    assert files.lines_of(change) == (["value_20 = 20"], ["value_20 = twenty"])


def test_all_files_are_unfolded_and_folded_together() -> None:
    files = compared(FileDiff("a.py", OLD, NEW), FileDiff("b.py", OLD, NEW))
    folds = len(rows(files).folds)

    files.unfold(all_lines=True)
    assert (folds, len(rows(files).folds)) == (6, 0)
    files.unfold(all_lines=False)
    assert len(rows(files).folds) == folds


def test_the_patch_of_all_names_each_file() -> None:
    files = compared(FileDiff("a.py", OLD, NEW), FileDiff("b.py", None, "new\n"))

    patch = files.patch()

    assert patch.index("+++ b/a.py") < patch.index("+++ b/b.py")
    assert files.longest == len("value_20 = twenty")


ROWS = laid_out(FileDiff("a.py", OLD, NEW), FileDiff("b.py", None, "new\n"))


def test_the_keys_go_on_from_the_change_that_was_gone_to() -> None:
    place = DiffPosition()

    place.went_to_change(1, ROWS, scroll=9.0)

    assert (place.next_change(ROWS, 9.0), place.previous_change(ROWS, 9.0)) == (2, 0)
    assert place.row(ROWS, 9.0) == ROWS.changes[1]


def test_after_scrolling_they_go_on_from_what_is_in_view() -> None:
    place = DiffPosition()
    place.went_to_change(2, ROWS, scroll=9.0)

    assert (place.next_change(ROWS, 0.0), place.previous_change(ROWS, 0.0)) == (0, -1)
    assert place.row(ROWS, 0.0) == -1


def test_the_file_is_the_one_gone_to_until_the_view_moves() -> None:
    place = DiffPosition()

    place.went_to_file(1, scroll=0.0)

    assert (place.file(ROWS, 0.0), place.file(ROWS, 1.0)) == (1, 0)
    assert place.change == -1


def test_a_change_that_is_gone_has_no_row() -> None:
    place = DiffPosition()
    place.went_to_change(2, ROWS, scroll=9.0)

    assert place.row(laid_out(FileDiff("a.py", OLD, NEW)), 9.0) == -1


def test_without_files_there_is_no_file() -> None:
    assert DiffPosition().file(laid_out(), 0.0) is None


def test_files_folds_and_changes_begin_where_their_rows_are() -> None:
    rows = laid_out(FileDiff("a.py", OLD, NEW), FileDiff("b.py", None, "new\n"))

    assert [rows.place(row).part.kind for row in rows.headers] == ["header", "header"]
    assert [rows.place(row).part.kind for row in rows.folds] == ["fold"] * 3
    assert [rows.place(row).part.kind for row in rows.changes] == ["removed", "removed", "added"]
    assert [rows.blocks_of(change)[0] for change in range(3)] == [0, 0, 1]
    assert rows.file_at(rows.headers[1] - 1) == 0
    assert rows.file_at(rows.headers[1]) == 1


def test_the_line_at_a_row_is_the_one_in_the_file_and_behind_a_fold_the_first_below() -> None:
    rows = laid_out(FileDiff("a.py", OLD, NEW))

    assert rows.line_at(rows.changes[0]) == 19
    assert rows.line_at(rows.folds[0]) == 16
    assert rows.line_at(len(rows) + 5) == rows.line_at(len(rows) - 1)


def test_what_is_folded_has_no_row_until_it_is_opened() -> None:
    hit = DiffHit(file_number=0, block=0, use_old=False, line=2, column=0)

    assert laid_out(FileDiff("a.py", OLD, NEW)).row_of(hit) is None
    assert laid_out(FileDiff("a.py", OLD, NEW), opened=0).row_of(hit) == 3


def test_a_few_equal_lines_do_not_part_two_changes() -> None:
    old = "".join(f"{number}\n" for number in range(40))
    near, far = (
        old.replace("10\n", "x\n").replace("15\n", "y\n"),
        old.replace("10\n", "x\n").replace("25\n", "y\n"),
    )

    assert len(laid_out(FileDiff("a", old, near)).changes) == 1
    assert len(laid_out(FileDiff("a", old, far)).changes) == 2


LONG = "x" * 100


def wrapped(file: FileDiff, width: int = 60, *, side_by_side: bool = False) -> DiffRows:
    compared = ComparedFile(file)
    compared.difference = compared.compare()
    painter = compared.painter(width, STYLES, side_by_side)
    return DiffRows([(0, part) for part in compared.parts(side_by_side, False, painter)])


def test_a_wrapped_line_is_one_line_on_several_rows() -> None:
    old = f"a\n{LONG}\nb\n"
    rows = wrapped(FileDiff("a", old, old.replace("b", "c")))

    kinds = [(part.kind, part.rows, part.lines) for part in map(part_at(rows), range(len(rows)))]
    assert kinds[:4] == [("header", 1, 1), ("equal", 1, 1), ("equal", 2, 1), ("equal", 2, 1)]
    assert [rows.line_at(row) for row in range(1, 6)] == [0, 1, 1, 2, 2]
    assert rows.changes == [4]


def test_wrapped_lines_keep_their_pairs_changes_and_places() -> None:
    old = "".join(f"{number} {LONG}\n" for number in range(3))
    new = old.replace("x", "y")
    one, both = wrapped(FileDiff("a", old, new)), wrapped(FileDiff("a", old, new), 80, side_by_side=True)

    assert one.changes == [1]
    assert both.changes == [1]
    assert one.blocks_of(0) == (0, 0, 0)
    assert [(one.place(row).part.old, one.place(row).part.new) for row in (1, 4, 7, 10)] == [
        (0, 0),
        (1, 1),
        (2, 2),
        (0, 0),
    ]
    found = DiffHit(0, 0, use_old=False, line=1, column=70)
    assert one.row_of(found) == 1 + 9 + 3 + 1  # the second row of the second line
    for row in range(1, len(one)):
        anchor = one.anchor(row)
        assert anchor is not None
        there = both.row_at_anchor(anchor)
        assert there is not None
        place = both.place(there).part
        assert (place.old if anchor.use_old else place.new) == anchor.line


def part_at(rows: DiffRows) -> Callable[[int], DiffPart]:
    return lambda row: rows.place(row).part


def test_an_anchor_finds_its_block_in_another_layout() -> None:
    before = laid_out(FileDiff("a.py", OLD, NEW))
    after = laid_out(FileDiff("a.py", OLD, NEW), opened=0)

    anchor = before.anchor(before.changes[1])
    assert anchor is not None
    assert after.row_at_anchor(anchor) == after.changes[1]
    assert before.anchor(0) is None  # the top is the top in any layout


def test_without_files_there_is_nothing_to_find() -> None:
    rows = DiffRows()

    assert len(rows) == 0
    assert rows.file_at(0) is None
    assert rows.first_fold(0) == -1
    assert rows.anchor(5) is None
