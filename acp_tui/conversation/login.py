"""Logging in to an agent: the person chooses a way, it is gone, and what was refused can be tried again.

No widget here: what has to be shown is asked of `LoginScreens`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeVar

if TYPE_CHECKING:
    from acp_tui.acp.authentication import AuthMethod
    from acp_tui.agent.agent import Agent
    from acp_tui.agent.errors import LoginRequired
    from acp_tui.conversation.conversation import Conversation
    from acp_tui.conversation.running import RunningAgent
    from acp_tui.session.session import Session

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
    from acp_tui.agent.errors import AgentGone, LoginRequired

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
    from acp_tui.acp.initialization import has

    return agent is not None and has(agent.can.auth.logout)


async def log_out(agent: Agent | None, session: Session | None) -> None:
    """End the login with an agent; what came of it is a notice in the chat."""
    from acp_tui.agent.errors import AgentError
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
    from acp_tui.acp.errors import CANCELLED
    from acp_tui.agent.errors import AgentError, AgentGone, CallFailed

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
    from acp_tui.agent.errors import AgentGone, gone

    asked = asyncio.ensure_future(answer)
    try:
        await asyncio.wait({asked, running.reader}, return_when=asyncio.FIRST_COMPLETED)
        if not asked.done():
            raise AgentGone(gone())
        return asked.result()
    finally:
        asked.cancel()
