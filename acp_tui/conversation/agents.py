"""One agent while it runs, shared by the conversations with it: its process, connection, host and journal."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from acp_tui import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from acp_tui.agent.agent import Agent
    from acp_tui.agent.host import Host
    from acp_tui.agent.process import Process
    from acp_tui.changes.tracker import ChangeTracker, Told
    from acp_tui.conversation.conversation import Conversation, Start
    from acp_tui.protocol.schema import InitializeResponse, McpCapabilities
    from acp_tui.rules.book import RuleBook
    from acp_tui.session.change import SessionChange
    from acp_tui.session.options import Option
    from acp_tui.session.session import Session
    from acp_tui.store.decisions import DecisionLog
    from acp_tui.store.journal import Journal
    from acp_tui.store.launch import Launch
    from acp_tui.store.mcp import McpServer


class Hearer(Protocol):
    """A conversation with the agent."""

    def changed(self, session_id: str, change: SessionChange) -> None:
        """Something in a session of the agent changed, whosever session it is."""

    async def agent_stopped(self) -> None:
        """The agent's process was stopped, and the journal is still open."""

    def agent_ended(self) -> None:
        """The agent's process is gone, and nobody here asked for it."""

    def follow(self, running: RunningAgent) -> None:
        """Another process of the agent has taken its place, one that knows of a login."""


class RunningAgent:
    """Started when the first conversation begins, ended when the last one leaves."""

    def __init__(self, start: Start, launch: Launch, process: Process) -> None:
        from acp_tui.agent.agent import Agent
        from acp_tui.conversation.opening import Unwritten

        self.launch = launch
        self.host = host_for(start, launch)
        self.journal = journal_for(start, launch)
        self.decisions = decision_log_for(start, launch)
        self.agent: Agent = Agent(
            process,
            self.host,
            self.journal,
            self._changed,
            name=launch.name,
            title=launch.title,
            version=__version__,
            line_limit=start.settings.line_limit_mb * 1024 * 1024,
            keep=self.decisions.add,
            title_is_command=launch.quirks.title_is_command,
        )
        process.on_stderr = self._hear_stderr
        self._process = process
        self.hearers: list[Hearer] = []
        """The conversations, oldest first."""
        self.leaving: list[Hearer] = []
        """Those of them that take their leave, which may take a moment."""
        self._unwritten = Unwritten(self.journal, self.decisions)
        self._introduction: asyncio.Task[InitializeResponse] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._stopping = False
        self.reader = asyncio.create_task(self._listen())
        """Done when the agent is gone."""

    async def introduce(self) -> None:
        """Make sure that the agent knows us; it is told once, however many ask.

        Raises:
            AgentError: it cannot be talked to.
        """
        if self._introduction is None:
            self._introduction = asyncio.create_task(self.agent.initialize())
        await asyncio.shield(self._introduction)

    def tell_problems(self, session_id: str) -> None:
        """Note in a session, once for all, what is not written down of what is said or decided."""
        for event in self._unwritten.news():
            self.agent.note(session_id, event)

    @property
    def is_shared(self) -> bool:
        """Whether more than one conversation needs it."""
        return len(self.hearers) > 1

    @property
    def is_wanted(self) -> bool:
        """Whether a conversation stays with it."""
        return any(hearer not in self.leaving for hearer in self.hearers)

    def cpu_seconds(self) -> float | None:
        """Return the processor time that the agent has used so far, None where that is unknown."""
        return self._process.cpu_seconds()

    @property
    def is_running(self) -> bool:
        """Whether it can be talked to."""
        return not self._stopping and not self.reader.done()

    async def end(self) -> None:
        """End the agent and all that it started. May be called again, and at the same time."""
        if self._ending is None:
            self._stopping = True
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        try:
            await self.agent.stop()
            await asyncio.wait([self.reader])
            await asyncio.gather(*(hearer.agent_stopped() for hearer in self.hearers))
        finally:
            self.journal.close()

    async def _listen(self) -> None:
        await self.agent.run()
        if not self._stopping:
            for hearer in list(self.hearers):
                hearer.agent_ended()

    def _hear_stderr(self, lines: Sequence[str]) -> None:
        """Write down what the agent says on the side as it comes: after a crash it may be all there is."""
        self.journal.err(*lines)
        self.journal.flush_some()

    def _changed(self, session_id: str, change: SessionChange) -> None:
        for hearer in list(self.hearers):
            hearer.changed(session_id, change)


