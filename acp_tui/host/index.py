"""Git's index of a workspace, made equal to all of its files."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from acp_tui.host.snapshot import LeftOut
from acp_tui.host.snapshot_store import NO_FILE, SnapshotStore
from acp_tui.host.successor import Reason, look_at

MOST_FILES: Final = 200_000
_AT_ONCE: Final = 10_000
"""Files that one command takes in: within one it looks for each among those before it."""
_PACKED_FROM: Final = 500
"""Files from which their contents go into one pack instead of a file each."""
_PACKED: Final = ("core.bigFileThreshold=1", "pack.compression=1")
"""What is larger than this is written straight into a pack."""


@dataclass(frozen=True)
class _Listed:
    """What of the workspace differs from the index."""

    known: frozenset[bytes]
    others: tuple[bytes, ...]
    gone: frozenset[bytes]


async def update(store: SnapshotStore) -> tuple[list[LeftOut], frozenset[bytes]]:
    """Look at every file; return what is left out, and which files may have changed.

    Whoever calls this has the store for himself.

    Raises:
        GitFailed.
    """
    listed = await _list(store)
    count = (await _count(store)) if len(listed.others) > 1_000 else 0
    put, drop, left_out = await asyncio.to_thread(_sorted, store.root, listed, MOST_FILES - count)
    if drop:
        lines = b"".join(b"0 %s\t%s\0" % (NO_FILE.encode(), path) for path in drop)
        await store.git("update-index", "-z", "--index-info", given=lines)
    settings = _PACKED if len(put) >= _PACKED_FROM else ()
    for begun in range(0, len(put), _AT_ONCE):
        paths = b"".join(path + b"\0" for path in put[begun : begun + _AT_ONCE])
        orders = ("--add", "--remove", "--replace", "-z", "--stdin")
        await store.git("update-index", *orders, given=paths, settings=settings)
    return left_out, listed.known


async def _list(store: SnapshotStore) -> _Listed:
    try:
        async with asyncio.TaskGroup() as both:  # none outlives this: whoever comes next has the store alone
            listing = both.create_task(store.git("ls-files", "-z", "--others", "--exclude-standard"))
            differing = both.create_task(store.git("diff-files", "-z", "--name-status"))
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
    words = differing.result().split(b"\0")
    by_path = dict(zip(words[1::2], words[::2], strict=False))
    return _Listed(
        frozenset(path for path, status in by_path.items() if status != b"D"),
        tuple(listing.result().split(b"\0")[:-1]),
        frozenset(path for path, status in by_path.items() if status == b"D"),
    )


async def _count(store: SnapshotStore) -> int:
    return (await store.git("ls-files", "-z")).count(b"\0")


def _sorted(root: Path, listed: _Listed, room: int) -> tuple[list[bytes], list[bytes], list[LeftOut]]:
    """Return (what to put into the index, what to take out of it, what stays out)."""
    put: list[bytes] = []
    reason: Reason | Literal["gone"] | None
    drop = list(listed.gone)
    left_out: list[LeftOut] = []
    base = os.fsencode(root) + b"/"
    for path in [*listed.known, *listed.others]:
        is_known = path in listed.known
        reason = "repository" if path.endswith(b"/") else look_at(base, path).reason
        if reason is None and not is_known and len(put) >= room:
            reason = "too many"
        if reason is None:
            put.append(path)
        elif reason != "gone":
            left_out.append(LeftOut(os.fsdecode(path.rstrip(b"/")), reason))
        if reason is not None and is_known:
            drop.append(path)
    return put, drop, left_out
