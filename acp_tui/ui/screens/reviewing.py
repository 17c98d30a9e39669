"""Keeping and rejecting the changes of one session: steps on the disk, and what the agent is told of them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acp_tui.conversation.rejections import Rejections, lines_of
from acp_tui.host.encoding import Decoded, have_lines, pair
from acp_tui.host.merging import Hunk

if TYPE_CHECKING:
    from acp_tui.agent.tracking import Tracking
    from acp_tui.host.snapshot import Changed, Restored

_WHOLE = 1 << 60
"""More lines than any file has."""


@dataclass(frozen=True)
class Seen:
    """A change as the person sees it on the screen."""

    change: Changed
    old: bytes | None
    """What the file was at the beginning of the session."""
    base: bytes | None
    """What it is compared with: the same, or what was kept since."""
    new: bytes | None
    texts: tuple[Decoded | None, Decoded | None] | None = None
    """`base` and `new` as they are read."""

    @property
    def has_lines(self) -> bool:
        """Whether there are two texts, so that one hunk of them can be kept or rejected."""
        return self.base is not None and self.new is not None and have_lines(self.base, self.new)


class Review:
    """The steps of the person; each is one that can be undone, or none."""

    def __init__(self, tracking: Tracking, rejections: Rejections) -> None:
        self.tracking = tracking
        self._reviewed = tracking.reviewed
        self._rejections = rejections

    async def see(self, change: Changed, *, with_texts: bool, all_of_it: bool) -> Seen:
        """Return a change with its texts; `all_of_it`: compared with the beginning, whatever was kept."""
        old, new = await self.tracking.texts(change) if with_texts else (None, None)
        self._reviewed.settle(change, old, new)
        base = old if all_of_it or not with_texts else self._reviewed.base(change, old)
        return Seen(change, old, base, new, await asyncio.to_thread(pair, base, new))

    def is_done(self, change: Changed) -> bool:
        """Whether all of a change was kept."""
        return self._reviewed.is_done(change)

    def has_kept(self, change: Changed) -> bool:
        """Whether something of a change was kept."""
        return self._reviewed.has_kept(change)

    def keep(self, seen: Seen, hunk: Hunk) -> bool:
        """Keep a hunk: it is open no more. False where it is not a hunk of what is open now."""
        assert seen.base is not None, "there are lines to keep"
        assert seen.new is not None, "there are lines to keep"
        if self._reviewed.base(seen.change, seen.old) != seen.base:
            return False  # its lines would be taken for others
        self._reviewed.keep(seen.change, seen.base, seen.new, hunk)
        return True

    def keep_file(self, seen: Seen) -> None:
        """Keep all of a file as it is."""
        self._reviewed.keep_file(seen.change, seen.new)

    async def reject(self, seen: Seen, hunk: Hunk) -> Restored:
        """Take a hunk back out of the file.

        Raises:
            SnapshotError: nothing was done.
        """
        restored = await self.tracking.ways_back.reverse(seen.change, hunk, seen.base)
        if restored.done:
            where = f"{seen.change.path}, {lines_of(hunk.new_start, hunk.new_stop)}"
            self._rejections.add(f"rejected your change in {where}", f"took back my rejection in {where}")
        return restored

    async def reject_file(self, seen: Seen) -> Restored:
        """Take back all that is open in a file.

        Raises:
            SnapshotError: nothing was done.
        """
        path = seen.change.path
        if seen.base is not None and self._reviewed.has_kept(seen.change):
            whole = Hunk(0, _WHOLE, 0, _WHOLE)
            restored = await self.tracking.ways_back.reverse(seen.change, whole, seen.base)
        else:
            restored = await self.tracking.reject(seen.change)
        if restored.done:
            text = f"rejected your changes in {path}" + (", which is deleted" * (seen.change.status == "A"))
            self._rejections.add(text, f"took back my rejection in {path}")
        return restored

    async def undo(self) -> Restored | None:
        """Take the newest rejection back; None if there is none.

        Raises:
            SnapshotError: nothing was done.
        """
        undone = await self.tracking.ways_back.undo()
        if undone is None:
            return None
        if undone.is_over:
            self._rejections.undone(undone.newer)
        return undone.restored
