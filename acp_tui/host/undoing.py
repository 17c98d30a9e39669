"""Undoing what changed in a workspace: whole files, or one hunk of a file, as far as nothing is lost."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from acp_tui.host.merging import Hunk, without
from acp_tui.host.restoring import put_back, read_file
from acp_tui.host.snapshot import Changed, Restored, Snapshot
from acp_tui.host.snapshot_store import GitFailed, SnapshotStore

if TYPE_CHECKING:
    from acp_tui.host.snapshots import Snapshots

_NO_WAY_BACK: Final = "what is there now is in no snapshot (too large, left out or unreadable), so it stays"


async def restore(snapshots: Snapshots, before: Snapshot, changes: Sequence[Changed]) -> Restored:
    """Give files back what they were in a snapshot, as far as they are still what the person saw.

    `changes` is what is to be undone, of `snapshots.changes(before)`: that list is the preview.

    Raises:
        Unavailable, GitFailed: nothing was done.
    """
    way_back = await snapshots.take()
    now = {change.path: change for change in await snapshots.changes(before)}
    done: list[Changed] = []
    problems: list[str] = []
    for change in changes:
        if now.get(change.path) != change:
            problems.append(f"{change.path}: changed in the meantime")
            continue
        unknown = await asyncio.to_thread(_without_way_back, snapshots.root, change)
        if unknown:
            problems.append(f"{unknown}: {_NO_WAY_BACK}")
            continue
        old, _ = await snapshots.texts(change)
        try:
            await asyncio.to_thread(
                put_back, snapshots.root, change.path, change.old_path, old, change.old_mode
            )
            done.append(change)
        except OSError as error:
            problems.append(f"{change.path}: {error.strerror or error}")
    return Restored(way_back, tuple(done), tuple(problems))


async def reverse(snapshots: Snapshots, change: Changed, hunk: Hunk, base: bytes | None = None) -> Restored:
    """Take one hunk of a change back out of the file as it is now; what conflicts stays.

    The hunk is of `base` and the file; without a base, of what the file was and is.

    Raises:
        Unavailable, GitFailed: nothing was done.
    """
    old, new = await snapshots.texts(change)
    old = base if base is not None else old
    way_back = await snapshots.take()
    if old is None or new is None:
        return Restored(way_back, (), (f"{change.path}: there are no lines to compare",))
    if any(each.path == change.path for each in way_back.left_out):
        return Restored(way_back, (), (f"{change.path}: {_NO_WAY_BACK}",))
    try:
        now = await asyncio.to_thread(read_file, snapshots.root, change.path)
        wanted = await _merged(snapshots.store, now, new, without(old, new, hunk))
        if wanted is None:
            return Restored(way_back, (), (f"{change.path}: changed again in the same place",))
        await asyncio.to_thread(put_back, snapshots.root, change.path, change.path, wanted, change.new_mode)
    except OSError as error:
        return Restored(way_back, (), (f"{change.path}: {error.strerror or error}",))
    return Restored(way_back, (change,), ())


async def _merged(store: SnapshotStore, now: bytes, base: bytes, wanted: bytes) -> bytes | None:
    """Return what is there now with what was changed from `base` to `wanted`; None for a conflict."""
    if now == base:
        return wanted
    with TemporaryDirectory(dir=store.path) as folder:
        names = [str(Path(folder, name)) for name in ("now", "base", "wanted")]
        for name, content in zip(names, (now, base, wanted), strict=True):
            await asyncio.to_thread(Path(name).write_bytes, content)
        try:
            return await store.git("merge-file", "-p", "-q", *names)
        except GitFailed:  # it ends with the number of conflicts
            return None


def _without_way_back(root: Path, change: Changed) -> str:
    """Return the path at which restoring would overwrite what no snapshot holds; nothing if there is none."""
    lost = change.old_path if change.old_path != change.path or not change.new_id else ""
    return lost if lost and os.path.lexists(root / lost) else ""
