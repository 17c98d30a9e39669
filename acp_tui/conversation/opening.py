"""How a running agent is led to a session: a new one, one that it has, or the one from before a restart."""

from __future__ import annotations

import asyncio
import os.path
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from acp_tui.session.events import Noted

if TYPE_CHECKING:
    from acp_tui.agent.agent import Agent
    from acp_tui.conversation.conversation import Conversation, Listener, Start
    from acp_tui.protocol.schema import AgentCapabilities, SessionInfo
    from acp_tui.session.session import Session
    from acp_tui.store.decisions import DecisionLog
    from acp_tui.store.journal import Journal
    from acp_tui.store.launch import Launch
    from acp_tui.store.prompts import Prompt
    from acp_tui.store.recordings import RecordedSession


class Attach(NamedTuple):
    """A session that the agent has, to be taken up instead of a new one."""

    info: SessionInfo
    is_open: bool = False
    """It is there already, as one that was just forked is: there is nothing to ask for."""
    again: bool = False
    """It was open here, in a process of the agent that is gone; what was said is on the screen."""


_RESUMED: Final = "Resumed. The agent knows what was said before; it is not shown here."
_CONTINUES: Final = "A new session: the agent does not know what stands above."
_CAN_BE_TOLD: Final = "/hand-over puts it into your next prompt."
_UNTOLD: Final = "Loaded. The agent has told nothing of what was said before."
_GOES_ON: Final = "The agent was started again, and has taken this session up."

