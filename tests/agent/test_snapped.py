"""What was seen on disk, written into a line of the journal and read again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_tui.agent import snapped
from acp_tui.session.events import Snapped
from acp_tui.session.files import OnDisk
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
