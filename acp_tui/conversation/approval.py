"""Approval: the agent's mode and the client's policy, as one phrase for the status line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from acp_tui.session.options import Option, asks_less
from acp_tui.store.settings import Policy

ASKS: Final[dict[Policy, str]] = {
    "ask": "asks before everything",
    "ask-edits-and-commands": "asks before edits, commands",
    "allow-edits": "asks before commands",
    "allow-everything": "never asks",
    "read-only": "refuses edits, commands",
}
"""Questions that each policy asks, short enough for a line of 80 cells."""
_BRIEFLY: Final[dict[Policy, str]] = {
    "ask": "asks all",
    "ask-edits-and-commands": "asks edits, commands",
    "allow-edits": "asks commands",
    "allow-everything": "never asks",
    "read-only": "read-only",
}
LESS: Final = {
    "nothing": "the agent does not ask",
    "no edits": "the agent does not ask for edits",
    "less": "the agent may not ask",
}
"""Phrases for the values of `asks_less`."""
_LESS_BRIEFLY: Final = {"nothing": "does not ask", "no edits": "edits unasked", "less": "may not ask"}
_ORDER: Final = ("nothing", "no edits", "less")


class Approval(NamedTuple):
    """The approval state of a session, for display."""

    words: str
    brief: str
    """A shorter form for narrow places."""
    is_open: bool
    """True if the agent may act without a question where the user may not expect that."""
    due_to: Literal["mode", "policy"]
    """The menu that changes it."""
    state: str
    """The words without the name of a mode."""


def approval_of(policy: Policy, options: Sequence[Option]) -> Approval:
    """Return the approval of a session with these options; a mode that asks less counts most.

    Rules and policies apply only to requests. An agent that does not ask acts mostly without requests.
    """
    found = min(_less(options), key=lambda pair: _ORDER.index(pair[1]), default=None)
    if found is None:
        asks = ASKS[policy]
        return Approval(asks, _BRIEFLY[policy], policy == "allow-everything", "policy", asks)
    name, less = found
    return Approval(f"{name}: {LESS[less]}", f"{name}: {_LESS_BRIEFLY[less]}", True, "mode", LESS[less])


def _less(options: Sequence[Option]) -> Iterator[tuple[str, str]]:
    for option in options:
        value = option.config.current_value
        less = asks_less(option.config, value)
        if less is not None:
            name = option.name_of(value)
            is_mode = option.config.is_mode and not isinstance(value, bool)
            yield (name if is_mode else f"{option.config.name} {name}"), less
