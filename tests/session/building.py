"""Builders of updates and sessions for tests."""

from __future__ import annotations

from typing import Any

from acp_tui.protocol.schema import TextContent
from acp_tui.protocol.validation import read_update
from acp_tui.session import events
from acp_tui.session.entries import AgentMessage, AscribedMessage, Thought, UserMessage, text_of
from acp_tui.session.session import Session


def session_with(*updates: dict[str, Any]) -> Session:
    session = Session("s", "/w")
    for number, update in enumerate(updates):
        session.apply(read_update(update), float(number))
    return session


def chunk(text: str, kind: str = "agent", **more: Any) -> dict[str, Any]:
    return {"sessionUpdate": f"{kind}_message_chunk", "content": {"type": "text", "text": text}, **more}


def thought(text: str) -> dict[str, Any]:
    return {"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": text}}


def call(name: str = "t1", **fields: Any) -> dict[str, Any]:
    return {"sessionUpdate": "tool_call", "toolCallId": name, "title": name, **fields}


def call_update(name: str = "t1", **fields: Any) -> dict[str, Any]:
    return {"sessionUpdate": "tool_call_update", "toolCallId": name, **fields}


def texts(session: Session) -> list[str]:
    return [
        text_of(entry)
        if isinstance(entry, UserMessage | AscribedMessage | AgentMessage | Thought)
        else type(entry).__name__
        for entry in session.entries
    ]


def prompt(text: str) -> events.Prompted:
    return events.Prompted([TextContent(text=text)])
