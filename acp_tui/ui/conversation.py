"""The life of one conversation: the agent's start, a session, what waits to be said, the end, and again.

No widget and no layout here: the screen hears `Listener` and calls methods.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, get_args

from acp_tui import __version__
from acp_tui.ui.failures import Failure, FailureKind

if TYPE_CHECKING:
    from pathlib import Path

    from acp_tui.acp.content import ContentBlock
    from acp_tui.agent.agent import Agent
    from acp_tui.agent.process import Process
    from acp_tui.host.host import Host
    from acp_tui.session.changes import Change, Field
    from acp_tui.session.options import Option
    from acp_tui.session.session import Session
    from acp_tui.store.journal import Journal
    from acp_tui.store.launch import Launch
    from acp_tui.ui.start import Start

Phase = Literal["starting", "logging-in", "ready", "failed", "ended", "recorded"]

_SLOWLY: Final = (
    "pydantic",
    "acp_tui.acp.content",
    "acp_tui.acp.tools",
    "acp_tui.acp.updates",
    "acp_tui.acp.reading",
    "acp_tui.session.session",
    "acp_tui.host.host",
    "acp_tui.agent.agent",
)
"""Imported one by one after the first frame, so that keys are answered in between."""


class Listener(Protocol):
    """Who shows the conversation."""

    def phase_changed(self) -> None:
        """`phase` has a new value."""

    def session_changed(self, change: Change) -> None:
        """Something in the session changed."""

    def queue_changed(self) -> None:
        """What waits to be said changed."""

    def prompt_failed(self, text: str) -> None:
        """What was said did not arrive: the person gets it back."""

    async def choose_login(self, agent: Agent, error: str) -> str | None:
        """Ask the person for a way to log in; None: not now."""


class Conversation:
    """One agent and one session of it, from the first start to the last end."""

    def __init__(self, start: Start, listener: Listener) -> None:
        self.phase: Phase = "starting"
        self.failure: Failure | None = None
        """Why the phase is `failed` or `ended`."""
        self.waiting_since = time.monotonic()
        """When the current phase began, on the monotonic clock."""
        self.launch: Launch | None = start.launch
        self.agent: Agent | None = None
        self.session: Session | None = None
        self.queue: list[str] = []
        """What is said when the turn, or the start, is over; the first goes first."""
        self.left_out: list[str] = []
        """Names of MCP servers that the agent cannot take."""
        self.journal: Journal | None = None
        self.host: Host | None = None
        self._start = start
        self._listener = listener
        self._process: Process | None = start.process
        self._spawn_error: Exception | None = start.spawn_error
        self._reader: asyncio.Task[None] | None = None
        self._stopping = False

    # ------------------------------------------------------------------ beginning and ending

    async def begin(self, launch: Launch | None = None) -> None:
        """Start the agent, or take over the one that is starting, and make a session.

        What goes wrong ends in the phase `failed`, with what to tell the person.
        """
        if launch is not None:
            self.launch = launch
        self._set_phase("starting")
        for module in _SLOWLY:
            importlib.import_module(module)
            await asyncio.sleep(0)
        from acp_tui.agent.errors import AgentError

        if self._process is None and not self._spawn():
            return
        try:
            agent = self._make_agent()
            await agent.initialize()
            self.session = await self._make_session(agent)
        except AgentError as error:
            self._fail(error)
            return
        self._set_phase("ready")
        await self._apply_mode()
        self._send_next()

    def show_recorded(self, path: Path) -> None:
        """Show what a journal remembers; nothing can be said to it."""
        from acp_tui.agent.replay import replay
        from acp_tui.session.changes import Change, Field
        from acp_tui.store.recorded import read

        sessions = replay(read(path)).sessions
        if sessions:
            self.session = session = next(reversed(sessions.values()))
            self._set_phase("recorded")
            every: tuple[Field, ...] = get_args(Field)
            self._listener.session_changed(Change(tuple(range(len(session.entries))), every))

    async def restart(self, launch: Launch | None = None) -> None:
        """End what runs and begin again. What was said stays on the screen, above the new session."""
        from acp_tui.session.events import Noted

        await self.end()
        self._stopping = False
        before, self.session = self.session, None
        await self.begin(launch)
        if before is not None and self.session is not None and self.agent is not None:
            text = "A new session: the agent does not know what stands above."
            self.agent.note(self.session.id, Noted(text))

    async def end(self) -> None:
        """End the agent and all that it started."""
        self._stopping = True
        if self.agent is not None:
            await self.agent.stop()
        elif self._process is not None:
            await self._process.stop()
        if self._reader is not None:
            await asyncio.wait([self._reader])
        if self.journal is not None:
            self.journal.close()
        self.agent = self._process = self._reader = None

    @property
    def command(self) -> Sequence[str]:
        """The agent's program and arguments."""
        return self.launch.argv if self.launch is not None else ()

    @property
    def agent_name(self) -> str:
        """The agent's name for people: its own, once it has said it."""
        if self.agent is not None and self.agent.info is not None and self.agent.info.agent_info is not None:
            return self.agent.info.agent_info.shown
        return self.launch.title if self.launch is not None else "agent"

    # ------------------------------------------------------------------ the conversation

    def say(self, text: str) -> None:
        """Send a prompt, or queue it while the agent is busy or still starting."""
        self.queue.append(text)
        self._listener.queue_changed()
        self._send_next()

    def take_from_queue(self, index: int) -> str:
        """Take back something that was not sent yet."""
        text = self.queue.pop(index)
        self._listener.queue_changed()
        return text

    def cancel(self) -> bool:
        """Stop the turn; return whether there was one to stop."""
        if self.agent is None or self.session is None or self.session.turn_state != "running":
            return False
        self.agent.cancel(self.session.id)
        return True

    def answer(self, key: str, option_id: str | None) -> None:
        """Answer a permission."""
        if self.agent is not None and self.session is not None:
            self.agent.answer(self.session.id, key, option_id)

    def answer_form(self, key: str, action: str, content: dict[str, Any] | None) -> None:
        """Answer a form or an address."""
        if self.agent is not None and self.session is not None:
            self.agent.answer_form(self.session.id, key, action, content)

    async def set_option(self, option: Option, value: str | bool) -> None:
        """Change a mode, a model or another option; a refusal is a notice in the chat."""
        from acp_tui.agent.errors import AgentError

        if self.agent is None or self.session is None:
            return
        try:
            await self.agent.set_option(self.session.id, option, value)
        except AgentError:
            pass  # the session has noted it

    def pending_value(self, option: Option) -> str | bool:
        """Return the value that an option has, or will have once the agent agrees."""
        pending = self.session.pending if self.session is not None else {}
        return pending.get(option.config.id, option.config.current_value)

    @property
    def is_busy(self) -> bool:
        """Whether a turn runs."""
        return self.session is not None and self.session.turn_state != "idle"

    # ------------------------------------------------------------------ parts of the start

    def _spawn(self) -> bool:
        from acp_tui.agent.process import Process, SpawnFailed

        assert self.launch is not None
        error, self._spawn_error = self._spawn_error, None
        if error is None:
            try:
                self._process = Process.spawn(
                    self.launch.argv, cwd=self._start.cwd, env=self.launch.env, guard=self._start.guard
                )
                return True
            except SpawnFailed as failed:
                error = failed
        self.failure = Failure("spawn", str(error), advice=getattr(error, "advice", ""))
        self._set_phase("failed")
        return False

    def _make_agent(self) -> Agent:
        from acp_tui.agent.agent import Agent
        from acp_tui.host.host import Host
        from acp_tui.host.terminals import Terminals

        assert self._process is not None
        assert self.launch is not None
        settings = self._start.settings
        host = Host(
            Terminals(guard=self._start.guard),
            rules=self._rules(),
            missing_file_reads_empty=self.launch.quirks.missing_file_reads_empty,
            output_limit=settings.terminal_output_limit_kb * 1024,
        )
        self.journal = self._open_journal()
        agent = Agent(
            self._process,
            host,
            self.journal,
            self._changed,
            name=self.launch.name,
            version=__version__,
            line_limit=settings.line_limit_mb * 1024 * 1024,
        )
        self._process.on_stderr = self.journal.err
        self.agent = agent
        self.host = host
        self._reader = asyncio.create_task(self._listen(agent))
        return agent

    async def _make_session(self, agent: Agent) -> Session:
        """Make a session; while the agent wants a login first, let the person choose one."""
        from acp_tui.agent.errors import AgentError, LoginRequired

        error = ""
        while True:
            try:
                return await agent.new_session(
                    self._start.cwd, self._start.extra_roots, self._mcp_servers(agent)
                )
            except LoginRequired as required:
                if agent.info is None or not agent.info.auth_methods:
                    raise
                refused = required
            self._set_phase("logging-in")
            method = await self._listener.choose_login(agent, error or str(refused))
            if method is None:
                raise refused
            try:
                await agent.authenticate(method)
                error = ""
            except AgentError as failed:
                error = str(failed)
            self._set_phase("starting")

    def _mcp_servers(self, agent: Agent) -> list[dict[str, Any]]:
        from acp_tui.store.mcp import offered

        assert agent.info is not None
        takes = agent.info.agent_capabilities.mcp_capabilities
        kept, left_out = offered(self._start.settings.mcp_servers, http=takes.http, sse=takes.sse)
        self.left_out = [server.name for server in left_out]
        if self.journal is not None:
            self.journal.hide(secret for server in kept for secret in server.secrets())
        return [server.params() for server in kept]

    async def _apply_mode(self) -> None:
        """Ask for the mode of the command line, once."""
        if self._start.mode is None or self.session is None:
            return
        option = self.session.option("mode")
        if option is not None:
            await self.set_option(option, self._start.mode)

    def _rules(self) -> list[Any]:
        from acp_tui.host.rules import Rule

        return [
            Rule(
                decision=rule.decision,  # type: ignore[arg-type]  # checked when the settings were read
                agent=rule.agent or None,
                tool_kind=rule.tool_kind or None,
                path=rule.path or None,
                command=rule.command or None,
                mode=rule.mode or None,
            )
            for rule in self._start.settings.rules
        ]

    def _open_journal(self) -> Journal:
        from acp_tui.store.folders import data_folder
        from acp_tui.store.journal import Journal, journal_path, secrets_of

        assert self.launch is not None
        at = datetime.now(UTC)
        path = journal_path(data_folder() / "journals", self.launch.name, at)
        secrets = secrets_of({**os.environ, **self.launch.env})
        journal = Journal(path if self._start.settings.journal else None, secrets)
        journal.note(
            {
                "start": list(self.launch.argv),
                "agent": self.launch.name,
                "cwd": self._start.cwd,
                "version": __version__,
                "at": at.isoformat(timespec="seconds"),
            }
        )
        return journal

    # ------------------------------------------------------------------ what happens

    async def _listen(self, agent: Agent) -> None:
        await agent.run()
        if self._stopping or agent is not self.agent:
            return
        self.failure = Failure(
            "ended", "The agent has ended.", stderr=agent.stderr_tail, exit=agent.connection.exit
        )
        if self.phase == "ready":
            self._give_back()
            self._set_phase("ended")

    def _fail(self, error: Exception) -> None:
        """The start did not lead to a session: say why, with what the agent said on the side."""
        from acp_tui.agent.errors import AgentGone, LoginRequired, WrongVersion

        agent = self.agent
        assert agent is not None
        kinds: dict[type[Exception], FailureKind] = {
            AgentGone: "exited",
            WrongVersion: "version",
            LoginRequired: "login",
        }
        kind = kinds.get(type(error), "refused")
        self.failure = Failure(
            kind,
            str(error),
            stderr=agent.stderr_tail,
            exit=agent.connection.exit,
            noise=agent.connection.noise,
            strange=agent.connection.looks_strange,
        )
        self._give_back()
        self._set_phase("failed")

    def _changed(self, session_id: str, change: Change) -> None:
        if self.session is None and self.agent is not None:
            self.session = self.agent.sessions.get(session_id)
        if self.session is not None and session_id == self.session.id:
            self._listener.session_changed(change)
            if "turn" in change.fields:
                self._send_next()

    def _send_next(self) -> None:
        if self.phase == "ready" and self.queue and not self.is_busy:
            text = self.queue.pop(0)
            self._listener.queue_changed()
            self._turn = asyncio.create_task(self._prompt(text))

    async def _prompt(self, text: str) -> None:
        from acp_tui.acp.content import TextContent
        from acp_tui.agent.errors import AgentError, AgentGone, LoginRequired

        assert self.agent is not None
        assert self.session is not None
        blocks: list[ContentBlock] = [TextContent(text=text)]
        try:
            await self.agent.prompt(self.session.id, blocks)
        except LoginRequired as required:
            await self._log_in_and_repeat(text, str(required))
        except AgentGone:
            self._listener.prompt_failed(text)
        except AgentError:
            self._give_back()  # the session has noted why; what waited is not sent into a failure

    async def _log_in_and_repeat(self, text: str, error: str) -> None:
        from acp_tui.agent.errors import AgentError

        assert self.agent is not None
        method = await self._listener.choose_login(self.agent, error)
        if method is None:
            self._listener.prompt_failed(text)
            return
        try:
            await self.agent.authenticate(method)
        except AgentError as failed:
            await self._log_in_and_repeat(text, str(failed))
            return
        self.queue.insert(0, text)
        self._send_next()

    def _give_back(self) -> None:
        """Return to the person what waited to be said."""
        if self.queue:
            text = "\n\n".join(self.queue)
            self.queue.clear()
            self._listener.queue_changed()
            self._listener.prompt_failed(text)

    def _set_phase(self, phase: Phase) -> None:
        self.phase = phase
        self.waiting_since = time.monotonic()
        self._listener.phase_changed()
