"""The user's undo steps in a workspace."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from acp_tui.changes.git_store import SnapshotError
from acp_tui.changes.git_tree import ChangedFile, Restored, Snapshot
from acp_tui.changes.restore import FirstMode, no_modes
from acp_tui.changes.snapshots import Snapshots
from acp_tui.changes.undo import Hunk, restore, reverse
from acp_tui.session.earlier_runs import UndoStep, UndoStepRemoved


class _StackedStep(NamedTuple):
    """An undo step."""

    back: Snapshot
    """Snapshot before it."""
    paths: set[str]
    after: Snapshot
    """Snapshot right after it."""


class UndoResult(NamedTuple):
    """The result of undoing a step."""

    restored: Restored
    is_over: bool
    """True if the step is gone: undone, or nothing was left of it."""
    newer: int
    """Number of newer steps that were skipped because their files changed."""


class UndoStack:
    """The undo steps of one session, the latest last."""

    def __init__(
        self,
        snapshots: Snapshots,
        look: Callable[[], Awaitable[None]],
        tell: Callable[[UndoStep | UndoStepRemoved], None],
        first_mode: FirstMode = no_modes,
    ) -> None:
        """Begin empty.

        Args:
            snapshots: the workspace's snapshots.
            look: called after files were changed.
            tell: receives the session's events.
            first_mode: the permissions of files that a restore must create again.
        """
        self._first_mode = first_mode
        self._tell = tell
        self._snapshots = snapshots
        self._look = look
        self._steps: list[_StackedStep] = []
        self._skipped = 0
        """Number of newest steps that were skipped because their files changed."""
        self.touched: set[str] = set()
        """Relative paths being restored; their differences were made by the client."""

    @property
    def depth(self) -> int:
        """Number of steps that can be undone."""
        return len(self._steps)

    @property
    def can_undo(self) -> bool:
        """True if there is a step to undo."""
        return bool(self._steps)

    def recall(self, undid: Iterable[UndoStep], there: Collection[str]) -> list[int]:
        """Restore the steps of earlier runs whose snapshots exist.

        Return the indices of the others.
        """
        lost: list[int] = []
        for place, each in enumerate(undid):
            if {each.back, each.after} <= set(there):
                back, after = Snapshot(each.back, 0.0), Snapshot(each.after, 0.0)
                self._steps.append(_StackedStep(back, set(each.paths), after))
            else:
                lost.append(place)
        return lost

    def clear(self) -> None:
        """Forget all steps."""
        self._steps.clear()
        self._skipped = 0

    async def restore(self, before: Snapshot, changes: Sequence[ChangedFile]) -> Restored:
        """Undo changes as an undo step.

        Raises:
            SnapshotError: nothing was changed.
        """
        paths = {path for change in changes for path in _paths(change)}
        begun: list[_StackedStep] = []

        def begin(way_back: Snapshot) -> None:
            """Add the step before the work: if the program is killed half-way, it can still be undone."""
            begun.append(_StackedStep(way_back, paths, before))
            self._add(begun[0])

        work = restore(self._snapshots, before, changes, begin, self._first_mode)
        return await self._done(paths, work, begun)

    async def reverse(self, change: ChangedFile, hunk: Hunk, base: bytes | None = None) -> Restored:
        """Revert one hunk, relative to `base` if given, as an undo step.

        Raises:
            SnapshotError: nothing was changed.
        """
        return await self._done(_paths(change), reverse(self._snapshots, change, hunk, base))

    async def undo(self) -> UndoResult | None:
        """Undo the latest step; None without one.

        Files changed since then are left alone. If those are all files of the step, it is skipped, and the
        next call undoes the one before; after the oldest it starts again at the latest.

        Raises:
            SnapshotError: nothing was changed.
        """
        if not self._steps:
            return None
        if self._skipped >= len(self._steps):
            self._skipped = 0
        place = len(self._steps) - 1 - self._skipped
        with self._touching(self._steps[place].paths):
            restored, stay = await self._take_back(self._steps[place])
            await self._look()
        is_over = bool(restored.done) or not stay
        if is_over:
            del self._steps[place]
            self._tell(UndoStepRemoved(place))
        else:
            self._skipped += 1
            if place:
                stay.append("press again to undo the one before it")
        return UndoResult(
            replace(restored, problems=(*restored.problems, *stay)), is_over, len(self._steps) - place
        )

    async def _take_back(self, step: _StackedStep) -> tuple[Restored, list[str]]:
        """Undo one step; also return the messages about files that are left alone."""
        newer = {path for change in await self._snapshots.changes(step.after) for path in _paths(change)}
        changes = [
            change for change in await self._snapshots.changes(step.back) if _paths(change) & step.paths
        ]
        undone = [change for change in changes if not _paths(change) & newer]
        restored = await restore(self._snapshots, step.back, undone, first_mode=self._first_mode)
        stay = [f"{each.path}: changed since then, so it is kept" for each in changes if _paths(each) & newer]
        return restored, stay

    @contextmanager
    def _touching(self, paths: set[str]) -> Iterator[None]:
        """Mark changes of some files as the client's own."""
        self.touched = paths
        try:
            yield
        finally:
            self.touched = set()

    async def _done(
        self, paths: set[str], work: Coroutine[Any, Any, Restored], begun: Sequence[_StackedStep] = ()
    ) -> Restored:
        """Do the work, replace the step that was begun with the finished one, and look at the result."""
        with self._touching(paths):
            return await self._kept(await work, begun)

    async def _kept(self, restored: Restored, begun: Sequence[_StackedStep]) -> Restored:
        paths = {path for change in restored.done for path in _paths(change)}
        after: Snapshot | None = None
        if paths:
            try:
                after = await self._snapshots.take()
            except SnapshotError as error:  # the files are restored anyway
                problem = f"This cannot be undone: {error}"
                restored = replace(restored, problems=(*restored.problems, problem))
        for step in begun:
            place = self._steps.index(step)
            del self._steps[place]
            self._tell(UndoStepRemoved(place))
        if after is not None:
            self._add(_StackedStep(restored.way_back, paths, after))
            self._skipped = 0
        await self._look()
        return restored

    def _add(self, step: _StackedStep) -> None:
        self._steps.append(step)
        self._tell(UndoStep(step.back.id, step.after.id, tuple(sorted(step.paths))))


def _paths(change: ChangedFile) -> set[str]:
    return {change.path, change.old_path}
