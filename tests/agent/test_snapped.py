"""What was seen on disk, written into a line of the journal and read again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_tui.agent import snapped
from acp_tui.session.events import Snapped
from acp_tui.session.files import OnDisk
from acp_tui.session.past import Kept, Redone, Undid
from acp_tui.session.provenance import Origin
from acp_tui.session.session import Session

ADDED = OnDisk("/w/a", "A", "/w/a", added=3, new_mode=0o100644, id="1f")
MOVED = OnDisk("/w/new", "R", "/w/old", binary=True)


def seen(*files: OnDisk, **origins: Origin) -> Session:
    session = Session("s", "/w")
    session.apply(Snapped(files, {f"/w/{name}": found for name, found in origins.items()}))
    return session


def test_a_line_reads_back_as_what_was_seen_and_where_it_came_from() -> None:
    session = seen(ADDED, MOVED, a=Origin(2, "t1", "Write a", "make it"))

    row = snapped.row("s", {}, session.all_files)
    event = snapped.event(json.loads(json.dumps(row)), {})

    assert set(event.files) == {ADDED, MOVED}
    assert event.origins["/w/a"] == Origin(2, "t1", "Write a", "make it")


def test_a_line_tells_only_what_is_news() -> None:
    before = snapped.seen(seen(ADDED, MOVED).all_files)

    assert snapped.row("s", before, seen(ADDED, MOVED).all_files) is None
    row = snapped.row("s", before, seen(ADDED).all_files)
    assert row == {"snapped": [], "gone": ["/w/new"], "session": "s"}
    assert snapped.event(row, before).files == (ADDED,)


@pytest.mark.parametrize(
    "msg", [{}, {"snapped": None, "gone": 1}, {"snapped": [None, {"path": 1}], "gone": []}]
)
def test_a_line_that_says_nothing_changes_nothing(msg: dict[str, Any]) -> None:
    assert snapped.event(msg, {"/w/a": ADDED}).files == (ADDED,)


def test_what_cannot_be_read_of_a_file_has_its_default() -> None:
    (file,) = snapped.event({"snapped": [{"path": "/w/b", "status": "?", "added": "many"}]}, {}).files

    assert file == OnDisk("/w/b", "M", "/w/b")


ID, OTHER = "a" * 40, "b" * 40


@pytest.mark.parametrize(
    "told",
    [
        Kept(0, ID, 12.5, cwd="/w", since=3),
        Kept(2, ID, 12.5, late=True, cwd="/w"),
        Undid(ID, OTHER, ("a", "b/c")),
        Redone(0),
    ],
)
def test_a_line_about_snapshots_reads_back_as_what_was_told(told: Kept | Undid | Redone) -> None:
    row = json.loads(json.dumps(snapped.kept_row("s", told)))

    assert snapped.kept_event(row) == told
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
    assert snapped.kept_event(msg) is None


def test_the_time_of_a_snapshot_is_one_that_a_clock_can_tell() -> None:
    for at in (1e300, float("inf"), float("nan"), -1):
        kept = snapped.kept_event({"kept": ID, "turn": 1, "at": at})
        assert isinstance(kept, Kept)
        assert 0 <= kept.at <= 4e9


def test_what_was_undone_and_is_not_known_can_be_taken_back_without_harm() -> None:
    session = Session("s", "/w")
    session.apply(Undid(ID, OTHER, ("a",)))
    for place in (7, -1):
        session.apply(Redone(place))

    assert [each.paths for each in session.undid] == [("a",)]
    session.apply(Redone(0))
    assert session.undid == []
