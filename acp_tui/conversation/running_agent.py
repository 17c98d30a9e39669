"""A running agent, shared by its conversations: process, connection, access, journal and log."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol

from acp_tui import __version__
from acp_tui.agent.agent import Agent
from acp_tui.agent.permissions.access import AgentAccess
from acp_tui.agent.process import Process
from acp_tui.conversation.session_start import SessionStart
from acp_tui.conversation.start_options import Start
from acp_tui.conversation.system_prompt import SystemPrompt
from acp_tui.protocol.schema import InitializeResponse
from acp_tui.rules import rule_files
from acp_tui.rules.rule_book import RuleBook
from acp_tui.rules.trusted_files import TRUST_NAME, Trust
from acp_tui.sandbox import sandbox as sandboxes
from acp_tui.session.events import Noted, SessionChange
from acp_tui.session.session import Session
from acp_tui.store.agents import Launch
from acp_tui.store.decisions import NAME, DecisionLog
from acp_tui.store.folders import config_folder, data_folder, journals_folder, state_folder
from acp_tui.store.journal import Journal, journal_path, secrets_of
from acp_tui.store.urls import credentials
from acp_tui.workspace.backups import Backups
from acp_tui.workspace.terminals import Terminals


class AgentUser(Protocol):
    """A conversation that uses an agent."""

    def changed(self, session_id: str, change: SessionChange) -> None:
        """Handle a change of any session of the agent."""

    async def agent_stopped(self) -> None:
        """Finish work: the process was stopped, and the journal is still open."""

    def agent_ended(self) -> None:
        """Handle an unexpected end of the process."""

    def follow(self, running: RunningAgent) -> None:
        """Move to another process of the agent, one that is logged in."""


class RunningAgent:
    """An agent that is started by its first conversation and ended by the last one."""

    def __init__(self, start: Start, launch: Launch, process: Process) -> None:
        self.launch = launch
        self.sandbox = process.sandbox
        """The sandbox around the agent and its commands, or None."""
        self.access = _access(start, launch, process.sandbox)
        self.journal = _journal(start, launch)
        self.decisions = _decision_log(start, launch)
        self.agent: Agent = Agent(
            process,
            self.access,
            self.journal,
            self._changed,
            name=launch.name,
            title=launch.title,
            version=__version__,
            line_limit=start.settings.line_limit_mb * 1024 * 1024,
            keep=self.decisions.add,
            title_is_command=launch.quirks.title_is_command,
            unsaid=launch.quirks.unsaid,
            protocol=launch.protocol,
        )
        process.on_stderr = self._hear_stderr
        self._process = process
        self.users: list[AgentUser] = []
        """The conversations, oldest first."""
        self._leaving: list[AgentUser] = []
        """Conversations that are leaving, which may take a moment."""
        self._write_failures = WriteFailures(self.journal, self.decisions)
        self._initialization: asyncio.Task[InitializeResponse] | None = None
        self._first: SessionStart | None = None
        self._ending: asyncio.Task[None] | None = None
        self._stopping = False
        self.reader = asyncio.create_task(self._listen())
        """Done when the agent has ended."""

    async def initialize(self) -> None:
        """Initialize the connection, once for all conversations.

        Raises:
            AgentError: the agent is unusable.
        """
        if self._initialization is None:
            self.start_initializing()
            assert self._initialization is not None
        await asyncio.shield(self._initialization)

    def start_initializing(self) -> None:
        """Start initializing the connection; `initialize` raises its failure."""
        self._initialization = asyncio.create_task(self.agent.initialize())
        self._initialization.add_done_callback(lambda task: task.cancelled() or task.exception())

    def open_first_session(self, start: Start) -> None:
        """Request a new session once the agent is initialized, even before there is a conversation."""
        self._first = SessionStart(start, None)
        self._first.system_prompt = SystemPrompt(self.launch.system_prompt)
        self._first.open_early(self.agent, self.journal, self.initialize)

    def take_first_session(self) -> SessionStart | None:
        """Return the session start that was requested early, once; None if there is none."""
        first, self._first = self._first, None
        return first

    def tell_write_failures(self, session_id: str) -> None:
        """Add notices about failures of the journal and the decision log to a session, each only once."""
        for event in self._write_failures.news():
            self.agent.note(session_id, event)

    @property
    def is_shared(self) -> bool:
        """True if several conversations use it."""
        return len(self.users) > 1

    def cpu_seconds(self) -> float | None:
        """Return the processor seconds of the agent, None if unknown."""
        return self._process.cpu_seconds()

    @property
    def is_running(self) -> bool:
        """True if it accepts requests."""
        return not self._stopping and not self.reader.done()

    async def leave(self, user: AgentUser, session: Session | None) -> None:
        """Close a conversation's session, or end the agent if no other conversation uses it."""
        self.agent.connection.resume_reading(user)  # other conversations continue to read
        self._leaving.append(user)
        try:
            if all(one in self._leaving for one in self.users):
                await self.end()
            elif session is not None:
                await self.agent.close_session(session.id)
        finally:
            self._leaving.remove(user)
            if user in self.users:
                self.users.remove(user)

    async def remove(self, user: AgentUser) -> None:
        """Remove a conversation that has moved to another process; the last one ends this process."""
        if user in self.users:
            self.users.remove(user)
            if not self.users:
                await self.end()

    async def end(self) -> None:
        """End the agent and every process that it started. Further calls, even concurrent, are fine."""
        if self._ending is None:
            self._stopping = True
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        try:
            await self.agent.stop()
            await asyncio.wait([self.reader])
            await asyncio.gather(*(user.agent_stopped() for user in self.users))
        finally:
            self.journal.close()
            if self.sandbox is not None:
                await asyncio.to_thread(self.sandbox.close)  # in a thread: it may have many temporary files

    async def _listen(self) -> None:
        await self.agent.run()
        if not self._stopping:
            for user in list(self.users):
                user.agent_ended()

    def _hear_stderr(self, lines: Sequence[str]) -> None:
        """Journal stderr at once: after a crash it may be the only trace."""
        self.journal.err(*lines)
        self.journal.flush_some()

    def _changed(self, session_id: str, change: SessionChange) -> None:
        for user in list(self.users):
            user.changed(session_id, change)


