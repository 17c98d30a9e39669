"""Which agent a conversation talks to: one that it starts, or one that others have already."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.agent.process import Process
    from acp_tui.conversation.running import Hearer, RunningAgent
    from acp_tui.conversation.start import Start
    from acp_tui.session.session import Session
    from acp_tui.store.launch import Launch


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
        from acp_tui.conversation.running import RunningAgent

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
