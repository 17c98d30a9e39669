"""Files included in and excluded from snapshots."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_tui.changes import git_tree
from acp_tui.changes import git_tree as index
from acp_tui.changes.git_store import GitFailed, SnapshotStore
from acp_tui.changes.git_tree import LeftOut
from acp_tui.changes.snapshots import Snapshots
from tests.changes.workspaces import objects_of, repository, told, workspace
from tests.waiting import settled


@pytest.mark.slow
async def test_ignored_files_are_left_out_also_those_that_only_the_repository_names(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    (root / ".gitignore").write_text("*.log\n")
    repository(root)
    (root / ".git" / "info" / "exclude").write_text("private\n")
    before = await snapshots.take()

    for name in ("x.log", "private", "seen"):
        (root / name).write_text("x")

    assert told(await snapshots.changes(before)) == [("A", "seen")]


@pytest.mark.slow
async def test_a_folder_of_a_repository_obeys_what_is_ignored_above_it(tmp_path: Path) -> None:
    top = tmp_path / "top"
    (top / "work").mkdir(parents=True)
    (top / ".gitignore").write_text("node_modules/\n/seen\n")
    (top / "first").write_text("x")
    repository(top)
    snapshots = Snapshots(tmp_path / "stores", top / "work")
    before = await snapshots.take()

    (top / "work" / "node_modules").mkdir()
    (top / "work" / "node_modules" / "x").write_text("x")
    (top / "work" / "seen").write_text("x")

    assert told(await snapshots.changes(before)) == [("A", "seen")]


@pytest.mark.slow
async def test_a_pipe_in_the_place_of_a_file_of_patterns_stops_nothing(tmp_path: Path) -> None:
    above, _ = workspace(tmp_path, first="x")
    repository(above)
    (above / "sub").mkdir()
    (above / "sub" / "a").write_text("1\n")
    os.mkfifo(above / ".gitignore")
    (above / ".git" / "info" / "exclude").unlink()
    os.mkfifo(above / ".git" / "info" / "exclude")
    snapshots = Snapshots(tmp_path / "stores", above / "sub")

    before = await snapshots.take()
    (above / "sub" / "a").write_text("2\n")

    assert told(await snapshots.changes(before)) == [("M", "a")]


@pytest.mark.slow
async def test_a_repository_that_took_the_place_of_a_file_while_it_was_added_runs_nothing(
    tmp_path: Path,
) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    before = await snapshots.take()
    (root / "sub").mkdir()
    (root / "sub" / "x").write_text("1\n")
    (root / "sub" / ".gitattributes").write_text("* filter=evil\n")
    repository(root / "sub")
    for name in ("clean", "process"):
        command = ["config", f"filter.evil.{name}", f"echo {name} >> {tmp_path}/ran; cat"]
        subprocess.run(["git", "-C", str(root / "sub"), *command], check=True)
    await snapshots.store.git("update-index", "--add", "sub")
    (root / "sub" / "x").write_text("2\n")

    await snapshots.take()
    await snapshots.changes(before)

    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
async def test_other_repositories_inside_are_not_entered_and_said(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    for name in ("empty", "full"):
        (root / name).mkdir()
        (root / name / "x").write_text("x")
    subprocess.run(["git", "init", "-q", str(root / "empty")], check=True)
    repository(root / "full")

    taken = await snapshots.take()

    assert sorted(taken.left_out, key=str) == [LeftOut("empty", "repository"), LeftOut("full", "repository")]
    (root / "full" / "x").write_text("y")
    assert await snapshots.changes(taken) == []


@pytest.mark.slow
async def test_large_files_are_left_out_and_said_and_one_that_grew_is_not_called_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_tree, "LARGEST", 10)
    root, snapshots = workspace(tmp_path, small="1\n", large="1" * 11)
    before = await snapshots.take()
    assert before.left_out == (LeftOut("large", "large"),)

    (root / "small").write_text("2" * 20)
    (change,) = await snapshots.changes(before)

    assert (change.status, change.path, change.binary) == ("M", "small", True)
    assert await snapshots.texts(change) == (b"1\n", None)


async def test_more_files_than_are_kept_are_left_out_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "MOST_FILES", 2)
    _, snapshots = workspace(tmp_path, a="1", b="2", c="3")

    taken = await snapshots.take()

    assert [each.reason for each in taken.left_out] == ["too many"]


@pytest.mark.slow
async def test_pipes_and_files_that_vanish_harm_nothing(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1")
    os.mkfifo(root / "pipe")
    before = await snapshots.take()
    (root / "a").unlink()
    os.mkfifo(root / "a")

    assert told(await snapshots.changes(before)) == [("D", "a")]


class Running(SnapshotStore):
    """A store whose commands of git run until they are ended, which takes one of them a while."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "stores", folder)
        self.running: dict[str, asyncio.Future[bytes]] = {}

    async def git(self, *arguments: str, **_: object) -> bytes:
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self.running[arguments[0]] = answer
        try:
            return await answer
        finally:
            if arguments[0] == "ls-files":
                await settled()
            del self.running[arguments[0]]


