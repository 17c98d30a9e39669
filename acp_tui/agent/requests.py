"""How an agent gets its sessions: made, taken up, forked. Source: ACP, page "session setup"."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Final

from acp_tui.agent.capabilities import AgentError, LoginRequired, Offered, as_object, as_word
from acp_tui.agent.connection import Connection
from acp_tui.agent.events import Continued, Happening, Known, Opened, Sessions
from acp_tui.agent.host import Host, NotLent
from acp_tui.protocol.schema import (
    AttachRequest,
    AuthMethod,
    ListSessionsResponse,
    NewSessionRequest,
    NewSessionResponse,
    SessionInfo,
)
from acp_tui.protocol.validation import Unreadable, read
from acp_tui.session.past import Past
from acp_tui.session.session import Session


class Setup:
    """Makes, takes up and forks the sessions of one agent, and lends each its folders."""

    def __init__(
        self,
        connection: Connection,
        offered: Offered,
        host: Host,
        sessions: Sessions,
        note: Callable[[str, Happening], None],
    ) -> None:
        self._connection = connection
        self._offered = offered
        self._host = host
        self._sessions = sessions
        self._note = note

    async def new_session(
        self, cwd: str, extra_roots: Sequence[str] = (), mcp_servers: Sequence[dict[str, Any]] = ()
    ) -> Session:
        """Make a session in a folder. Source: ACP, page "session setup"."""
        request = NewSessionRequest(
            cwd=cwd,
            mcp_servers=list(mcp_servers),
            additional_directories=self._offered.further_roots(cwd, extra_roots),
        )
        result = await self._connection.call("session/new", request.wire())
        session_id = as_word(NewSessionResponse, "session/new", result).session_id
        self._host.lend(session_id, [cwd, *(request.additional_directories or ())])
        return self._sessions.by_id[session_id]

    async def load_session(
        self,
        session_id: str,
        cwd: str,
        extra_roots: Sequence[str] = (),
        mcp_servers: Sequence[dict[str, Any]] = (),
        *,
        replay: bool = True,
        before: Session | None = None,
        past: Past | None = None,
    ) -> Session:
        """Take up a session that the agent has: with a replay of what was said, or without.

        A load that fails leaves nothing behind. Source: ACP, page "session setup".

        Args:
            session_id: as the agent names it.
            cwd: the primary root.
            extra_roots: further roots.
            mcp_servers: as the protocol has them.
            replay: whether the agent tells what was said.
            before: the session as an earlier process left it, which goes on; without a replay only.
            past: what else is known of it, where it does not go on in this way.

        Raises:
            NotOffered, AgentGone, CallFailed.
        """
        can = self._offered.can
        self._offered.need(
            can.load_session if replay else can.session_capabilities.resume, "take up an earlier session"
        )
        request = self._attaching(session_id, cwd, extra_roots, mcp_servers)
        roots = self._roots(session_id)
        self._host.lend(session_id, [cwd, *(request.additional_directories or ())])
        if before is not None:
            self._note(session_id, Continued(before))
        elif past is not None:
            self._note(session_id, Known(past))
        try:
            await self._connection.call("session/load" if replay else "session/resume", request.wire())
        except BaseException:
            self._note(session_id, Opened(ok=False))
            await self._host.take_back(session_id)
            if roots:
                self._host.lend(session_id, roots)
            raise
        return self._sessions.by_id[session_id]

    async def fork_session(
        self,
        session_id: str,
        cwd: str,
        extra_roots: Sequence[str] = (),
        mcp_servers: Sequence[dict[str, Any]] = (),
    ) -> Session:
        """Make a session that knows what was said in another one, which stays as it is.

        Source: ACP, the draft of `session/fork`.

        Raises:
            NotOffered, AgentGone, CallFailed, or AgentError for an answer that names no new session.
        """
        self._offered.need(self._offered.can.session_capabilities.fork, "fork sessions")
        request = self._attaching(session_id, cwd, extra_roots, mcp_servers)
        result = await self._connection.call("session/fork", request.wire())
        forked = as_word(NewSessionResponse, "session/fork", result).session_id
        if forked == session_id:
            raise AgentError("The agent named the same session again instead of a fork.")
        self._host.lend(forked, [cwd, *(request.additional_directories or ())])
        return self._sessions.by_id[forked]

    def _attaching(
        self, session_id: str, cwd: str, roots: Sequence[str], mcp_servers: Sequence[dict[str, Any]]
    ) -> AttachRequest:
        return AttachRequest(
            session_id=session_id,
            cwd=cwd,
            mcp_servers=list(mcp_servers),
            additional_directories=self._offered.further_roots(cwd, roots),
        )

    def is_lent(self, session_id: str) -> bool:
        """Whether a session has folders: it has them from the moment in which somebody gets it."""
        return bool(self._roots(session_id))

    def _roots(self, session_id: str) -> tuple[str, ...]:
        try:
            return self._host.files(session_id).roots
        except NotLent:
            return ()


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
