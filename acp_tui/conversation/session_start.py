"""Session start: create a new session, load an earlier one, or resume one after a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from acp_tui.agent import replay as replays
from acp_tui.agent.agent import Agent
from acp_tui.agent.capabilities import CallFailed, FolderGone, LoginRequired
from acp_tui.conversation.start_options import Start
from acp_tui.conversation.system_prompt import SystemPrompt
from acp_tui.protocol.schema import AgentCapabilities, McpCapabilities, SessionInfo, SessionInfoUpdate, has
from acp_tui.rules import path_rules
from acp_tui.sandbox import sandbox as sandboxes
from acp_tui.session.earlier_runs import Past
from acp_tui.session.events import Noted
from acp_tui.session.session import Session
from acp_tui.store.folders import journals_folder
from acp_tui.store.journal import Journal
from acp_tui.store.mcp import McpServer, split_by_support
from acp_tui.store.recordings import rows_about
from acp_tui.store.redaction import secret_arguments
from acp_tui.workspace.files import link_target
from acp_tui.workspace.real_paths import followed, resolved


class KnownSession(NamedTuple):
    """A session of the agent to open instead of a new one."""

    info: SessionInfo
    is_open: bool = False
    """True if the session is already open, such as a new fork: nothing needs to be requested."""
    again: bool = False
    """True if the session was open in an earlier process of the agent, and is on the screen."""
    restarted: bool = False
    """True if that process was ended by a restart in this run."""


_RESUMED: Final = "Session resumed. The agent knows the earlier conversation; it is not shown here."
_CONTINUES: Final = "New session: the agent has no memory of the conversation above."
_CAN_HAND_OVER: Final = "/hand-over adds it to your next prompt."
_NO_REPLAY: Final = "Session loaded. The agent sent nothing of the earlier conversation."
_GOES_ON: Final = "Session resumed."
_RESTARTED: Final = "Agent restarted; session resumed."

_REPLAY_PAUSE: Final = 0.05  # seconds between two checks for a replay that follows the answer
_REPLAY_LOOKS: Final = 10


class SessionStart:
    """Starts the sessions of one conversation, with notices for the user."""

    def __init__(self, start: Start, known_session: KnownSession | None) -> None:
        self.known_session = known_session
        """The session to open instead of a new one."""
        self.is_new = False
        """True if the last opened session is a new one."""
        self.continues = False
        """True if the session begins below an earlier one."""
        self._start = start
        self.system_prompt = SystemPrompt("")
        """The user's additions to the agent's system prompt."""
        self.prompt_sent = ""
        """The addition that was sent with the last session request, if the agent supports it."""
        self.above: Session | None = None
        """The earlier session above a new one; the agent does not know it."""
        self.is_below = False
        """True if the last opened session is the new one below it."""
        self._before: Session | None = None
        """The last session on the screen."""
        self._is_silent = False
        """True if the agent has loaded the session without a replay."""
        self._chosen: dict[str, str] = {}
        """The earlier options of a resumed session: names of values by option id."""
        self._not_granted: list[str] = []
        """Folders of an earlier session that the user has not granted."""
        self._left_out: list[str] = []
        """Names of MCP servers that the agent cannot use."""
        self._early: tuple[Agent, asyncio.Task[Session | None]] | None = None
        """A new session that was requested before a conversation needed it."""

    def restarts(
        self, before: Session | None, *, same_agent: bool, cwd: str = "", recorded: bool = False
    ) -> None:
        """Prepare for a restart: load the session again if it has any content.

        Args:
            before: the session.
            same_agent: True if the restarted agent is the one that has it.
            cwd: the folder to work in; empty: that of the session.
            recorded: True if the session comes from a recording.
        """
        self._before = before or self._before
        if not same_agent:
            self.known_session = None
        elif before is not None and (before.turns or self.known_session is not None):
            info = SessionInfo(session_id=before.id, cwd=cwd or before.cwd, title=before.title or None)
            self.known_session = KnownSession(info, again=True, restarted=not recorded)
            return
        self.continues = self.continues or before is not None

    def begins_new(self, before: Session | None) -> None:
        """Prepare for a new session below another one."""
        self.known_session = None
        self._before = before or self._before
        self.continues = self.continues or before is not None

    def awaits(self, session_id: str) -> bool:
        """Return whether updates of a session are shown before the answer to its load."""
        known_session = self.known_session
        if known_session is None or known_session.is_open or known_session.again:
            return False
        return session_id == known_session.info.session_id

    @property
    def is_resumed_start(self) -> bool:
        """True if an earlier session is opened, not a new one."""
        return self.known_session is not None

    def open_early(self, agent: Agent, journal: Journal, initialize: Callable[[], Awaitable[None]]) -> None:
        """Request a new session once the agent is initialized; `open` returns it, or raises its failure.

        If the agent can report the login, the conversation asks for that first.
        """

        async def opened() -> Session | None:
            await initialize()
            return None if has(agent.can.auth.status) else await self._new_session(agent, journal)

        task = asyncio.create_task(opened())
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._early = agent, task

    async def _new_session(self, agent: Agent, journal: Journal) -> Session:
        return await self._new(agent, self._start.cwd, self._servers(agent, journal))

    async def open(self, agent: Agent, journal: Journal) -> Session:
        """Open the session of the conversation.

        Raises:
            LoginRequired: the agent requires a login first.
            AgentError.
        """
        early, self._early = self._early, None
        if early is not None and early[0] is agent and self.known_session is None:
            self.is_new, self.is_below = True, False
            if (session := await asyncio.shield(early[1])) is not None:
                return session
        servers = self._servers(agent, journal)
        known_session = self.known_session
        self.is_new, self.is_below = known_session is None, False
        if known_session is None:
            return await self._new(agent, self._start.cwd, servers)
        if known_session.is_open:
            self.known_session = None  # only once: another process of the agent will not have it open
            return agent.sessions[known_session.info.session_id]
        if known_session.again:
            return await self._again(agent, known_session.info, servers)
        earlier = self._before
        if earlier is None or earlier.id != known_session.info.session_id:
            earlier = await _recorded(agent.name, known_session.info.session_id)
        replays = bool(agent.can.load_session)
        if earlier is not None and earlier.turns:
            session = await self._as_seen(agent, known_session.info, servers, earlier, replays=replays)
            self.known_session = known_session._replace(again=True)
            return session
        past = earlier.past() if earlier is not None else None
        session = await self._take_up(agent, known_session.info, servers, replay=replays, past=past)
        self._is_silent = replays and not await _wait_for_replay(session)
        return session

    async def _take_up(
        self,
        agent: Agent,
        info: SessionInfo,
        servers: list[dict[str, Any]],
        *,
        replay: bool,
        before: Session | None = None,
        past: Past | None = None,
    ) -> Session:
        cwd, roots = self._folders(info)
        return await agent.setup.load_session(
            info.session_id,
            cwd,
            roots,
            servers,
            await self._added(agent, cwd),
            replay=replay,
            before=before,
            past=past,
        )

    async def _as_seen(
        self,
        agent: Agent,
        info: SessionInfo,
        servers: list[dict[str, Any]],
        before: Session,
        *,
        replays: bool,
    ) -> Session:
        """Resume or load a session and keep the known one; a replay is compared with it and not shown."""
        self._chosen = _named_options(before)
        session = await self._take_up(agent, info, servers, replay=replays, before=before)
        if (replay := agent.shadow_replay(session.id)) is not None:
            await _wait_for_replay(replay)  # before a prompt of the user, which would end the replay
        return session

    async def _again(self, agent: Agent, info: SessionInfo, servers: list[dict[str, Any]]) -> Session:
        """Resume or load the session of an earlier process unchanged; else create a new one."""
        replays = not has(agent.can.session_capabilities.resume)
        if agent.can.can_resume and self._before is not None:
            try:
                return await self._as_seen(agent, info, servers, self._before, replays=replays)
            except LoginRequired:
                raise
            except CallFailed:
                self._chosen = {}  # it had no content yet, or the agent did not keep it
        self.known_session, self.continues, self.is_new = None, True, True
        return await self._new(agent, info.cwd or self._start.cwd, servers)

    async def _new(self, agent: Agent, cwd: str, servers: list[dict[str, Any]]) -> Session:
        if self._before is not None and self._before.turns:
            self.above, self.is_below = self._before, True
        _need_folder(cwd)
        added = await self._added(agent, cwd)
        return await agent.setup.new_session(cwd, self._start.extra_roots, servers, added)

    async def _added(self, agent: Agent, cwd: str) -> str:
        """Return the user's addition to the system prompt; agents do not keep it for a later load."""
        takes_some = has(agent.can.session_capabilities.system_prompt)
        self.prompt_sent = await asyncio.to_thread(self.system_prompt.in_folder, cwd) if takes_some else ""
        return self.prompt_sent

    async def fork(self, agent: Agent, journal: Journal, info: SessionInfo) -> SessionInfo:
        """Have the agent fork a session; return the fork, which is open.

        Raises:
            LoginRequired: the agent requires a login first.
            AgentError.
        """
        cwd, roots = self._folders(info)
        servers, added = self._servers(agent, journal), await self._added(agent, cwd)
        forked = await agent.setup.fork_session(info.session_id, cwd, roots, servers, added)
        return info.model_copy(update={"session_id": forked.id, "title": None})

    async def open_again(self, agent: Agent, journal: Journal, before: Session) -> tuple[Session, bool]:
        """Open a session after a restart for a login; return (session, whether it is the one before)."""
        servers = self._servers(agent, journal)
        cwd, roots = before.cwd or self._start.cwd, self._start.extra_roots
        _need_folder(cwd)
        if has(agent.can.session_capabilities.resume):
            try:
                added = await self._added(agent, cwd)
                session = await agent.setup.load_session(
                    before.id, cwd, roots, servers, added, replay=False, before=before
                )
                return session, True
            except CallFailed:
                pass  # it had no content yet, or the agent did not keep it
        self.continues, self._before = True, before
        return await self._new(agent, cwd, servers), False

    def tell(self, agent: Agent, session: Session, sandbox: sandboxes.Sandbox | None = None) -> None:
        """Add the notices and the title of a new session."""
        if self.known_session is not None and self.known_session.info.title and not session.title:
            agent.note(session.id, SessionInfoUpdate(title=self.known_session.info.title))
        for notice in (*self._notices(agent), *_other_options(self._chosen, session)):
            agent.note(session.id, notice)
        self._chosen = {}
        if session.cwd != self._start.cwd:
            led_to = link_target(session.cwd, followed(session.cwd), self._start.cwd)
            leads = f", a link to {led_to}" if led_to else ""
            agent.note(session.id, Noted(f"The folder of this session is {session.cwd}{leads}."))
        if sandbox is not None and sandbox.fence.access(followed(session.cwd)) != "write":
            advice = "Start acp-tui in it to have it changed."
            agent.note(session.id, Noted("The sandbox keeps this folder read-only.", "warning", advice))

    def _notices(self, agent: Agent) -> Iterator[Noted]:
        if self.known_session is not None:
            yield from self._notices_of_known_session(agent.can)
        elif self.above is not None:
            yield Noted(f"{_CONTINUES} {_CAN_HAND_OVER}")
        elif self.continues and self._before is None:
            yield Noted(_CONTINUES)
        if self._left_out:
            yield Noted(
                f"This agent does not support these MCP servers: {', '.join(self._left_out)}.", "warning"
            )
        takes_more = has(agent.can.session_capabilities.additional_directories)
        if self._start.extra_roots and not takes_more:
            yield Noted(
                f"This agent does not support additional folders: {', '.join(self._start.extra_roots)}.",
                "warning",
            )

    def _notices_of_known_session(self, can: AgentCapabilities) -> Iterator[Noted]:
        assert self.known_session is not None
        if self.known_session.again:
            yield Noted(_RESTARTED if self.known_session.restarted else _GOES_ON)
        elif not can.load_session:
            yield Noted(_RESUMED)
        elif self._is_silent:
            yield Noted(_NO_REPLAY)
        if self._not_granted:
            said = ", ".join(self._not_granted)
            yield Noted(
                f"This session had additional folders: {said}. Add them again with --add-dir.", "warning"
            )

    def _folders(self, info: SessionInfo) -> tuple[str, list[str]]:
        """Return the folder of an earlier session, and its additional folders that the user also grants.

        The agent names the folders of a session, so they must not be granted for that reason.
        """
        cwd = info.cwd or self._start.cwd
        _need_folder(cwd)
        granted = [cwd, *map(resolved, (self._start.cwd, *self._start.extra_roots))]
        found = {root: path_rules.real_below(root, granted) for root in info.additional_directories}
        self._not_granted = [root for root, real in found.items() if real is None]
        return cwd, [*self._start.extra_roots, *filter(None, found.values())]

    def _servers(self, agent: Agent, journal: Journal) -> list[dict[str, Any]]:
        servers, self._left_out = mcp_servers_for(self._start, agent.can.mcp_capabilities)
        journal.add_secrets(secret for server in servers for secret in server.secrets())
        journal.add_secrets(secret for server in servers for secret in secret_arguments(server.args))
        return [server.params() for server in servers]


