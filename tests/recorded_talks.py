"""Journals of sessions with a few prompts, answers and tool calls, to be searched."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Row = tuple[str, Any]
"""Direction and message."""


def prompt(text: str, session: str = "s1", number: int = 1) -> Row:
    params = {"sessionId": session, "prompt": [{"type": "text", "text": text}]}
    return "out", {"jsonrpc": "2.0", "id": number, "method": "session/prompt", "params": params}


def answered(number: int = 1) -> Row:
    return "in", {"jsonrpc": "2.0", "id": number, "result": {"stopReason": "end_turn"}}


def update(fields: dict[str, Any], session: str = "s1") -> Row:
    params = {"sessionId": session, "update": fields}
    return "in", {"jsonrpc": "2.0", "method": "session/update", "params": params}


def chunk(text: str, session: str = "s1") -> Row:
    content = {"type": "text", "text": text}
    return update({"sessionUpdate": "agent_message_chunk", "content": content}, session)


def call(call_id: str, title: str, session: str = "s1", **fields: Any) -> Row:
    return update({"sessionUpdate": "tool_call", "toolCallId": call_id, "title": title, **fields}, session)


def call_update(call_id: str, session: str = "s1", **fields: Any) -> Row:
    return update({"sessionUpdate": "tool_call_update", "toolCallId": call_id, **fields}, session)


def start(agent: str = "claude", cwd: str = "/work/app", at: str = "2026-03-01T12:00:00+00:00") -> Row:
    return "note", {"start": [agent], "agent": agent, "cwd": cwd, "version": "1", "at": at}


def lines(rows: Iterable[Row]) -> list[bytes]:
    """Return rows as a journal writes them, a second apart."""
    made = (json.dumps({"t": float(t), "dir": way, "msg": msg}) for t, (way, msg) in enumerate(rows))
    return [line.encode() + b"\n" for line in made]


def write(path: Path, rows: Iterable[Row]) -> Path:
    """Write a journal."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(lines(rows)))
    return path


def changed(path: Path, old: str, new: str, hunks: list[list[int]], turn: int, call_id: str = "") -> Row:
    """Return the row of a change that a look has found."""
    origin = {"turn": turn, "tool_call_id": call_id, "title": f"Edit by {call_id}" if call_id else ""}
    item = {
        "path": str(path),
        "status": "M",
        "id": _name(new),
        "was": _name(old),
        "hunks": hunks,
        "origin": origin,
    }
    return "note", {"snapped": [item], "gone": [], "session": "s1"}


def _name(text: str) -> str:
    data = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


TALK = (
    start(),
    prompt("Please mend the flaky parser"),
    chunk("I look at the tok"),
    chunk("enizer first."),
    call("c1", "Edit parser.py", kind="edit", rawInput={"path": "/work/app/parser.py"}),
    (
        "in",
        {
            "jsonrpc": "2.0",
            "id": 7,
            "method": "session/request_permission",
            "params": {
                "sessionId": "s1",
                "toolCall": {"toolCallId": "c1"},
                "options": [{"optionId": "yes", "name": "Allow heartily", "kind": "allow_once"}],
            },
        },
    ),
    ("out", {"jsonrpc": "2.0", "id": 7, "result": {"outcome": {"outcome": "selected", "optionId": "yes"}}}),
    call_update(
        "c1",
        status="completed",
        content=[{"type": "diff", "path": "/work/app/parser.py", "oldText": "gone\n", "newText": "fresh\n"}],
    ),
    chunk("All mended."),
    answered(),
    ("note", {"exit": 0}),
)
"""A prompt, an answer, a tool call with a decision, and an answer."""
