"""Which files a session changed: as far as the protocol tells, and as far as the disk shows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from acp_tui.protocol.schema import PlanEntry
from acp_tui.session.entries import Diff, Entry, ToolCall, absolute

_ONLY_LOOK: Final = ("read", "search", "think", "fetch", "switch_mode")
"""Kinds of tool calls that change no files."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What went on when a file changed, as far as it is known."""

    turn: int
    """From 1, as in the session's list of turns, whose first entry is the prompt; 0 for none."""
    tool_call_id: str = ""
    title: str = ""
    """What that call was called then."""
    plan_entry: str = ""
    """What was in progress of the plan when that call began."""


class Steps:
    """What was in progress of the plan, and since when: the agent goes on before a change is seen."""

    def __init__(self, plan: Iterable[PlanEntry] = ()) -> None:
        """Begin with a plan that is there already."""
        self._since: list[tuple[float, str]] = []
        self.take_over(plan, 0.0)

    def take_over(self, plan: Iterable[PlanEntry], at: float) -> None:
        """The plan is this from `at` on, in seconds."""
        step = next((entry.content for entry in plan if entry.status == "in_progress"), "")
        if step != self.newest:
            self._since.append((at, step))

    @property
    def newest(self) -> str:
        """The step that is in progress; may be empty."""
        return self._since[-1][1] if self._since else ""

    def of(self, call: ToolCall) -> str:
        """Return the step in which a call began, or else the first one after that."""
        begun = sum(since <= call.started for since, _ in self._since)
        steps = [step for _, step in self._since[max(0, begun - 1) :]]
        return next(filter(None, steps), "")


def origin(entries: Sequence[Entry], steps: Steps, turn: int, path: str, since: float) -> Origin:
    """Return the origin of a change that was seen just now, and was not yet there at `since`.

    Args:
        entries: those of the turn.
        steps: of the plan.
        turn: the number of the turn; 0 for a change outside any.
        path: the file, absolute.
        since: seconds, on the clock of the entries.
    """
    if not turn:
        return Origin(0)
    running = [entry for entry in entries if isinstance(entry, ToolCall) and _may_write(entry, since)]
    naming = [call for call in running if _names(call, path)]
    if not running:
        return Origin(turn, plan_entry=steps.newest)
    call = (naming or running)[-1]
    return Origin(turn, call.tool_call_id, call.title, steps.of(call))


def _may_write(call: ToolCall, since: float) -> bool:
    is_over = call.ended is not None and call.ended < since
    return not is_over and call.kind not in _ONLY_LOOK and not call.waits and call.status != "rejected"


def _names(call: ToolCall, path: str) -> bool:
    """Whether a call says that it is about a file."""
    return any(path == name or path.endswith(f"/{name}") for name in call.named_paths if name)


@dataclass(slots=True)
class Edit:
    """One change of a file: whole texts, or a snippet of it (agents differ)."""

    old: str | None
    new: str


@dataclass(frozen=True, slots=True)
class DiskState:
    """How a file differs from what it was when the session began, whoever wrote it."""

    path: str
    """Absolute."""
    status: Literal["A", "M", "D", "R", "T"]
    """Added, modified, deleted, renamed, or of another type (file, link)."""
    old_path: str
    """Where it was when the session began: the same, unless it was renamed."""
    added: int = 0
    removed: int = 0
    binary: bool = False
    """There are no lines to count."""
    old_mode: int = 0
    new_mode: int = 0
    """As git knows them: 0o100644, 0o100755 (executable), 0o120000 (link); 0 where there is no file."""
    outside: bool = False
    """The newest change came while no turn ran."""
    id: str = ""
    """The content by its hash; empty where there is no file, or one that is too large."""


@dataclass(slots=True)
class FileChange:
    """All that happened to one file."""

    path: str
    """Absolute."""
    reported: dict[tuple[int, int], Edit] = field(default_factory=dict)
    """What tool calls reported, by the place of their entry and that of the diff in them."""
    written: Edit | None = None
    """What went through our own hands: from before the first write to after the last."""
    seen: DiskState | None = None
    """What the disk shows, which wins over all that was told."""
    origins: list[Origin] = field(default_factory=list)
    """Where its changes come from, the newest last."""

    def came_from(self, origin: Origin) -> None:
        """Note where the newest change comes from."""
        if not self.origins or self.origins[-1] != origin:
            self.origins.append(origin)

    @property
    def by(self) -> str:
        """Who changed it, for people; empty for the agent by its tools."""
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
        """What to show: our own knowledge where there is any, else the agent's reports."""
        return [self.written] if self.written is not None else list(self.reported.values())


