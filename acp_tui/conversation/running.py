"""One agent while it runs, shared by the conversations with it: its process, connection, host and journal."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from acp_tui import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_tui.acp.initialization import InitializeResponse
    from acp_tui.agent.agent import Agent
    from acp_tui.agent.process import Process
    from acp_tui.conversation.start import Start
    from acp_tui.session.changes import Change
    from acp_tui.store.launch import Launch


class Hearer(Protocol):
    """A conversation with the agent."""

    def changed(self, session_id: str, change: Change) -> None:
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
        from acp_tui.conversation.equipment import decision_log_for, host_for, journal_for
        from acp_tui.conversation.unwritten import Unwritten

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

    def _changed(self, session_id: str, change: Change) -> None:
        for hearer in list(self.hearers):
            hearer.changed(session_id, change)
