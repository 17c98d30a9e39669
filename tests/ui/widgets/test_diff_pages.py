"""The files of a diff view together, without a screen."""

import time

from acp_tui.ui.widgets.diff_page import FileDiff
from acp_tui.ui.widgets.diff_pages import Change, Pages
from acp_tui.ui.widgets.diff_rows import DiffRows
from tests.ui.widgets.differing import NEW, OLD

LARGE = "".join(f"{number}\n" for number in range(3_000))


def compared(*files: FileDiff) -> Pages:
    pages = Pages(files)
    for page in pages.waiting:
        page.difference = page.compare()
    return pages


def rows(pages: Pages) -> DiffRows:
    return DiffRows(list(pages.parts(False, lambda page: None)))


def test_small_files_are_compared_at_once_and_large_ones_wait() -> None:
    pages = Pages([FileDiff("a.py", OLD, NEW), FileDiff("b", LARGE, LARGE + "x\n")])

    pages.compare_small(time.monotonic() - 1)
    assert len(pages.waiting) == 2, "there was no time"
    pages.compare_small(time.monotonic() + 60)

    assert [page.file.path for page in pages.waiting] == ["b"]


def test_a_change_is_told_by_its_lines_on_both_sides() -> None:
    pages = compared(FileDiff("a.py", OLD, NEW))

    change = pages.change(*rows(pages).blocks_of(0))

    assert change == Change(0, 19, 20, 19, 20)
    assert pages.lines_of(change) == (["value_20 = 20"], ["value_20 = twenty"])


def test_all_files_are_unfolded_and_folded_together() -> None:
    pages = compared(FileDiff("a.py", OLD, NEW), FileDiff("b.py", OLD, NEW))
    folds = len(rows(pages).folds)

    pages.unfold(all_lines=True)
    assert (folds, len(rows(pages).folds)) == (6, 0)
    pages.unfold(all_lines=False)
    assert len(rows(pages).folds) == folds


def test_the_patch_of_all_names_each_file() -> None:
    pages = compared(FileDiff("a.py", OLD, NEW), FileDiff("b.py", None, "new\n"))

    patch = pages.patch()

    assert patch.index("+++ b/a.py") < patch.index("+++ b/b.py")
    assert pages.longest == len("value_20 = twenty")
