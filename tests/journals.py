"""A journal in memory, and what a session amounts to without the times."""

from __future__ import annotations

import copy
import json
import time
from dataclasses import dataclass
from typing import Any

from acp_tui.protocol.schema import TerminalItem
from acp_tui.session.entries import Compaction, Entry, Notice, Subagent, Thought, ToolCall, UserCommand
from acp_tui.session.session import Session
from acp_tui.store.journal import Journal


@dataclass(frozen=True)
class Line:
    """One row."""

    t: float
    direction: str
    msg: Any


class MemoryJournal:
    """Keeps the rows that the store's journal would write; `on_disk` gets them, too."""

    def __init__(self, on_disk: Journal | None = None) -> None:
        self.rows: list[Line] = []
        self.on_disk = on_disk

    def record(self, direction: str, line: bytes) -> None:
        self.keep(direction, json.loads(line.decode("utf-8", "replace")))
        if self.on_disk is not None:
            self.on_disk.record(direction, line)

    def raw(self, text: str) -> None:
        self.keep("raw", text)
        if self.on_disk is not None:
            self.on_disk.raw(text)

    def note(self, msg: dict[str, Any]) -> None:
        self.keep("note", copy.deepcopy(msg))
        if self.on_disk is not None:
            self.on_disk.note(msg)

    def output(self, msg: dict[str, Any]) -> None:
        self.keep("note", copy.deepcopy(msg))
        if self.on_disk is not None:
            self.on_disk.output(msg)

    def flush(self) -> None:
        if self.on_disk is not None:
            self.on_disk.flush()

    def flush_some(self) -> bool:
        return self.on_disk is not None and self.on_disk.flush_some()

    def keep(self, direction: str, msg: Any) -> None:
        """Keep a row."""
        self.rows.append(Line(time.monotonic(), direction, msg))


def told(session: Session) -> dict[str, Any]:
    """Return all that a session tells, but for the times."""
    return {
        "id": session.id,
        "cwd": session.cwd,
        "entries": [_timeless(entry) for entry in session.entries],
        "turn": session.turn_state,
        "turns": [(turn.first, turn.stop_reason) for turn in session.turns],
        "plan": session.plan,
        "options": session.options,
        "pending": session.pending,
        "commands": session.commands,
        "usage": session.usage,
        "title": session.title,
        "questions": list(session.questions),
        "files": session.files,
        "connected": session.connected,
    }


def _timeless(entry: Entry) -> Any:
    entry = copy.deepcopy(entry)
    if isinstance(entry, ToolCall):
        entry.started, entry.ended = 0.0, entry.ended and 1.0
        if any(isinstance(item, TerminalItem) for item in entry.content):
            entry.output = None  # live, the terminal itself has it
        return entry
    entry.at = 0.0
    if isinstance(entry, UserCommand | Subagent | Compaction):
        entry.ended = entry.ended and 1.0
    if isinstance(entry, Subagent):
        entry.started = entry.started and 1.0
        entry.entries = [_timeless(each) for each in entry.entries]
    if isinstance(entry, Thought):
        entry.last = 0.0
    if isinstance(entry, Notice):
        entry.detail = ""  # the tail of stderr is no frame
    return entry