class Connecting:
    """The agent of one conversation, from its start until it is left; the last one to leave ends it."""

    def __init__(self, start: Start, hearer: Hearer, running: RunningAgent | None) -> None:
        """Take over what there is.

        Args:
            start: may hold the agent's process, which is starting.
            hearer: the conversation.
            running: an agent that other conversations have already.
        """
        self.launch: Launch | None = running.launch if running is not None else start.launch
        """How the agent is started, first and again."""
        self.running: RunningAgent | None = None
        """The agent, once it is there."""
        self.process: Process | None = start.process if running is None else None
        self._spawn_error = start.spawn_error if running is None else None
        self._start = start
        self._hearer = hearer
        if running is not None:
            self.join(running)

    def start(self) -> RunningAgent:
        """Return the agent that is there, or start it.

        Raises:
            SpawnFailed: it cannot be started.
        """
        if self.running is None:
            assert self.launch is not None
            self.process = self.process or self._spawn(self.launch)
            self.join(RunningAgent(self._start, self.launch, self.process))
        assert self.running is not None
        return self.running

    def join(self, running: RunningAgent) -> None:
        """Talk to this agent from now on."""
        self.running = running
        running.hearers.append(self._hearer)

    def hold(self) -> None:
        """Have the agent wait with what it says: too much of it is still to be drawn."""
        if self.running is not None:
            self.running.agent.connection.pause_reading(self._hearer)

    def let_go(self) -> None:
        """Hear the agent again."""
        if self.running is not None:
            self.running.agent.connection.resume_reading(self._hearer)

    async def leave(self, running: RunningAgent, session: Session | None) -> None:
        """End our session with an agent, or the whole agent when nobody else needs it."""
        running.agent.connection.resume_reading(self._hearer)  # the others with it go on hearing
        running.leaving.append(self._hearer)
        try:
            if not running.is_wanted:
                await running.end()
            elif session is not None:
                await running.agent.close_session(session.id)
        finally:
            running.leaving.remove(self._hearer)
            if self._hearer in running.hearers:
                running.hearers.remove(self._hearer)

    async def end(self, session: Session | None) -> None:
        """Leave the agent, also one that is only starting."""
        if self.running is not None:
            await self.leave(self.running, session)
        elif self.process is not None:
            await self.process.stop()

    def forget(self) -> None:
        """There is no agent any more; the next `start` starts one."""
        self.running = self.process = None

    def _spawn(self, launch: Launch) -> Process:
        from acp_tui.agent.process import Process

        error, self._spawn_error = self._spawn_error, None
        if error is not None:
            raise error
        return Process.spawn(launch.argv, cwd=self._start.cwd, env=launch.env, guard=self._start.guard)


async def reconnect(conversation: Conversation) -> Agent:
    """Start the agent of a conversation anew; the others with it follow.

    Raises:
        AgentGone: it cannot be started, or the conversation ends meanwhile.
    """
    from acp_tui.agent.capabilities import AgentGone, gone

    this, connecting = conversation.round, conversation.connecting
    assert connecting.running is not None
    others = [hearer for hearer in connecting.running.hearers if hearer is not conversation]
    await connecting.leave(connecting.running, conversation.session)
    if this == conversation.round:
        connecting.forget()
    running = conversation.started() if this == conversation.round else None
    if running is None:
        raise AgentGone(gone())
    await running.introduce()
    for other in others:
        other.follow(running)
    return running.agent


async def follow(conversation: Conversation, running: RunningAgent, session: Session) -> None:
    """Take a session to another process; the last conversation to leave the process before ends it."""
    from acp_tui.agent.capabilities import AgentError

    this, before = conversation.round, conversation.running
    conversation.enter("starting")
    conversation.connecting.let_go()
    conversation.connecting.join(running)
    if before is not None:
        before.agent.sessions.pop(session.id, None)  # its end is none of the session
    try:
        await conversation.beginning.open_again(running.agent, session)
    except AgentError as error:
        conversation.fail(running.agent, error)
    finally:
        if before is not None and conversation in before.hearers:
            before.hearers.remove(conversation)
            if not before.hearers:
                await before.end()
    if this == conversation.round and conversation.phase == "starting":
        conversation.go_on()


