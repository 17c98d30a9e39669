"""The life of one conversation: the agent's start, a session, what waits to be said, the end, and again.

No widget and no layout here: the screen hears `Listener` and calls methods.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol

from acp_tui.conversation.agents import Connecting
from acp_tui.conversation.choices import Choosing
from acp_tui.conversation.queue import Person, Speaking
from acp_tui.store.prompts import Prompt

if TYPE_CHECKING:
    from acp_tui.agent.agent import Agent
    from acp_tui.agent.host import Host
    from acp_tui.agent.process import Process, SpawnFailed
    from acp_tui.changes.tracker import ChangeTracker, Told
    from acp_tui.conversation.agents import RunningAgent
    from acp_tui.conversation.login import Beginning, Failure, LoginScreens
    from acp_tui.conversation.opening import Attach, Opening, Recording
    from acp_tui.conversation.rejections import Rejections
    from acp_tui.protocol.schema import SessionInfo
    from acp_tui.session.change import SessionChange
    from acp_tui.session.questions import Question
    from acp_tui.session.session import Session
    from acp_tui.store.agents import KnownAgent
    from acp_tui.store.folders import Problem
    from acp_tui.store.journal import Journal
    from acp_tui.store.launch import Launch
    from acp_tui.store.mcp import McpServer
    from acp_tui.store.recordings import RecordedSession
    from acp_tui.store.settings import Settings
    from acp_tui.workspace.guard import Guard
    from acp_tui.workspace.terminals import Terminal


class OpenQuestions(Mapping[tuple[str, str], "Question"]):
    """A view by (session id, key): it costs nothing to make, however many questions there are."""

    def __init__(self, sessions: Sequence[Session]) -> None:
        self._sessions = sessions

    def __getitem__(self, key: tuple[str, str]) -> Question:
        """Return a question."""
        for session in self._sessions:
            if session.id == key[0] and key[1] in session.questions:
                return session.questions[key[1]]
        raise KeyError(key)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Go through the keys, in the order of the sessions and the oldest first."""
        for session in self._sessions:
            for key in session.questions:
                yield session.id, key

    def __len__(self) -> int:
        """Return how many there are."""
        return sum(len(session.questions) for session in self._sessions)

    @property
    def visits(self) -> int:
        """How many of them are addresses that the user visits now."""
        everything = chain.from_iterable(session.questions.values() for session in self._sessions)
        return sum(getattr(question, "visiting", False) for question in everything)

    def __repr__(self) -> str:
        """Return what is open, for a test that fails."""
        return repr(dict(self))


Phase = Literal["starting", "logging-in", "ready", "failed", "ended", "reading", "recorded", "ending"]

_OVER: Final = ("failed", "ended", "reading", "recorded", "ending")
"""Phases in which nobody hears what is said."""


