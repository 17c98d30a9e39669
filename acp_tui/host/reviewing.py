"""What the person has kept of the changes of a session: the rest is still open."""

from __future__ import annotations

from acp_tui.host.merging import Hunk, without
from acp_tui.host.snapshot import Changed


class Reviewed:
    """Remembers, for each file, the text that was agreed to; what differs from it is open.

    A kept hunk goes into that text, as `git add -p` does with the index: when the file changes again, also in
    the same place, that is a new change.
    """

    def __init__(self) -> None:
        self._agreed: dict[str, bytes | None] = {}
        self._done: dict[str, tuple[str, int]] = {}

    def is_done(self, change: Changed) -> bool:
        """Whether nothing of a file is open any more."""
        return self._done.get(change.path) == change.state

    def base(self, change: Changed, old: bytes | None) -> bytes | None:
        """Return what a file is to be compared with: what was agreed to, else what it was (`old`)."""
        return self._agreed.get(change.path, old)

    def has_kept(self, change: Changed) -> bool:
        """Whether something of a file was kept."""
        return change.path in self._agreed

    def keep(self, change: Changed, old: bytes, new: bytes, hunk: Hunk) -> None:
        """Keep one hunk.

        Args:
            change: the file.
            old: what it was at the beginning.
            new: what it is.
            hunk: the lines, of `base(change, old)` and of `new`.
        """
        base = self.base(change, old) or b""
        turned = Hunk(hunk.new_start, hunk.new_stop, hunk.old_start, hunk.old_stop)
        self._agreed[change.path] = without(new, base, turned)
        self.settle(change, old, new)

    def keep_file(self, change: Changed, new: bytes | None) -> None:
        """Keep all of a file as it is: its text, its mode, or that it is gone.

        Without its text, which may not have been read: nothing is open now; once it changes again, all is.
        """
        if new is not None or change.status == "D":
            self._agreed[change.path] = new
        else:
            self._agreed.pop(change.path, None)
        self._done[change.path] = change.state

    def settle(self, change: Changed, old: bytes | None, new: bytes | None) -> None:
        """Note that nothing is open where what was agreed to is what there is."""
        if self.has_kept(change) and self.base(change, old) == new:
            self._done[change.path] = change.state
