"""Files changed since the session began, and which changed outside a turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Final

from acp_tui.changes.git_tree import LARGEST, MOST_FILES, ChangedFile, LeftOut, Reason
from acp_tui.changes.line_counts import Counts
from acp_tui.session.entries import Severity
from acp_tui.session.events import LineStep, Noted, WorkspaceCompared
from acp_tui.session.file_changes import DiskState

SHOWN: Final = 1_000
"""Maximum number of files listed in a session."""
_NAMED: Final = 10  # most files named in a notice
_REASONS: Final[dict[Reason, str]] = {
    "large": f"files above {LARGEST >> 20} MB",
    "repository": "other repositories inside",
    "unreadable": "files that cannot be read",
    "too many": f"files beyond {MOST_FILES:,}",
}


class ChangedFiles:
    """The changed files of one session, by absolute path."""

    def __init__(
        self,
        cwd: str,
        tell: Callable[[WorkspaceCompared | Noted], None],
        lines: Callable[[ChangedFile], Counts | None] = lambda change: None,
    ) -> None:
        """Begin with nothing changed.

        Args:
            cwd: the workspace as named by the session.
            tell: receives the session's events.
            lines: returns line counts for files that git considers binary, or None.
        """
        self._lines = lines
        self.changes: dict[str, ChangedFile] = {}
        self._cwd = cwd.rstrip("/")
        self._tell = tell
        self._reported: tuple[DiskState, ...] | None = ()
        self._outside: set[str] = set()
        """Paths last changed outside any turn."""
        self._in_turns: set[tuple[str, tuple[str, int]]] = set()
        """Paths and states seen in turns; an undo may restore one."""
        self._settled: dict[str, tuple[str, int]] = {}
        """States at the end of the last turn, by path."""
        self._earlier: dict[str, tuple[str, int]] = {}
        """States at the end of the earlier run, by path."""
        self._has_reported_more = False

    def recall(self, files: Iterable[DiskState], outside: Iterable[str] = ()) -> None:
        """Restore the states at the end of an earlier run.

        Differences from them were made outside any turn.

        Args:
            files: the files at the end of that run.
            outside: paths changed outside any turn, even if restored since.
        """
        self._outside.update(outside)
        for file in files:
            self._reported = None  # even an empty list is a change
            state = (file.id, file.new_mode)
            self._earlier[file.path] = self._settled[file.path] = state
            if file.outside:
                self._outside.add(file.path)
            else:
                self._in_turns.add((file.path, state))

    def take_over(
        self,
        changes: Iterable[ChangedFile],
        *,
        outside: bool,
        took: float = 0.0,
        ours: Collection[str] = (),
        steps: Mapping[str, LineStep] | None = None,
    ) -> None:
        """Replace all differences.

        Args:
            changes: all differences from the start.
            outside: whether new differences came outside any turn.
            took: seconds since the comparison began.
            ours: paths touched by an undo or redo, whose remaining changes keep their origin.
            steps: the latest changes, by relative path.
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
        if len(now) > SHOWN and not self._has_reported_more:
            self._has_reported_more = True
            text = f"{len(now):,} files have changed; the first {SHOWN:,} are listed."
            self._tell(Noted(text, "warning", "List generated files in a .gitignore to leave them out."))
        files = self.listed(now)
        if files != self._reported:
            self._reported = files
            moved_steps = {
                self._absolute(path): step._replace(moved_from=self._absolute(step.moved_from))
                if step.moved_from
                else step
                for path, step in (steps or {}).items()
            }
            self._tell(WorkspaceCompared(files, took=took, undone=undone, steps=moved_steps))

    def settle(self) -> None:
        """Record the states at the end of a turn."""
        self._settled = {path: change.state for path, change in self.changes.items()}

    def mark_outside(self, changes: Iterable[ChangedFile]) -> None:
        """Mark changes between two turns as made outside.

        `changes` are the differences right before a turn.
        """
        for path, change in self.by_path(changes).items():
            if self._settled.get(path) != change.state:
                self._outside.add(path)
                self.changes[path] = change

    def by_path(self, changes: Iterable[ChangedFile]) -> dict[str, ChangedFile]:
        """Return changes by absolute path."""
        return {self._absolute(change.path): change for change in changes}

    def listed(self, changes: Mapping[str, ChangedFile]) -> tuple[DiskState, ...]:
        """Return changes as the session's values, up to `SHOWN`."""
        return tuple(self._on_disk(path, change) for path, change in islice(changes.items(), SHOWN))

    def report_again(self) -> None:
        """Report all differences after the next comparison, for a new listener."""
        self._reported = None

    def clear(self) -> None:
        """Forget all differences."""
        self.changes.clear()

    def _absolute(self, path: str) -> str:
        return f"{self._cwd}/{path}"

    def _on_disk(self, path: str, change: ChangedFile) -> DiskState:
        counts = self._lines(change) if change.binary else Counts(change.added, change.removed)
        return DiskState(
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


def exclusion_notice(left_out: Sequence[LeftOut]) -> Noted:
    """Return the notice for files excluded from snapshots."""
    counts = Counter(each.reason for each in left_out)
    parts = [f"{_REASONS[reason]} ({count:,})" for reason, count in counts.items()]
    names = [each.path for each in left_out[:_NAMED]]
    more = [f"and {len(left_out) - _NAMED:,} more"] if len(left_out) > _NAMED else []
    severity: Severity = "warning" if "too many" in counts else "info"
    return Noted(f"Changes are not shown in {' and '.join(parts)}.", severity, "\n".join([*names, *more]))