class Conversation:
    """One agent and one session of it, from the first start to the last end."""

    def __init__(
        self,
        start: Start,
        listener: Listener,
        logins: LoginScreens,
        running: RunningAgent | None = None,
        attach: Attach | None = None,
    ) -> None:
        """Begin later, by `begin`.

        Args:
            start: what the command line and the settings say.
            listener: who shows the conversation.
            logins: who shows the person what a login needs.
            running: an agent that other conversations have already; else one is started.
            attach: a session that the agent has, to be taken up instead of a new one.
        """
        self.phase: Phase = "starting"
        self.failure: Failure | None = None
        """Why the phase is `failed` or `ended`."""
        self.waiting_since = time.monotonic()
        """When the current phase began, on the monotonic clock."""
        self.recorded: RecordedSession | None = None
        """Where a recorded session was read from, in the phase `recorded`."""
        self.session: Session | None = None
        self._start = start
        self._listener = listener
        self.round = 0
        """Counts beginnings and ends: whoever waited for something of an earlier round has to stop."""
        self.tracking: ChangeTracker | None = None
        """Looks at the files of the workspace, while there is a session."""
        self._told_unread: tuple[str, int] | None = None
        """The turn in which it was said what the agent prints that is no message."""
        self._is_closed = False
        self._leaving: asyncio.Task[None] | None = None
        self._following: asyncio.Task[None] | None = None
        self._attach = attach
        self._logins = logins
        self.choosing = Choosing(self, start)
        self._speaking = Speaking(self, listener, start)
        self.connecting = Connecting(start, self, running)
        """Which agent it talks to."""

    # ------------------------------------------------------------------ beginning and ending

    async def begin(self, launch: Launch | None = None) -> None:
        """Start the agent, or take over the one that is starting, and make a session.

        What goes wrong ends in the phase `failed`, with what to tell the person.
        """
        from acp_tui.conversation.loading import load

        self.round += 1
        this = self.round
        self.connecting.launch = launch or self.launch
        self.failure = None
        self.enter("starting")
        await load()
        if this == self.round and (running := self.started()) is not None:
            await self.beginning.lead(running, this)

    async def restart(self, launch: Launch | None = None) -> None:
        """End what runs and begin again, with the same session where the agent can take it up.

        What was said stays on the screen, unless the agent tells it anew; so do the changed files.
        """
        await self._leave()
        if self._is_closed:
            return
        self._opening.restarts(self.session, same_agent=launch is None)
        self.session = None
        await self.begin(launch)

    async def begin_new(self) -> None:
        """Begin a new session with the agent, below an earlier one that it does not have (any more)."""
        self._opening.begins_new(self.session)
        self.session = None
        if self.running is None or not self.running.is_running:
            await self.restart()
        else:
            await self.begin()

    async def end(self) -> None:
        """Leave the agent for good; the last one to leave ends it. May be called twice, at the same time."""
        self._is_closed = True
        await self._leave()
        tracking = self.tracking
        if tracking is not None:
            await asyncio.shield(tracking.settle())  # others go on with the agent, so it is written down
            await asyncio.shield(tracking.close())
            self.tracking = None  # not before: who ends it at the same time waits as well

    async def _leave(self) -> None:
        if self._leaving is None:
            self._leaving = asyncio.create_task(self._leave_once())
        await asyncio.shield(self._leaving)

    async def _leave_once(self) -> None:
        self.round += 1
        self.enter("ending")
        try:
            await self.connecting.end(self.session)
            await self._speaking.end()
        finally:
            self._leaving = None
            self.connecting.forget()

    @cached_property
    def rejections(self) -> Rejections:
        """What the next prompt tells of changes that the person has taken back."""
        from acp_tui.conversation.rejections import Rejections

        return Rejections(self._listener.queue_changed, wanted=self._start.settings.tell_rejections)

    @cached_property
    def _opening(self) -> Opening:
        from acp_tui.conversation.opening import Opening

        return Opening(self._start, self._attach)

    @cached_property
    def recording(self) -> Recording:
        """Shows recorded sessions."""
        from acp_tui.conversation.opening import Recording

        return Recording(self, self._opening, self._listener)

    @cached_property
    def beginning(self) -> Beginning:
        """How it comes to a session; after the first frame."""
        from acp_tui.conversation.login import Beginning

        return Beginning(self, self._opening, self._start, self._listener, self._logins)

    @property
    def launch(self) -> Launch | None:
        """How the agent is started, first and again."""
        return self.connecting.launch

    @property
    def running(self) -> RunningAgent | None:
        """The agent with all that belongs to it, while it is there."""
        return self.connecting.running

    @property
    def agent(self) -> Agent | None:
        """The agent, while it is there."""
        return self.running.agent if self.running is not None else None

    @property
    def host(self) -> Host | None:
        """What the agent is lent, while it is there."""
        return self.running.host if self.running is not None else None

    @property
    def background(self) -> list[Terminal]:
        """The terminals of commands that the agent ran and that have left something running."""
        if self.host is None or self.session is None:
            return []
        return self.host.terminals.background(self.session.id)

    @property
    def journal(self) -> Journal | None:
        """Where the connection is written down, while there is one."""
        return self.running.journal if self.running is not None else None

    @property
    def cwd(self) -> str:
        """The folder that the session works in: one that was taken up may have another than the program."""
        cwd = self.session.cwd if self.session is not None else ""
        return cwd or self._start.cwd

    @property
    def roots(self) -> list[str]:
        """The folders of the session: the one that it works in, then those that were added."""
        return [self.cwd, *self._start.extra_roots]

    @property
    def command(self) -> Sequence[str]:
        """The agent's program and arguments."""
        return self.launch.argv if self.launch is not None else ()

    @property
    def agent_name(self) -> str:
        """The agent's name for people: its own, once it has said it."""
        if self.agent is not None:
            return self.agent.title
        own = self.recorded.agent if self.recorded is not None else ""
        return own or (self.launch.title if self.launch is not None else "agent")

    @property
    def waits_too_long(self) -> bool:
        """Whether the agent is starting for so long that the person should hear what can be done."""
        waited = time.monotonic() - self.waiting_since
        is_waiting = self.phase == "starting" and self.agent is not None
        return is_waiting and waited >= self._start.settings.initialize_timeout_s

    @property
    def unread(self) -> str:
        """What the agent printed that is no message, once only such lines came for a while; may be empty."""
        connection = self.agent.connection if self.agent is not None else None
        return connection.strays if connection is not None and connection.says_only_strays else ""

    def tell_unread(self) -> None:
        """Say in the chat, once in a turn, what the agent printed there that is no message."""
        if self.agent is None or self.session is None or not self.is_busy or self.session.questions:
            return
        turn = (self.session.id, len(self.session.turns))
        if turn != self._told_unread and self.unread:
            self._told_unread = turn
            self.agent.tell_unread(self.session.id)

    # ------------------------------------------------------------------ the conversation

    @property
    def above(self) -> Session | None:
        """What stands above the session, and its agent does not know; None where there is no such."""
        return self._opening.above

    @property
    def is_over(self) -> bool:
        """Whether nobody hears what is said."""
        return self.phase in _OVER

    @property
    def is_busy(self) -> bool:
        """Whether a turn runs."""
        return self.session is not None and self.session.turn_state != "idle"

    @property
    def questions(self) -> OpenQuestions:
        """Open questions by (session id, key), oldest first, after those of no session, as in logins."""
        sessions = [self.agent.outside] if self.agent is not None else []
        sessions += [self.session] if self.session is not None else []
        return OpenQuestions(sessions)

    @property
    def queue(self) -> list[Prompt]:
        """What is said when the turn, or the start, is over; the first goes first."""
        return self._speaking.queue

    def say(self, prompt: Prompt | str) -> None:
        """Send a prompt, or queue it while the agent is busy or starting; give it back when all is over."""
        self._speaking.say(Prompt(prompt) if isinstance(prompt, str) else prompt)

    def give_back(self) -> None:
        """Return to the person all that waits to be said."""
        self._speaking.give_back()

    def take_from_queue(self, index: int) -> Prompt:
        """Take back something that was not sent yet."""
        return self._speaking.take(index)

    def stop(self) -> bool:
        """Stop the turn and take back what waits to be said; return whether there was a turn to stop."""
        stopped = self._speaking.withdraw() or self.cancel()
        if stopped:
            self._speaking.give_back()
        return stopped

    def cancel(self) -> bool:
        """Stop the turn; what waits to be said comes next. Return whether there was a turn to stop."""
        if self.agent is None or self.session is None or self.session.turn_state != "running":
            return False
        self.agent.cancel(self.session.id)
        return True

    def answer(self, question: tuple[str, str], option_id: str | None, how: str = "") -> None:
        """Answer a permission; `how` is the key or the click that the person did it with."""
        from acp_tui.agent.permissions.authorization import AnsweredBy

        if self.agent is not None:
            self.agent.answer(*question, option_id, AnsweredBy("person", how))

    def answer_form(self, question: tuple[str, str], action: str, content: dict[str, Any] | None) -> None:
        """Answer a form or an address."""
        if self.agent is not None:
            self.agent.answer_form(*question, action, content)

    async def fork(self, info: SessionInfo) -> SessionInfo:
        """Have the agent fork a session that it has; the fork is open, and nobody shows it yet.

        Raises:
            AgentError.
        """
        from acp_tui.conversation.login import asked

        def ask(agent: Agent) -> Awaitable[SessionInfo]:
            assert self.journal is not None
            return self._opening.fork(agent, self.journal, info)

        return await asked(self, ask)

    # ------------------------------------------------------------------ parts of the start

    def started(self) -> RunningAgent | None:
        """Return the agent, started if need be; None, and the phase `failed`, if that cannot be done."""
        from acp_tui.agent.process import SpawnFailed
        from acp_tui.conversation.login import Failure

        try:
            return self.connecting.start()
        except SpawnFailed as error:
            self.failure = Failure("spawn", str(error), advice=error.advice)
        self._speaking.give_back()
        self.enter("failed")
        return None

    def follow(self, running: RunningAgent) -> None:
        """Go on with another process of the agent; a turn that runs stays with the one that runs it."""
        from acp_tui.conversation.agents import follow

        if self.phase == "ready" and not self.is_busy and self.session is not None:
            self._following = asyncio.create_task(follow(self, running, self.session))

    def note(self, event: Told) -> None:
        """Take into the session what happened beside the agent."""
        if self.agent is not None and self.session is not None:
            self.agent.note(self.session.id, event)

    # ------------------------------------------------------------------ what happens

    async def agent_stopped(self) -> None:
        """The agent was stopped: what it has left is looked at as long as that can be written down."""
        if self.tracking is not None:
            await self.tracking.settle()

    def agent_ended(self) -> None:
        """The agent is gone, and nobody asked for it."""
        from acp_tui.conversation.login import ended

        agent = self.agent
        if agent is not None and self.phase == "ready":
            self.failure = ended(agent)
            self._speaking.give_back()
            self.enter("ended")

    def fail(self, agent: Agent, error: Exception) -> None:
        """The start did not lead to a session: say why, with what the agent said on the side."""
        from acp_tui.conversation.login import failure_of

        self.failure = failure_of(agent, error, takes_up=self._opening.takes_up)
        self._speaking.give_back()
        self.enter("failed")

    def changed(self, session_id: str, change: SessionChange) -> None:
        """Something in a session of the agent changed; it concerns us if it is ours, or nobody's."""
        if self.agent is not None and session_id == self.agent.outside.id:
            self._listener.questions_changed()
            return
        if self._expects(session_id) and self.agent is not None:
            self.session = self.agent.sessions.get(session_id)
        if self.session is not None and session_id == self.session.id:
            self._listener.session_changed(change)
            if self.running is not None:
                self.running.tell_problems(self.session.id)

    def _expects(self, session_id: str) -> bool:
        """Whether this may be the session that we wait for: its news come before the answer that names it."""
        if self.session is not None or self.running is None:
            return False
        if self._opening.takes_up:
            return self._opening.awaits(session_id)
        return not self.running.is_shared

    def enter(self, phase: Phase) -> None:
        """Be in this phase from now on."""
        self.phase = phase
        self.waiting_since = time.monotonic()
        self._listener.phase_changed()

    def go_on(self) -> None:
        """Be ready, and say what waits."""
        self.enter("ready")
        self._speaking.go_on()


