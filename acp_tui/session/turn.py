"""What may follow what in a turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from acp_tui.acp.updates import UsageUpdate

TurnState = Literal["idle", "running", "cancelling"]
TurnStep = Literal["prompted", "cancelled", "ended"]

TURN: Final[dict[tuple[TurnState, TurnStep], TurnState]] = {
    ("idle", "prompted"): "running",
    ("running", "cancelled"): "cancelling",
    ("running", "ended"): "idle",
    ("cancelling", "ended"): "idle",
}
"""Every legal step. Anything else is a mistake of the caller, but for the harmless ones below."""

_HARMLESS: Final[frozenset[tuple[TurnState, TurnStep]]] = frozenset(
    {("idle", "cancelled"), ("cancelling", "cancelled"), ("idle", "ended")}
)


class IllegalStep(Exception):
    """A second prompt was sent into a running turn: a mistake of ours."""


def next_state(state: TurnState, step: TurnStep) -> TurnState:
    """Return the state after a step; stopping what has stopped changes nothing.

    Raises:
        IllegalStep: the step may not follow.
    """
    if (state, step) in _HARMLESS:
        return state
    try:
        return TURN[state, step]
    except KeyError:
        raise IllegalStep(f"{step} while {state}") from None


@dataclass(slots=True)
class Turn:
    """One turn: from a prompt to its end."""

    first: int
    """Index of the entry that began it."""
    started: float
    ended: float | None = None
    stop_reason: str = ""
    """How it ended, in the protocol's words; `failed` when the agent answered with an error."""
    usage: UsageUpdate | None = None
    """What was known of context and cost when it ended."""
