"""Tests of `changes/watcher.py`."""

from __future__ import annotations

import sys

import pytest

from acp_tui.changes.snapshots import Snapshots

# Elsewhere `Watcher.begin` says no, and snapshots look at all files (test_snapshots.py).
pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the watcher needs inotify, which only Linux has"
)


async def test_a_change_is_news_at_once_also_in_a_folder_that_is_new(watching: Snapshots) -> None:
    await watching.take()
    (watching.root / "new").mkdir()
    assert watching.has_news
    await watching.take()
    assert not watching.has_news

    (watching.root / "new" / "file").write_text("x\n")

    assert watching.has_news


async def test_when_the_system_has_forgotten_something_all_is_looked_at(watching: Snapshots) -> None:
    before = await watching.take()
    assert watching._watcher is not None
    (watching.root / "a").write_text("untold\n")
    watching._watcher._read()
    watching._watcher._changed.clear()
    watching._watcher.is_lost = True  # as after an overflow of the kernel's queue

    assert [change.path for change in await watching.changes(before)] == ["a"]
    assert not watching.is_watching