class Listener(Person, Protocol):
    """Who shows the conversation."""

    def phase_changed(self) -> None:
        """`phase` has a new value."""

    def session_changed(self, change: SessionChange) -> None:
        """Something in the session changed."""

    def session_dropped(self) -> None:
        """Nothing of what was shown counts any more: it did not come about, or is told anew."""

    def questions_changed(self) -> None:
        """A question that belongs to no session was asked, or has its answer."""


class Start(NamedTuple):
    """One start of the program, as asked for on the command line and in the settings."""

    cwd: str
    """The workspace: absolute, a folder that exists; links in it are kept as the user wrote them."""
    settings: Settings
    guard: Guard
    """Ends all that was started here if we are killed; closed by the command line, after the interface."""
    known: Mapping[str, KnownAgent] = MappingProxyType({})
    """All agents that can be started by name."""
    launch: Launch | None = None
    """How the agent is started, first and again; None opens the start screen."""
    process: Process | None = None
    """The agent, already starting; None without `launch` or when it failed."""
    spawn_error: SpawnFailed | None = None
    """Why the agent could not be started although its program is there."""
    extra_roots: tuple[str, ...] = ()
    """Further folders that the agent may use: absolute, without `cwd` and without doubles."""
    mode: str | None = None
    """The mode to ask the agent for once there is a session."""
    mcp_servers: tuple[McpServer, ...] = ()
    """All that may be lent to an agent: ready to be sent, its references resolved."""
    theme: str | None = None
    """The theme of this run; None is the one in the settings."""
    problems: tuple[Problem, ...] = ()
    """What was wrong with the user's files, to be shown once."""
