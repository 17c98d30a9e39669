"""Tracking of a session's changed files on disk, no matter who writes them."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

from acp_tui.changes.baseline import Baseline
from acp_tui.changes.changed_files import ChangedFiles, exclusion_notice
from acp_tui.changes.git_store import SnapshotError
from acp_tui.changes.git_tree import MOST_FILES, ChangedFile, Restored, Snapshot
from acp_tui.changes.line_counts import LineCounts
from acp_tui.changes.line_steps import LineSteps
from acp_tui.changes.snapshots import Snapshots
from acp_tui.changes.undo import Reviewed, maybe_older
from acp_tui.changes.undo_stack import UndoStack
from acp_tui.changes.untracked import (
    Untracked,
    UntrackedFiles,
)
from acp_tui.session.earlier_runs import KeptSnapshot, Past, UndoStep, UndoStepRemoved
from acp_tui.session.events import Noted, RangeChosen, WorkspaceCompared
from acp_tui.workspace.real_paths import followed, is_same

PATIENCE: Final = 0.08
"""Maximum seconds that a prompt waits for its snapshot."""
FIRST_PATIENCE: Final = 0.6
"""The same while there is none yet: with a prompt on the command line the store is still being made."""
_EVERY: Final = 2.0  # seconds between looks, at most with a watcher and at least without one
_FIRST: Final = 0.05  # of that passes before the first snapshot: what a new session shows is drawn first
_SOON: Final = 0.1  # seconds between looks after an event, if they cost little
_ALL: Final = 60.0  # seconds between looks at every file
_AT_ONCE: Final = 10.0  # seconds of pauses that may be owed: the first few looks need no pause
_SHARE: Final = 10  # looks take at most 1/_SHARE of the time
_KEPT: Final = 14 * 24 * 3600.0  # seconds
_MOST: Final = 2 << 30  # bytes

_SETTLING: Final = 2.0  # seconds to wait for the last look at the end of a session

WorkspaceEvent = WorkspaceCompared | RangeChosen | Noted | KeptSnapshot | UndoStep | UndoStepRemoved
"""An event of the workspace for its session."""

_Work = Callable[[], Coroutine[Any, Any, None]]


def is_too_wide(root: Path) -> bool:
    """Return whether a workspace contains the user's whole home."""
    return Path(followed(Path.home())).is_relative_to(Path(followed(root)))


NO_TURN: Final = "No turn has begun yet."
"""Reason for a missing snapshot before the first turn."""


def lost_reason(at: float, *, moved: str = "", were_kept: bool = False) -> str:
    """Return the reason why files of an earlier run cannot be restored.

    Args:
        at: the time of the oldest snapshot.
        moved: the session's folder at that time, if different.
        were_kept: True if there were snapshots.
    """
    when = datetime.fromtimestamp(at)
    today = when.date() == datetime.now().date()
    files = f"files from before {when:%H:%M}" if today else f"files from before {when:%Y-%m-%d %H:%M}"
    if moved:
        return f"The snapshots of this session are of {moved}: {files} cannot be restored here."
    if were_kept:
        return f"The snapshots of this session were removed: {files} cannot be restored."
    return f"There are no snapshots of the earlier part of this session: {files} cannot be restored."


