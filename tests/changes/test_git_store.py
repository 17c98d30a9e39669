"""The snapshot store: damaged, locked, without git, with a full disk."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from acp_tui.changes.git_store import GitFailed, SnapshotStore, Unavailable
from acp_tui.changes.snapshots import Snapshots
from tests.changes.workspaces import told, workspace
from tests.waiting import PATIENCE, until


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["index", "HEAD"])
async def test_a_damaged_store_is_moved_away_and_rebuilt(tmp_path: Path, damage: str) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    await snapshots.take()
    (snapshots.store.path / damage).write_bytes(b"damaged")

    (root / "b").write_text("1\n")
    again = Snapshots(tmp_path / "stores", root)
    taken = await again.take()
    (root / "a").write_text("2\n")

    assert again.damaged is not None
    assert again.damaged.is_dir()
    assert told(await again.changes(taken)) == [("M", "a")]


@pytest.mark.slow
async def test_a_store_whose_making_was_stopped_is_made_to_its_end_and_not_called_damaged(
    tmp_path: Path,
) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    snapshots.store.path.mkdir(parents=True)
    (snapshots.store.path / "HEAD").write_text("ref: refs/heads/main\n")

    taken = await snapshots.take()
    (root / "a").write_text("2\n")

    assert snapshots.damaged is None
    assert told(await snapshots.changes(taken)) == [("M", "a")]


@pytest.mark.slow
async def test_damaged_content_is_found_when_it_is_asked_for(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    before = await snapshots.take()
    (root / "a").write_text("2\n")
    (change,) = await snapshots.changes(before)
    damaged = snapshots.store.path / "objects" / change.old_id[:2] / change.old_id[2:]
    damaged.chmod(0o644)
    damaged.write_bytes(b"damaged")

    with pytest.raises(GitFailed):
        await snapshots.texts(change)

    assert snapshots.damaged is not None
    assert await snapshots.changes(await snapshots.take()) == []


@pytest.mark.slow
async def test_a_lock_that_a_killed_git_has_left_is_no_obstacle(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    await snapshots.take()
    (snapshots.store.path / "index.lock").write_text("")
    (root / "a").write_text("2\n")

    again = Snapshots(tmp_path / "stores", root)
    await again.take()

    assert again.damaged is None


async def test_without_git_there_is_advice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, snapshots = workspace(tmp_path, a="1\n")
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(Unavailable, match="Install git"):
        await snapshots.take()


async def test_a_place_for_the_store_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    _, snapshots = workspace(tmp_path, a="1\n")
    snapshots.store.path.mkdir(parents=True)
    (snapshots.store.path / "info").write_text("a file where a folder has to be")
    (tmp_path / "full").write_text("")

    with pytest.raises(Unavailable, match="cannot be used"):
        await snapshots.take()
    with pytest.raises(Unavailable, match="cannot be used"):
        await Snapshots(tmp_path / "full", snapshots.root).take()


@pytest.mark.slow
async def test_a_workspace_that_went_away_is_said(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path)
    before = await snapshots.take()
    root.rmdir()

    with pytest.raises(GitFailed, match="no longer exists"):
        await snapshots.changes(before)


@pytest.mark.slow
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
async def test_the_store_and_all_in_it_is_for_its_owner_only_whatever_the_umask(
    tmp_path: Path, umask: int
) -> None:
    before = os.umask(umask)
    try:
        root, snapshots = workspace(tmp_path, **{f"f{number}": "1\n" for number in range(600)})
        await snapshots.watch()
        await snapshots.take()
        (root / "f1").write_text("2\n")
        await snapshots.take()
        await snapshots.prune(0, 10**9)
        snapshots.close()
    finally:
        os.umask(before)

    everything = [snapshots.store.path, *snapshots.store.path.rglob("*")]
    assert [path for path in everything if path.lstat().st_mode & 0o077] == []


@pytest.mark.slow
async def test_stores_that_nobody_opens_any_more_are_deleted_and_nothing_else_is(tmp_path: Path) -> None:
    _, snapshots = workspace(tmp_path, a="1\n")
    stores = tmp_path / "stores"
    old, young = (Snapshots(stores, tmp_path / name) for name in ("old", "young"))
    for each in (old, young):
        each.root.mkdir()
        await each.take()
    os.utime(old.store.path / "acp-tui.lock", (0, 0))
    (stores / "other").mkdir()

    await snapshots.take()
    await snapshots.prune(time.time() - 1000, 10**9)

    kept = {"other", young.store.path.name, snapshots.store.path.name}
    assert {path.name for path in stores.iterdir()} == kept


async def test_git_is_ended_also_while_it_has_much_to_say_that_nobody_reads_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "bin").mkdir()
    git, started = tmp_path / "bin" / "git", tmp_path / "started"
    given_all = f"cat >/dev/null; : >{started}"
    last_words = "head -c 1000000 /dev/zero; exit 1"
    git.write_text(f"#!/bin/sh\ntrap '{last_words}' TERM\n{given_all}\nwhile :; do sleep 0.01; done\n")
    git.chmod(0o755)
    monkeypatch.setenv("PATH", f"{git.parent}:{os.environ['PATH']}")
    running = asyncio.create_task(SnapshotStore(tmp_path / "stores", tmp_path / "root").git("ls-files"))
    await until(started.exists)

    running.cancel()

    await asyncio.wait([running], timeout=PATIENCE)
    assert running.done()
    assert running.cancelled()


async def test_the_reason_of_git_is_told_and_its_reports_of_a_crash_do_not_pile_up(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    store = SnapshotStore(tmp_path / "stores", tmp_path / "w")
    async with store.open():
        with pytest.raises(GitFailed, match="fatal: Unsupported command"):
            await store.git("fast-import", "--quiet", given=b"nonsense\n")
    assert [*store.path.glob("fast_import_crash_*")]

    async with SnapshotStore(tmp_path / "stores", tmp_path / "w").open():
        assert not [*store.path.glob("fast_import_crash_*")]
