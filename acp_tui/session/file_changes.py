"""The files changed in a session: reported by the agent, and found on disk."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from acp_tui.protocol.schema import PlanEntry
from acp_tui.session.entries import Diff, Entry, ToolCall, absolute

_ONLY_LOOK: Final = ("read", "search", "think", "fetch", "switch_mode")
"""Kinds of tool calls that change no files."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The turn, tool call and plan step of a file change."""

    turn: int
    """Turn (from 1), or 0 for outside any turn."""
    tool_call_id: str = ""
    title: str = ""
    """Title of the tool call at that time."""
    plan_entry: str = ""
    """Plan step in progress when the tool call began."""
    agent: str = ""
    """Name of the subagent whose call it is."""


class StepSpan(NamedTuple):
    """A span of time in which a step was in progress, in seconds."""

    start: float
    stop: float
    """Infinite while it is in progress."""
    tokens: int | None
    """Growth of the context in that span, if known."""


class _Begun(NamedTuple):
    at: float
    step: str
    used: int | None
    """Tokens in the context at that time."""


class Steps:
    """The history of the plan step in progress.

    A change is seen later than it is made, so the step in progress at that time is needed.
    """

    def __init__(self, plan: Iterable[PlanEntry] = ()) -> None:
        """Begin with an existing plan."""
        self._since: list[_Begun] = []
        self.take_over(plan, 0.0)

    def take_over(self, plan: Iterable[PlanEntry], at: float, used: int | None = None) -> None:
        """Record the step in progress from `at` on, in seconds, and the tokens in the context."""
        step = next((entry.content for entry in plan if entry.status == "in_progress"), "")
        if step != self.newest:
            self._since.append(_Begun(at, step, used))

    @property
    def newest(self) -> str:
        """The step in progress, or ""."""
        return self._since[-1].step if self._since else ""

    def of(self, call: ToolCall, until: float = inf) -> str:
        """Return the step in which a call began, or else the next one that began before `until` (seconds)."""
        begun = sum(one.at <= call.started for one in self._since)
        steps = [one.step for one in self._since[max(0, begun - 1) :] if one.at < until]
        return next(filter(None, steps), "")

    def has_any(self, since: float) -> bool:
        """Return whether a step was in progress at `since` (seconds) or later."""
        ends = [*(one.at for one in self._since[1:]), inf]
        return any(one.step and end > since for one, end in zip(self._since, ends, strict=False))

    def spans(self, step: str, used: int | None) -> list[StepSpan]:
        """Return the spans in which a step was in progress; `used` are the tokens in the context now."""
        ends = [*self._since[1:], _Begun(inf, "", used)]
        return [
            StepSpan(begun.at, end.at, _growth(begun.used, end.used))
            for begun, end in zip(self._since, ends, strict=False)
            if begun.step == step
        ]


