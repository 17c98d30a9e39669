"""A session as plain values, for whoever reads it outside of acp-tui."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, Final

from acp_tui.acp.word import Word
from acp_tui.session.entries import AgentMessage, Entry, Notice, OwnCommand, Thought, ToolCall, UserMessage
from acp_tui.session.growing import GrowingText
from acp_tui.session.session import Session

TYPES: Final[dict[type[Entry], str]] = {
    UserMessage: "user_message",
    AgentMessage: "agent_message",
    Thought: "thought",
    ToolCall: "tool_call",
    Notice: "notice",
    OwnCommand: "own_command",
}
"""How each kind of entry is called."""


def plain(session: Session) -> dict[str, Any]:
    """Return what was said and done as values that JSON has; words of the protocol keep its names.

    Times are seconds since the agent was started.
    """
    return {
        "session_id": session.id,
        "title": session.title,
        "cwd": session.cwd,
        "entries": [{"type": TYPES[type(entry)], **_value(entry)} for entry in session.entries],
        "turns": _value(session.turns),
        "plan": _value(session.plan),
        "usage": _value(session.usage),
    }


def _value(value: Any) -> Any:
    if isinstance(value, GrowingText):
        return str(value)
    if isinstance(value, Word):
        return value.wire()
    if is_dataclass(value):
        return {field.name: _value(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, list | tuple):
        return [_value(one) for one in value]
    return value
