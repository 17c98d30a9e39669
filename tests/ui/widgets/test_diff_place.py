"""Where the keys go on from in a diff: without a screen."""

from acp_tui.ui.widgets.diff_page import FileDiff
from acp_tui.ui.widgets.diff_place import DiffPlace
from tests.ui.widgets.differing import NEW, OLD, laid_out

ROWS = laid_out(FileDiff("a.py", OLD, NEW), FileDiff("b.py", None, "new\n"))


def test_the_keys_go_on_from_the_change_that_was_gone_to() -> None:
    place = DiffPlace()

    place.went_to_change(1, ROWS, scroll=9.0)

    assert (place.next_change(ROWS, 9.0), place.previous_change(ROWS, 9.0)) == (2, 0)
    assert place.row(ROWS, 9.0) == ROWS.changes[1]


def test_after_scrolling_they_go_on_from_what_is_in_view() -> None:
    place = DiffPlace()
    place.went_to_change(2, ROWS, scroll=9.0)

    assert (place.next_change(ROWS, 0.0), place.previous_change(ROWS, 0.0)) == (0, -1)
    assert place.row(ROWS, 0.0) == -1


def test_the_file_is_the_one_gone_to_until_the_view_moves() -> None:
    place = DiffPlace()

    place.went_to_file(1, scroll=0.0)

    assert (place.file(ROWS, 0.0), place.file(ROWS, 1.0)) == (1, 0)
    assert place.change == -1


def test_a_change_that_is_gone_has_no_row() -> None:
    place = DiffPlace()
    place.went_to_change(2, ROWS, scroll=9.0)

    assert place.row(laid_out(FileDiff("a.py", OLD, NEW)), 9.0) == -1


def test_without_files_there_is_no_file() -> None:
    assert DiffPlace().file(laid_out(), 0.0) is None