def host_for(start: Start, launch: Launch) -> Host:
    """Return what is lent to an agent that is started in this way."""
    from acp_tui.agent.host import Host
    from acp_tui.store.folders import data_folder
    from acp_tui.workspace.backups import Backups
    from acp_tui.workspace.terminals import Terminals

    book = rule_book()
    return Host(
        Terminals(guard=start.guard),
        policy=start.settings.policy,
        rules=book,
        entered=book.enter,
        missing_file_reads_empty=launch.quirks.missing_file_reads_empty,
        stale_writes=start.settings.stale_writes,
        output_limit=start.settings.terminal_output_limit_kb * 1024,
        backups=Backups(data_folder() / "backups"),
    )


def rule_book() -> RuleBook:
    """Return the person's rules, for one agent: each has sessions of its own."""
    from acp_tui.rules import files as rule_trust
    from acp_tui.rules import files as rules
    from acp_tui.rules.book import RuleBook
    from acp_tui.store.folders import config_folder, state_folder

    return RuleBook(config_folder() / rules.NAME, rule_trust.Trust(state_folder() / rule_trust.TRUST_NAME))


def journal_for(start: Start, launch: Launch) -> Journal:
    """Return a new journal that knows how the agent is started, and which values to keep out."""
    from acp_tui.store.folders import data_folder
    from acp_tui.store.journal import Journal, journal_path, secrets_of
    from acp_tui.store.urls import credentials

    at = datetime.now(UTC)
    path = journal_path(data_folder() / "journals", launch.name, at) if start.settings.journal else None
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


def decision_log_for(start: Start, launch: Launch) -> DecisionLog:
    """Return the log of what this agent is allowed, which all agents share."""
    from acp_tui.store.decisions import NAME, DecisionLog
    from acp_tui.store.folders import data_folder
    from acp_tui.store.journal import secrets_of

    path = data_folder() / NAME if start.settings.decisions else None
    return DecisionLog(path, secrets_of({**os.environ, **launch.env}))


def tracking_for(start: Start, cwd: str, tell: Callable[[Told], None]) -> ChangeTracker | None:
    """Return what keeps a session's changed files equal to the disk; None where that is not wanted."""
    from pathlib import Path

    from acp_tui.changes.snapshots import Snapshots
    from acp_tui.changes.tracker import ChangeTracker, is_too_wide
    from acp_tui.session.events import Noted
    from acp_tui.store.folders import config_folder, data_folder, state_folder

    if not start.settings.snapshots:
        return None
    root = Path(cwd)
    if is_too_wide(root):
        tell(Noted("Only changes that the agent reports are shown: the workspace is your whole home folder."))
        return None
    ours = (config_folder(), data_folder(), state_folder())
    return ChangeTracker(Snapshots(data_folder() / "snapshots", root, ours), cwd, tell)


def mcp_servers_for(start: Start, takes: McpCapabilities) -> tuple[list[McpServer], list[str]]:
    """Return (the MCP servers that an agent takes, the names of those that it cannot reach)."""
    from acp_tui.store.mcp import offered

    kept, left_out = offered(start.mcp_servers, http=takes.http, sse=takes.sse)
    return list(kept), [server.name for server in left_out]


def mode_named(option: Option | None, name: str) -> str | None:
    """Return the mode that a person means by its id, the end of a long id, or its name; None without one."""
    choices = option.config.choices() if option is not None else []
    ways: list[Any] = [
        lambda choice: choice.value == name,
        lambda choice: choice.value.lower().endswith(("#" + name.lower(), "/" + name.lower())),
        lambda choice: choice.name.lower() == name.lower() or choice.value.lower() == name.lower(),
    ]
    return next((choice.value for way in ways for choice in choices if way(choice)), None)
