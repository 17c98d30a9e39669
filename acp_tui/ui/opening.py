"""How a running agent is led to a session: a new one, one that it has, or the one from before a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from acp_tui.acp.sessions import SessionInfo
    from acp_tui.agent.agent import Agent
    from acp_tui.session.session import Session
    from acp_tui.store.journal import Journal
    from acp_tui.ui.start import Start


class Attach(NamedTuple):
    """A session that the agent has, to be taken up instead of a new one."""

    info: SessionInfo
    is_open: bool = False
    """It is there already, as one that was just forked is: there is nothing to ask for."""


_RESUMED: Final = "Resumed. The agent knows what was said before; it is not shown here."
_CONTINUES: Final = "A new session: the agent does not know what stands above."


class Opening:
    """Opens the sessions of one conversation, and notes in them what the person should know."""

    def __init__(self, start: Start, attach: Attach | None) -> None:
        self.attach = attach
        """What to take up instead of a new session."""
        self.is_new = False
        """Whether the last session that was opened is one in which nothing was said or chosen."""
        self.continues = False
        """A session is begun below an earlier one."""
        self._start = start
        self._left_out: list[str] = []
        """Names of MCP servers that the agent cannot take."""

    async def open(self, agent: Agent, journal: Journal) -> Session:
        """Open the session of this conversation.

        Raises:
            LoginRequired: the agent wants a login first.
            AgentError.
        """
        servers = self._servers(agent, journal)
        self.is_new = self.attach is None
        if self.attach is None:
            return await agent.new_session(self._start.cwd, self._start.extra_roots, servers)
        info = self.attach.info
        if self.attach.is_open:
            self.attach = None  # not again: another process of the agent will not have it open
            return agent.sessions[info.session_id]
        assert agent.info is not None
        replay = agent.info.agent_capabilities.load_session
        cwd, roots = info.cwd or self._start.cwd, info.additional_directories
        return await agent.load_session(info.session_id, cwd, roots, servers, replay=replay)

    async def fork(self, agent: Agent, journal: Journal, info: SessionInfo) -> SessionInfo:
        """Have the agent fork a session that it has, and return the fork, which is open.

        Raises:
            LoginRequired: the agent wants a login first.
            AgentError.
        """
        cwd, roots = info.cwd or self._start.cwd, info.additional_directories
        forked = await agent.fork_session(info.session_id, cwd, roots, self._servers(agent, journal))
        return info.model_copy(update={"session_id": forked.id, "title": None})

    async def open_again(self, agent: Agent, journal: Journal, before: Session) -> tuple[Session, bool]:
        """Return (the session of an agent that was started anew, whether it is the one before)."""
        from acp_tui.acp.initialization import has
        from acp_tui.agent.errors import CallFailed

        assert agent.info is not None
        servers = self._servers(agent, journal)
        cwd, roots = before.cwd or self._start.cwd, self._start.extra_roots
        if has(agent.info.agent_capabilities.session_capabilities.resume):
            try:
                return await agent.load_session(before.id, cwd, roots, servers, replay=False), True
            except CallFailed:
                pass  # nothing was said in it yet, or it was not kept
        self.continues = True
        return await agent.new_session(cwd, roots, servers), False

    def tell(self, agent: Agent, session: Session) -> None:
        """Note what the person should know about a session that begins."""
        from acp_tui.session.events import Noted

        assert agent.info is not None
        if self.attach is not None and not agent.info.agent_capabilities.load_session:
            agent.note(session.id, Noted(_RESUMED))
        if self.continues:
            agent.note(session.id, Noted(_CONTINUES))
        if self._left_out:
            text = f"This agent cannot take these MCP servers: {', '.join(self._left_out)}."
            agent.note(session.id, Noted(text, "warning"))

    def _servers(self, agent: Agent, journal: Journal) -> list[dict[str, Any]]:
        from acp_tui.ui.equipment import mcp_servers_for

        assert agent.info is not None
        servers, self._left_out = mcp_servers_for(self._start, agent.info.agent_capabilities.mcp_capabilities)
        journal.hide(secret for server in servers for secret in server.secrets())
        return [server.params() for server in servers]
