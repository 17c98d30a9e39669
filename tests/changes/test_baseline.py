"""Tests of `changes/baseline.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.changes.baseline import Baseline
from acp_tui.changes.changed_files import ChangedFiles
from acp_tui.changes.git_tree import Snapshot
from acp_tui.changes.line_counts import LineCounts
from acp_tui.changes.snapshots import Snapshots
from acp_tui.session.events import RangeChosen
from acp_tui.session.session import THIS_TURN

FIRST, SECOND, THIRD = (Snapshot(name, 0.0) for name in ("first", "second", "third"))


def ranges(tmp_path: Path, told: list[RangeChosen] | None = None) -> Baseline:
    tell = (told if told is not None else []).append
    snapshots = Snapshots(tmp_path / "stores", tmp_path)
    return Baseline(snapshots, ChangedFiles("/w", lambda _: None), LineCounts(snapshots), tell)


@pytest.mark.parametrize(
    ("since", "base"), [(0, FIRST), (1, SECOND), (2, THIRD), (3, THIRD), (4, FIRST), (THIS_TURN, THIRD)]
)
def test_files_are_compared_with_the_first_known_moment_of_the_range(
    tmp_path: Path, since: int, base: Snapshot
) -> None:
    made = ranges(tmp_path)
    made.remember(1, SECOND)
    made.remember(3, THIRD)  # of the second turn nothing is known
    made.newest = 3
    made.since = since

    assert made.base(FIRST) == base


async def test_the_whole_session_needs_no_word_until_something_else_was_shown(tmp_path: Path) -> None:
    told: list[RangeChosen] = []
    made = ranges(tmp_path, told)

    await made.show(FIRST)
    assert told == []
    made.since = THIS_TURN
    await made.show(FIRST)
    await made.show(FIRST)
    made.since = 0
    await made.show(FIRST)

    assert told == [RangeChosen(THIS_TURN, ()), RangeChosen(0)]


def test_a_store_that_is_lost_takes_all_turns_with_it(tmp_path: Path) -> None:
    made = ranges(tmp_path)
    made.remember(1, SECOND)
    made.since = 1
    made.clear()

    assert made.base(FIRST) == FIRST
    assert made.before(1) is None


@pytest.mark.parametrize(("turns", "known", "since"), [(2, [1, 2], 1), (1, [1, 2], 1), (0, [], 0)])
def test_another_process_knows_the_turns_of_a_session_that_it_resumed(
    tmp_path: Path, turns: int, known: list[int], since: int
) -> None:
    made = ranges(tmp_path)
    made.remember(1, SECOND)
    made.remember(2, THIRD)
    made.newest, made.since = 2, 1

    made.go_on(turns)

    assert (made.turns, made.since) == (known, since)
