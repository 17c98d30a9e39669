"""Since when changes are shown: since the beginning of a session, since a turn, or of the newest turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from acp_tui.agent.found import Found
from acp_tui.host.line_counts import LineCounts
from acp_tui.host.snapshot import Changed, Snapshot
from acp_tui.host.snapshots import Snapshots
from acp_tui.session.events import Ranged
from acp_tui.session.range import THIS_TURN


class Ranges:
    """The snapshots before each turn, and which of them the person compares with."""

    def __init__(
        self, snapshots: Snapshots, found: Found, counts: LineCounts, tell: Callable[[Ranged], None]
    ) -> None:
        """Begin with the beginning.

        Args:
            snapshots: compares.
            found: what has changed since the beginning.
            counts: counts lines where git does not.
            tell: takes what is to be shown into the session.
        """
        self.since = 0
        """A turn, from 1; 0: the beginning; or `THIS_TURN`."""
        self.newest = 0
        """The number of the newest turn."""
        self.shown: dict[str, Changed] = {}
        """What has changed since then, by absolute path."""
        self._snapshots = snapshots
        self._found = found
        self._counts = counts
        self._tell = tell
        self._turns: dict[int, Snapshot] = {}
        self._ranged: Ranged | None = None

    def recall(self, turns: int, snapshots: Mapping[int, Snapshot]) -> None:
        """Go on after the turns of earlier runs, from before which there are these snapshots."""
        self.newest = max(self.newest, turns)
        self._turns = {**snapshots, **self._turns}

    def remember(self, turn: int, snapshot: Snapshot) -> None:
        """Keep how the workspace was before a turn."""
        self._turns[turn] = snapshot

    @property
    def turns(self) -> list[int]:
        """The turns before which the workspace is known, from 1."""
        return sorted(self._turns)

    def before(self, turn: int) -> Snapshot | None:
        """Return how the workspace was before a turn."""
        return self._turns.get(turn)

    def base(self, first: Snapshot | None) -> Snapshot | None:
        """Return what files are compared with; `first`: how they were when the session began."""
        since = self.newest if self.since == THIS_TURN else self.since
        later = [number for number in self._turns if number >= since]
        return self._turns[min(later)] if self.since and later else first

    async def show(self, first: Snapshot | None) -> None:
        """Tell what of the changes the person wants to see.

        Raises:
            SnapshotError.
        """
        base, self.shown = self.base(first), self._found.changes
        if base is not None and base is not first:
            changes = await self._snapshots.changes(base)
            await self._counts.learn(changes)
            self.shown = self._found.by_path(changes)
        if self.since or self._ranged:
            now = Ranged(self.since, self._found.listed(self.shown)) if self.since else Ranged(0)
            if now != self._ranged:
                self._ranged = now
                self._tell(now)

    def go_on(self, turns: int) -> None:
        """Go on in a session that has so many turns: the same ones as before, or others."""
        if not turns <= self.newest <= turns + 1:  # a prompt that did not arrive began no turn
            self._turns.clear()
            self.since, self.newest = min(self.since, 0), turns
        self._ranged = None

    def clear(self) -> None:
        """Forget all turns: their snapshots are lost."""
        self._turns.clear()
        self.shown = {}
