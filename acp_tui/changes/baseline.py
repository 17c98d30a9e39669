"""The baseline: the snapshot with which the changes pane compares the workspace."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from acp_tui.changes.changed_files import ChangedFiles
from acp_tui.changes.git_tree import ChangedFile, Snapshot
from acp_tui.changes.line_counts import LineCounts
from acp_tui.changes.snapshots import Snapshots
from acp_tui.session.events import RangeChosen
from acp_tui.session.session import THIS_TURN


class Baseline:
    """The baseline of the changes pane: session start, a turn, or the latest turn."""

    def __init__(
        self,
        snapshots: Snapshots,
        found: ChangedFiles,
        counts: LineCounts,
        tell: Callable[[RangeChosen], None],
    ) -> None:
        """Begin at the session start.

        Args:
            snapshots: the workspace's snapshots.
            found: the changes since the session start.
            counts: line counts for files that git considers binary.
            tell: receives the session's events.
        """
        self.since = 0
        """Turn (from 1), 0 for the session start, or `THIS_TURN`."""
        self.newest = 0
        """The number of the latest turn."""
        self.shown: dict[str, ChangedFile] = {}
        """Changes since the baseline, by absolute path."""
        self._snapshots = snapshots
        self._found = found
        self._counts = counts
        self._tell = tell
        self._turns: dict[int, Snapshot] = {}
        self._ranged: RangeChosen | None = None

    def recall(self, turns: int, snapshots: Mapping[int, Snapshot]) -> None:
        """Restore the turns of earlier runs and their snapshots."""
        self.newest = max(self.newest, turns)
        self._turns = {**snapshots, **self._turns}

    def remember(self, turn: int, snapshot: Snapshot) -> None:
        """Record the snapshot before a turn."""
        self._turns[turn] = snapshot

    @property
    def turns(self) -> list[int]:
        """Turns (from 1) with a snapshot."""
        return sorted(self._turns)

    def before(self, turn: int) -> Snapshot | None:
        """Return the snapshot before a turn."""
        return self._turns.get(turn)

    def base(self, first: Snapshot | None) -> Snapshot | None:
        """Return the snapshot to compare with; `first` is the one of the session start."""
        since = self.newest if self.since == THIS_TURN else self.since
        later = [number for number in self._turns if number >= since]
        return self._turns[min(later)] if self.since and later else first

    async def show(self, first: Snapshot | None) -> None:
        """Report the changes since the baseline.

        Raises:
            SnapshotError.
        """
        base, self.shown = self.base(first), self._found.changes
        if base is not None and base is not first:
            changes = await self._snapshots.changes(base)
            await self._counts.learn(changes)
            self.shown = self._found.by_path(changes)
        if self.since or self._ranged:
            now = RangeChosen(self.since, self._found.listed(self.shown)) if self.since else RangeChosen(0)
            if now != self._ranged:
                self._ranged = now
                self._tell(now)

    def go_on(self, turns: int) -> None:
        """Continue with a session of `turns` turns, the same as before or another."""
        if not turns <= self.newest <= turns + 1:  # an undelivered prompt began no turn
            self._turns.clear()
            self.since, self.newest = min(self.since, 0), turns
        self._ranged = None

    def clear(self) -> None:
        """Forget all snapshots."""
        self._turns.clear()
        self.shown = {}
