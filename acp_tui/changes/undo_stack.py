"""Undoing what changed in a workspace, and taking that back again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from acp_tui.changes.git_store import SnapshotError
from acp_tui.changes.snapshots import Snapshots
from acp_tui.changes.tree import ChangedFile, Restored, Snapshot
from acp_tui.changes.undo import Hunk, restore, reverse
from acp_tui.session.past import UndoStep, UndoStepTaken


class _WayBack(NamedTuple):
    """What undoing a restoring or rejecting needs."""

    back: Snapshot
    """How all files were before it."""
    paths: set[str]
    after: Snapshot
    """How they were right after it."""


class UndoResult(NamedTuple):
    """What came of taking a step back."""

    restored: Restored
    is_over: bool
    """Whether the step is forgotten, since it is undone or there was nothing left of it."""
    newer: int
    """How many newer steps stand then, since their files were changed."""


class UndoStack:
    """What the person has undone in one session, the newest last."""

    def __init__(
        self,
        snapshots: Snapshots,
        look: Callable[[], Awaitable[None]],
        tell: Callable[[UndoStep | UndoStepTaken], None],
    ) -> None:
        """Begin with nothing undone.

        Args:
            snapshots: of the workspace.
            look: called when files were changed.
            tell: takes what was undone into the session.
        """
        self._tell = tell
        self._snapshots = snapshots
        self._look = look
        self._ways: list[_WayBack] = []
        self._passed = 0
        """How many of the newest could not be taken back and were said to be so."""
        self.touched: set[str] = set()
        """Files that are being given back, relative to the workspace: what is seen of them is our work."""

    @property
    def can_undo(self) -> bool:
        """Whether there is a restoring or rejecting to take back."""
        return bool(self._ways)

    def recall(self, undid: Iterable[UndoStep], there: Collection[str]) -> list[int]:
        """Know what was undone in earlier runs, as far as its snapshots are there.

        Return the places of the rest.
        """
        lost: list[int] = []
        for place, each in enumerate(undid):
            if {each.back, each.after} <= set(there):
                back, after = Snapshot(each.back, 0.0), Snapshot(each.after, 0.0)
                self._ways.append(_WayBack(back, set(each.paths), after))
            else:
                lost.append(place)
        return lost

    def clear(self) -> None:
        """Forget all: the snapshots are lost."""
        self._ways.clear()
        self._passed = 0

    async def restore(self, before: Snapshot, changes: Sequence[ChangedFile]) -> Restored:
        """Undo changes that the person has seen.

        Raises:
            SnapshotError: nothing was done.
        """
        paths = {path for change in changes for path in _paths(change)}
        return await self._done(paths, restore(self._snapshots, before, changes))

    async def reverse(self, change: ChangedFile, hunk: Hunk, base: bytes | None = None) -> Restored:
        """Take one hunk of a change back out of the file; of `base` and the file, if there is one.

        Raises:
            SnapshotError: nothing was done.
        """
        return await self._done(_paths(change), reverse(self._snapshots, change, hunk, base))

    async def undo(self) -> UndoResult | None:
        """Take the newest restoring or rejecting back; None if there is none.

        Files that were changed since then stay as they are: nobody has seen what would be lost. Where that
        is all of them, it is said, and the next time the one before is taken back; after the oldest, it
        begins with the newest again.

        Raises:
            SnapshotError: nothing was done.
        """
        if not self._ways:
            return None
        if self._passed >= len(self._ways):
            self._passed = 0
        place = len(self._ways) - 1 - self._passed
        with self._touching(self._ways[place].paths):
            restored, stay = await self._take_back(self._ways[place])
            await self._look()
        is_over = bool(restored.done) or not stay
        if is_over:
            del self._ways[place]
            self._tell(UndoStepTaken(place))
        else:
            self._passed += 1
            if place:
                stay.append("once more undoes the one before it")
        return UndoResult(
            replace(restored, problems=(*restored.problems, *stay)), is_over, len(self._ways) - place
        )

    async def _take_back(self, way: _WayBack) -> tuple[Restored, list[str]]:
        """Take one step back, and return also what is to be said of files that stay."""
        newer = {path for change in await self._snapshots.changes(way.after) for path in _paths(change)}
        changes = [change for change in await self._snapshots.changes(way.back) if _paths(change) & way.paths]
        restored = await restore(
            self._snapshots, way.back, [change for change in changes if not _paths(change) & newer]
        )
        stay = [f"{each.path}: changed since then, so it stays" for each in changes if _paths(each) & newer]
        return restored, stay

    @contextmanager
    def _touching(self, paths: set[str]) -> Iterator[None]:
        """Say of files that what becomes of them now is our own work."""
        self.touched = paths
        try:
            yield
        finally:
            self.touched = set()

    async def _done(self, paths: set[str], work: Coroutine[Any, Any, Restored]) -> Restored:
        """Keep the way back, and look what came of it."""
        with self._touching(paths):
            return await self._kept(await work)

    async def _kept(self, restored: Restored) -> Restored:
        paths = {path for change in restored.done for path in _paths(change)}
        if paths:
            try:
                after = await self._snapshots.take()
            except SnapshotError as error:  # it is done all the same
                told = f"This cannot be undone: {error}"
                restored = replace(restored, problems=(*restored.problems, told))
            else:
                self._ways.append(_WayBack(restored.way_back, paths, after))
                self._tell(UndoStep(restored.way_back.id, after.id, tuple(sorted(paths))))
                self._passed = 0
        await self._look()
        return restored


def _paths(change: ChangedFile) -> set[str]:
    return {change.path, change.old_path}
