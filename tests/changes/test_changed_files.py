"""Changed files and outside changes, without a workspace."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_tui.changes import snapshot_log
from acp_tui.changes.changed_files import ChangedFiles, exclusion_notice
from acp_tui.changes.git_tree import ChangedFile, LeftOut
from acp_tui.session.earlier_runs import KeptSnapshot, UndoStep, UndoStepRemoved
from acp_tui.session.events import Noted, WorkspaceCompared
from acp_tui.session.file_changes import DiskState, Origin
from acp_tui.session.session import Session


def change(path: str, content: str = "1") -> ChangedFile:
    return ChangedFile(path, "M", path, 0o100644, 0o100644, "0", content)


class WorkspaceEvent(list[WorkspaceCompared | Noted]):
    """Collects a session's events."""

    @property
    def outside(self) -> dict[str, bool]:
        """Return the `outside` flag of each file in the latest list."""
        newest = [event for event in self if isinstance(event, WorkspaceCompared)][-1]
        return {file.path: file.outside for file in newest.files}


def test_a_file_is_from_outside_until_it_is_changed_in_a_turn() -> None:
    told = WorkspaceEvent()
    found = ChangedFiles("/w/", told.append)

    found.take_over([change("a")], outside=True)
    assert told.outside == {"/w/a": True}
    found.take_over([change("a"), change("b")], outside=False)
    assert told.outside == {"/w/a": True, "/w/b": False}
    found.take_over([change("a", "2"), change("b")], outside=False)
    assert told.outside == {"/w/a": False, "/w/b": False}


def test_the_same_changes_are_reported_once() -> None:
    told = WorkspaceEvent()
    found = ChangedFiles("/w", told.append)

    found.take_over([change("a")], outside=False)
    found.take_over([change("a")], outside=False)

    assert len(told) == 1


def test_what_is_not_as_the_last_turn_left_it_came_from_outside() -> None:
    told = WorkspaceEvent()
    found = ChangedFiles("/w", told.append)
    found.take_over([change("a"), change("b")], outside=False)
    found.settle()

    found.mark_outside([change("a"), change("b", "2")])
    found.take_over([change("a"), change("b", "2")], outside=False)

    assert told.outside == {"/w/a": False, "/w/b": True}


def test_what_is_left_out_is_counted_by_its_reason_and_too_many_files_are_a_warning() -> None:
    few = exclusion_notice(
        [LeftOut("big", "large"), LeftOut("bigger", "large"), LeftOut("inner", "repository")]
    )
    assert few.text == "Changes are not shown in files above 8 MB (2) and other repositories inside (1)."
    assert few.severity == "info"
    assert few.detail.splitlines() == ["big", "bigger", "inner"]

    many = exclusion_notice([LeftOut(str(number), "too many") for number in range(12)])
    assert many.severity == "warning"
    assert many.detail.splitlines()[-1] == "and 2 more"


ADDED = DiskState("/w/a", "A", "/w/a", added=3, new_mode=0o100644, id="1f")
MOVED = DiskState("/w/new", "R", "/w/old", binary=True)


def seen(*files: DiskState, **origins: Origin) -> Session:
    session = Session("s", "/w")
    session.apply(WorkspaceCompared(files, {f"/w/{name}": found for name, found in origins.items()}))
    return session


def test_a_line_reads_back_as_what_was_seen_and_where_it_came_from() -> None:
    session = seen(ADDED, MOVED, a=Origin(2, "t1", "Write a", "make it"))

    row = snapshot_log.files_row("s", {}, session.all_files)
    event = snapshot_log.files_event(json.loads(json.dumps(row)), {})

    assert set(event.files) == {ADDED, MOVED}
    assert event.origins["/w/a"] == Origin(2, "t1", "Write a", "make it")


def test_a_line_tells_only_what_is_news() -> None:
    before = snapshot_log.on_disk(seen(ADDED, MOVED).all_files)

    assert snapshot_log.files_row("s", before, seen(ADDED, MOVED).all_files) is None
    row = snapshot_log.files_row("s", before, seen(ADDED).all_files)
    assert row == {"snapped": [], "gone": ["/w/new"], "session": "s"}
    assert snapshot_log.files_event(row, before).files == (ADDED,)


@pytest.mark.parametrize(
    "msg", [{}, {"snapped": None, "gone": 1}, {"snapped": [None, {"path": 1}], "gone": []}]
)
def test_a_line_that_says_nothing_changes_nothing(msg: dict[str, Any]) -> None:
    assert snapshot_log.files_event(msg, {"/w/a": ADDED}).files == (ADDED,)


def test_what_cannot_be_read_of_a_file_has_its_default() -> None:
    (file,) = snapshot_log.files_event(
        {"snapped": [{"path": "/w/b", "status": "?", "added": "many"}]}, {}
    ).files

    assert file == DiskState("/w/b", "M", "/w/b")


ID, OTHER = "a" * 40, "b" * 40


@pytest.mark.parametrize(
    "told",
    [
        KeptSnapshot(0, ID, 12.5, cwd="/w", since=3),
        KeptSnapshot(2, ID, 12.5, late=True, cwd="/w"),
        UndoStep(ID, OTHER, ("a", "b/c")),
        UndoStepRemoved(0),
    ],
)
def test_a_line_about_snapshots_reads_back_as_what_was_told(
    told: KeptSnapshot | UndoStep | UndoStepRemoved,
) -> None:
    row = json.loads(json.dumps(snapshot_log.snapshot_row("s", told)))

    assert snapshot_log.snapshot_event(row) == told
    assert row["session"] == "s"


@pytest.mark.parametrize(
    "msg",
    [
        {},
        {"kept": "--upload-pack=x", "turn": 1, "at": 0},
        {"kept": ID, "turn": -1, "at": 0},
        {"kept": ID, "turn": True, "at": 0},
        {"kept": ID, "turn": 1, "at": "now"},
        {"kept": [ID], "turn": 1, "at": 0},
        {"undid": ID, "after": f"{ID}\n", "paths": ["a"]},
        {"undid": ID, "paths": ["a"]},
        {"redone": "0"},
    ],
)
def test_a_line_about_snapshots_that_cannot_be_true_is_none(msg: dict[str, Any]) -> None:
    assert snapshot_log.snapshot_event(msg) is None


def test_the_time_of_a_snapshot_is_one_that_a_clock_can_tell() -> None:
    for at in (1e300, float("inf"), float("nan"), -1):
        kept = snapshot_log.snapshot_event({"kept": ID, "turn": 1, "at": at})
        assert isinstance(kept, KeptSnapshot)
        assert 0 <= kept.at <= 4e9


def test_what_was_undone_and_is_not_known_can_be_taken_back_without_harm() -> None:
    session = Session("s", "/w")
    session.apply(UndoStep(ID, OTHER, ("a",)))
    for place in (7, -1):
        session.apply(UndoStepRemoved(place))

    assert [each.paths for each in session.undo_steps] == [("a",)]
    session.apply(UndoStepRemoved(0))
    assert session.undo_steps == []