class FileChanges:
    """The changed files, in the order in which they were first changed."""

    def __init__(self) -> None:
        self.changes: dict[str, FileChange] = {}
        self._origins: dict[tuple[str, str], list[Origin]] = {}
        """Where files came from that were seen, by path and content."""

    def report(self, place: int, call: ToolCall, cwd: str) -> bool:
        """Take over the diffs of a completed tool call, read against `cwd`; return whether one is new.

        Args:
            place: the index of its entry.
            call: what it tells.
            cwd: the folder of the session.
        """
        changed = False
        for position, item in enumerate(call.content):
            if isinstance(item, Diff):
                edit = Edit(item.before, item.new_text)
                reported = self._change(absolute(item.path, cwd)).reported
                for known in [key for key in reported if key[0] < 0 and reported[key] == edit]:
                    del reported[known]  # an earlier run was told of it, and the agent tells it again
                key = (place, position)
                changed = changed or reported.get(key) != edit
                reported[key] = edit
        return changed

    def wrote(self, path: str, old: str | None, new: str) -> None:
        """Take over a write of our own."""
        change = self._change(path)
        first = change.written.old if change.written is not None else old
        change.written = Edit(first, new)

    def compare(self, files: Iterable[DiskState]) -> list[FileChange] | None:
        """Take over all that the disk shows, and return what is new of it; None if it is no news at all.

        A file that is told no more is as it was.
        """
        now = {file.path: file for file in files}
        before = {path: change.seen for path, change in self.changes.items() if change.seen is not None}
        moved = {file.old_path for file in now.values()} - set(now)
        for path in moved.union(before).difference(now):
            self.changes.pop(path, None)
        for path, file in now.items():
            self._change(path).seen = file
        if before == now:
            return None
        return [self.changes[path] for path, file in now.items() if before.get(path) != file]

    @property
    def origins(self) -> dict[tuple[str, str], tuple[Origin, ...]]:
        """Where files came from that were seen, by path and content."""
        return {key: tuple(origins) for key, origins in self._origins.items()}

    def take_over(
        self,
        files: Iterable[FileChange],
        origins: Mapping[tuple[str, str], Iterable[Origin]],
        over: Collection[str],
        moved: tuple[str, str],
    ) -> None:
        """Put what earlier runs know of files before what the agent has told of the same changes.

        Args:
            files: as they were left.
            origins: where files came from that were seen, by path and content.
            over: paths of files that were changed and are what they were again.
            moved: the folder of the session as it was called, and as it is called now.
        """
        self._origins |= {(_moved(path, *moved), name): [*known] for (path, name), known in origins.items()}
        told, self.changes = self.changes, {}
        for file in files:
            path = _moved(file.path, *moved)
            known = told.pop(path, None)
            reported = {(-1 - place, at): edit for (place, at), edit in file.reported.items()}
            seen = file.seen
            if seen is not None:
                seen = replace(seen, path=path, old_path=_moved(seen.old_path, *moved))
            mine = FileChange(path, known.reported if known else reported, file.written, seen)
            mine.origins = list(file.origins)
            self.changes[path] = mine
            self.remember(mine)
        gone = {_moved(path, *moved) for path in over}
        self.changes |= {path: file for path, file in told.items() if path not in gone}

    def remember(self, file: FileChange) -> None:
        """Keep where a file comes from as it is now."""
        if (key := _content_of(file)) is not None:
            self._origins[key] = list(file.origins)

    def recall(self, file: FileChange) -> bool:
        """Say again where a file came from that is what it was before, as after an undoing; whether it is."""
        key = _content_of(file)
        if key is None or key not in self._origins:
            return False
        file.origins = list(self._origins[key])
        return True

    def _change(self, path: str) -> FileChange:
        return self.changes.setdefault(path, FileChange(path))


def _moved(path: str, old: str, new: str) -> str:
    """Return a path in a folder that had another name."""
    return new + path[len(old) :] if old != new and path.startswith(f"{old}/") else path


def _content_of(file: FileChange) -> tuple[str, str] | None:
    """Return what tells one state of a file from another; None where that is not known."""
    seen = file.seen
    return (file.path, seen.id) if seen is not None and (seen.id or seen.status == "D") else None
