"""An agent that we talk to: one connection, its sessions, and what both sides ask of each other."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from acp_tui.acp.content import ContentBlock
from acp_tui.acp.initialization import (
    PROTOCOL_VERSION,
    ClientCapabilities,
    FileCapabilities,
    Implementation,
    InitializeRequest,
    InitializeResponse,
    has,
)
from acp_tui.acp.prompts import PromptRequest, PromptResponse
from acp_tui.acp.reading import read
from acp_tui.acp.sessions import (
    AttachRequest,
    ListSessionsResponse,
    NewSessionRequest,
    NewSessionResponse,
    SessionInfo,
)
from acp_tui.agent import errors, history, serving
from acp_tui.agent.connection import Connection, Journal, Pipe, ending
from acp_tui.agent.errors import AgentError, WrongVersion
from acp_tui.agent.questions import Questions
from acp_tui.host.files import Written
from acp_tui.host.host import Host
from acp_tui.host.processes import ExitStatus
from acp_tui.session import events
from acp_tui.session.changes import Change
from acp_tui.session.events import Event
from acp_tui.session.options import Option
from acp_tui.session.session import Session
from acp_tui.wire.messages import Noise, Request
from acp_tui.wire.peer import LINE_LIMIT

log = logging.getLogger(__name__)

OFFERED: Final = ClientCapabilities(
    fs=FileCapabilities(read_text_file=True, write_text_file=True),
    terminal=True,
    session={"configOptions": {"boolean": {}}},
    elicitation={"form": {}, "url": {}},
)
"""What we tell every agent that we can do."""

_EARLY_SESSIONS: Final = 16
"""Sessions whose news may come before the answer that names them."""


class Agent:
    """What we ask of an agent, what we serve it, and the sessions in which all of that is remembered."""

    def __init__(
        self,
        process: Pipe,
        host: Host,
        journal: Journal,
        on_change: Callable[[str, Change], None],
        *,
        name: str = "",
        version: str = "0",
        line_limit: int = LINE_LIMIT,
    ) -> None:
        self.name = name
        """What the person calls it."""
        self.info: InitializeResponse | None = None
        self.sessions: dict[str, Session] = {}
        self.connection = Connection(process, journal, self, line_limit)
        self.on_noise: Callable[[Noise], None] | None = None
        """Told of each line that is no message."""
        self._process = process
        self._host = host
        self._on_change = on_change
        self._version = version
        self._early: dict[str, Session] = {}
        self._outside = Session(history.OUTSIDE)
        self._questions = Questions(self.connection.reply, host)
        self._tasks: dict[Request, asyncio.Task[None]] = {}
        self._started = time.monotonic()

    async def run(self) -> None:
        """Listen until the agent is gone; call once, in a task of its own."""
        status = await self.connection.run()
        for task in list(self._tasks.values()):
            task.cancel()
        reason = f"The agent has ended ({ending(status)})."
        for session_id in list(self.sessions):
            self.note(session_id, events.Disconnected(reason, self.stderr_tail))

    async def stop(self) -> ExitStatus:
        """End the agent, its terminals and all that it started."""
        self.connection.resume_reading()  # so that the end is seen
        for session_id in list(self.sessions):
            await self._host.take_back(session_id)
        return await self._process.stop()

    @property
    def stderr_tail(self) -> str:
        """The newest of what the agent said on the side."""
        return self._process.stderr_tail

    # ------------------------------------------------------------------ what we ask

    async def initialize(self) -> InitializeResponse:
        """Introduce ourselves. Source: ACP, page "initialization".

        Raises:
            WrongVersion, AgentGone, CallFailed.
        """
        request = InitializeRequest(
            client_capabilities=OFFERED,
            client_info=Implementation(name="acp-tui", title="acp-tui", version=self._version),
        )
        self.info = info = read(InitializeResponse, await self.connection.call("initialize", request.wire()))
        if not info.speaks_ours:
            raise WrongVersion(info.protocol_version, PROTOCOL_VERSION)
        return info

    async def new_session(
        self, cwd: str, extra_roots: Sequence[str] = (), mcp_servers: Sequence[dict[str, Any]] = ()
    ) -> Session:
        """Make a session in a folder. Source: ACP, page "session setup"."""
        request = NewSessionRequest(
            cwd=cwd, mcp_servers=list(mcp_servers), additional_directories=self._extra(cwd, extra_roots)
        )
        result = await self.connection.call("session/new", request.wire())
        session_id = read(NewSessionResponse, result).session_id
        self._host.lend(session_id, [cwd, *(request.additional_directories or ())])
        return self.sessions[session_id]

    async def load_session(
        self,
        session_id: str,
        cwd: str,
        extra_roots: Sequence[str] = (),
        mcp_servers: Sequence[dict[str, Any]] = (),
        *,
        replay: bool = True,
    ) -> Session:
        """Take up a session that the agent has: with a replay of what was said, or without.

        A load that fails leaves nothing behind. Source: ACP, page "session setup".
        """
        request = AttachRequest(
            session_id=session_id,
            cwd=cwd,
            mcp_servers=list(mcp_servers),
            additional_directories=self._extra(cwd, extra_roots),
        )
        before = self.sessions.get(session_id)
        self.sessions[session_id] = Session(session_id, cwd)
        self._host.lend(session_id, [cwd, *(request.additional_directories or ())])
        try:
            await self.connection.call("session/load" if replay else "session/resume", request.wire())
        except BaseException:
            del self.sessions[session_id]
            if before is not None:
                self.sessions[session_id] = before
            raise
        return self.sessions[session_id]

    async def list_sessions(self, cwd: str | None = None) -> list[SessionInfo]:
        """Return what the agent has, all pages of it. Source: ACP, page "session list"."""
        found: list[SessionInfo] = []
        seen: set[str | None] = {None}
        params = {} if cwd is None else {"cwd": cwd}
        while True:
            page = read(ListSessionsResponse, await self.connection.call("session/list", params) or {})
            found += page.sessions
            if page.next_cursor in seen:
                return found
            seen.add(page.next_cursor)
            params = {**params, "cursor": str(page.next_cursor)}

    async def prompt(self, session_id: str, prompt: list[ContentBlock]) -> PromptResponse:
        """Say something and wait for the end of the turn. Source: ACP, page "prompt turn"."""
        request = PromptRequest(session_id=session_id, prompt=prompt)
        return read(PromptResponse, _object(await self.connection.call("session/prompt", request.wire())))

    def cancel(self, session_id: str) -> None:
        """Stop the session's turn; open questions are answered `cancelled`. Harmless when no turn runs."""
        if self.sessions[session_id].turn_state != "running":
            return
        # The questions first: some agents end the turn only after they are answered.
        self._questions.cancel(session_id)
        self.connection.notify("session/cancel", {"sessionId": session_id})

    def answer(self, session_id: str, key: str, option_id: str | None, by: str = "you") -> None:
        """Answer a permission with an option of the agent, or None: cancelled."""
        self._questions.answer(session_id, key, option_id, by)

    def answer_form(
        self, session_id: str, key: str, action: str, content: dict[str, Any] | None = None
    ) -> None:
        """Answer a form or an address: `accept`, `decline` or `cancel`."""
        self._questions.answer_form(session_id, key, action, content)

    async def set_option(self, session_id: str, option: Option, value: str | bool) -> None:
        """Change a mode, a model or a config option; the session shows it as pending until the answer."""
        option_id = option.config.id
        params: dict[str, Any] = {"sessionId": session_id}
        if option.set_by == "set_mode":
            params["modeId"] = value
        elif option.set_by == "set_model":
            params["modelId"] = value
        else:
            params |= {"configId": option_id, "value": value}
            if isinstance(value, bool):
                params["type"] = "boolean"
        await self.connection.call(f"session/{option.set_by}", params)

    async def authenticate(self, method_id: str) -> None:
        """Log in by a method that the agent offered; takes as long as the person needs."""
        await self.connection.call("authenticate", {"methodId": method_id})

    async def close_session(self, session_id: str) -> None:
        """End a session: its turn, questions and terminals, and, where the agent can, its side of it."""
        self.cancel(session_id)
        if self.info is not None and has(self.info.agent_capabilities.session_capabilities.close):
            try:
                await self.connection.call("session/close", {"sessionId": session_id})
            except AgentError as error:
                log.info("session/close: %s", error)  # it was not active: closed is closed
        await self._host.take_back(session_id)
        self.sessions.pop(session_id, None)

    # ------------------------------------------------------------------ what the connection tells

    def note(self, session_id: str, event: Event) -> None:
        """The door: apply an event to its session and tell what changed."""
        if isinstance(event, events.Completed):
            # It names no session: an address may have been asked for in any.
            for known in list(self.sessions.values()):
                self._apply(known, event)
        if isinstance(event, events.SetUp) and session_id not in self.sessions:
            early = self._early.pop(session_id, None)
            self.sessions[session_id] = early if early is not None else Session(session_id)
        session = self._session(session_id)
        if session is None and self._makes_session() and len(self._early) < _EARLY_SESSIONS:
            # Some agents tell a session's news before the answer that names it.
            session = self._early[session_id] = Session(session_id)
        if session is None:
            log.info("news of a session that nobody asked for: %s", session_id)
            return
        self._apply(session, event)

    def asked(self, request: Request) -> None:
        """Serve a request of the agent, or let it become a question."""
        session_id = request.params.get("sessionId") if isinstance(request.params, dict) else None
        if request.method in ("session/request_permission", "elicitation/create"):
            self._questions.asked(request, self._session(str(session_id or history.OUTSIDE)), self.name)
        elif request.method in serving.SERVED:
            self._tasks[request] = asyncio.create_task(self._serve(request))
        else:
            data = {"method": request.method}
            self.connection.fail(request, errors.METHOD_NOT_FOUND, "Method not found", data)

    def taken_back(self, request: Request) -> None:
        """End the work on a request, which then gets its answer."""
        if request in self._tasks:
            self._tasks[request].cancel()
        else:
            self._questions.take_back(request)

    def noticed(self, noise: Noise) -> None:
        """Pass on a line that is no message."""
        if self.on_noise is not None:
            self.on_noise(noise)

    async def _serve(self, request: Request) -> None:
        handler: Callable[..., Awaitable[dict[str, Any]]] = serving.SERVED[request.method]
        try:
            result = await handler(self._host, request.params, self._wrote)
        except asyncio.CancelledError:
            self.connection.fail(request, errors.CANCELLED, "Request cancelled")
        except Exception as error:  # every request gets its answer, also when the mistake is ours
            code, message, data = serving.code_of(error, request.params)
            if message.endswith("in the client"):
                log.exception("serving %s", request.method)
            self.connection.fail(request, code, message, data)
        else:
            self.connection.reply(request, result)
        finally:
            del self._tasks[request]

    def _apply(self, session: Session, event: Event) -> None:
        change = session.apply(event, time.monotonic() - self._started)
        if change is not None and session.id not in self._early:
            self._on_change(session.id, change)

    def _session(self, session_id: str) -> Session | None:
        if session_id == history.OUTSIDE:
            return self._outside
        return self.sessions.get(session_id) or self._early.get(session_id)

    def _makes_session(self) -> bool:
        return any(method in ("session/new", "session/fork") for method in self.connection.waiting_for)

    def _wrote(self, session_id: str, written: Written) -> None:
        self.note(session_id, events.Wrote(written.path, written.old, written.new))

    def _extra(self, cwd: str, extra_roots: Sequence[str]) -> list[str] | None:
        """Return the further roots as the agent takes them: without doubles, or not at all."""
        if self.info is None or not has(
            self.info.agent_capabilities.session_capabilities.additional_directories
        ):
            return None
        return [root for root in dict.fromkeys(extra_roots) if root and root != cwd]


def _object(value: Any) -> dict[str, Any]:
    """Return a result as an object: null, nothing and oddities count as an empty one."""
    return value if isinstance(value, dict) else {}
