"""How many lines changed in files that git takes for data although they are texts, as in UTF-16."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final, NamedTuple

from acp_tui.host.encoding import BINARY, pair
from acp_tui.host.snapshot import Changed
from acp_tui.host.snapshots import Snapshots

_AT_ONCE: Final = 20
"""Files that are read in one go; the others follow with the next."""
_KEPT: Final = 2_000


class Counts(NamedTuple):
    """Lines."""

    added: int
    removed: int


class LineCounts:
    """Counts each pair of texts once."""

    def __init__(self, snapshots: Snapshots) -> None:
        self._snapshots = snapshots
        self._counts: dict[tuple[str, str], Counts | None] = {}

    def of(self, change: Changed) -> Counts | None:
        """Return the counts of a change; None for data, and where nothing was counted yet."""
        if not change.binary:
            return Counts(change.added, change.removed)
        return self._counts.get((change.old_id, change.new_id))

    async def learn(self, changes: Iterable[Changed]) -> None:
        """Count what git did not.

        Raises:
            SnapshotError.
        """
        new = [each for each in changes if each.binary and (each.old_id, each.new_id) not in self._counts]
        for change in new[:_AT_ONCE]:
            while len(self._counts) >= _KEPT:
                del self._counts[next(iter(self._counts))]
            self._counts[change.old_id, change.new_id] = await self._counted(change)

    async def _counted(self, change: Changed) -> Counts | None:
        old, new = await self._snapshots.texts(change)
        if old is None and new is None:
            return None
        texts = [each for each in await asyncio.to_thread(pair, old, new) if each is not None]
        if any(each.encoding == BINARY for each in texts):
            return None
        lines = [each.text.removeprefix("\ufeff").encode("utf-8", "replace") for each in texts]
        if old is None or new is None:
            count = lines[0].count(b"\n") + (lines[0][-1:] not in (b"\n", b""))
            return Counts(count, 0) if old is None else Counts(0, count)
        return Counts(*await self._snapshots.count_lines(*lines))