def _fail(running: Running, _updating: asyncio.Task[tuple[list[LeftOut], frozenset[bytes]]]) -> None:
    running.running["diff-files"].set_exception(GitFailed("broken"))


def _cancel(_running: Running, updating: asyncio.Task[tuple[list[LeftOut], frozenset[bytes]]]) -> None:
    updating.cancel()


@pytest.mark.parametrize(("end", "error"), [(_fail, GitFailed), (_cancel, asyncio.CancelledError)])
async def test_no_git_is_left_behind_when_one_fails_or_all_is_cancelled(
    tmp_path: Path,
    end: Callable[[Running, asyncio.Task[tuple[list[LeftOut], frozenset[bytes]]]], None],
    error: type[BaseException],
) -> None:
    store = Running(tmp_path)
    updating = asyncio.create_task(index.update_index(store))
    await settled()
    assert store.running.keys() == {"diff-files", "ls-files"}

    end(store, updating)

    with pytest.raises(error):
        await updating
    assert store.running == {}


@pytest.mark.slow
async def test_a_folder_in_the_place_of_a_file_is_not_called_unreadable(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1\n")
    before = await snapshots.take()

    (root / "a").unlink()
    (root / "a").mkdir()
    (root / "a" / "inner").write_text("x")
    after = await snapshots.take()

    assert after.left_out == ()
    assert told(await snapshots.changes(before, after)) == [("A", "a/inner"), ("D", "a")]
    assert index.look_at(os.fsencode(root) + b"/", b"a").reason == "gone"


@pytest.mark.slow
async def test_many_new_files_are_taken_at_once_and_are_the_same_as_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_tree, "LARGEST", 10)
    root, snapshots = workspace(tmp_path, a="1\n", large="1" * 11)
    for name in (":(top)x", "*", " b", "ü", "-n", "*.large"):
        (root / name).write_text(name[:9])
    (root / os.fsdecode(b"\xff")).write_text("1")
    (root / "sub").mkdir()
    (root / "sub" / "*").write_text("2" * 11)  # excluded by its very name, and nothing that it would match
    (root / "sub" / "c").write_text("3")
    (root / "sub" / "c").chmod(0o755)
    (root / "link").symlink_to("/etc/passwd")
    (root / "crlf").write_bytes(b"1\r\n")
    (root / ".gitattributes").write_text("* text\n")
    (root / ".gitignore").write_text("*.log\n!large")
    (root / "x.log").write_text("x")
    os.mkfifo(root / "pipe")
    (root / "inner").mkdir()
    (root / "inner" / "x").write_text("x")
    subprocess.run(["git", "init", "-q", str(root / "inner")], check=True)
    one_by_one = await snapshots.take()

    monkeypatch.setattr(git_tree, "_MANY", 0)  # private: a limit, made small
    orders: list[str] = []
    git = SnapshotStore.git

    async def heard(store: SnapshotStore, *arguments: str, **more: Any) -> bytes:
        orders.append(arguments[0])
        return await git(store, *arguments, **more)

    monkeypatch.setattr(SnapshotStore, "git", heard)
    again = Snapshots(tmp_path / "others", root)
    at_once = await again.take()

    assert "add" in orders
    assert "update-index" not in orders
    assert set(at_once.left_out) == set(one_by_one.left_out)
    assert await listing(again, at_once.id) == await listing(snapshots, one_by_one.id)
    assert await again.changes(at_once) == []


async def test_what_git_cannot_take_at_once_is_taken_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_tree, "_MANY", 0)  # private: a limit, made small
    _, snapshots = workspace(tmp_path, a="1\n", b="2\n")
    git = SnapshotStore.git

    async def refuses(store: SnapshotStore, *arguments: str, **more: Any) -> bytes:
        if arguments[0] == "add":
            raise GitFailed("adding files failed")
        return await git(store, *arguments, **more)

    monkeypatch.setattr(SnapshotStore, "git", refuses)
    taken = await snapshots.take()

    assert len(await listing(snapshots, taken.id)) == 2


async def listing(snapshots: Snapshots, commit: str) -> list[bytes]:
    return (await snapshots.store.git("ls-tree", "-r", "-z", commit)).split(b"\0")[:-1]


@pytest.mark.slow
async def test_many_new_files_go_into_several_packs_of_some_files_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "A_PACK", 300)
    monkeypatch.setattr(index, "SMALLEST_PACK", 1)
    root, snapshots = workspace(tmp_path)
    for number in range(1_200):
        (root / f"{number}.txt").write_bytes(random.Random(number).randbytes(200))

    before = await snapshots.take()

    room = await objects_of(snapshots)
    assert 4 <= room["packs"] <= 24
    (root / "7.txt").write_text("other")
    (changed,) = await snapshots.changes(before)
    assert await snapshots.texts(changed) == (random.Random(7).randbytes(200), b"other")
    assert await snapshots.store.is_sound()