_SAYING: Final = ("agent_message_chunk", "agent_thought_chunk")
_LOOK: Final = 0.05  # seconds between two looks for what an agent tells after its answer
_LOOKS: Final = 10


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
        self.above: Session | None = None
        """What stands above a new session and was said in an earlier one, which its agent does not know."""
        self.is_below = False
        """Whether the last session that was opened is one to which that holds since then."""
        self._before: Session | None = None
        """What stood on the screen last."""
        self._is_untold = False
        """Whether the agent has loaded the session and told nothing of it."""
        self._not_lent: list[str] = []
        """Folders that a session had before, and that the person has not granted."""
        self._left_out: list[str] = []
        """Names of MCP servers that the agent cannot take."""

    def restarts(self, before: Session | None, *, same_agent: bool, cwd: str = "") -> None:
        """Prepare for another process: take up the session before, where that is worth it.

        Args:
            before: that session.
            same_agent: whether the process is one of the agent that has it.
            cwd: the folder to go on in, where that is not the session's own.
        """
        self._before = before or self._before
        if not same_agent:
            self.attach = None
        elif before is not None and (before.turns or self.attach is not None):
            from acp_tui.protocol.schema import SessionInfo

            info = SessionInfo(session_id=before.id, cwd=cwd or before.cwd, title=before.title or None)
            self.attach = Attach(info, again=True)
            return
        self.continues = self.continues or before is not None

    def begins_new(self, before: Session | None) -> None:
        """Prepare for a new session, below what was said in another one."""
        self.attach = None
        self._before = before or self._before
        self.continues = self.continues or before is not None

    def awaits(self, session_id: str) -> bool:
        """Whether what comes of this session is to be shown before the answer that it is taken up."""
        attach = self.attach
        is_told = attach is not None and not attach.is_open and not attach.again
        return is_told and attach is not None and session_id == attach.info.session_id

    @property
    def takes_up(self) -> bool:
        """Whether an earlier session is wanted, not a new one."""
        return self.attach is not None

    async def open(self, agent: Agent, journal: Journal) -> Session:
        """Open the session of this conversation.

        Raises:
            LoginRequired: the agent wants a login first.
            AgentError.
        """
        servers = self._servers(agent, journal)
        attach = self.attach
        self.is_new, self.is_below = attach is None, False
        if attach is None:
            return await self._new(agent, self._start.cwd, servers)
        if attach.is_open:
            self.attach = None  # not again: another process of the agent will not have it open
            return agent.sessions[attach.info.session_id]
        if attach.again:
            return await self._again(agent, attach.info, servers)
        session = await self._take_up(agent, attach.info, servers, replay=agent.can.load_session)
        self._is_untold = bool(agent.can.load_session) and not await _is_told(session)
        return session

    async def _take_up(
        self,
        agent: Agent,
        info: SessionInfo,
        servers: list[dict[str, Any]],
        *,
        replay: Any,
        before: Session | None = None,
    ) -> Session:
        cwd, roots = self._folders(info)
        earlier = self._before
        if earlier is None or earlier.id != info.session_id:
            earlier = await _recorded(agent.name, info.session_id)
        past = earlier.past() if earlier is not None else None
        return await agent.setup.load_session(
            info.session_id, cwd, roots, servers, replay=bool(replay), before=before, past=past
        )

    async def _again(self, agent: Agent, info: SessionInfo, servers: list[dict[str, Any]]) -> Session:
        """Take up what was open before, as it stands on the screen; else make a new session.

        An agent that cannot do so without a replay tells it anew, and is not shown then.
        """
        from acp_tui.agent.capabilities import CallFailed, LoginRequired
        from acp_tui.protocol.schema import has

        resumes = has(agent.can.session_capabilities.resume)
        if agent.can.takes_up:
            try:
                session = await self._take_up(agent, info, servers, replay=not resumes, before=self._before)
            except LoginRequired:
                raise
            except CallFailed:
                pass  # nothing was said in it yet, or it was not kept
            else:
                if (told := agent.told_anew(session.id)) is not None:
                    await _is_told(told)  # before the user says something, which would end it
                return session
        self.attach, self.continues, self.is_new = None, True, True
        return await self._new(agent, info.cwd or self._start.cwd, servers)

    async def _new(self, agent: Agent, cwd: str, servers: list[dict[str, Any]]) -> Session:
        if self._before is not None and self._before.turns:
            self.above, self.is_below = self._before, True
        _need_folder(cwd)
        return await agent.setup.new_session(cwd, self._start.extra_roots, servers)

    async def fork(self, agent: Agent, journal: Journal, info: SessionInfo) -> SessionInfo:
        """Have the agent fork a session that it has, and return the fork, which is open.

        Raises:
            LoginRequired: the agent wants a login first.
            AgentError.
        """
        cwd, roots = self._folders(info)
        forked = await agent.setup.fork_session(info.session_id, cwd, roots, self._servers(agent, journal))
        return info.model_copy(update={"session_id": forked.id, "title": None})

    async def open_again(self, agent: Agent, journal: Journal, before: Session) -> tuple[Session, bool]:
        """Return (the session of an agent that was started anew, whether it is the one before)."""
        from acp_tui.agent.capabilities import CallFailed
        from acp_tui.protocol.schema import has

        servers = self._servers(agent, journal)
        cwd, roots = before.cwd or self._start.cwd, self._start.extra_roots
        _need_folder(cwd)
        if has(agent.can.session_capabilities.resume):
            try:
                session = await agent.setup.load_session(
                    before.id, cwd, roots, servers, replay=False, before=before
                )
                return session, True
            except CallFailed:
                pass  # nothing was said in it yet, or it was not kept
        self.continues, self._before = True, before
        return await self._new(agent, cwd, servers), False

    def tell(self, agent: Agent, session: Session) -> None:
        """Note what the person should know about a session that begins."""
        from acp_tui.protocol.schema import SessionInfoUpdate

        if self.attach is not None and self.attach.info.title and not session.title:
            agent.note(session.id, SessionInfoUpdate(title=self.attach.info.title))
        for notice in self._notices(agent):
            agent.note(session.id, notice)

    def _notices(self, agent: Agent) -> Iterator[Noted]:
        from acp_tui.protocol.schema import has
        from acp_tui.session.events import Noted

        if self.attach is not None:
            yield from self._of_the_taken_up(agent.can)
        elif self.continues:
            yield Noted(f"{_CONTINUES} {_CAN_BE_TOLD}" if self.above is not None else _CONTINUES)
        if self._left_out:
            yield Noted(f"This agent cannot take these MCP servers: {', '.join(self._left_out)}.", "warning")
        takes_more = has(agent.can.session_capabilities.additional_directories)
        if self._start.extra_roots and not takes_more:
            yield Noted(
                f"This agent takes no further folders: {', '.join(self._start.extra_roots)}.", "warning"
            )

    def _of_the_taken_up(self, can: AgentCapabilities) -> Iterator[Noted]:
        from acp_tui.session.events import Noted

        assert self.attach is not None
        if self.attach.again:
            yield Noted(_GOES_ON)
        elif not can.load_session:
            yield Noted(_RESUMED)
        elif self._is_untold:
            yield Noted(_UNTOLD)
        if (cwd := self.attach.info.cwd) and cwd != self._start.cwd:
            yield Noted(f"This session works in {cwd}.")
        if self._not_lent:
            said = ", ".join(self._not_lent)
            yield Noted(
                f"This session had further folders: {said}. --add-dir lends such a folder.", "warning"
            )

    def _folders(self, info: SessionInfo) -> tuple[str, list[str]]:
        """Return (folder, further folders) of an earlier session: none that the person has not granted.

        The agent says which folders a session had. That it says so is no reason to lend them.
        """
        cwd = info.cwd or self._start.cwd
        _need_folder(cwd)
        granted = [cwd, self._start.cwd, *self._start.extra_roots]
        lent = [root for root in info.additional_directories if _is_below(root, granted)]
        self._not_lent = [root for root in info.additional_directories if root not in lent]
        return cwd, [*self._start.extra_roots, *lent]

    def _servers(self, agent: Agent, journal: Journal) -> list[dict[str, Any]]:
        from acp_tui.conversation.agents import mcp_servers_for

        servers, self._left_out = mcp_servers_for(self._start, agent.can.mcp_capabilities)
        journal.hide(secret for server in servers for secret in server.secrets())
        return [server.params() for server in servers]


