"""Which row shows what: without a screen."""

from acp_tui.ui.widgets.diff_hits import Hit
from acp_tui.ui.widgets.diff_page import FileDiff, Page
from acp_tui.ui.widgets.diff_rows import DiffRows

OLD = "".join(f"value_{number} = {number}\n" for number in range(1, 101))
NEW = OLD.replace("value_20 = 20", "value_20 = twenty").replace("value_70 = 70\n", "")


def laid_out(*files: FileDiff, opened: int | None = None) -> DiffRows:
    pages = [Page(file) for file in files]
    for page in pages:
        page.difference = page.compare()
        page.opened.update(() if opened is None else (opened,))
    parts = [(number, part) for number, page in enumerate(pages) for part in page.parts(False, number > 0)]
    return DiffRows(parts)


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
