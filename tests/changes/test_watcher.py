"""Tests of `changes/watcher.py`."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from acp_tui.changes.snapshots import Snapshots
from acp_tui.changes.watcher import Watcher


@pytest.mark.slow
async def test_a_change_is_news_at_once_also_in_a_folder_that_is_new(watching: Snapshots) -> None:
    await watching.take()
    (watching.root / "new").mkdir()
    assert await watching.has_changed()
    await watching.take()
    assert not await watching.has_changed()

    (watching.root / "new" / "file").write_text("x\n")

    assert await watching.has_changed()


@pytest.mark.slow
async def test_when_the_system_has_forgotten_something_all_is_looked_at(watching: Snapshots) -> None:
    before = await watching.take()
    assert watching._watcher is not None  # private: what the kernel tells cannot be made to fail
    (watching.root / "a").write_text("untold\n")
    await watching._watcher.has_changed()
    watching._watcher._changed.clear()
    watching._watcher.is_lost = True  # as after an overflow of the kernel's queue

    assert [change.path for change in await watching.changes(before)] == ["a"]
    assert not watching.is_watching


@pytest.mark.slow
async def test_a_name_that_is_no_text_makes_all_files_be_looked_at(watching: Snapshots) -> None:
    before = await watching.take()
    (watching.root / "a").write_text("changed\n")
    Path(os.fsdecode(os.fsencode(watching.root) + b"/caf\xe9")).write_text("new\n")

    changes = await watching.changes(before)

    assert sorted(os.fsencode(change.path) for change in changes) == [b"a", b"caf\xe9"]
    assert not watching.is_watching
    assert await watching.watch()
    assert await watching.changes(before) == changes


@pytest.mark.slow
async def test_new_folders_in_new_folders_are_read_and_watched(watching: Snapshots) -> None:
    before = await watching.take()
    (watching.root / "x" / "y" / "z").mkdir(parents=True)
    (watching.root / "x" / "y" / "z" / "first").write_text("1\n")
    assert [change.path for change in await watching.changes(before)] == ["x/y/z/first"]

    (watching.root / "x" / "y" / "z" / "second").write_text("2\n")

    assert watching.is_watching
    assert [change.path for change in await watching.changes(before)] == ["x/y/z/first", "x/y/z/second"]


@pytest.mark.slow
async def test_a_folder_that_is_replaced_between_two_looks_is_watched_again(watching: Snapshots) -> None:
    before = await watching.take()
    shutil.rmtree(watching.root / "src")
    (watching.root / "src").mkdir()
    await watching.changes(before)

    (watching.root / "src" / "new").write_text("1\n")

    assert watching.is_watching
    assert "src/new" in [change.path for change in await watching.changes(before)]


@pytest.mark.slow
async def test_a_folder_that_is_moved_is_watched_where_it_is_now(watching: Snapshots) -> None:
    before = await watching.take()
    (watching.root / "src").rename(watching.root / "moved")
    await watching.changes(before)

    (watching.root / "moved" / "deep" / "new").write_text("1\n")

    assert watching.is_watching
    assert "moved/deep/new" in [change.path for change in await watching.changes(before)]


@pytest.mark.slow
async def test_ignored_folders_cost_no_watch(watching: Snapshots) -> None:
    await watching.take()
    (watching.root / "build" / "objects").mkdir()
    (watching.root / "later.log").mkdir()

    assert await watching.take()

    assert watching._watcher is not None
    assert watching._watcher.folders == {b"", b"src", b"src/deep"}


async def test_a_folder_hundreds_deep_asks_git_for_its_first_levels_only(tmp_path: Path) -> None:
    (tmp_path / "/".join("d" * 300)).mkdir(parents=True)
    asked = set[bytes]()

    async def ignored(folders: Sequence[bytes]) -> set[bytes]:
        asked.update(folders)
        return set()

    watcher = Watcher(tmp_path, ignored)
    try:
        assert await watcher.begin()
        assert len(watcher.folders) == 301
        assert len(asked) < 100
    finally:
        watcher.close()


async def test_a_workspace_that_is_removed_is_no_longer_watched(watching: Snapshots) -> None:
    await watching.take()
    shutil.rmtree(watching.root)

    assert await watching.has_changed()
    assert not watching.is_watching


@pytest.mark.slow
async def test_a_flood_of_writes_loses_no_change(watching: Snapshots) -> None:
    before = await watching.take()
    flood = "import sys, pathlib\nfor n in range(20_000): pathlib.Path(sys.argv[1], str(n)).write_text('x')"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", flood, str(watching.root / "src"))
    ended = asyncio.create_task(process.wait())
    while not ended.done():
        await watching.take()
        if not watching.is_watching:
            await watching.watch()

    assert len(await watching.changes(before)) == 20_000
