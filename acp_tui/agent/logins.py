"""Logging in to an agent and out again. Source: ACP, page "authentication"."""

from __future__ import annotations

import logging

from acp_tui.acp.authentication import AuthMethod
from acp_tui.acp.reading import Unreadable, read
from acp_tui.agent.connection import Connection
from acp_tui.agent.errors import LoginRequired
from acp_tui.agent.offered import Offered

log = logging.getLogger(__name__)


class Logins:
    """The logins of one agent."""

    def __init__(self, connection: Connection, offered: Offered) -> None:
        self._connection = connection
        self._offered = offered

    def methods(self, refused: LoginRequired | None = None) -> list[AuthMethod]:
        """Return the ways to log in: those offered at the start, and those that a refusal itself names."""
        info = self._offered.info
        methods = {method.id: method for method in (info.auth_methods if info is not None else ())}
        for value in refused.methods if refused is not None else ():
            try:
                named = read(AuthMethod, value)
                methods.setdefault(named.id, named)
            except Unreadable as error:
                log.info("a way to log in: %s", error)
        return list(methods.values())

    async def authenticate(self, method_id: str) -> None:
        """Log in by a method that the agent offered; takes as long as the person needs.

        Raises:
            NotOffered: it is a login in a terminal, which is no call; nothing was sent.
            AgentGone, CallFailed.
        """
        by_call = all(method.id != method_id or method.type != "terminal" for method in self.methods())
        self._offered.need(by_call, "log in by this method without a terminal")
        await self._connection.call("authenticate", {"methodId": method_id})

    def stop(self) -> None:
        """Ask the agent to end the login that runs; its answer still comes. Source: ACP, "cancellation"."""
        self._connection.withdraw("authenticate")

    async def log_out(self) -> None:
        """End the login; what runs may go on, or ask for a new one.

        Raises:
            NotOffered, AgentGone, CallFailed.
        """
        self._offered.need(self._offered.can.auth.logout, "log out")
        await self._connection.call("logout", {})
