"""Line counts of changed files, also of those that git considers binary."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final, NamedTuple

from acp_tui.changes.git_tree import (
    ChangedFile,
)
from acp_tui.changes.snapshots import Snapshots
from acp_tui.workspace.encodings import BINARY, decode_pair

_AT_ONCE: Final = 20
"""Most files counted at a time; the others are counted later."""


_KEPT: Final = 2_000


class Counts(NamedTuple):
    """Added and removed lines."""

    added: int
    removed: int


class LineCounts:
    """Line counts of text files that git considers binary, such as UTF-16."""

    def __init__(self, snapshots: Snapshots) -> None:
        self._snapshots = snapshots
        self._counts: dict[tuple[str, str], Counts | None] = {}

    def of(self, change: ChangedFile) -> Counts | None:
        """Return the counts of a change, or None if unknown."""
        if not change.binary:
            return Counts(change.added, change.removed)
        return self._counts.get((change.old_id, change.new_id))

    async def learn(self, changes: Iterable[ChangedFile]) -> None:
        """Count the lines of some changes, once for each pair of contents.

        Raises:
            SnapshotError.
        """
        new = [each for each in changes if each.binary and (each.old_id, each.new_id) not in self._counts]
        for change in new[:_AT_ONCE]:
            while len(self._counts) >= _KEPT:
                del self._counts[next(iter(self._counts))]
            self._counts[change.old_id, change.new_id] = await self._counted(change)

    async def _counted(self, change: ChangedFile) -> Counts | None:
        old, new = await self._snapshots.texts(change)
        if old is None and new is None:
            return None
        texts = [each for each in await asyncio.to_thread(decode_pair, old, new) if each is not None]
        if any(each.encoding == BINARY for each in texts):
            return None
        lines = [each.text.removeprefix("\ufeff").encode("utf-8", "replace") for each in texts]
        if old is None or new is None:
            count = lines[0].count(b"\n") + (lines[0][-1:] not in (b"\n", b""))
            return Counts(count, 0) if old is None else Counts(0, count)
        return Counts(*await self._snapshots.count_lines(*lines))
