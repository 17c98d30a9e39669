"""Login and logout. Source: ACP, page "authentication".

It has no widgets: the interface implements `LoginScreens`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Final, Literal, Protocol, TypeVar

from acp_tui.agent.agent import Agent
from acp_tui.agent.capabilities import AgentError, AgentGone, CallFailed, LoginRequired, gone
from acp_tui.conversation.running_agent import RunningAgent
from acp_tui.protocol.schema import REQUEST_CANCELLED, AuthMethod, has
from acp_tui.session.events import Noted
from acp_tui.session.session import Session

T = TypeVar("T")

LoginOutcome = Literal["logged_in", "reconnect", "given_up"]
"""The agent is logged in, needs a restart to be logged in, or is not logged in."""

GIVEN_UP = "The login was cancelled."
STOPPED = "The login was stopped."


class LoginScreens(Protocol):
    """The dialogs of a login. Each call is cancelled once its result is no longer needed."""

    async def choose_login(self, agent: Agent, methods: Sequence[AuthMethod], error: str) -> str | None:
        """Return the id of the method that the user chooses; None: not now."""

    async def wait_for_login(self, agent: Agent, method: AuthMethod) -> None:
        """Show that the agent is logging in, with a way to stop; return only if the user gives up."""

    async def log_in_in_terminal(self, running: RunningAgent, method: AuthMethod) -> str:
        """Run the agent's own login in a terminal; return the reason of its failure, or ''."""


_NO_HELP: Final = "The login did not work:"


async def log_in(
    running: RunningAgent, refused: LoginRequired, screens: LoginScreens, *, again: bool = False
) -> LoginOutcome:
    """Let the user log in, again after each failure, until it succeeds or the user gives up.

    Args:
        running: the agent.
        refused: the error that requires a login.
        screens: the dialogs.
        again: True if an earlier login succeeded, but the agent still requires one.

    Raises:
        AgentGone: the agent has ended.
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


def can_log_out(agent: Agent | None) -> bool:
    """Return whether an agent can log out."""
    return agent is not None and has(agent.can.auth.logout)


async def log_out(agent: Agent | None, session: Session | None) -> None:
    """Log out of an agent; the chat shows the result."""
    if agent is None or session is None:
        return
    try:
        await agent.logins.log_out()
    except AgentError as error:
        agent.note(session.id, Noted(f"The agent did not log out: {error}", "warning"))
    else:
        agent.note(session.id, Noted("Logged out. The agent may ask for a login again."))


async def _authenticate(running: RunningAgent, method: AuthMethod, screens: LoginScreens) -> str:
    """Have the agent log in; return the reason of a failure, or ''."""
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
        return STOPPED if error.code == REQUEST_CANCELLED else str(error) or "The login failed."
    except AgentError as error:
        return str(error) or "The login failed."
    finally:
        login.cancel()
        patience.cancel()
        await asyncio.wait({patience})  # this closes its dialog
    return ""


async def _while_there(running: RunningAgent, answer: Awaitable[T]) -> T:
    """Return an answer of the user, unless the agent ends before it."""
    asked = asyncio.ensure_future(answer)
    try:
        await asyncio.wait({asked, running.reader}, return_when=asyncio.FIRST_COMPLETED)
        if not asked.done():
            raise AgentGone(gone())
        return asked.result()
    finally:
        asked.cancel()
