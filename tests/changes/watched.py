"""A change tracker and its events, for tests."""

from __future__ import annotations

from pathlib import Path

from acp_tui.changes.snapshots import Snapshots
from acp_tui.changes.tracker import ChangeTracker, WorkspaceEvent
from acp_tui.session.events import Noted, RangeChosen, WorkspaceCompared
from acp_tui.session.session import Session
from tests.waiting import until


class Watched:
    """A change tracker and its events."""

    def __init__(self, tmp_path: Path) -> None:
        self.root = tmp_path / "work"
        self.root.mkdir()
        (self.root / "a").write_text("1\n")
        self.told: list[WorkspaceCompared | RangeChosen | Noted] = []
        self.session = Session("s", str(self.root))
        """The session that receives all events."""
        self.is_told = True
        """True if the system has a watcher."""
        self.snapshots = Snapshots(tmp_path / "stores", self.root)
        self.tracking = ChangeTracker(self.snapshots, str(self.root), self._hear, every=0.02)

    def _hear(self, event: WorkspaceEvent) -> None:
        self.session.apply(event)
        if isinstance(event, WorkspaceCompared | RangeChosen | Noted):
            self.told.append(event)

    async def goes_on(self) -> None:
        """End the tracker and begin another one that knows the session's past."""
        await self.tracking.close()
        self.told.clear()
        self.snapshots = Snapshots(self.snapshots.store.path.parent, self.root)
        self.tracking = ChangeTracker(self.snapshots, str(self.root), self._hear, every=0.02)
        await self.begin()

    async def begin(self) -> None:
        self.tracking.begin(self.session.past())
        await until(lambda: self.tracking.first)
        if self.is_told:
            await until(lambda: self.snapshots.is_watching and not self.snapshots.has_news)

    @property
    def files(self) -> list[tuple[str, str, bool]]:
        """Return status, name and outside flag of all changed files."""
        snapped = [event for event in self.told if isinstance(event, WorkspaceCompared)]
        files = snapped[-1].files if snapped else ()
        return [(file.status, Path(file.path).name, file.outside) for file in files]
