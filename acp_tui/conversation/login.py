"""Logging in to an agent: the person chooses a way, it is gone, and what was refused can be tried again.

No widget here: what has to be shown is asked of `LoginScreens`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from acp_tui.agent.agent import Agent
    from acp_tui.agent.capabilities import LoginRequired
    from acp_tui.conversation.agents import RunningAgent
    from acp_tui.conversation.conversation import Conversation, Listener, Start
    from acp_tui.conversation.opening import Opening
    from acp_tui.protocol.schema import AuthMethod
    from acp_tui.session.session import Session
    from acp_tui.workspace.processes import ExitStatus


T = TypeVar("T")

Outcome = Literal["logged_in", "reconnect", "given_up"]
"""The agent knows the login; a new process of the agent will; there is none."""

GIVEN_UP = "The login was given up."
STOPPED = "The login was stopped."


class LoginScreens(Protocol):
    """Shows the person what a login needs. Each call is cancelled when it does not matter any more."""

    async def choose_login(self, agent: Agent, methods: Sequence[AuthMethod], error: str) -> str | None:
        """Return the id of the way that the person chooses; None: not now."""

    async def wait_for_login(self, agent: Agent, method: AuthMethod) -> None:
        """Show that the agent logs in, and let it be stopped; return only when the person will not wait."""

    async def log_in_in_terminal(self, running: RunningAgent, method: AuthMethod) -> str:
        """Run the agent's own login in a terminal; return why it failed, nothing when it did not."""


_NO_HELP: Final = "The login did not help:"


async def log_in(
    running: RunningAgent, refused: LoginRequired, screens: LoginScreens, *, again: bool = False
) -> Outcome:
    """Let the person log in, again and again if it fails, until it is done or they do not want to.

    Source: ACP, page "authentication".

    Args:
        running: whom to log in to.
        refused: its error.
        screens: who shows what is needed.
        again: whether there was a login already, after which the agent wants one all the same.

    Raises:
        AgentGone: there is nobody to log in to any more.
    """
    agent, error = running.agent, f"{_NO_HELP} {refused}" if again else str(refused)
    methods = agent.logins.methods(refused)
    while methods:
        chosen = await _while_there(running, screens.choose_login(agent, methods, error))
        method = next((method for method in methods if method.id == chosen), None)
        if method is None:
            return "given_up"
        if method.type == "terminal":
            error = await _while_there(running, screens.log_in_in_terminal(running, method))
        else:
            error = await _authenticate(running, method, screens)
        if not error:
            return "reconnect" if method.type == "terminal" else "logged_in"
    return "given_up"


async def asked(conversation: Conversation, ask: Callable[[Agent], Awaitable[T]]) -> T:
    """Return what an agent answers; when it wants a login first, let the person log in and ask once again.

    Raises:
        LoginRequired: the person did not log in, or it was of no use.
        AgentError.
    """
    from acp_tui.agent.capabilities import AgentGone, LoginRequired

    before, session = conversation.agent, conversation.session
    if before is None:
        raise AgentGone("There is no agent.")
    try:
        return await ask(before)
    except LoginRequired as refused:
        agent = await conversation.beginning.log_in(refused)
    if agent is not before and session is not None:
        await conversation.beginning.open_again(agent, session)
    return await ask(agent)


def can_log_out(agent: Agent | None) -> bool:
    """Whether an agent has said that it can end a login."""
    from acp_tui.protocol.schema import has

    return agent is not None and has(agent.can.auth.logout)


async def log_out(agent: Agent | None, session: Session | None) -> None:
    """End the login with an agent; what came of it is a notice in the chat."""
    from acp_tui.agent.capabilities import AgentError
    from acp_tui.session.events import Noted

    if agent is None or session is None:
        return
    try:
        await agent.logins.log_out()
    except AgentError as error:
        agent.note(session.id, Noted(f"The agent did not log out: {error}", "warning"))
    else:
        agent.note(session.id, Noted("Logged out. The agent may ask for a login again."))