class ChangeTracker:
    """Compares a workspace with snapshots at the start, and before, during and after each turn.

    A failure is reported once, and everything else continues.
    """

    def __init__(
        self,
        snapshots: Snapshots,
        cwd: str,
        tell: Callable[[WorkspaceEvent], None],
        every: float = _EVERY,
    ) -> None:
        """Prepare; tracking starts with `begin`.

        Args:
            snapshots: the workspace's snapshots.
            cwd: the workspace as named by the session.
            tell: receives the session's events.
            every: seconds between two looks, at most with a watcher and at least without one.
        """
        # The snapshots to compare with, and what a restore may miss.
        self.first: Snapshot | None = None
        """Snapshot of the session start."""
        self.before: Snapshot | None = None
        """Snapshot before the latest turn."""
        self.is_late = False
        """True if the agent may have started before that snapshot."""
        self._late: set[int] = set()
        self.reviewed = Reviewed()
        """Changes that the user has accepted."""
        self.lost = ""
        """Reason why files of an earlier run cannot be restored, or ""."""
        self._lost_turns = 0
        """Number of turns before the store was damaged."""
        self._snapshots = snapshots
        self._cwd = cwd
        self._untracked = UntrackedFiles(snapshots)
        self.undo_stack = UndoStack(snapshots, self.look, tell, self._untracked.modes.first)
        """The user's undo steps."""
        self._tell = tell
        self._every = every

        # The looks: one at a time, less often the more they cost.
        self._cost = 0.0
        self._owed = 0.0
        """Seconds of pauses that are owed."""
        self._paid = time.monotonic()
        self._lock = asyncio.Lock()
        self._since: float | None = None
        """Start of the look in progress."""
        self.on_look: Callable[[], object] = lambda: None
        """Called when a look begins, and when it is over."""
        self._tasks: set[asyncio.Task[None]] = set()

        # The turns, to which changes are assigned.
        self._in_turn = False
        self._begun = 0
        """Number of turns begun: a whole turn may fit within one look."""
        self._is_settling = False
        """True from the end of a turn until the next look."""
        self._damaged = snapshots.damaged
        self._following: asyncio.Task[None] | None = None
        self._can_watch = True
        self._is_wanted = asyncio.Event()
        """Set to request a look that no watcher has asked for."""
        self._has_said = False
        self._doubted = time.monotonic()
        self._counts = LineCounts(snapshots)
        self._steps = LineSteps(snapshots)
        self._found = ChangedFiles(cwd, tell, self._counts.of)
        self._baseline = Baseline(snapshots, self._found, self._counts, tell)
        self._has_failed = False
        self.obstacle = ""
        """Reason why not all changes are tracked, or ""."""
        self._is_closed = False

    # ------------------------------------------------------------------ the life of a session

    def begin(self, past: Past | None = None) -> None:
        """Take the first snapshot in the background, or continue with those of earlier runs."""
        if past is not None:
            self._baseline.recall(len(past.turns), {})
            newest = {path: origins[-1:] for (path, _), origins in past.origins.items()}
            outside = [path for path, origins in newest.items() if origins and not origins[0].turn]
            files = [file.seen for file in past.files if file.seen is not None]
            self._found.recall(files, outside)
            self._steps.recall({os.path.relpath(file.path, self._cwd): file.id for file in files})
        self._start(partial(self._begin, past))

    def go_on(self, turns: int, *, is_known: bool = True) -> None:
        """Report everything to the session of a new agent process in the same workspace.

        Args:
            turns: the session's number of turns; a different one resets the baseline.
            is_known: whether the session knows the first snapshot.
        """
        self._found.report_again()
        self._baseline.go_on(turns)
        if self.first is not None:
            if not is_known:
                self._tell_kept(0, self.first)
            self._start(self._look)

    async def settle(self) -> None:
        """Look at the result of the last turn before the session ends; bounded in time."""
        is_open = not self.is_settled
        if is_open or self._lock.locked():  # the look in progress has reported nothing yet
            self._in_turn = False
            self._is_settling = is_open
            await asyncio.wait([self._start(partial(self._look, settles=is_open))], timeout=_SETTLING)

    async def before_turn(self, turn: int | None = None) -> None:
        """Snapshot the workspace before a turn; return after `PATIENCE`, or `FIRST_PATIENCE`, in any case.

        Args:
            turn: the number of the coming turn, from 1.
        """
        self.before = None
        self._baseline.newest = self._baseline.newest + 1 if turn is None else turn
        remembering = self._start(partial(self._remember, self._baseline.newest))
        done, _ = await asyncio.wait([remembering], timeout=self._patience)
        self.is_late = not done
        if self.is_late:
            self._late.add(self._baseline.newest)
        self._in_turn = True
        self._begun += 1

    @property
    def _patience(self) -> float:
        return PATIENCE if self.first is not None else max(PATIENCE, FIRST_PATIENCE)

    def after_turn(self) -> None:
        """Look at the result of a turn; later changes are not the turn's."""
        if time.monotonic() - self._doubted > _ALL:
            self._doubted = time.monotonic()
            self._snapshots.distrust()
        self._in_turn = False
        self._is_settling = True
        self._start(partial(self._look, settles=True))

    async def look(self) -> None:
        """Look now."""
        await self._start(self._look)

    def look_soon(self) -> None:
        """Look soon if nothing is watched: a tool call has ended, or the user goes to the changes pane."""
        self._is_wanted.set()  # also while it is not known yet whether something can be watched

    async def close(self) -> None:
        """Cancel all work."""
        self._is_closed = True
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._snapshots.close()

    # ------------------------------------------------------------------ for the user

    @property
    def is_settled(self) -> bool:
        """True if no turn runs and the look after the latest one is over."""
        return not (self._in_turn or self._is_settling)

    @property
    def look_seconds(self) -> float:
        """Seconds since the start of the look in progress, or 0."""
        return time.monotonic() - self._since if self._since is not None else 0.0

    def is_kept(self, path: str) -> bool:
        """Return whether the user has accepted all changes of a file, by absolute path."""
        change = self.change(path)
        return change is not None and self.reviewed.is_done(change)

    def change(self, path: str) -> ChangedFile | None:
        """Return the change of a file since the baseline, by absolute path."""
        return self._baseline.shown.get(path)

    @property
    def untracked(self) -> Sequence[Untracked]:
        """Changes outside all snapshots since the session start."""
        return self._untracked.changes

    async def other_modes(self, paths: Iterable[str]) -> list[Untracked]:
        """Return the files whose permissions differ from those at the start; snapshots do not hold them."""
        return await self._untracked.other_modes(paths)

    async def show_since(self, turn: int) -> None:
        """Set the baseline: a turn (from 1), 0 for the session start, or `THIS_TURN`."""
        self._baseline.since = turn
        await self.look()

    async def texts(self, change: ChangedFile) -> tuple[bytes | None, bytes | None]:
        """Return a file's old and new content, or None for each if unavailable."""
        try:
            return await self._snapshots.texts(change)
        except SnapshotError as error:
            self._failed(error)
            return None, None

    @property
    def turns(self) -> list[int]:
        """Turns (from 1) with a snapshot."""
        return self._baseline.turns

    def before_of(self, turn: int | None) -> Snapshot | None:
        """Return the snapshot before a turn; None means the latest."""
        return self.before if turn is None else self._baseline.before(turn)

    def why_no_snapshot(self) -> str:
        """Return the reason for a missing snapshot, or "" if it will come."""
        if self.obstacle:
            return self.obstacle
        if self.lost:
            return self.lost
        return "" if self._baseline.newest or self.first is None else NO_TURN

    def was_late(self, turn: int | None) -> bool:
        """Return whether the agent may have started before the snapshot of a turn."""
        return self.is_late if turn is None else turn in self._late

    async def since_turn(self, turn: int | None = None) -> list[ChangedFile]:
        """Return the changes since a turn, or the latest, for `restore`.

        Raises:
            SnapshotError.
        """
        before = self.before_of(turn)
        if before is None:
            return []
        changes = await self._snapshots.changes(before)
        older = await maybe_older(self._snapshots, before, changes)
        return [replace(each, is_kept=True) if each.path in older else each for each in changes]

    async def reject(self, change: ChangedFile) -> Restored:
        """Restore a file to the baseline.

        Raises:
            SnapshotError: nothing was changed.
        """
        base = self._baseline.base(self.first)
        assert base is not None, "there is no change without a beginning"
        return await self.undo_stack.restore(base, [change])

    # ------------------------------------------------------------------ parts

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

    @asynccontextmanager
    async def _looking(self) -> AsyncIterator[None]:
        """Take the lock and note the time."""
        async with self._lock:
            self._since = time.monotonic()
            self.on_look()
            try:
                yield
            finally:
                self._since = None
                self.on_look()

    async def _begin(self, past: Past | None = None) -> None:
        if past is None or not past.turns:
            await asyncio.sleep(self._every * _FIRST)
        async with self._looking():
            if past is not None and past.turns:
                await self._recall(past)
            if self.first is None:
                self.first = await self._snapshots.take()
                self._tell_kept(0, self.first, since=self._lost_turns)
            await self._watch()  # also reports more files outside snapshots
            await self._untracked.begin()
        if self.first.left_out:
            self._tell(exclusion_notice(self.first.left_out))
        self._follow_on()
        await self._untracked.begin_slow()
        await self._snapshots.prune(time.time() - _KEPT, _MOST)

    async def _recall(self, past: Past) -> None:
        """Continue with the snapshots of earlier runs that still exist."""
        kept = {each.turn: each for each in past.snapshots if each.turn <= len(past.turns)}
        names = {each.id for each in kept.values()}
        names.update(name for each in past.undo_steps for name in (each.back, each.after))
        there = await self._snapshots.keep(names)
        shots = {turn: Snapshot(each.id, each.at) for turn, each in kept.items() if each.id in there}
        if not shots:
            self.first = await self._snapshots.take()
        else:
            self.first = shots[min(shots)]
            self._baseline.recall(len(past.turns), {turn: shot for turn, shot in shots.items() if turn})
            self._late.update(turn for turn, each in kept.items() if each.late)
            self.before = self._baseline.before(len(past.turns))
            self.is_late = len(past.turns) in self._late
            for place in reversed(self.undo_stack.recall(past.undo_steps, there)):
                self._tell(UndoStepRemoved(place))
        if not kept or min(kept) > 1 or (0 in kept and kept[0].since):
            self.lost = lost_reason(self.first.at)
        elif min(kept) not in shots:
            moved = next((each.cwd for each in kept.values() if not is_same(each.cwd, self._cwd)), "")
            self.lost = lost_reason(self.first.at, moved=moved, were_kept=True)
        if self.lost and (0 not in shots or not kept[0].since):
            for turn, shot in {0: self.first, **shots}.items():
                since = min((number for number in shots if number), default=len(past.turns) + 1) - 1
                self._tell_kept(turn, shot, since=0 if turn else since)
            for each in past.undo_steps:
                if {each.back, each.after} <= there:
                    self._tell(each)

    def _tell_kept(self, turn: int, snapshot: Snapshot, *, since: int = 0) -> None:
        self._tell(KeptSnapshot(turn, snapshot.id, snapshot.at, turn in self._late, self._cwd, since))

    async def _remember(self, turn: int) -> None:
        async with self._looking():
            self.before = await self._snapshots.take()
            self._baseline.remember(turn, self.before)
            if self.first is None:
                self.first = self.before
                self._tell_kept(0, self.first)
            self._tell_kept(turn, self.before)
        self._go_on_after_failure()
        self._start(partial(self._look_back, self.before, is_late=turn in self._late))

    def _follow_on(self) -> None:
        if self._following is None or self._following.done():
            self._following = self._start(self._follow)

    async def _follow(self) -> None:
        """Look whenever the watcher reports a change; without a watcher, on request."""
        while not self._has_failed:
            if self._can_watch and not self._snapshots.is_watching:
                await self._watch()
            if not self._can_watch:
                await self._is_wanted.wait()
                self._is_wanted.clear()
                await self._look()
                await asyncio.sleep(max(self._every, self._cost * _SHARE))
            elif not await self._has_changed():
                await asyncio.sleep(_SOON)  # the look itself reads files, which wakes the watcher
            else:
                await self._look()
                await asyncio.sleep(self._pause())

    def _pause(self) -> float:
        """Return the seconds until the next look: a few need no pause, many get a share of the time."""
        now = time.monotonic()
        self._owed = max(self._owed - (now - self._paid), 0.0) + self._cost * _SHARE
        self._paid = now
        return min(self._every, max(_SOON, self._owed - _AT_ONCE))

    async def _has_changed(self) -> bool:
        """Wait for news; return whether anything may have changed."""
        await self._snapshots.news()
        return await self._snapshots.has_changed()

    async def _watch(self) -> None:
        """Start watching; report once if that is not possible."""
        self._can_watch = await self._snapshots.watch()
        if not self._can_watch and not self._has_said:
            self._has_said = True
            text = (
                "The workspace cannot be watched: changes are shown when a tool call or a turn ends, and "
                "when you go to the changes pane."
            )
            self._tell(Noted(text, "info", f"The reason: {self._snapshots.obstacle}."))

    async def _look(self, *, settles: bool = False) -> None:
        """Compare the disk with the start; `settles` assigns the result to the ended turn."""
        async with self._looking():
            is_idle = self.is_settled  # a look of `_follow` may come in between
            self._is_settling = self._is_settling and not settles
            if self.first is None:
                return
            began, begun = time.monotonic(), self._begun
            changes = await self._snapshots.changes(self.first)
            await self._counts.learn(changes)
            steps = await self._steps.learn(changes)
            self._cost = time.monotonic() - began
            is_outside = is_idle and begun == self._begun
            ours = self.undo_stack.touched
            self._found.take_over(changes, outside=is_outside, took=self._cost, ours=ours, steps=steps)
            await self._baseline.show(self.first)
            if settles:
                self._found.settle()
            await self._untracked.look(self.first, changes, is_whole=settles or not self._in_turn)
            self._note_obstacle()

    def _note_obstacle(self) -> None:
        too_many = sum(each.reason == "too many" for each in self._snapshots.left_out)
        if not self._has_failed:
            self.obstacle = f"{too_many:,} files beyond {MOST_FILES:,} are not tracked." if too_many else ""

    async def _look_back(self, before: Snapshot, is_late: bool) -> None:
        """Mark changes between two turns, unless the snapshot may include the agent's work."""
        async with self._looking():
            if self.first is None:
                return
            if not is_late:
                self._found.mark_outside(await self._snapshots.changes(self.first, before))
        await self._look()

    def _failed(self, error: SnapshotError) -> None:
        if not self._has_failed:
            self._has_failed = True
            self.obstacle = f"Only changes that the agent reports are shown: {error}"
            text = "Only changes that the agent reports are shown from now on."
            self._tell(Noted(text, "warning", str(error)))

    def _go_on_after_failure(self) -> None:
        """Resume tracking once a failure, such as a full disk, is over."""
        if self._has_failed:
            self._has_failed, self.obstacle = False, ""
            self._follow_on()
            self._tell(Noted("All changes are shown again."))

    def _start_over(self) -> None:
        """Restart from nothing after the store was damaged."""
        text = f"The snapshots of this workspace were damaged and are now in {self._snapshots.damaged}."
        self._tell(Noted(text, "warning", "Changes are tracked from now on; earlier ones cannot be undone."))
        self.first = self.before = None
        self._lost_turns = self._baseline.newest
        self._baseline.clear()
        self._found.clear()
        self.undo_stack.clear()
        self.lost = ""
        self._has_failed = self._is_settling = False
        self._start(self._begin)
