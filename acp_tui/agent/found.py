"""What differs in a workspace from the beginning of a session, and what of it nobody changed in a turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Final

from acp_tui.host.index import MOST_FILES
from acp_tui.host.line_counts import Counts
from acp_tui.host.snapshot import Changed, LeftOut
from acp_tui.host.successor import LARGEST, Reason
from acp_tui.session.entries import Severity
from acp_tui.session.events import Noted, Snapped
from acp_tui.session.files import OnDisk

SHOWN: Final = 1_000
"""Files that a session lists at most."""
_NAMED: Final = 10  # files that a notice names
_REASONS: Final[dict[Reason, str]] = {
    "large": f"files above {LARGEST >> 20} MB",
    "repository": "other repositories inside",
    "unreadable": "files that cannot be read",
    "too many": f"files beyond {MOST_FILES:,}",
}


class Found:
    """The changed files of one session, by absolute path."""

    def __init__(
        self,
        cwd: str,
        tell: Callable[[Snapped | Noted], None],
        lines: Callable[[Changed], Counts | None] = lambda change: None,
    ) -> None:
        """Begin with nothing changed.

        Args:
            cwd: the workspace as the session names it.
            tell: takes what was found into the session.
            lines: returns how many lines changed in what git takes for data; None where it is.
        """
        self._lines = lines
        self.changes: dict[str, Changed] = {}
        self._cwd = cwd.rstrip("/")
        self._tell = tell
        self._told: tuple[OnDisk, ...] | None = ()
        self._outside: set[str] = set()
        """Files that were changed last while no turn ran."""
        self._in_turns: set[tuple[str, tuple[str, int]]] = set()
        """What files were like in turns: an undoing brings that back."""
        self._settled: dict[str, tuple[str, int]] = {}
        """What changed files were when the last turn ended."""
        self._earlier: dict[str, tuple[str, int]] = {}
        """What changed files were like when an earlier run of the session ended."""
        self._has_told_of_more = False

    def recall(self, files: Iterable[OnDisk], outside: Iterable[str] = ()) -> None:
        """Know what an earlier run has left: what differs from that came about outside any turn.

        Args:
            files: as they were left.
            outside: paths of files that were changed outside any turn, and may be brought back.
        """
        self._outside.update(outside)
        for file in files:
            self._told = None  # that nothing of it is left is news, too
            state = (file.id, file.new_mode)
            self._earlier[file.path] = self._settled[file.path] = state
            if file.outside:
                self._outside.add(file.path)
            else:
                self._in_turns.add((file.path, state))

    def take_over(
        self, changes: Iterable[Changed], *, outside: bool, took: float = 0.0, ours: Collection[str] = ()
    ) -> None:
        """Take what differs now.

        Args:
            changes: all of it.
            outside: what is new in it did not come about in a turn; what was like that in one did.
            took: seconds since the look began.
            ours: files that an undoing has touched: what is left of a change is still whose it was.
        """
        now = self.by_path(changes)
        undone = frozenset(self._absolute(path) for path in ours)
        for path, change in now.items():
            before = self.changes.get(path)
            if (before.state if before is not None else self._earlier.get(path)) == change.state:
                continue
            if path in undone:
                self._settled[path] = change.state
                if path not in self._outside:
                    self._in_turns.add((path, change.state))
            else:
                is_known = (path, change.state) in self._in_turns
                (self._outside.add if outside and not is_known else self._outside.discard)(path)
                if not outside:
                    self._in_turns.add((path, change.state))
        self.changes, self._earlier = now, {}
        if len(now) > SHOWN and not self._has_told_of_more:
            self._has_told_of_more = True
            text = f"{len(now):,} files have changed; the first {SHOWN:,} are listed."
            self._tell(Noted(text, "warning", "A .gitignore can leave out what programs make."))
        files = self.listed(now)
        if files != self._told:
            self._told = files
            self._tell(Snapped(files, took=took, undone=undone))

    def settle(self) -> None:
        """Remember how the files are at the end of a turn."""
        self._settled = {path: change.state for path, change in self.changes.items()}

    def changed_since_then(self, changes: Iterable[Changed]) -> None:
        """Take what differs right before a turn: what is not as the last turn left it came from outside."""
        for path, change in self.by_path(changes).items():
            if self._settled.get(path) != change.state:
                self._outside.add(path)
                self.changes[path] = change

    def by_path(self, changes: Iterable[Changed]) -> dict[str, Changed]:
        """Return changes by their absolute paths."""
        return {self._absolute(change.path): change for change in changes}

    def listed(self, changes: Mapping[str, Changed]) -> tuple[OnDisk, ...]:
        """Return changes as a session lists them."""
        return tuple(self._on_disk(path, change) for path, change in islice(changes.items(), SHOWN))

    def tell_again(self) -> None:
        """Tell all that differs with the next look: who hears it now does not know it."""
        self._told = None

    def clear(self) -> None:
        """Forget what differs: the beginning is lost."""
        self.changes.clear()

    def _absolute(self, path: str) -> str:
        return f"{self._cwd}/{path}"

    def _on_disk(self, path: str, change: Changed) -> OnDisk:
        counts = self._lines(change) if change.binary else Counts(change.added, change.removed)
        return OnDisk(
            path,
            change.status,
            self._absolute(change.old_path),
            *(counts or (0, 0)),
            counts is None,
            change.old_mode,
            change.new_mode,
            path in self._outside,
            change.new_id,
        )


def not_shown(left_out: Sequence[LeftOut]) -> Noted:
    """Return what to say of files that are not in the snapshots of a session."""
    counts = Counter(each.reason for each in left_out)
    parts = [f"{_REASONS[reason]} ({count:,})" for reason, count in counts.items()]
    names = [each.path for each in left_out[:_NAMED]]
    more = [f"and {len(left_out) - _NAMED:,} more"] if len(left_out) > _NAMED else []
    severity: Severity = "warning" if "too many" in counts else "info"
    return Noted(f"Changes are not shown in {' and '.join(parts)}.", severity, "\n".join([*names, *more]))
