"""Which row shows what: without a screen."""

from collections.abc import Callable

from acp_tui.ui.widgets.diff_hits import Hit
from acp_tui.ui.widgets.diff_layout import Part
from acp_tui.ui.widgets.diff_page import FileDiff, Page
from acp_tui.ui.widgets.diff_rows import DiffRows
from tests.ui.widgets.differing import LOOK, NEW, OLD, laid_out


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
    hit = Hit(page=0, block=0, use_old=False, line=2, column=0)

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
    page = Page(file)
    page.difference = page.compare()
    painter = page.painter(width, LOOK, side_by_side)
    return DiffRows([(0, part) for part in page.parts(side_by_side, False, painter)])


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
    found = Hit(0, 0, use_old=False, line=1, column=70)
    assert one.row_of(found) == 1 + 9 + 3 + 1  # the second row of the second line
    for row in range(1, len(one)):
        anchor = one.anchor(row)
        assert anchor is not None
        there = both.row_at_anchor(anchor)
        assert there is not None
        place = both.place(there).part
        assert (place.old if anchor.use_old else place.new) == anchor.line


def part_at(rows: DiffRows) -> Callable[[int], Part]:
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