def mcp_servers_for(start: Start, takes: McpCapabilities) -> tuple[list[McpServer], list[str]]:
    """Return the MCP servers that an agent can use, and the names of the others."""
    kept, left_out = split_by_support(start.mcp_servers, http=takes.http, sse=takes.sse)
    return list(kept), [server.name for server in left_out]


async def _recorded(agent: str, session_id: str) -> Session | None:
    """Return a session from the journals; None without one."""
    try:
        rows = await asyncio.to_thread(rows_about, journals_folder(), agent, session_id)
        replayed = await replays.replay_in_slices(rows)
    except OSError:
        return None
    return replayed.sessions.get(session_id)


def _named_options(session: Session) -> dict[str, str]:
    return {option.config.id: option.value_name for option in session.options}


def _other_options(chosen: Mapping[str, str], session: Session) -> Iterator[Noted]:
    """Yield a notice for each option whose value differs in a resumed session."""
    for option in session.options:
        before, now = chosen.get(option.config.id, option.value_name), option.value_name
        if before != now:
            yield Noted(f"{option.config.name} is {now} now. Before, it was {before}.", "warning")


async def _wait_for_replay(session: Session) -> bool:
    """Wait briefly for a replay that follows the answer to a load; return whether there was one.

    Most agents replay before the answer, Gemini right after it, and Kimi not at all.
    """
    count = 0
    for _ in range(_REPLAY_LOOKS):
        if session.entries and len(session.entries) == count:
            break
        count = len(session.entries)
        await asyncio.sleep(_REPLAY_PAUSE)
    return bool(session.entries)


def _need_folder(cwd: str) -> None:
    """Raise if the folder of a session no longer exists.

    Raises:
        FolderGone.
    """
    if not Path(cwd).is_absolute() or not Path(cwd).is_dir():
        raise FolderGone(cwd)
