"""What may follow what in a turn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal

from acp_tui.protocol.schema import UsageUpdate
from acp_tui.session.entries import Entry, UserMessage, line_of

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
    """Index of the entry that began it, or of one before, if that is not shown; -1 for none."""
    started: float
    ended: float | None = None
    stop_reason: str = ""
    """How it ended, in the protocol's words; `failed` when the agent answered with an error."""
    usage: UsageUpdate | None = None
    """What was known of context and cost when it ended."""


class Turns:
    """The turns of one session, and the entries of each."""

    def __init__(self, entries: list[Entry]) -> None:
        self.all: list[Turn] = []
        """The newest last."""
        self.state: TurnState = "idle"
        self._entries = entries
        self._told: list[str] = []
        """What began the turns of earlier runs: their agent may tell it in other words, or not at all."""

    def step(self, step: TurnStep) -> None:
        """Go on in the turn, or begin one.

        Raises:
            IllegalStep: the step may not follow.
        """
        self.state = next_state(self.state, step)

    def begin(self, first: int, at: float) -> None:
        """Add a turn that begins with an entry."""
        self.all.append(Turn(first, at))

    def recall(self, turns: Iterable[tuple[Turn, str]]) -> None:
        """Put the turns of earlier runs before all others: where the agent has told what began them."""
        turns, found, next_one = list(turns), -1, 0
        said = [
            (place, line_of(entry))
            for place, entry in enumerate(self._entries)
            if isinstance(entry, UserMessage)
        ]
        earlier: list[Turn] = []
        for turn, prompt in turns:
            at = next((at for at in range(next_one, len(said)) if said[at][1] == prompt), None)
            if at is not None:
                found, next_one = said[at][0], at + 1
            earlier.append(
                replace(turn, first=found, ended=turn.started if turn.ended is None else turn.ended)
            )
        self.all[:0] = earlier
        self._told = [prompt for _, prompt in turns]

    def end(self, stop_reason: str, at: float, usage: UsageUpdate | None) -> None:
        """End the turn, if one runs."""
        if self.state != "idle" and self.all:
            turn = self.all[-1]
            turn.ended, turn.stop_reason, turn.usage = at, stop_reason, usage
        self.step("ended")

    def entries(self) -> list[Entry]:
        """Return the entries of the newest turn."""
        return self._entries[max(0, self.all[-1].first) :] if self.all else []

    @property
    def heard_nothing(self) -> bool:
        """Whether nothing came of the newest turn: some agents end it so when their model is out of reach."""
        return all(isinstance(entry, UserMessage) for entry in self.entries())

    def drop(self) -> tuple[int, ...]:
        """Mark the entries of the newest turn as not in the agent's context; return which they are."""
        for entry in self.entries():
            entry.dropped = True
        return tuple(range(self.all[-1].first, len(self._entries)))

    def prompt_of(self, turn: int) -> str:
        """Return in one line what the person said to begin a turn, which are counted from 1."""
        if 0 < turn <= len(self._told):
            return self._told[turn - 1]
        entry = self._entries[self.all[turn - 1].first] if 0 < turn <= len(self.all) else None
        return line_of(entry) if isinstance(entry, UserMessage) else ""
