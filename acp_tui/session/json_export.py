"""The JSON export: a session as plain values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final

from acp_tui.protocol.schema import Model, TerminalItem
from acp_tui.session.entries import (
    AgentMessage,
    AgentNotice,
    AscribedMessage,
    Compaction,
    Entry,
    Notice,
    SessionMessage,
    SteeredMessage,
    Subagent,
    Thought,
    ToolCall,
    UnknownNews,
    UserCommand,
    UserMessage,
)
from acp_tui.session.plans import UNNAMED
from acp_tui.session.session import Session
from acp_tui.session.text_buffer import TextBuffer

TYPES: Final[dict[type[Entry], str]] = {
    UserMessage: "user_message",
    AscribedMessage: "ascribed_message",
    SteeredMessage: "steered_message",
    AgentMessage: "agent_message",
    Thought: "thought",
    ToolCall: "tool_call",
    Notice: "notice",
    AgentNotice: "agent_notice",
    UnknownNews: "unknown_update",
    Compaction: "compaction",
    Subagent: "subagent",
    SessionMessage: "session_message",
    UserCommand: "own_command",
}
"""Names of the kinds of entries."""


def plain(session: Session, printed: Callable[[str], str]) -> dict[str, Any]:
    """Return a session as JSON values; protocol objects keep the names of the protocol.

    Times are seconds since the start of the agent, to the millisecond.

    Args:
        session: the session.
        printed: returns the output of a terminal by id, or "".
    """
    outputs = ((name, printed(name)) for entry in session.entries for name in _terminals(entry))
    return {
        "session_id": session.id,
        "title": session.title,
        "cwd": session.cwd,
        "entries": _entries(session.entries),
        "terminals": {name: {"output": output} for name, output in outputs if output},
        "changes": [
            {"path": path, "by": change.by, "seen": _value(change.seen), "origins": _value(change.origins)}
            for path, change in session.all_files.items()
        ],
        "turns": _value(session.turns),
        "plan": _value(session.plan),
        "plans": [_value(plan) for plan_id, plan in session.plans.by_id.items() if plan_id != UNNAMED],
        "usage": _value(session.usage),
    }


def _entries(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return entries with their types; subagents contain their own."""
    found = []
    for entry in entries:
        row = {"type": TYPES[type(entry)], **_value(entry)}
        found.append({**row, "entries": _entries(entry.entries)} if isinstance(entry, Subagent) else row)
    return found


def _terminals(entry: Entry) -> list[str]:
    """Return the ids of an entry's terminals."""
    if isinstance(entry, UserCommand):
        return [entry.terminal_id]
    content = entry.content if isinstance(entry, ToolCall) else ()
    return [item.terminal_id for item in content if isinstance(item, TerminalItem)]


def _value(value: Any) -> Any:
    if isinstance(value, TextBuffer):
        return str(value)
    if isinstance(value, Model):
        return value.wire()
    if is_dataclass(value):
        return {field.name: _value(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, list | tuple):
        return [_value(one) for one in value]
    return round(value, 3) if isinstance(value, float) else value
