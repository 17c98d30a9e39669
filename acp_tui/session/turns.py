"""Turns and their state machine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal

from acp_tui.protocol.schema import TurnUsage, UsageUpdate
from acp_tui.session.entries import AgentNotice, Entry, SteeredMessage, UnknownNews, UserMessage, line_of

TurnState = Literal["idle", "running", "cancelling"]
TurnStep = Literal["prompted", "cancelled", "ended"]

TURN: Final[dict[tuple[TurnState, TurnStep], TurnState]] = {
    ("idle", "prompted"): "running",
    ("running", "cancelled"): "cancelling",
    ("running", "ended"): "idle",
    ("cancelling", "ended"): "idle",
}
"""The legal steps; any other, apart from the harmless ones below, is a bug in the caller."""

_HARMLESS: Final[frozenset[tuple[TurnState, TurnStep]]] = frozenset(
    {("idle", "cancelled"), ("cancelling", "cancelled"), ("idle", "ended")}
)


class IllegalStep(Exception):
    """A prompt during a running turn; a bug in the caller."""


def next_state(state: TurnState, step: TurnStep) -> TurnState:
    """Return the state after a step; a second cancel has no effect.

    Raises:
        IllegalStep: the step is not legal in this state.
    """
    if (state, step) in _HARMLESS:
        return state
    try:
        return TURN[state, step]
    except KeyError:
        raise IllegalStep(f"{step} while {state}") from None


@dataclass(slots=True)
class Turn:
    """One turn, from a prompt to its end."""

    first: int
    """Index of its first entry, or of an earlier one if it has none; -1 for none."""
    started: float
    ended: float | None = None
    stop_reason: str = ""
    """The protocol's stop reason, or `failed` after an error."""
    usage: UsageUpdate | None = None
    """Context usage and cost at the end."""
    spent: TurnUsage | None = None
    """Tokens of its model calls, without those of subagents."""


class Turns:
    """The turns of one session."""

    def __init__(self, entries: list[Entry]) -> None:
        self.all: list[Turn] = []
        """All turns, the latest last."""
        self.state: TurnState = "idle"
        self._entries = entries
        self._earlier_prompts: list[str] = []
        """Prompts of earlier runs, which the agent may replay differently or not at all."""

    @property
    def recalled(self) -> int:
        """Number of turns of earlier runs."""
        return len(self._earlier_prompts)

    def step(self, step: TurnStep) -> None:
        """Advance the state of the turn.

        Raises:
            IllegalStep: the step is not legal in this state.
        """
        self.state = next_state(self.state, step)

    def begin(self, first: int, at: float) -> None:
        """Add a turn that begins at an entry."""
        self.all.append(Turn(first, at))

    def move(self, first: int) -> None:
        """Move the start of the running turn to a later entry."""
        if self.state != "idle" and self.all:
            self.all[-1].first = first

    def recall(self, turns: Iterable[tuple[Turn, str]]) -> None:
        """Insert the turns of earlier runs at the entries of their replayed prompts."""
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
        self._earlier_prompts = [prompt for _, prompt in turns]

    def end(
        self, stop_reason: str, at: float, usage: UsageUpdate | None, spent: TurnUsage | None = None
    ) -> None:
        """End the turn, if one runs."""
        if self.state != "idle" and self.all:
            turn = self.all[-1]
            turn.ended, turn.stop_reason, turn.usage, turn.spent = at, stop_reason, usage, spent
        self.step("ended")

    def entries(self) -> list[Entry]:
        """Return the entries of the latest turn."""
        return self._entries[max(0, self.all[-1].first) :] if self.all else []

    @property
    def is_empty_turn(self) -> bool:
        """True if the latest turn has no output, as with some agents that cannot reach their model."""
        return all(
            isinstance(entry, UserMessage | SteeredMessage | AgentNotice | UnknownNews)
            for entry in self.entries()
        )

    def drop(self) -> tuple[int, ...]:
        """Mark the latest turn's entries as dropped from the agent's context; return their indices."""
        for entry in self.entries():
            entry.dropped = True
        return tuple(range(self.all[-1].first, len(self._entries)))

    def prompt_of(self, turn: int) -> str:
        """Return the prompt of a turn (from 1) on one line."""
        if 0 < turn <= len(self._earlier_prompts):
            return self._earlier_prompts[turn - 1]
        entry = self._entries[self.all[turn - 1].first] if 0 < turn <= len(self.all) else None
        return line_of(entry) if isinstance(entry, UserMessage) else ""
