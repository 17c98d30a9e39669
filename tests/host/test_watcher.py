from __future__ import annotations

import sys

import pytest

from acp_tui.host.snapshots import Snapshots

# Elsewhere `Watcher.begin` says no, and snapshots look at all files (test_snapshots.py).
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify")  # no watcher without


async def test_a_change_is_news_at_once_also_in_a_folder_that_is_new(watched: Snapshots) -> None:
    await watched.take()
    (watched.root / "new").mkdir()
    assert watched.has_news
    await watched.take()
    assert not watched.has_news

    (watched.root / "new" / "file").write_text("x\n")

    assert watched.has_news


async def test_when_the_system_has_forgotten_something_all_is_looked_at(watched: Snapshots) -> None:
    before = await watched.take()
    assert watched._watcher is not None
    (watched.root / "a").write_text("untold\n")
    watched._watcher._read()
    watched._watcher._changed.clear()
    watched._watcher.is_lost = True  # as after an overflow of the kernel's queue

    assert [change.path for change in await watched.changes(before)] == ["a"]
    assert not watched.is_watching