async def _recorded(agent: str, session_id: str) -> Session | None:
    """Return a session of an agent as the journals tell it; None where they do not."""
    from acp_tui.agent.replay import replay_in_slices
    from acp_tui.store.folders import data_folder
    from acp_tui.store.recordings import rows_about

    try:
        rows = await asyncio.to_thread(rows_about, data_folder() / "journals", agent, session_id)
        told = await replay_in_slices(row for row in rows if not _only_says(row.msg))
    except OSError:
        return None
    return told.sessions.get(session_id)


def _only_says(msg: Any) -> bool:
    """Whether a message is one of the many parts of what an agent says, which tell nothing of files."""
    params = msg.get("params") if isinstance(msg, dict) else None
    update = params.get("update") if isinstance(params, dict) else None
    return isinstance(update, dict) and update.get("sessionUpdate") in _SAYING


async def _is_told(session: Session) -> bool:
    """Whether an agent tells what was said in a session that it has loaded.

    Most do so before they answer, gemini right after it, and kimi not at all.
    """
    told = 0
    for _ in range(_LOOKS):
        if session.entries and len(session.entries) == told:
            break
        told = len(session.entries)
        await asyncio.sleep(_LOOK)
    return bool(session.entries)


def _need_folder(cwd: str) -> None:
    """Let no session begin in a folder that is not there, or quietly elsewhere.

    Raises:
        FolderGone.
    """
    from acp_tui.agent.capabilities import FolderGone

    if not Path(cwd).is_dir():
        raise FolderGone(cwd)


def _is_below(path: str, folders: list[str]) -> bool:
    """Whether a path is one of some folders or lies in one, once links are followed."""
    real = os.path.realpath(path)
    return any(os.path.commonpath((real, folder)) == folder for folder in map(os.path.realpath, folders))


class Recording:
    """Shows what a journal remembers in the place of a session."""

    def __init__(self, conversation: Conversation, opening: Opening, listener: Listener) -> None:
        self._conversation = conversation
        self._opening = opening
        self._listener = listener

    async def show(self, recorded: RecordedSession) -> bool:
        """Show a session of a journal, until `go_on`. Return whether there is one in it.

        Raises:
            OSError: the file cannot be opened.
        """
        from acp_tui.agent.replay import replay_in_slices
        from acp_tui.store.recordings import rows_of

        conversation = self._conversation
        this, rows = conversation.round, rows_of(recorded)
        conversation.enter("reading")
        sessions = (await replay_in_slices(rows)).sessions
        if this != conversation.round:
            return True  # the person has left meanwhile
        if not sessions:
            conversation.enter("starting")
            return False
        session = sessions.get(recorded.session_id) or next(reversed(sessions.values()))
        conversation.session, conversation.recorded = session, recorded
        conversation.enter("recorded")
        self._listener.session_changed(session.everything())
        return True

    async def go_on(self, launch: Launch, prompt: Prompt | None = None, cwd: str = "") -> None:
        """Go on with the session where the agent can take it up, else begin a new one below it.

        Args:
            launch: how the agent is started that has it.
            prompt: said as soon as it can be.
            cwd: the folder to go on in; the session's own where none is named.
        """
        conversation = self._conversation
        self._opening.restarts(conversation.session, same_agent=True, cwd=cwd)
        conversation.session = conversation.recorded = None
        conversation.enter("starting")
        if prompt is not None:
            conversation.say(prompt)
        await conversation.begin(launch)


_FULL = "There is no room left on the disk: nothing is recorded until there is some again."
_ROOM = "There is room on the disk again: what was said meanwhile is recorded, too."


class Unwritten:
    """Looks at the journal of an agent and at the log of decisions."""

    def __init__(self, journal: Journal, decisions: DecisionLog) -> None:
        self._journal = journal
        self._decisions = decisions
        self._kept = (journal, decisions)
        self._told: set[str] = set()
        self._was_full = False

    def news(self) -> list[Noted]:
        """Return what has not been said yet; a full disk is one thing, whatever is not written to it."""
        if not self._was_full and all(one.problem is None for one in self._kept):
            return []
        return [*self._about_room(), *self._about_others()]

    def _about_room(self) -> list[Noted]:
        if self._was_full and not self._journal.lacks_room:
            self._decisions.write_held()
        full = [one.problem for one in self._kept if one.lacks_room and one.problem is not None]
        if bool(full) == self._was_full:
            return []
        self._was_full = bool(full)
        if not full:
            is_whole = all(one.problem is None for one in self._kept)
            return [Noted(_ROOM)] if is_whole else []
        return [Noted(_FULL, "warning", f"Make room for {full[0].path.parent}, and go on working.")]

    def _about_others(self) -> list[Noted]:
        said = [str(one.problem) for one in self._kept if one.problem is not None and not one.lacks_room]
        new = [problem for problem in said if problem not in self._told]
        self._told.update(new)
        return [Noted(problem, "warning") for problem in new]
