"""Asks an agent which sessions it has. Source: ACP, page "session list"."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Final

from acp_tui.acp.sessions import ListSessionsResponse, SessionInfo
from acp_tui.agent.answers import as_object, as_word
from acp_tui.agent.connection import Connection
from acp_tui.agent.offered import Offered

log = logging.getLogger(__name__)

PAGES: Final = 1000
"""Pages of a list of sessions that are asked for; a list without an end is none."""


class Listing:
    """The sessions that one agent has, here or from earlier."""

    def __init__(self, connection: Connection, offered: Offered) -> None:
        self._connection = connection
        self._offered = offered

    async def pages(self, cwd: str | None = None) -> AsyncIterator[list[SessionInfo]]:
        """Yield what the agent has, page by page. Source: ACP, page "session list".

        It ends where the agent says so, at a cursor that comes again, or after `PAGES` of them.

        Raises:
            NotOffered, AgentGone, CallFailed, or AgentError for an answer that cannot be read.
        """
        self._offered.need(self._offered.can.session_capabilities.list, "list its sessions")
        seen: set[str | None] = {None}
        params = {} if cwd is None else {"cwd": cwd}
        for _ in range(PAGES):
            result = await self._connection.call("session/list", params)
            page = as_word(ListSessionsResponse, "session/list", as_object(result))
            yield page.sessions
            if page.next_cursor in seen:
                return
            seen.add(page.next_cursor)
            params = {**params, "cursor": str(page.next_cursor)}
        log.warning("session/list: no end after %d pages", PAGES)

    async def whole(self, cwd: str | None = None) -> list[SessionInfo]:
        """Return what the agent has, all pages of it; raises what `pages` does."""
        return [info async for page in self.pages(cwd) for info in page]
