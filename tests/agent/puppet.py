"""An agent whose strings the test pulls: the double of a process, and a conversation with it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from acp_tui.agent.agent import Agent
from acp_tui.agent.permissions.access import AgentAccess
from acp_tui.agent.permissions.decision_records import KeepDecision
from acp_tui.agent.replay import replay
from acp_tui.protocol.jsonrpc import LINE_LIMIT
from acp_tui.protocol.schema import ContentBlock, PromptResponse, TextContent
from acp_tui.rules.model import Rule
from acp_tui.session.entries import AgentMessage, ToolCall, text_of
from acp_tui.session.events import SessionChange
from acp_tui.session.session import Session
from acp_tui.store.decisions import Decision
from acp_tui.store.settings import Policy
from acp_tui.workspace.processes import ExitStatus
from acp_tui.workspace.terminals import Terminals
from tests.journals import MemoryJournal, told
from tests.sent import Frame, Sent
from tests.waiting import PATIENCE, settled, until

SESSION = "s1"

OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "always", "name": "Always", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]

ABLE: Frame = {
    "loadSession": True,
    "promptCapabilities": {"image": True, "audio": True, "embeddedContext": True},
    "sessionCapabilities": {
        "list": {},
        "resume": {},
        "close": {},
        "delete": {},
        "additionalDirectories": {},
    },
    "auth": {"logout": {}},
}

ABLE_IN_VERSION_2: Frame = {
    "session": {
        "prompt": {"image": {}, "embeddedContext": {}},
        "mcp": {"stdio": {}, "http": {}},
        "delete": {},
        "title": {},
    }
}

FORM = {"mode": "form", "message": "Which?", "requestedSchema": {"type": "object", "properties": {}}}

CANCELLED = {"outcome": {"outcome": "cancelled"}}
"""The answer to a permission that was not given."""


class Puppet:
    """A process in memory: what it says comes from the test, what it is told is kept."""

    def __init__(self) -> None:
        self.sent = Sent()
        self.stderr_tail = ""
        self.stopped = False
        self.reads = asyncio.Event()
        self.reads.set()
        self._taken = 0
        self._incoming: asyncio.Queue[bytes] = asyncio.Queue()
        self._exit: asyncio.Future[ExitStatus] = asyncio.get_running_loop().create_future()

    # ------------------------------------------------------------------ as a process

    async def read(self) -> bytes:
        return await self._incoming.get()

    def write(self, data: bytes) -> None:
        self.sent.take(data)

    @property
    def unread(self) -> int:
        return 0 if self.reads.is_set() else 1

    async def room(self) -> None:
        await self.reads.wait()

    async def wait(self) -> ExitStatus:
        return await asyncio.shield(self._exit)

    async def stop(self) -> ExitStatus:
        self.stopped = True
        self.exits(0)
        return await self.wait()

    # ------------------------------------------------------------------ as a puppet

    def prints(self, data: bytes) -> None:
        """Write bytes to stdout."""
        self._incoming.put_nowait(data)

    def says(self, *frames: Frame) -> None:
        """Send messages, all in one go."""
        self.prints(b"".join(json.dumps({"jsonrpc": "2.0", **frame}).encode() + b"\n" for frame in frames))

    def updates(self, name: str, session: str = SESSION, /, **fields: Any) -> None:
        """Send one update."""
        self.says(update(name, session, **fields))

    def asks(self, request_id: object, method: str, **params: Any) -> None:
        """Send a request about the session."""
        self.says({"id": request_id, "method": method, "params": {"sessionId": SESSION, **params}})

    def asks_permission(self, request_id: object, call: str = "t1", **params: Any) -> None:
        """Ask whether a tool call may go on."""
        fields = {"toolCall": {"toolCallId": call, "title": "Run"}, "options": OPTIONS, **params}
        self.asks(request_id, "session/request_permission", **fields)

    def answers(self, call: Frame, result: Any = None, **more: Any) -> None:
        """Answer a request of the client."""
        self.says({"id": call["id"], **(more or {"result": result})})

    def closes_its_output(self) -> None:
        """End stdout, and go on running."""
        self.prints(b"")

    def exits(self, code: int | None, signal: str | None = None) -> None:
        """End."""
        self.closes_its_output()
        if not self._exit.done():
            self._exit.set_result(ExitStatus(code, signal))

    async def hears(self, method: str) -> Frame:
        """Return the client's next message of a method."""
        while True:
            await until(lambda: len(self.sent.frames) > self._taken, method)
            frame = self.sent.frames[self._taken]
            self._taken += 1
            if frame.get("method") == method:
                return frame

    async def answer_to(self, request_id: object) -> Frame:
        """Return the client's answer to a request, which is the only one."""
        await until(lambda: self.sent.answers(request_id), f"answer to {request_id}")
        await settled()
        (answer,) = self.sent.answers(request_id)
        return answer


