"""What differs in a workspace from the beginning of a session, and what of it nobody changed in a turn."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from itertools import islice
from typing import Any, Final

from acp_tui.changes.snapshots import Counts
from acp_tui.changes.tree import LARGEST, MOST_FILES, ChangedFile, LeftOut, Reason
from acp_tui.session.entries import Severity
from acp_tui.session.events import Noted, WorkspaceCompared
from acp_tui.session.files import DiskState, FileChange, Origin
from acp_tui.session.past import KeptSnapshot, UndoStep, UndoStepTaken

SHOWN: Final = 1_000
"""Files that a session lists at most."""
_NAMED: Final = 10  # files that a notice names
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
            cwd: the workspace as the session names it.
            tell: takes what was found into the session.
            lines: returns how many lines changed in what git takes for data; None where it is.
        """
        self._lines = lines
        self.changes: dict[str, ChangedFile] = {}
        self._cwd = cwd.rstrip("/")
        self._tell = tell
        self._told: tuple[DiskState, ...] | None = ()
        self._outside: set[str] = set()
        """Files that were changed last while no turn ran."""
        self._in_turns: set[tuple[str, tuple[str, int]]] = set()
        """What files were like in turns: an undoing brings that back."""
        self._settled: dict[str, tuple[str, int]] = {}
        """What changed files were when the last turn ended."""
        self._earlier: dict[str, tuple[str, int]] = {}
        """What changed files were like when an earlier run of the session ended."""
        self._has_told_of_more = False

    def recall(self, files: Iterable[DiskState], outside: Iterable[str] = ()) -> None:
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
        self, changes: Iterable[ChangedFile], *, outside: bool, took: float = 0.0, ours: Collection[str] = ()
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
            self._tell(WorkspaceCompared(files, took=took, undone=undone))

    def settle(self) -> None:
        """Remember how the files are at the end of a turn."""
        self._settled = {path: change.state for path, change in self.changes.items()}

    def changed_since_then(self, changes: Iterable[ChangedFile]) -> None:
        """Take what differs right before a turn: what is not as the last turn left it came from outside."""
        for path, change in self.by_path(changes).items():
            if self._settled.get(path) != change.state:
                self._outside.add(path)
                self.changes[path] = change

    def by_path(self, changes: Iterable[ChangedFile]) -> dict[str, ChangedFile]:
        """Return changes by their absolute paths."""
        return {self._absolute(change.path): change for change in changes}

    def listed(self, changes: Mapping[str, ChangedFile]) -> tuple[DiskState, ...]:
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


def not_shown(left_out: Sequence[LeftOut]) -> Noted:
    """Return what to say of files that are not in the snapshots of a session."""
    counts = Counter(each.reason for each in left_out)
    parts = [f"{_REASONS[reason]} ({count:,})" for reason, count in counts.items()]
    names = [each.path for each in left_out[:_NAMED]]
    more = [f"and {len(left_out) - _NAMED:,} more"] if len(left_out) > _NAMED else []
    severity: Severity = "warning" if "too many" in counts else "info"
    return Noted(f"Changes are not shown in {' and '.join(parts)}.", severity, "\n".join([*names, *more]))


Seen = dict[str, DiskState]
"""What was seen on disk, by path."""

_ID: Final = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_LATEST: Final = 4e9
"""Seconds since the epoch that any clock can tell."""
_DEFAULTS: Final = asdict(DiskState("", "M", ""))


def seen(files: Mapping[str, FileChange]) -> Seen:
    """Return what of the changed files was seen on disk."""
    return {path: file.seen for path, file in files.items() if file.seen is not None}


def row(session_id: str, before: Seen, files: Mapping[str, FileChange]) -> dict[str, Any] | None:
    """Return what is to be written down of the files as they are now; None where there is no news."""
    now = seen(files)
    news = [_file(files[path], file) for path, file in now.items() if before.get(path) != file]
    gone = [path for path in before if path not in now]
    return {"snapped": news, "gone": gone, "session": session_id} if news or gone else None


def event(msg: Mapping[str, Any], before: Seen) -> WorkspaceCompared:
    """Read a line; what is no file is passed over."""
    now, origins = dict(before), {}
    for path in _list(msg.get("gone")):
        now.pop(str(path), None)
    for item in _list(msg.get("snapped")):
        if isinstance(item, dict) and isinstance(item.get("path"), str):
            file = _on_disk(item)
            now[file.path] = file
            if isinstance(item.get("origin"), dict):
                origins[file.path] = _origin(item["origin"])
    return WorkspaceCompared(tuple(now.values()), origins)


def kept_row(session_id: str, told: KeptSnapshot | UndoStep | UndoStepTaken) -> dict[str, Any]:
    """Return what is to be written down of a snapshot, or of what the user has undone."""
    match told:
        case KeptSnapshot():
            row = {"kept": told.id, "turn": told.turn, "at": told.at, "cwd": told.cwd}
            row |= {"late": True} if told.late else {}
            row |= {"since": told.since} if told.since else {}
        case UndoStep():
            row = {"undid": told.back, "after": told.after, "paths": list(told.paths)}
        case UndoStepTaken():
            row = {"redone": told.place}
    return {**row, "session": session_id}


def kept_event(msg: Mapping[str, Any]) -> KeptSnapshot | UndoStep | UndoStepTaken | None:
    """Read such a line; None for any other, and for one that cannot be true."""
    turn, at, place = msg.get("turn"), msg.get("at"), msg.get("redone")
    if _is_id(msg.get("kept")) and type(turn) is int and turn >= 0 and isinstance(at, int | float):
        late, cwd, since = msg.get("late") is True, str(msg.get("cwd", "")), msg.get("since")
        since = since if type(since) is int else 0
        return KeptSnapshot(turn, msg["kept"], min(max(0.0, float(at)), _LATEST), late, cwd, since)
    if _is_id(msg.get("undid")) and _is_id(msg.get("after")):
        return UndoStep(msg["undid"], msg["after"], tuple(map(str, _list(msg.get("paths")))))
    return UndoStepTaken(place) if type(place) is int else None


def _is_id(value: object) -> bool:
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def _file(change: FileChange, file: DiskState) -> dict[str, Any]:
    told = {name: value for name, value in asdict(file).items() if value != _DEFAULTS[name]}
    told = {"path": file.path, "status": file.status, **told}
    if change.origins:
        told["origin"] = {name: value for name, value in asdict(change.origins[-1]).items() if value}
    return told


def _on_disk(item: Mapping[str, Any]) -> DiskState:
    known = {
        field.name: item[field.name]
        for field in fields(DiskState)
        if type(item.get(field.name)) is type(_DEFAULTS[field.name])
    }
    status = known.get("status")
    if status not in ("A", "M", "D", "R", "T"):
        known["status"] = "M"
    return DiskState(**{"old_path": item["path"], **known})


def _origin(item: Mapping[str, Any]) -> Origin:
    turn = item.get("turn")
    texts = {name: str(item.get(name, "")) for name in ("tool_call_id", "title", "plan_entry")}
    return Origin(turn if type(turn) is int else 0, **texts)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
