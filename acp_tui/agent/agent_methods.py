"""Agent methods: the requests to an agent about sessions, providers and logins."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Sequence, Set
from contextlib import suppress
from typing import Any, Final

from acp_tui.agent.capabilities import AgentError, Capabilities, LoginRequired, parse_result
from acp_tui.agent.connection import Connection
from acp_tui.agent.permissions.access import AgentAccess, NotGranted
from acp_tui.agent.session_events import PastKnown, SessionContinued, SessionEvent, SessionReady
from acp_tui.agent.sessions import Sessions
from acp_tui.protocol.json_values import as_object, member
from acp_tui.protocol.schema import (
    AttachRequest,
    AuthMethod,
    AuthStatus,
    ListProvidersResponse,
    ListSessionsResponse,
    NewSessionRequest,
    NewSessionResponse,
    Provider,
    SessionInfo,
    SessionStatusResponse,
    has,
)
from acp_tui.protocol.validation import Unreadable, read
from acp_tui.session.earlier_runs import Past
from acp_tui.session.session import Session


class Setup:
    """Creates, loads and forks the sessions of one agent, and gives each its folders."""

    def __init__(
        self,
        connection: Connection,
        capabilities: Capabilities,
        access: AgentAccess,
        sessions: Sessions,
        note: Callable[[str, SessionEvent], None],
    ) -> None:
        self._connection = connection
        self._capabilities = capabilities
        self._access = access
        self._sessions = sessions
        self._note = note

    async def new_session(
        self,
        cwd: str,
        extra_roots: Sequence[str] = (),
        mcp_servers: Sequence[dict[str, Any]] = (),
        system_prompt: str = "",
    ) -> Session:
        """Create a session in a folder. Source: ACP, page "session setup"."""
        request = NewSessionRequest(
            cwd=cwd,
            mcp_servers=list(mcp_servers),
            additional_directories=self._capabilities.further_roots(cwd, extra_roots),
            system_prompt=self._capabilities.system_prompt(system_prompt),
        )
        self._access.enter(cwd)
        known = frozenset(self._sessions.ids)
        result = await self._connection.call("session/new", request.wire())
        session_id = parse_result(NewSessionResponse, "session/new", result).session_id
        self._check_other(session_id, known, "new session")
        self._access.grant(session_id, [cwd, *(request.additional_directories or ())])
        return self._sessions.by_id[session_id]

    async def load_session(
        self,
        session_id: str,
        cwd: str,
        extra_roots: Sequence[str] = (),
        mcp_servers: Sequence[dict[str, Any]] = (),
        system_prompt: str = "",
        *,
        replay: bool = True,
        before: Session | None = None,
        past: Past | None = None,
    ) -> Session:
        """Load a session that the agent has, with or without a replay of the conversation.

        A failed load changes nothing. Source: ACP, page "session setup".

        Args:
            session_id: as the agent names it.
            cwd: the primary root.
            extra_roots: further roots.
            mcp_servers: as the protocol has them.
            system_prompt: text that the user adds to the agent's own.
            replay: have the agent replay the conversation.
            before: the session of an earlier process, to be continued unchanged.
            past: other knowledge of the session, if it is not continued.

        Raises:
            NotOffered, AgentGone, CallFailed, or AgentError if it is the session of a subagent.
        """
        can = self._capabilities.can
        self._capabilities.need(
            can.load_session if replay else can.session_capabilities.resume, "resume sessions"
        )
        if self._sessions.root_of(session_id) in self._sessions.by_id.keys() - {session_id}:
            raise AgentError("This session belongs to a subagent of an open session. Open it there.")
        request = self._attach_request(session_id, cwd, extra_roots, mcp_servers, system_prompt)
        roots = self._roots(session_id)
        self._access.grant(session_id, [cwd, *(request.additional_directories or ())])
        if before is not None:
            self._note(session_id, SessionContinued(before))
        elif past is not None:
            self._note(session_id, PastKnown(past))
        try:
            await self._connection.call("session/load" if replay else "session/resume", request.wire())
        except BaseException:
            self._note(session_id, SessionReady(ok=False))
            await self._access.take_back(session_id)
            if roots:
                self._access.grant(session_id, roots)
            raise
        return self._sessions.by_id[session_id]

    async def fork_session(
        self,
        session_id: str,
        cwd: str,
        extra_roots: Sequence[str] = (),
        mcp_servers: Sequence[dict[str, Any]] = (),
        system_prompt: str = "",
    ) -> Session:
        """Create a session that continues another one; that one is unchanged.

        Source: ACP, the draft of `session/fork`.

        Raises:
            NotOffered, AgentGone, CallFailed, or AgentError for an answer that names no new session.
        """
        self._capabilities.need(self._capabilities.can.session_capabilities.fork, "fork sessions")
        request = self._attach_request(session_id, cwd, extra_roots, mcp_servers, system_prompt)
        self._access.enter(cwd)
        known = frozenset(self._sessions.ids)
        result = await self._connection.call("session/fork", request.wire())
        forked = parse_result(NewSessionResponse, "session/fork", result).session_id
        self._check_other(forked, known | {session_id}, "fork")
        self._access.grant(forked, [cwd, *(request.additional_directories or ())])
        return self._sessions.by_id[forked]

    def _check_other(self, session_id: str, known: Set[str], what: str) -> None:
        """Raise if a new session has the id of another one, and so would get its rules and policy.

        Raises:
            AgentError.
        """
        if not session_id:
            raise AgentError(f"The agent returned no id for the {what}.")
        if session_id in known or self.is_granted(session_id):
            raise AgentError(f"The agent returned the id of an open session instead of a {what}.")

    def _attach_request(
        self,
        session_id: str,
        cwd: str,
        roots: Sequence[str],
        mcp_servers: Sequence[dict[str, Any]],
        system_prompt: str,
    ) -> AttachRequest:
        return AttachRequest(
            session_id=session_id,
            cwd=cwd,
            mcp_servers=list(mcp_servers),
            additional_directories=self._capabilities.further_roots(cwd, roots),
            system_prompt=self._capabilities.system_prompt(system_prompt),
        )

    def is_granted(self, session_id: str) -> bool:
        """Return whether a session has folders, which it gets once a conversation uses it."""
        return bool(self._roots(session_id))

    def _roots(self, session_id: str) -> tuple[str, ...]:
        try:
            return self._access.files(session_id).roots
        except NotGranted:
            return ()


log = logging.getLogger(__name__)

PAGES: Final = 1000
"""Most pages of a list of sessions to request: some agents never end it."""


class SessionListing:
    """The sessions that one agent lists, open or stored."""

    def __init__(self, connection: Connection, capabilities: Capabilities) -> None:
        self._connection = connection
        self._capabilities = capabilities

    async def pages(self, cwd: str | None = None) -> AsyncIterator[list[SessionInfo]]:
        """Yield the sessions of the agent, page by page. Source: ACP, page "session list".

        Archived ones are included. The list ends when the agent says so, at a repeated cursor, or
        after `PAGES` of them.

        Raises:
            NotOffered, AgentGone, CallFailed, or AgentError for an answer that cannot be read.
        """
        can = self._capabilities.can.session_capabilities
        self._capabilities.need(can.list, "list its sessions")
        seen: set[str | None] = {None}
        params = {} if cwd is None else {"cwd": cwd}
        if has(can.archive):
            params["archived"] = "include"
        for _ in range(PAGES):
            result = await self._connection.call("session/list", params)
            page = parse_result(ListSessionsResponse, "session/list", as_object(result))
            yield page.sessions
            if page.next_cursor in seen:
                return
            seen.add(page.next_cursor)
            params = {**params, "cursor": str(page.next_cursor)}
        log.warning("session/list: no end after %d pages", PAGES)

    async def whole(self, cwd: str | None = None) -> list[SessionInfo]:
        """Return the sessions on all pages; raises what `pages` does."""
        return [info async for page in self.pages(cwd) for info in page]

    async def set_archived(self, session_id: str, *, archived: bool) -> None:
        """Archive a session, which closes it and leaves it out of lists, or bring it back.

        Raises:
            NotOffered, AgentGone, CallFailed.
        """
        self._capabilities.need(self._capabilities.can.session_capabilities.archive, "archive sessions")
        await self._connection.call(
            "session/archive" if archived else "session/unarchive", {"sessionId": session_id}
        )

    async def is_open(self, session_id: str) -> bool:
        """Return whether any client has a session of the agent open; it may be closed a moment later.

        Raises:
            NotOffered, AgentGone, CallFailed, or AgentError for an answer that cannot be read.
        """
        self._capabilities.need(self._capabilities.can.session_capabilities.status, "tell where sessions are")
        result = await self._connection.call("session/status", {"sessionId": session_id})
        return parse_result(SessionStatusResponse, "session/status", as_object(result)).status == "open"


class Providers:
    """The model providers of one agent."""

    def __init__(self, connection: Connection, capabilities: Capabilities) -> None:
        self._connection = connection
        self._capabilities = capabilities

    async def list(self) -> list[Provider]:
        """Return the providers.

        Raises:
            NotOffered, AgentGone, CallFailed, or AgentError for an answer that cannot be read.
        """
        self._need()
        result = await self._connection.call("providers/list", {})
        return parse_result(ListProvidersResponse, "providers/list", as_object(result)).providers

    async def choose(self, provider_id: str, api_type: str, base_url: str) -> None:
        """Set the address of a provider. Keys stay with the agent: no headers are sent.

        Raises:
            NotOffered, AgentGone, CallFailed.
        """
        self._need()
        params = {"providerId": provider_id, "apiType": api_type, "baseUrl": base_url}
        await self._connection.call("providers/set", params)

    async def disable(self, provider: Provider) -> None:
        """Disable a provider.

        Raises:
            NotOffered: the agent cannot, or requires it; nothing was sent.
            AgentGone, CallFailed.
        """
        self._need()
        self._capabilities.need(not provider.required, f"work without {provider.provider_id}")
        await self._connection.call("providers/disable", {"providerId": provider.provider_id})

    def _need(self) -> None:
        self._capabilities.need(self._capabilities.can.providers, "choose providers of models")


class Logins:
    """The logins and logouts of one agent."""

    def __init__(self, connection: Connection, capabilities: Capabilities) -> None:
        self.status: AuthStatus | None = None
        """The last reported state of the login; None if there was no report."""
        self.label = ""
        """The login as a line of text, from agents that report only that."""
        self._connection = connection
        self._capabilities = capabilities

    @property
    def is_logged_out(self) -> bool:
        """True if the agent has reported that it needs a login."""
        return self.status is not None and self.status.is_logged_out

    async def read_status(self) -> AuthStatus:
        """Request the state of the login.

        Raises:
            NotOffered, AgentGone, CallFailed, or AgentError for an answer that cannot be read.
        """
        self._capabilities.need(self._capabilities.can.auth.status, "tell the state of the login")
        result = await self._connection.call("auth/status", {})
        self.status = parse_result(AuthStatus, "auth/status", as_object(result))
        return self.status

    def notified(self, method: str, params: Any) -> None:
        """Take a notification about the login; some agents send only a line for display."""
        if method == "auth/status_update":
            with suppress(Unreadable):
                self.status = read(AuthStatus, params)
            return
        if isinstance(label := member(params, "authStatus", "label"), str):
            self.label = " ".join(label.split())

    def methods(self, refused: LoginRequired | None = None) -> list[AuthMethod]:
        """Return the login methods: those offered at the start and those named by a refusal."""
        info = self._capabilities.info
        methods = {method.id: method for method in (info.auth_methods if info is not None else ())}
        for value in refused.methods if refused is not None else ():
            try:
                named = read(AuthMethod, value)
                methods.setdefault(named.id, named)
            except Unreadable as error:
                log.info("a login method: %s", error)
        return list(methods.values())

    async def authenticate(self, method_id: str) -> None:
        """Log in by a method that the agent offered; takes as long as the user needs.

        Raises:
            NotOffered: the login needs a terminal instead of a request; nothing was sent.
            AgentGone, CallFailed.
        """
        by_call = all(method.id != method_id or method.type != "terminal" for method in self.methods())
        self._capabilities.need(by_call, "log in by this method without a terminal")
        await self._connection.call("authenticate", {"methodId": method_id})

    def stop(self) -> None:
        """Cancel the running login; it still gets an answer. Source: ACP, page "cancellation"."""
        self._connection.withdraw("authenticate")

    async def log_out(self) -> None:
        """Log out; running turns may continue, or require a new login.

        Raises:
            NotOffered, AgentGone, CallFailed.
        """
        self._capabilities.need(self._capabilities.can.auth.logout, "log out")
        await self._connection.call("logout", {})
