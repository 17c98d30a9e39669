"""Keeps a session's list of changed files equal to the disk, whoever writes there."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from acp_tui.host.merging import Hunk
from acp_tui.host.reviewing import Reviewed
from acp_tui.host.snapshot_store import SnapshotError
from acp_tui.host.snapshots import Changed, LeftOut, Restored, Snapshot, Snapshots
from acp_tui.session.events import Noted, Ranged, Snapped
from acp_tui.session.files import OnDisk
from acp_tui.session.range import THIS_TURN

PATIENCE: Final = 0.08
"""Seconds that a prompt waits for its snapshot at most."""
SHOWN: Final = 1_000
"""Files that a session lists at most."""
_EVERY: Final = 2.0  # seconds between two looks while a turn runs
_SOON: Final = 0.25  # the same, where the system tells whether there is anything to see
_IDLE: Final = 1.0  # the same, while no turn runs
_ALL: Final = 60.0  # seconds between two looks at every file, after a turn
_SHARE: Final = 20  # of the time at most one part is spent looking
_KEPT: Final = 14 * 24 * 3600.0  # seconds
_MOST: Final = 2 << 30  # bytes
_NAMED: Final = 10  # files that a notice names
_REASONS: Final = {
    "large": "files above 8 MB",
    "repository": "other repositories inside",
    "unreadable": "files that cannot be read",
    "too many": "files beyond 200,000",
}


class _WayBack(NamedTuple):
    """What undoing a restoring or rejecting needs."""

    back: Snapshot
    """How all files were before it."""
    paths: set[str]
    after: Snapshot
    """How they were right after it."""


_Work = Callable[[], Coroutine[Any, Any, None]]


def _paths(change: Changed) -> set[str]:
    return {change.path, change.old_path}


def is_too_wide(root: Path) -> bool:
    """Whether a workspace holds the person's whole home, or everything."""
    return Path.home().resolve().is_relative_to(root.resolve())