_FULL = "The disk is full: nothing is recorded until there is free space."
_ROOM = "The disk has free space again: everything is recorded, including the time in between."


class WriteFailures:
    """Write failures of the journal and the decision log: each is reported once, and its end."""

    def __init__(self, journal: Journal, decisions: DecisionLog) -> None:
        self._journal = journal
        self._decisions = decisions
        self._kept = (journal, decisions)
        self._reported: set[str] = set()
        self._was_full = False

    def news(self) -> list[Noted]:
        """Return notices about new failures; a full disk is one failure for both."""
        if not self._was_full and all(one.problem is None for one in self._kept):
            return []
        return [*self._about_room(), *self._about_others()]

    def _about_room(self) -> list[Noted]:
        if self._was_full and not self._journal.lacks_room:
            self._decisions.write_held()
        full = [one.problem for one in self._kept if one.lacks_room and one.problem is not None]
        if bool(full) == self._was_full:
            return []
        self._was_full = bool(full)
        if not full:
            is_whole = all(one.problem is None for one in self._kept)
            return [Noted(_ROOM)] if is_whole else []
        return [Noted(_FULL, "warning", f"Free some space for {full[0].path.parent}; you can keep working.")]

    def _about_others(self) -> list[Noted]:
        said = [str(one.problem) for one in self._kept if one.problem is not None and not one.lacks_room]
        new = [problem for problem in said if problem not in self._reported]
        self._reported.update(new)
        return [Noted(problem, "warning") for problem in new]


def _access(start: Start, launch: Launch, sandbox: sandboxes.Sandbox | None) -> AgentAccess:
    """Return the access of an agent."""
    book = rule_book()
    return AgentAccess(
        Terminals(guard=start.guard, enclosure=sandbox.commands if sandbox is not None else None),
        sandbox=sandbox,
        own=(start.cwd, *start.extra_roots),
        policy=start.settings.policy,
        rules=book,
        entered=book.enter,
        closed=book.close,
        missing_file_reads_empty=launch.quirks.missing_file_reads_empty,
        stale_writes=start.settings.stale_writes,
        output_limit=start.settings.terminal_output_limit_kb * 1024,
        backups=Backups(data_folder() / "backups"),
    )


def rule_book() -> RuleBook:
    """Return the user's rules for one agent, with its own sessions."""
    return RuleBook(config_folder() / rule_files.NAME, Trust(state_folder() / TRUST_NAME))


def _journal(start: Start, launch: Launch) -> Journal:
    """Return a new journal, which begins with the agent's command line and masks secrets."""
    at = datetime.now(UTC)
    path = journal_path(journals_folder(), launch.name, at) if start.settings.journal else None
    addresses = (*launch.argv, *launch.env.values())
    secrets = [secret for text in addresses for secret in credentials(text)]
    journal = Journal(path, [*secrets_of({**os.environ, **launch.env}), *secrets])
    journal.note(
        {
            "start": list(launch.argv),
            "agent": launch.name,
            "cwd": start.cwd,
            "version": __version__,
            "at": at.isoformat(timespec="seconds"),
        }
    )
    return journal


def _decision_log(start: Start, launch: Launch) -> DecisionLog:
    """Return the decision log, which all agents share, without the secrets of this one."""
    path = data_folder() / NAME if start.settings.decisions else None
    return DecisionLog(path, secrets_of({**os.environ, **launch.env}))


def begin_early(start: Start) -> RunningAgent | None:
    """Start the agent of the command line, which creates a session while the interface loads."""
    if start.launch is None or start.process is None:
        return None
    running = RunningAgent(start, start.launch, start.process)
    running.start_initializing()
    if not start.continues and start.resume is None:
        running.open_first_session(start)
    return running
