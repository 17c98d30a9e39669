"""Failures of an agent: the facts that the start screen words."""

from __future__ import annotations

from typing import Literal, NamedTuple

from acp_tui.agent.agent import Agent
from acp_tui.agent.capabilities import AgentGone, LoginRequired, WrongVersion, gone
from acp_tui.workspace.processes import ExitStatus

FailureKind = Literal["spawn", "exited", "version", "login", "refused", "not_taken_up", "ended", "silent"]


class Failure(NamedTuple):
    """The facts about a failure of an agent."""

    kind: FailureKind
    reason: str
    stderr: str = ""
    """The newest lines of stderr."""
    stdout: str = ""
    """The newest stray lines on stdout."""
    exit: ExitStatus | None = None
    no_agent: bool = False
    """True if the agent has printed nothing but stray lines."""
    advice: str = ""
    """Advice of the failed step, if it has any."""
    closed_output: bool = False
    """True if the agent was stopped because it lived on after closing its output."""
    is_resumed_start: bool = False
    """True if a restarted agent can load the session again."""


def ended(agent: Agent) -> Failure:
    """Return the failure of an agent that has ended during a session."""
    return Failure(
        "ended",
        gone(),
        stderr=agent.stderr_tail,
        stdout=agent.connection.strays,
        exit=agent.connection.exit,
        closed_output=agent.connection.was_ended,
        is_resumed_start=agent.can.can_resume,
    )


def failure_of(agent: Agent, error: Exception, *, is_resumed_start: bool = False) -> Failure:
    """Return the failure of a start that has opened no session.

    Args:
        agent: the agent.
        error: the exception.
        is_resumed_start: True if an earlier session was requested, not a new one.
    """
    kinds: dict[type[Exception], FailureKind] = {
        AgentGone: "exited",
        WrongVersion: "version",
        LoginRequired: "login",
    }
    return Failure(
        kinds.get(type(error), "not_taken_up" if is_resumed_start else "refused"),
        str(error),
        stderr=agent.stderr_tail,
        stdout=agent.connection.strays,
        exit=agent.connection.exit,
        no_agent=agent.connection.looks_like_no_agent,
    )