def update(name: str, session: str = SESSION, /, **fields: Any) -> Frame:
    """Return the notification of an update."""
    params = {"sessionId": session, "update": {"sessionUpdate": name, **fields}}
    return {"method": "session/update", "params": params}


def text(words: str) -> Frame:
    """Return a text block as it goes over the wire."""
    return {"type": "text", "text": words}


def chosen(option_id: str) -> Frame:
    """Return the answer to a permission that names an option."""
    return {"outcome": {"outcome": "selected", "optionId": option_id}}


@dataclass
class Conversation:
    """Our side of a connection, with all that it told and wrote down."""

    agent: Agent
    puppet: Puppet
    access: AgentAccess
    journal: MemoryJournal
    changes: list[tuple[str, SessionChange]]
    decisions: list[Decision] = field(default_factory=list)
    """Records of permissions."""
    prompts: list[asyncio.Task[PromptResponse]] = field(default_factory=list)

    @property
    def session(self) -> Session:
        """The session that the conversation began with."""
        return self.agent.sessions[SESSION]

    async def made(self, session_id: str = SESSION, cwd: str = "/w", **result: Any) -> Session:
        """Make a session."""
        making = asyncio.create_task(self.agent.setup.new_session(cwd))
        self.puppet.answers(await self.puppet.hears("session/new"), {"sessionId": session_id, **result})
        return await making

    async def prompted(
        self, words: str = "go", session: str = SESSION
    ) -> tuple[Frame, asyncio.Task[PromptResponse]]:
        """Send a prompt; return the request as the agent sees it, and the turn."""
        prompt: list[ContentBlock] = [TextContent(text=words)]
        turn = asyncio.create_task(self.agent.prompt(session, prompt))
        self.prompts.append(turn)
        return await self.puppet.hears("session/prompt"), turn

    async def until(self, condition: Callable[[], object], what: str = "condition") -> None:
        """Wait for a condition."""
        await until(condition, what)

    def said(self, session: str = SESSION) -> str:
        """Return all that the agent has said."""
        entries = self.agent.sessions[session].entries
        return "|".join(text_of(entry) for entry in entries if isinstance(entry, AgentMessage))

    def call(self, tool_call_id: str = "t1") -> ToolCall:
        """Return a tool call."""
        call = self.session.tool_call(tool_call_id)
        assert call is not None
        return call


@asynccontextmanager
async def conversation(
    capabilities: Any = ABLE,
    rules: tuple[Rule, ...] = (),
    *,
    begun: bool = True,
    policy: Policy = "ask",
    cwd: str = "/w",
    title_is_command: bool = False,
    line_limit: int = LINE_LIMIT,
    journal: MemoryJournal | None = None,
    on_change: Callable[[str, SessionChange], None] | None = None,
    keep: KeepDecision | None = None,
    meta: Frame | None = None,
    version: int = 1,
) -> AsyncIterator[Conversation]:
    """A conversation with a puppet, initialized and with one session if it is `begun`.

    In version 2 the capabilities are `ABLE_IN_VERSION_2`.

    At its end its journal replays to the same sessions.
    """
    puppet, journal, changes = Puppet(), journal or MemoryJournal(), list[tuple[str, SessionChange]]()
    access = AgentAccess(terminals=Terminals(), rules=rules, policy=policy)
    kept: list[Decision] = []
    agent = Agent(
        puppet,
        access,
        journal,
        on_change or (lambda *change: changes.append(change)),
        name="puppet",
        keep=keep or kept.append,
        title_is_command=title_is_command,
        line_limit=line_limit,
        protocol="newest" if version == 2 else 1,
    )
    talk = Conversation(agent, puppet, access, journal, changes, kept)
    running = asyncio.create_task(agent.run())
    try:
        if begun:
            starting = asyncio.create_task(agent.initialize())
            answer = {"protocolVersion": 1, "agentCapabilities": capabilities, "_meta": meta}
            if version == 2:
                info = {"name": "puppet", "version": "1"}
                answer = {
                    "protocolVersion": 2,
                    "info": info,
                    "capabilities": ABLE_IN_VERSION_2,
                    "_meta": meta,
                }
            puppet.answers(await puppet.hears("initialize"), answer)
            await starting
            await talk.made(cwd=cwd)
        async with asyncio.timeout(PATIENCE):
            yield talk
    finally:
        await agent.stop()
        await asyncio.wait_for(running, PATIENCE)
        await asyncio.gather(*talk.prompts, return_exceptions=True)
    replayed = replay(journal.rows).sessions
    for session_id, session in agent.sessions.items():
        assert told(replayed[session_id]) == told(session)
