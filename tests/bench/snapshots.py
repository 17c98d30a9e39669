"""Snapshots of a large workspace, beside what git and a bare walk need to see that nothing changed."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Awaitable, Iterator, Mapping
from pathlib import Path

from acp_tui.changes.snapshots import Snapshots
from acp_tui.changes.tracker import ChangeTracker
from tests.bench.table import Row, at_most, at_most_times

_A_FOLDER = 10
_CHANGED = 100
_GIT = ("git", "-c", "user.name=bench", "-c", "user.email=bench")


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    count = 10_000 if quick else 100_000
    root = Path(env["HOME"]) / "large"
    _fill(root, count)
    status = min(_git_status(root) for _ in range(3))
    walk = min(_walked(root) for _ in range(3))
    added = min(_git_add(root, Path(env["HOME"]) / f"added-{run}") for run in range(2))
    unchanged, changed, delay, first = asyncio.run(_measured(root, Path(env["HOME"]) / "stores"))
    name = f"snapshot, {count:,} files"
    yield Row(f"{name}, the first (floor: git add -A)", "ms", first, added, at_most_times(1.3))
    yield Row(f"{name}, unchanged (floor: git status)", "ms", unchanged, status, at_most(100))
    yield Row(f"{name}, unchanged (floor: a bare walk)", "ms", unchanged, walk, at_most(100))
    yield Row(f"{name}, {_CHANGED} changed (floor: git status)", "ms", changed, status, at_most(300))
    yield Row(f"{name}, {_CHANGED} changed, delay of the prompt", "ms", delay, None, at_most(100))


async def _measured(root: Path, stores: Path) -> tuple[float, float, float, float]:
    """Return milliseconds for nothing changed, for changes, until a prompt may go out, and for the first."""
    snapshots = Snapshots(stores, root)
    first = await _timed(snapshots.take())
    if await snapshots.watch():
        await snapshots.take()
    unchanged = max([await _timed(snapshots.take()) for _ in range(5)])
    changed = 0.0
    for run in range(3):
        _change(root, run)
        changed = max(changed, await _timed(snapshots.take()))
    snapshots.close()
    return unchanged, changed, await _delay(stores, root), first


async def _delay(stores: Path, root: Path) -> float:
    """Return for how long a prompt waits at most, with 100 files changed since the last look."""
    snapshots = Snapshots(stores, root)
    tracking = ChangeTracker(snapshots, str(root), lambda event: None)
    tracking.begin()
    while tracking.first is None or (snapshots.is_watching and snapshots.has_news):
        await asyncio.sleep(0.05)
    longest = 0.0
    for run in range(3, 6):
        _change(root, run)
        longest = max(longest, await _timed(tracking.before_turn()))
        tracking.after_turn()
        await tracking.look()
    await tracking.close()
    return longest


async def _timed(work: Awaitable[object]) -> float:
    began = time.perf_counter()
    await work
    return (time.perf_counter() - began) * 1e3


def _fill(root: Path, count: int) -> None:
    for number in range(0, count, _A_FOLDER):
        folder = root / f"part{number // 1000}" / f"folder{number}"
        folder.mkdir(parents=True)
        for name in range(_A_FOLDER):
            (folder / f"{name}.py").write_text(f"# file {number + name}\n" + "x = 1\n" * 20)
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "all")):
        subprocess.run([*_GIT, *words], cwd=root, check=True)


def _change(root: Path, run: int) -> None:
    folders = (folder for part in root.glob("part*") for folder in part.iterdir())
    for _, folder in zip(range(_CHANGED), folders, strict=False):
        (folder / "1.py").write_text(f"changed in run {run}\n" * 20)


def _git_status(root: Path) -> float:
    began = time.perf_counter()
    subprocess.run(["git", "status", "--short"], cwd=root, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - began) * 1e3


def _git_add(root: Path, store: Path) -> float:
    """Return the milliseconds that git takes for all files, with an index and objects of its own."""
    subprocess.run(["git", "init", "-q", "--bare", store], check=True)
    env = {**os.environ, "GIT_DIR": str(store), "GIT_WORK_TREE": str(root)}
    began = time.perf_counter()
    subprocess.run(["git", "add", "-A", "."], cwd=root, env=env, check=True)
    return (time.perf_counter() - began) * 1e3


def _walked(root: Path) -> float:
    began = time.perf_counter()
    folders = [os.fspath(root)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            folders += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    return (time.perf_counter() - began) * 1e3