def _growth(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else max(0, after - before)


def origin(
    entries: Sequence[Entry],
    steps: Steps,
    turn: int,
    path: str,
    since: float,
    owners: Mapping[int, str] = MappingProxyType({}),
) -> Origin:
    """Return the likely origin of a change that appeared between `since` and now.

    Args:
        entries: the entries of the turn.
        steps: the plan's steps.
        turn: the turn (from 1), or 0 for outside any.
        path: the file, absolute.
        since: seconds, on the clock of the entries.
        owners: names of subagents by the identities of their calls.
    """
    if not turn:
        return Origin(0)
    running = [entry for entry in entries if isinstance(entry, ToolCall) and _may_write(entry, since)]
    naming = [call for call in running if _names(call, path)]
    if not running:
        return Origin(turn, plan_entry=steps.newest)
    call = (naming or running)[-1]
    return Origin(turn, call.tool_call_id, call.title, steps.of(call), owners.get(id(call), ""))


def _may_write(call: ToolCall, since: float) -> bool:
    is_over = call.ended is not None and call.ended < since
    return not is_over and call.kind not in _ONLY_LOOK and not call.waits and call.status != "rejected"


def _names(call: ToolCall, path: str) -> bool:
    """Return whether a call names a file."""
    return any(path == name or path.endswith(f"/{name}") for name in call.named_paths if name)


@dataclass(slots=True)
class Edit:
    """One change of a file: whole texts or snippets, depending on the agent."""

    old: str | None
    new: str


@dataclass(frozen=True, slots=True)
class DiskState:
    """A file on disk that differs from the start of the session.

    Its fields are written to journals by name.
    """

    path: str
    """Absolute path."""
    status: Literal["A", "M", "D", "R", "T"]
    """Added, modified, deleted, renamed, or type changed (file, link)."""
    old_path: str
    """Path at the start of the session; differs only for a renamed file."""
    added: int = 0
    removed: int = 0
    binary: bool = False
    """True if there are no lines to count."""
    old_mode: int = 0
    new_mode: int = 0
    """Mode in git's terms: 0o100644, 0o100755 (executable), 0o120000 (link); 0 for no file."""
    outside: bool = False
    """True if the latest change came outside any turn."""
    id: str = ""
    """Hash of the content; "" for no file or one too large."""


@dataclass(slots=True)
class FileChange:
    """The changes of one file."""

    path: str
    """Absolute path."""
    reported: dict[tuple[int, int], Edit] = field(default_factory=dict)
    """Edits reported by tool calls, by entry index and position in its content."""
    written: Edit | None = None
    """The client's writes, as one edit."""
    seen: DiskState | None = None
    """The file on disk, which takes precedence over all reports."""
    origins: list[Origin] = field(default_factory=list)
    """Origins of its changes, the latest last."""

    def add_origin(self, origin: Origin) -> None:
        """Append an origin, unless it is the latest one."""
        if not self.origins or self.origins[-1] != origin:
            self.origins.append(origin)

    @property
    def by(self) -> str:
        """The author, for display; "" for the agent's tools."""
        if self.seen is None:
            return ""
        if self.seen.outside:
            return "outside a turn"
        if self.edits:
            return ""
        newest = self.origins[-1] if self.origins else None
        if newest is not None and newest.turn and not newest.tool_call_id:
            return "by no tool call"
        return "on disk"

    @property
    def edits(self) -> list[Edit]:
        """The edits to show: the client's writes, else the agent's reports."""
        return [self.written] if self.written is not None else list(self.reported.values())


def new_names(files: Iterable[FileChange], path: str) -> list[str]:
    """Return the possible new paths of a missing file: its path after a rename, else those of new files."""
    seen = [file.seen for file in files if file.seen is not None]
    renamed = [file.path for file in seen if file.status == "R" and file.old_path == path]
    return renamed or [file.path for file in seen if file.status == "A"]


class FileChanges:
    """The changed files, in the order of their first change."""

    def __init__(self) -> None:
        self.changes: dict[str, FileChange] = {}
        self._origins: dict[tuple[str, str], list[Origin]] = {}
        """Origins of every state seen, by path and content id."""
        self._edits: dict[tuple[str, str], tuple[Edit | None, dict[tuple[int, int], Edit]]] = {}
        """The edits of files that are back to their original state, by path and content id before."""

    def report(self, place: int, call: ToolCall, cwd: str) -> bool:
        """Record the diffs of a completed tool call; return whether one is new.

        Args:
            place: the index of its entry.
            call: the tool call.
            cwd: the session's folder, for relative paths.
        """
        changed = False
        for position, item in enumerate(call.content):
            if isinstance(item, Diff) and not item.has_no_text:
                edit = Edit(item.before, item.new_text)
                reported = self._change(absolute(item.path, cwd)).reported
                for known in [key for key in reported if key[0] < 0 and reported[key] == edit]:
                    del reported[known]  # replayed: known from an earlier run
                key = (place, position)
                changed = changed or reported.get(key) != edit
                reported[key] = edit
        return changed

    def wrote(self, path: str, old: str | None, new: str) -> None:
        """Record a write of the client."""
        change = self._change(path)
        first = change.written.old if change.written is not None else old
        change.written = Edit(first, new)

    def compare(self, files: Iterable[DiskState]) -> list[FileChange] | None:
        """Replace the states on disk; return the changed files, or None if nothing changed.

        A file that is not in `files` is back to its original state.
        """
        now = {file.path: file for file in files}
        before = {path: change.seen for path, change in self.changes.items() if change.seen is not None}
        moved = {file.old_path for file in now.values()} - set(now)
        for path in moved.union(before).difference(now):
            gone = self.changes.pop(path, None)
            if gone is not None and (key := _content_of(gone)) is not None:
                self._edits[key] = (gone.written, gone.reported)
        for path, file in now.items():
            self._change(path).seen = file
        if before == now:
            return None
        return [self.changes[path] for path, file in now.items() if before.get(path) != file]

    @property
    def origins(self) -> dict[tuple[str, str], tuple[Origin, ...]]:
        """Origins of every state seen, by path and content id."""
        return {key: tuple(origins) for key, origins in self._origins.items()}

    def take_over(
        self,
        files: Iterable[FileChange],
        origins: Mapping[tuple[str, str], Iterable[Origin]],
        over: Collection[str],
        moved: tuple[str, str],
    ) -> None:
        """Insert the changes of earlier runs before this run's.

        Args:
            files: the changes at the end of the earlier runs.
            origins: origins of every state seen, by path and content id.
            over: paths of files that are back to their original state.
            moved: the session's folder then, and now.
        """
        self._origins |= {(_moved(path, *moved), name): [*known] for (path, name), known in origins.items()}
        current, self.changes = self.changes, {}
        for file in files:
            path = _moved(file.path, *moved)
            known = current.pop(path, None)
            reported = {(-1 - place, at): edit for (place, at), edit in file.reported.items()}
            seen = file.seen
            if seen is not None:
                seen = replace(seen, path=path, old_path=_moved(seen.old_path, *moved))
            mine = FileChange(path, known.reported if known else reported, file.written, seen)
            mine.origins = list(file.origins)
            self.changes[path] = mine
            self.remember(mine)
        gone = {_moved(path, *moved) for path in over}
        self.changes |= {path: file for path, file in current.items() if path not in gone}

    def remember(self, file: FileChange) -> None:
        """Remember the origins of a file's current state."""
        if (key := _content_of(file)) is not None:
            self._origins[key] = list(file.origins)

    def recall(self, file: FileChange) -> bool:
        """Restore the origins of a state that was seen before, as after an undo; return whether it was."""
        key = _content_of(file)
        if key is None or key not in self._origins:
            return False
        file.origins = list(self._origins[key])
        if not file.edits and key in self._edits:
            file.written, file.reported = self._edits[key]
        return True

    def _change(self, path: str) -> FileChange:
        return self.changes.setdefault(path, FileChange(path))


def _moved(path: str, old: str, new: str) -> str:
    """Return a path after the rename of its folder."""
    return new + path[len(old) :] if old != new and path.startswith(f"{old}/") else path


def _content_of(file: FileChange) -> tuple[str, str] | None:
    """Return a key for a file's state, or None if unknown."""
    seen = file.seen
    return (file.path, seen.id) if seen is not None and (seen.id or seen.status == "D") else None