async def _authenticate(running: RunningAgent, method: AuthMethod, screens: LoginScreens) -> str:
    """Have the agent log in, however long it takes; return why it failed, nothing when it did not."""
    from acp_tui.agent.capabilities import AgentError, AgentGone, CallFailed
    from acp_tui.protocol.schema import CANCELLED

    agent = running.agent
    login = asyncio.ensure_future(agent.logins.authenticate(method.id))
    patience = asyncio.ensure_future(screens.wait_for_login(agent, method))
    try:
        await asyncio.wait({login, patience}, return_when=asyncio.FIRST_COMPLETED)
        if not login.done():
            return GIVEN_UP
        login.result()
    except AgentGone:
        raise
    except CallFailed as error:
        return STOPPED if error.code == CANCELLED else str(error) or "The login failed."
    except AgentError as error:
        return str(error) or "The login failed."
    finally:
        login.cancel()
        patience.cancel()
        await asyncio.wait({patience})  # so that what it has shown is away
    return ""


async def _while_there(running: RunningAgent, answer: Awaitable[T]) -> T:
    """Return an answer of the person, unless the agent goes before they give it."""
    from acp_tui.agent.capabilities import AgentGone, gone

    asked = asyncio.ensure_future(answer)
    try:
        await asyncio.wait({asked, running.reader}, return_when=asyncio.FIRST_COMPLETED)
        if not asked.done():
            raise AgentGone(gone())
        return asked.result()
    finally:
        asked.cancel()


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
        from acp_tui.agent.capabilities import AgentError, AgentGone, gone

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
        from acp_tui.agent.capabilities import AgentError, LoginRequired

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
        """Have a session shown."""
        if self._conversation.session is not session:
            self._conversation.session = session
            self._listener.session_changed(session.everything())

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
        from acp_tui.conversation.agents import reconnect

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
        from acp_tui.conversation.agents import tracking_for

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


FailureKind = Literal["spawn", "exited", "version", "login", "refused", "not_taken_up", "ended", "silent"]


class Failure(NamedTuple):
    """What went wrong with an agent: the facts, from which the words are made."""

    kind: FailureKind
    reason: str
    stderr: str = ""
    """The newest of what the agent said on the side."""
    stdout: str = ""
    """The newest of what it printed there that is no message."""
    exit: ExitStatus | None = None
    noise: int = 0
    """Lines on its stdout that were no messages."""
    strange: bool = False
    """It only ever printed such lines."""
    advice: str = ""
    """What to do, where whoever failed knows it best."""
    closed_output: bool = False
    """It had closed its output and stayed, so it was ended."""
    takes_up: bool = False
    """Started again, the agent can take up what it was told before."""


def ended(agent: Agent) -> Failure:
    """Return what is told of an agent that was there, and is gone."""
    from acp_tui.agent.capabilities import gone

    return Failure(
        "ended",
        gone(),
        stderr=agent.stderr_tail,
        stdout=agent.connection.strays,
        exit=agent.connection.exit,
        closed_output=agent.connection.was_ended,
        takes_up=agent.can.takes_up,
    )


def failure_of(agent: Agent, error: Exception, *, takes_up: bool = False) -> Failure:
    """Return why a start did not lead to a session, with what the agent said on the side.

    Args:
        agent: with whom it was tried.
        error: what went wrong.
        takes_up: an earlier session was wanted, not a new one.
    """
    from acp_tui.agent.capabilities import AgentGone, LoginRequired, WrongVersion

    kinds: dict[type[Exception], FailureKind] = {
        AgentGone: "exited",
        WrongVersion: "version",
        LoginRequired: "login",
    }
    return Failure(
        kinds.get(type(error), "not_taken_up" if takes_up else "refused"),
        str(error),
        stderr=agent.stderr_tail,
        stdout=agent.connection.strays,
        exit=agent.connection.exit,
        noise=agent.connection.noise,
        strange=agent.connection.looks_strange,
    )
