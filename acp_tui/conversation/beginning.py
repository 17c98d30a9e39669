"""How a conversation comes to a session: with a running agent, after the logins that it wants."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.agent.agent import Agent
    from acp_tui.agent.errors import LoginRequired
    from acp_tui.conversation.conversation import Conversation
    from acp_tui.conversation.listener import Listener
    from acp_tui.conversation.login import LoginScreens
    from acp_tui.conversation.opening import Opening
    from acp_tui.conversation.running import RunningAgent
    from acp_tui.conversation.start import Start
    from acp_tui.session.session import Session


class Beginning:
    """Leads one conversation to a session that is ready."""

    def __init__(
        self,
        conversation: Conversation,
        opening: Opening,
        start: Start,
        listener: Listener,
        logins: LoginScreens,
    ) -> None:
        self._conversation = conversation
        self._opening = opening
        self._start = start
        self._listener = listener
        self._logins = logins

    async def lead(self, running: RunningAgent, this: int) -> None:
        """Lead a running agent to a session that is ready, unless this round ends before that."""
        from acp_tui.agent.errors import AgentError, AgentGone, gone

        conversation = self._conversation
        try:
            await running.introduce()
            agent, session = await self._make_session(running.agent)
            if this == conversation.round:
                self._show(session)
                self._opening.tell(agent, session)
                if self._opening.is_below:
                    conversation.give_back()  # it was meant for who knows what was said before
                self._tell_problems(session)
                self._track(session)
                await conversation.choosing.begin(agent, session, is_new=self._opening.is_new)
            if not session.connected:
                raise AgentGone(gone())
        except AgentError as error:
            if this == conversation.round and conversation.phase != "failed":
                conversation.fail(conversation.agent or running.agent, error)
            return
        if this == conversation.round:
            conversation.go_on()

    async def _make_session(self, agent: Agent) -> tuple[Agent, Session]:
        """Make a session; while the agent wants a login first, let the person log in.

        Returns (who has it, the session): a login may put another process in the place of the agent.
        """
        from acp_tui.agent.errors import AgentError, LoginRequired

        conversation, again = self._conversation, False
        while True:
            assert conversation.journal is not None
            try:
                return agent, await self._opening.open(agent, conversation.journal)
            except AgentError as error:
                self._drop_replay(agent)
                if not isinstance(error, LoginRequired):
                    raise
                refused = error
            conversation.enter("logging-in")
            agent, again = await self.log_in(refused, again=again), True
            conversation.enter("starting")

    def _show(self, session: Session) -> None:
        """Have a session shown, in the place of the one before where the agent has told all of it anew."""
        from acp_tui.session.changes import everything

        if self._conversation.session is not session:
            if self._opening.replaces:
                self._listener.session_dropped()
            self._conversation.session = session
            self._listener.session_changed(everything(len(session.entries)))

    def _drop_replay(self, agent: Agent) -> None:
        """Show nothing of a session that was being told when its taking up failed."""
        conversation = self._conversation
        if conversation.session is not None and conversation.session.id not in agent.sessions:
            conversation.session = None
            self._listener.session_dropped()

    async def log_in(self, refused: LoginRequired, *, again: bool = False) -> Agent:
        """Let the person log in, and return whom to ask again; `again` after a login that did not help.

        Raises:
            LoginRequired: they did not.
            AgentGone.
        """
        from acp_tui.conversation.following import reconnect
        from acp_tui.conversation.login import log_in

        conversation = self._conversation
        assert conversation.running is not None
        outcome = await log_in(conversation.running, refused, self._logins, again=again)
        if outcome == "given_up":
            raise refused
        if outcome == "reconnect":
            return await reconnect(conversation)
        return conversation.running.agent

    async def open_again(self, agent: Agent, before: Session) -> Session:
        """Return the session of an agent that was started anew: the one before, where it can be resumed."""
        conversation = self._conversation
        assert conversation.journal is not None
        conversation.session, same = await self._opening.open_again(agent, conversation.journal, before)
        if not same:
            self._opening.tell(agent, conversation.session)
            self._tell_problems(conversation.session)
        return conversation.session

    def _track(self, session: Session) -> None:
        """Look at the files of the workspace from now on, or go on with that after a restart."""
        from acp_tui.conversation.equipment import tracking_for

        conversation = self._conversation
        if conversation.tracking is not None:
            conversation.tracking.go_on(len(session.turns), is_known=0 in session.kept)
        else:
            tracking = tracking_for(self._start, conversation.cwd, conversation.note)
            conversation.tracking = tracking
            if tracking is not None:
                tracking.begin(session.past())

    def _tell_problems(self, session: Session) -> None:
        if self._conversation.running is not None:
            self._conversation.running.tell_problems(session.id)