class Tracking:
    """Looks at one workspace for one conversation: at its beginning, before, during and after each turn.

    What cannot be done is said once, and everything else goes on.
    """

    def __init__(
        self,
        snapshots: Snapshots,
        cwd: str,
        tell: Callable[[Snapped | Ranged | Noted], None],
        every: float = _EVERY,
    ) -> None:
        """Look later, from `begin` on.

        Args:
            snapshots: of the workspace.
            cwd: the workspace as the session names it.
            tell: takes what was found into the session.
            every: seconds between two looks while a turn runs.
        """
        self.first: Snapshot | None = None
        """How the workspace was when the session began."""
        self.before: Snapshot | None = None
        """How it was before the newest turn."""
        self.is_late = False
        """Whether that one was taken when the agent may have begun already."""
        self.reviewed = Reviewed()
        """What the person has kept of the changes."""
        self._snapshots = snapshots
        self._cwd = cwd.rstrip("/")
        self._tell = tell
        self._every = every
        self._soon, self._idle = min(_SOON, every), min(_IDLE, every)
        self._cost = 0.0
        self._one = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._in_turn = False
        self._is_settling = False
        """Whether a turn has ended and what it left was not looked at yet."""
        self._damaged = snapshots.damaged
        self._settled: dict[str, tuple[str, int]] = {}
        """What changed files were when the last turn ended."""
        self._following: asyncio.Task[None] | None = None
        self._can_watch = True
        self._doubted = time.monotonic()
        self._told: tuple[OnDisk, ...] = ()
        self._changes: dict[str, Changed] = {}
        self._shown: dict[str, Changed] = {}
        """What of that the person wants to see."""
        self._turns: dict[int, Snapshot] = {}
        self._since = 0
        self._ranged: Ranged | None = None
        self._newest = 0
        self._outside: set[str] = set()
        self._ways_back: list[_WayBack] = []
        self._has_failed = False
        self._has_told_of_more = False
        self._is_closed = False

    # ------------------------------------------------------------------ the life of a session

    def begin(self) -> None:
        """Take the first snapshot in the background."""
        self._start(self._begin)

    async def before_turn(self, turn: int | None = None) -> None:
        """Remember how things are before the agent begins; comes back soon, whether that is done or not.

        Args:
            turn: the number that the turn will have in the session, from 1.
        """
        self.before = None
        self._newest = self._newest + 1 if turn is None else turn
        remembering = self._start(self._remember)
        done, _ = await asyncio.wait([remembering], timeout=PATIENCE)
        self.is_late = not done
        self._in_turn = True

    def after_turn(self) -> None:
        """Look once more; what comes now is not of this turn."""
        if time.monotonic() - self._doubted > _ALL:
            self._doubted = time.monotonic()
            self._snapshots.doubt()
        self._in_turn, self._is_settling = False, True
        self._start(partial(self._look, settles=True))

    async def look(self) -> None:
        """Look now, for a person who wants to see."""
        await self._start(self._look)

    async def close(self) -> None:
        """End what is being done; nothing is done any more."""
        self._is_closed = True
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._snapshots.close()

    # ------------------------------------------------------------------ for the person

    def is_kept(self, path: str) -> bool:
        """Whether the person has kept all changes of a file, by its absolute path."""
        change = self.change(path)
        return change is not None and self.reviewed.is_done(change)

    def change(self, path: str) -> Changed | None:
        """Return how a file differs from the beginning, or the chosen turn, as far as it was looked at.

        Args:
            path: absolute, as in the session's list.
        """
        return self._shown.get(path)

    async def show_since(self, turn: int) -> None:
        """Tell from now on what changed since a turn: from 1; 0: since the beginning; or `THIS_TURN`."""
        self._since = turn
        await self.look()

    def _base(self) -> Snapshot | None:
        """Return the snapshot with which files are compared for the person."""
        since = self._newest if self._since == THIS_TURN else self._since
        later = [number for number in self._turns if number >= since]
        return self._turns[min(later)] if self._since and later else self.first

    async def texts(self, change: Changed) -> tuple[bytes | None, bytes | None]:
        """Return a file as it was at the beginning and as it became; nothing if it cannot be told."""
        try:
            return await self._snapshots.texts(change)
        except SnapshotError as error:
            self._failed(error)
            return None, None

    async def since_turn(self) -> list[Changed]:
        """Return what differs from before the newest turn: what `restore` can undo.

        Raises:
            SnapshotError.
        """
        return await self._snapshots.changes(self.before) if self.before is not None else []

    async def restore(self, before: Snapshot, changes: Sequence[Changed]) -> Restored:
        """Undo changes that the person has seen; the list follows.

        Raises:
            SnapshotError: nothing was done.
        """
        return await self._restored(self._snapshots.restore(before, changes))

    async def reject(self, change: Changed) -> Restored:
        """Give a file back what it was at the beginning of the session, or of the chosen turn.

        Raises:
            SnapshotError: nothing was done.
        """
        base = self._base()
        assert base is not None, "there is no change without a beginning"
        return await self.restore(base, [change])

    async def reject_hunk(self, change: Changed, hunk: Hunk, base: bytes | None = None) -> Restored:
        """Take one hunk of a change back out of the file; of `base` and the file, if there is one.

        Raises:
            SnapshotError: nothing was done.
        """
        return await self._restored(self._snapshots.reverse(change, hunk, base))

    @property
    def can_undo(self) -> bool:
        """Whether there is a restoring or rejecting to take back."""
        return bool(self._ways_back)

    async def undo(self) -> Restored | None:
        """Take the newest restoring or rejecting back; None if there is none.

        Files that were changed since then stay as they are: nobody has seen what would be lost.

        Raises:
            SnapshotError: nothing was done.
        """
        if not self._ways_back:
            return None
        way = self._ways_back[-1]
        newer = {path for change in await self._snapshots.changes(way.after) for path in _paths(change)}
        changes = [change for change in await self._snapshots.changes(way.back) if _paths(change) & way.paths]
        restored = await self._snapshots.restore(
            way.back, [change for change in changes if not _paths(change) & newer]
        )
        stay = [f"{each.path}: changed since then, so it stays" for each in changes if _paths(each) & newer]
        if restored.done or not stay:
            self._ways_back.pop()
        await self.look()
        return replace(restored, problems=(*restored.problems, *stay))

    # ------------------------------------------------------------------ parts

    async def _restored(self, work: Coroutine[Any, Any, Restored]) -> Restored:
        """Keep the way back, and look what came of it."""
        restored = await work
        paths = {path for change in restored.done for path in _paths(change)}
        if paths:
            after = await self._snapshots.take()
            self._ways_back.append(_WayBack(restored.way_back, paths, after))
        await self.look()
        return restored

    def _start(self, work: _Work) -> asyncio.Task[None]:
        task = asyncio.create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _guarded(self, work: _Work) -> None:
        if self._is_closed:
            return
        try:
            await work()
        except SnapshotError as error:
            self._failed(error)
        if self._snapshots.damaged != self._damaged:
            self._damaged = self._snapshots.damaged
            self._start_over()

    async def _begin(self) -> None:
        async with self._one:
            self.first = await self._snapshots.take()
        if self.first.left_out:
            self._tell(_not_shown(self.first.left_out))
        if self._following is None or self._following.done():
            self._following = self._start(self._follow)
        await self._snapshots.prune(time.time() - _KEPT, _MOST)

    async def _remember(self) -> None:
        async with self._one:
            turn = self._newest
            self.before = self._turns[turn] = await self._snapshots.take()
            self.first = self.first or self.before
        self._start(partial(self._look_back, self.before, is_late=self._in_turn))

    async def _follow(self) -> None:
        """Look whenever there may be something to see; where the system does not tell, only in turns."""
        while not self._has_failed:
            if self._can_watch and not self._snapshots.is_watching:
                self._can_watch = await self._snapshots.watch()
            is_told = self._snapshots.is_watching
            if self._snapshots.has_news if is_told else self._in_turn:
                await self._look()
            await asyncio.sleep(self._pause)

    @property
    def _pause(self) -> float:
        """Seconds until the next look: longer where looking costs much."""
        if not self._snapshots.is_watching:
            return max(self._every, self._cost * _SHARE)
        return max(self._soon if self._in_turn else self._idle, min(self._every, self._cost * _SHARE))

    async def _look(self, *, settles: bool = False) -> None:
        """Compare the disk with the beginning; `settles`: what is seen belongs to the turn that ended."""
        async with self._one:
            is_idle = not (self._in_turn or self._is_settling)  # a look of `_follow` may come first
            self._is_settling = self._is_settling and not settles
            if self.first is None:
                return
            began = time.monotonic()
            changes = await self._snapshots.changes(self.first)
            self._cost = time.monotonic() - began
            self._take_over(changes, is_idle and not self._in_turn)
            await self._show()
            if settles:
                self._settled = {path: change.state for path, change in self._changes.items()}

    async def _show(self) -> None:
        """Tell what of the changes the person wants to see."""
        base, self._shown = self._base(), self._changes
        if base is not None and base is not self.first:
            changes = await self._snapshots.changes(base)
            self._shown = {self._absolute(change.path): change for change in changes}
        if self._since or self._ranged:
            files = tuple(self._on_disk(*one) for one in islice(self._shown.items(), SHOWN))
            now = Ranged(self._since, files) if self._since else Ranged(0)
            if now != self._ranged:
                self._ranged = now
                self._tell(now)

    async def _look_back(self, before: Snapshot, is_late: bool) -> None:
        """Mark what changed between two turns, unless the snapshot may hold work of the agent already."""
        async with self._one:
            if self.first is None:
                return
            for change in await self._snapshots.changes(self.first, before):
                path = self._absolute(change.path)
                if not is_late and self._settled.get(path) != change.state:
                    self._outside.add(path)
                    self._changes[path] = change
        await self._look()

    def _take_over(self, changes: list[Changed], outside: bool) -> None:
        now = {self._absolute(change.path): change for change in changes}
        for path, change in now.items():
            before = self._changes.get(path)
            if before is None or before.state != change.state:
                (self._outside.add if outside else self._outside.discard)(path)
        self._changes = now
        if len(now) > SHOWN and not self._has_told_of_more:
            self._has_told_of_more = True
            text = f"{len(now):,} files have changed; the first {SHOWN:,} are listed."
            self._tell(Noted(text, "warning", "A .gitignore can leave out what programs make."))
        files = tuple(self._on_disk(path, change) for path, change in islice(now.items(), SHOWN))
        if files != self._told:
            self._told = files
            self._tell(Snapped(files))

    def _absolute(self, path: str) -> str:
        return f"{self._cwd}/{path}"

    def _on_disk(self, path: str, change: Changed) -> OnDisk:
        return OnDisk(
            path,
            change.status,
            self._absolute(change.old_path),
            change.added,
            change.removed,
            change.binary,
            change.old_mode,
            change.new_mode,
            path in self._outside,
            change.new_id,
        )

    def _failed(self, error: SnapshotError) -> None:
        if not self._has_failed:
            self._has_failed = True
            text = "Only changes that the agent reports are shown from now on."
            self._tell(Noted(text, "warning", str(error)))

    def _start_over(self) -> None:
        """The store was damaged: what was before cannot be known any more."""
        text = f"The snapshots of this workspace were damaged, and are now in {self._snapshots.damaged}."
        self._tell(Noted(text, "warning", "Changes are shown from now on; earlier ones cannot be undone."))
        self.first = self.before = None
        self._turns.clear()
        self._shown = {}
        self._changes.clear()
        self._ways_back.clear()
        self._has_failed = self._is_settling = False
        self._start(self._begin)


def _not_shown(left_out: Sequence[LeftOut]) -> Noted:
    """Say once what is not in the snapshots of this session."""
    counts = Counter(each.reason for each in left_out)
    parts = [f"{_REASONS[reason]} ({count:,})" for reason, count in counts.items()]
    names = [each.path for each in left_out[:_NAMED]]
    more = [f"and {len(left_out) - _NAMED:,} more"] if len(left_out) > _NAMED else []
    severity: Literal["info", "warning"] = "warning" if "too many" in counts else "info"
    return Noted(f"Changes are not shown in {' and '.join(parts)}.", severity, "\n".join([*names, *more]))
