"""The rows of a difference, for cards as for the view."""

import time

from acp_tui.ui.widgets.diff import compute
from acp_tui.ui.widgets.diff_paint import Row, diff_rows
from acp_tui.ui.widgets.look import Look
from tests.ui.widgets.differing import LOOK, NEW, ODD, OLD


def plain(rows: list[Row]) -> list[str]:
    return ["".join(segment.text for segment in row).rstrip() for row in rows]


def test_rows_for_a_card_show_the_change_and_say_how_much_is_left() -> None:
    difference = compute(OLD, NEW)

    rows = plain(diff_rows(difference, "a.py", 80, LOOK, limit=6))

    assert len(rows) == 6
    assert rows[0] == " ▸ 17 unchanged lines"
    assert any("− value_20 = 20" in row for row in rows)
    assert "more rows" in rows[-1]
    assert len(diff_rows(difference, "a.py", 80, LOOK, limit=1_000)) < 20


def test_rows_of_a_snippet_have_no_line_numbers() -> None:
    rows = plain(diff_rows(compute("a\n", "b\n", first_line=None), "a.py", 40, LOOK, limit=9))
    assert rows == ["− a", "+ b"]


def test_rows_are_as_wide_as_asked() -> None:
    rows = diff_rows(compute(ODD, ODD.upper()), "a.py", 33, LOOK, limit=9)
    assert {sum(segment.cell_length for segment in row) for row in rows} == {33}


def test_changed_words_stand_on_the_ground_of_their_role() -> None:
    rows = diff_rows(compute("keep the old one\n", "keep the new one\n"), "a.txt", 60, LOOK, limit=9)
    grounds = {
        segment.text: segment.style.bgcolor for row in rows for segment in row if segment.style is not None
    }
    assert grounds["old"] == LOOK["removed-word"].bgcolor
    assert grounds["new"] == LOOK["added-word"].bgcolor


def test_rows_work_in_the_empty_ascii_look() -> None:
    rows = plain(diff_rows(compute("a\n", "b\n"), "a.txt", 30, Look(ascii=True), limit=9))
    assert rows == ["  1 - a", "  1 + b"]


def test_a_line_of_half_a_megabyte_is_painted_quickly() -> None:
    difference = compute("x" * 570_000, "y" * 570_000)
    diff_rows(difference, "a.json", 80, LOOK, limit=5)

    start = time.process_time()
    rows = diff_rows(difference, "a.json", 80, LOOK, limit=5)

    assert time.process_time() - start < 0.5
    assert plain(rows)[-1].endswith("…")
