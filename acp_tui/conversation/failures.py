"""Why there is no conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from acp_tui.agent.agent import Agent
    from acp_tui.host.processes import ExitStatus

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
    from acp_tui.agent.errors import gone

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
    from acp_tui.agent.errors import AgentGone, LoginRequired, WrongVersion

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
