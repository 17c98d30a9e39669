"""Which files a session changed, as far as the protocol tells."""

from __future__ import annotations

from dataclasses import dataclass, field

from acp_tui.acp.tools import Diff
from acp_tui.session.entries import ToolCall


@dataclass(slots=True)
class Edit:
    """One change of a file: whole texts, or a snippet of it (agents differ)."""

    old: str | None
    new: str


@dataclass(slots=True)
class FileChange:
    """All that happened to one file."""

    path: str
    """Absolute."""
    reported: dict[tuple[str, int], Edit] = field(default_factory=dict)
    """What tool calls reported, by their id and the place of the diff in them."""
    written: Edit | None = None
    """What went through our own hands: from before the first write to after the last."""

    @property
    def edits(self) -> list[Edit]:
        """What to show: our own knowledge where there is any, else the agent's reports."""
        return [self.written] if self.written is not None else list(self.reported.values())


class Files:
    """The changed files, in the order in which they were first changed."""

    def __init__(self) -> None:
        self.changes: dict[str, FileChange] = {}

    def report(self, call: ToolCall, cwd: str) -> bool:
        """Take over the diffs of a completed tool call, read against `cwd`; return whether one is new."""
        changed = False
        for position, item in enumerate(call.content):
            if isinstance(item, Diff):
                edit = Edit(item.before, item.new_text)
                path = item.path if item.path.startswith("/") else f"{cwd.rstrip('/')}/{item.path}"
                reported = self._change(path).reported
                key = (call.tool_call_id, position)
                changed = changed or reported.get(key) != edit
                reported[key] = edit
        return changed

    def wrote(self, path: str, old: str | None, new: str) -> None:
        """Take over a write of our own."""
        change = self._change(path)
        first = change.written.old if change.written is not None else old
        change.written = Edit(first, new)

    def _change(self, path: str) -> FileChange:
        return self.changes.setdefault(path, FileChange(path))
