"""The layout of a difference, and hits of a search in it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from acp_tui.ui.widgets.diff.layout import DiffPart, hits_in, lay_out, place_of
from acp_tui.ui.widgets.diff.line_diff import Difference, compute

BEFORE = "same Word\nold word\n"


AFTER = "same Word\nnew one\nword again word\n"


def test_an_unchanged_line_is_found_once_and_a_changed_one_on_its_side() -> None:
    hits = hits_in([compute(BEFORE, AFTER)], "WORD")

    assert [(hit.use_old, hit.line, hit.column) for hit in hits] == [
        (False, 0, 5),
        (True, 1, 4),
        (False, 2, 0),
    ]


def test_hits_come_in_the_order_in_which_they_are_seen() -> None:
    hits = hits_in([compute(BEFORE, AFTER), None, compute(None, BEFORE)], "word")

    assert hits == sorted(hits, key=place_of)
    assert [hit.file_number for hit in hits] == [0, 0, 0, 2, 2]


def test_nothing_is_found_for_nothing() -> None:
    assert hits_in([compute(BEFORE, AFTER)], "") == []


OLD = "".join(f"{number}\n" for number in range(1, 31))


NEW = OLD.replace("10\n", "ten\nten and a half\n").replace("20\n", "")


def shape(parts: Sequence[DiffPart]) -> list[tuple[str, int]]:
    return [(part.kind, part.rows) for part in parts]


def difference() -> Difference:
    return compute(OLD, NEW)


def test_below_each_other_removed_lines_come_before_added_ones() -> None:
    parts = shape(list(lay_out(difference(), side_by_side=False)))

    assert [part for part in parts if part[0] in ("removed", "added")] == [
        ("removed", 1),
        ("added", 2),
        ("removed", 1),
    ]


def test_beside_each_other_a_change_is_as_tall_as_its_taller_side() -> None:
    parts = shape(list(lay_out(difference(), side_by_side=True)))

    assert [part for part in parts if part[0] == "changed"] == [("changed", 2), ("changed", 1)]


def test_a_fold_takes_a_row_and_opening_it_brings_all_of_its_lines() -> None:
    folded = list(lay_out(difference(), side_by_side=False, context=2))
    fold = next(part for part in folded if part.kind == "fold")
    opened = list(lay_out(difference(), side_by_side=False, opened={fold.block}, context=2))

    rows = sum(part.rows for part in opened) - sum(part.rows for part in folded)
    assert rows == fold.old_lines - 1


@pytest.mark.parametrize(
    ("hidden", "above"), [(1, [("equal", 4)]), (3, [("equal", 6)]), (4, [("fold", 1), ("equal", 3)])]
)
def test_less_than_four_lines_are_not_folded(hidden: int, above: list[tuple[str, int]]) -> None:
    old = "".join(f"{number}\n" for number in range(hidden + 3))

    parts = shape(list(lay_out(compute(old, f"{old}new\n"), side_by_side=False)))

    assert parts == [*above, ("added", 1)]


def test_every_line_of_both_sides_is_in_one_part_whatever_is_folded() -> None:
    for context in range(6):
        parts = list(lay_out(difference(), side_by_side=False, context=context))
        new = sum(part.new_lines for part in parts if part.kind in ("equal", "fold", "added"))
        old = sum(part.old_lines for part in parts if part.kind in ("equal", "fold", "removed"))
        assert (old, new) == (30, 30)
