"""Seven scripted agents, each in the words of one document about the protocol: two full forms, five others.

`overview` and `reference` write everything into `content` or name updates twice, `digest` is the protocol of
2025, `bare` that with each object below the name of its kind or without one. `labels` tells updates by `type`
and permissions by labels, `design` nests calls and tells texts by `chunk`, `guide` uses camel case in `type`.
As a program this is the agent of a name: standard library only.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from typing import Any

Frame = dict[str, Any]


@dataclass(frozen=True)
class DialectAgent:
    """The words of an agent at each station of a session."""

    initialize: Frame
    new: Frame
    updates: list[Frame]
    """Thought, two pieces of text, a tool call and its end, a plan."""
    permission: Frame
    """The params of its question about the call `c2`, without the session."""
    allow: str
    """The id by which its first option is answered."""
    end: Frame
    said: str
    """Its messages, with the words in its last answer."""
    title: str
    """Title of its tool call."""
    plan: list[str]
    loads: bool = False
    names_session: bool = True
    """False where its requests to us name no session."""
    replay: list[Frame] = field(default_factory=list)


def text(words: str) -> Frame:
    return {"type": "text", "text": words}


OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]

MODES = {"currentModeId": "code", "availableModes": [{"id": "code", "name": "Code"}]}

OVERVIEW = DialectAgent(
    initialize={
        "protocolVersion": 1,
        "agentCapabilities": {
            "sessions": {"new": True, "load": True},
            "prompts": {"image": True, "embeddedContext": True},
        },
        "authenticationMethods": [],
        "meta": {"name": "Overview agent", "version": "2"},
    },
    new={"sessionId": "s1"},
    updates=[
        {"kind": "agent_thought_chunk", "content": {"thought": "hm"}},
        {"kind": "agent_message_chunk", "content": {"role": "assistant", "content": [text("I look ")]}},
        {"kind": "message", "content": "around."},
        {
            "kind": "tool_call",
            "content": {
                "toolCallId": "c1",
                "type": "function",
                "function": {"name": "read_file", "arguments": '{"path": "/w/a"}'},
            },
        },
        {"kind": "tool_call_update", "content": {"toolCallId": "c1", "output": "the text"}},
        {"kind": "plan", "content": {"steps": ["Look", "Mend"]}},
    ],
    permission={"toolCall": {"toolCallId": "c2", "title": "Write"}, "options": OPTIONS},
    allow="yes",
    end={"content": [text("All is done.")], "stopReason": "done"},
    said="I look around.|All is done.",
    title="read_file",
    plan=["Look", "Mend"],
    loads=True,
    names_session=False,
    replay=[{"kind": "agent_message_chunk", "content": {"role": "assistant", "content": [text("earlier")]}}],
)

DIGEST = DialectAgent(
    initialize={"protocolVersion": 1, "agentCapabilities": {"loadSession": True}, "authMethods": []},
    new={"sessionId": "s1"},
    updates=[
        {"sessionUpdate": "agent_thought_chunk", "content": text("hm")},
        {"sessionUpdate": "agent_message_chunk", "content": text("I look ")},
        {"sessionUpdate": "agent_message_chunk", "content": text("around.")},
        {"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Read a", "kind": "read"},
        {
            "sessionUpdate": "tool_call_update",
            "toolCallId": "c1",
            "status": "completed",
            "content": [{"type": "content", "content": text("the text")}],
        },
        {
            "sessionUpdate": "plan",
            "entries": [{"content": "Look", "priority": "high", "status": "completed"}],
        },
    ],
    permission={"toolCall": {"toolCallId": "c2"}, "options": OPTIONS},
    allow="yes",
    end={"stopReason": "end_turn"},
    said="I look around.",
    title="Read a",
    plan=["Look"],
    loads=True,
    replay=[{"sessionUpdate": "agent_message_chunk", "content": text("earlier")}],
)

BARE = DialectAgent(
    initialize={"protocolVersion": 1, "agentCapabilities": {"loadSession": True}},
    new={"sessionId": "s1"},
    updates=[
        {"agent_thought_chunk": {"content": {"text": "hm"}}},
        {"agent_message_chunk": {"content": {"text": "I look "}}},
        {"agent_message_chunk": {"content": {"text": {"text": "around."}}}},
        {"tool_call": {"toolCallId": "c1", "title": "Read a", "kind": "read", "status": "in_progress"}},
        {
            "tool_call_update": {
                "toolCallId": "c1",
                "status": "completed",
                "content": [{"content": {"text": "the text"}}],
            }
        },
        {"plan": {"entries": [{"content": "Look", "priority": "high", "status": "completed"}]}},
    ],
    permission={"toolCall": {"toolCallId": "c2"}, "options": OPTIONS},
    allow="yes",
    end={"stopReason": "end_turn"},
    said="I look around.",
    title="Read a",
    plan=["Look"],
    loads=True,
    replay=[{"agent_message_chunk": {"content": {"text": "earlier"}}}],
)

LABELS = DialectAgent(
    initialize={"protocolVersion": "1.0.0", "capabilities": {"loadSession": False, "modes": MODES}},
    new={"sessionId": "s1", "modes": MODES},
    updates=[
        {"type": "agent_thought_chunk", "content": text("hm")},
        {"type": "text_delta", "delta": "I look "},
        {"type": "text_delta", "delta": "around."},
        {"type": "tool_call", "toolCallId": "c1", "title": "Reading", "kind": "read", "status": "pending"},
        {
            "type": "tool_call_update",
            "toolCallId": "c1",
            "status": "completed",
            "content": [text("the text")],
        },
        {"type": "plan", "entries": [{"content": "Look", "status": "failed"}]},
    ],
    permission={
        "toolCallId": "c2",
        "options": [{"label": "Allow", "action": "allow"}, {"label": "Deny", "action": "deny"}],
    },
    allow="allow",
    end={"stopReason": "endTurn", "content": [text("I look around.")]},
    said="I look around.",
    title="Reading",
    plan=["Look"],
)

DESIGN = DialectAgent(
    initialize={"protocolVersion": "2025-06-01", "capabilities": {}},
    new={"session": {"id": "s1", "metadata": {}}},
    updates=[
        {"type": "thought", "content": "hm"},
        {"type": "messageChunk", "role": "assistant", "chunk": "I look "},
        {"type": "messageChunk", "role": "assistant", "chunk": "around."},
        {"type": "toolCall", "toolCall": {"id": "c1", "name": "read", "status": "running", "input": "a"}},
        {
            "type": "toolCall",
            "toolCall": {"id": "c1", "name": "read", "status": "completed", "output": "the text"},
        },
        {"type": "planUpdate", "chunk": "- Look\n- Mend\n"},
    ],
    permission={"toolCall": {"id": "c2", "name": "write"}, "options": OPTIONS},
    allow="yes",
    end={"stopReason": "endTurn"},
    said="I look around.",
    title="read",
    plan=["Look", "Mend"],
)

REFERENCE = DialectAgent(
    initialize={
        "protocolVersion": 1,
        "agentCapabilities": {"sessions": {"new": True, "load": False}, "mcp": {"http": False}},
    },
    new={"sessionId": "s1"},
    updates=[
        {"type": "agent_thought_chunk", "sessionUpdate": "update-1", "content": text("hm")},
        {"type": "agent_message_chunk", "sessionUpdate": "update-2", "content": text("I look ")},
        {"type": "agent_message_chunk", "sessionUpdate": "update-3", "content": text("around.")},
        {
            "type": "tool_call",
            "sessionUpdate": "update-4",
            "toolCallId": "c1",
            "title": "Read a",
            "kind": "fs_read",
        },
        {
            "type": "tool_call_update",
            "sessionUpdate": "update-5",
            "toolCallId": "c1",
            "status": "completed",
            "content": [text("the text")],
        },
        {
            "type": "plan",
            "sessionUpdate": "update-6",
            "entries": [{"id": "step-1", "description": "Look", "status": "in_progress"}],
        },
    ],
    permission={"toolCall": {"tool_call_id": "c2", "title": "Write"}, "options": OPTIONS},
    allow="yes",
    end={"stop_reason": "done"},
    said="I look around.",
    title="Read a",
    plan=["Look"],
)

GUIDE = DialectAgent(
    initialize={"protocolVersion": 1, "agentCapabilities": {"sessions": {"load": True}}},
    new={"sessionId": "s1"},
    updates=[
        {"type": "agentThoughtChunk", "content": text("hm")},
        {"type": "agentMessageChunk", "content": text("I look ")},
        {"kind": "agent_message_chunk", "content": {"role": "assistant", "content": [{"text": "around."}]}},
        {"kind": "tool_call", "content": {"tool_call_id": "c1", "name": "read", "arguments": {"path": "a"}}},
        {"kind": "tool_call_update", "content": {"tool_call_id": "c1", "output": "the text"}},
        {"kind": "plan", "content": {"steps": ["Look"]}},
    ],
    permission={"toolCall": {"toolCallId": "c2"}, "options": OPTIONS},
    allow="yes",
    end={"content": [{"text": "Done."}], "stop_reason": "done"},
    said="I look around.|Done.",
    title="read",
    plan=["Look"],
    loads=True,
    names_session=False,
    replay=[{"type": "agentMessageChunk", "content": text("earlier")}],
)

AGENTS: dict[str, DialectAgent] = {
    "overview": OVERVIEW,
    "digest": DIGEST,
    "bare": BARE,
    "labels": LABELS,
    "design": DESIGN,
    "reference": REFERENCE,
    "guide": GUIDE,
}
"""By what they are called here."""


def serve(agent: DialectAgent) -> None:
    """Be this agent on stdin and stdout: each prompt is a whole turn, `wait` one that waits for its end."""
    cwd, prompted = "", None

    def ask(key: str, method: str, **params: Any) -> Any:
        named = {"sessionId": "s1"} if agent.names_session else {}
        _send(id=key, method=method, params={**named, **params})
        while (frame := _hear()).get("id") != key:
            pass
        return frame.get("result")

    while frame := _hear():
        method, params = frame.get("method"), frame.get("params") or {}
        if method == "initialize":
            _send(id=frame["id"], result=agent.initialize)
        elif method == "session/new":
            cwd = params["cwd"]
            _send(id=frame["id"], result=agent.new)
        elif method == "session/load":
            _tell(params["sessionId"], agent.replay)
            _send(id=frame["id"], result=None)
        elif method == "session/prompt" and params["prompt"][0]["text"] == "wait":
            prompted = frame["id"]
        elif method == "session/cancel" and prompted is not None:
            _send(id=prompted, result={**agent.end, "stopReason": "cancelled"})
            prompted = None
        elif method == "session/prompt":
            _tell("s1", agent.updates)
            ask("q", "session/request_permission", **agent.permission)
            ask("w", "fs/write_text_file", path=f"{cwd}/song", content="la la\n")
            ask("r", "fs/read_text_file", path=f"{cwd}/song")
            terminal = ask("t", "terminal/create", command="cat", args=["song"])["terminalId"]
            ask("e", "terminal/wait_for_exit", terminalId=terminal)
            _send(id=frame["id"], result=agent.end)


def _tell(session_id: str, updates: list[Frame]) -> None:
    for update in updates:
        _send(method="session/update", params={"sessionId": session_id, "update": update})


def _send(**frame: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **frame}), flush=True)


def _hear() -> Frame:
    line = sys.stdin.readline()
    return json.loads(line) if line else {}


if __name__ == "__main__":
    serve(AGENTS[sys.argv[1]])
