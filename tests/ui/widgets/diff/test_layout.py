"""Lines that are found in differences."""

from __future__ import annotations

from acp_tui.ui.widgets.diff.diff import compute
from acp_tui.ui.widgets.diff.layout import hits_in, place_of

OLD = "same Word\nold word\n"
NEW = "same Word\nnew one\nword again word\n"


def test_an_unchanged_line_is_found_once_and_a_changed_one_on_its_side() -> None:
    hits = hits_in([compute(OLD, NEW)], "WORD")

    assert [(hit.use_old, hit.line, hit.column) for hit in hits] == [
        (False, 0, 5),
        (True, 1, 4),
        (False, 2, 0),
    ]


def test_hits_come_in_the_order_in_which_they_are_seen() -> None:
    hits = hits_in([compute(OLD, NEW), None, compute(None, OLD)], "word")

    assert hits == sorted(hits, key=place_of)
    assert [hit.file_number for hit in hits] == [0, 0, 0, 2, 2]


def test_nothing_is_found_for_nothing() -> None:
    assert hits_in([compute(OLD, NEW)], "") == []
