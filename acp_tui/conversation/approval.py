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
    "less": "the agent may act without asking",
}
"""Phrases for the values of `asks_less`."""
_LESS_BRIEFLY: Final = {"nothing": "does not ask", "no edits": "edits unasked", "less": "may act unasked"}
_BEFORE: Final = {
    "ask": "before everything",
    "ask-edits-and-commands": "before edits, commands",
    "allow-edits": "before commands",
    "allow-everything": "never",
    "read-only": "",
    "nothing": "never",
    "no edits": "not before edits",
    "less": "not always",
}
"""The rest of a sentence that begins with "asks", by policy or value of `asks_less`."""
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
    asks: str
    """The rest of a sentence that begins with "asks", without the name of a mode; "" if there is none."""


def approval_of(policy: Policy, options: Sequence[Option]) -> Approval:
    """Return the approval of a session with these options; a mode that asks less counts most.

    Rules and policies apply only to requests. An agent that does not ask acts mostly without requests.
    """
    found = min(_less(options), key=lambda pair: _ORDER.index(pair[1]), default=None)
    if found is None:
        is_open = policy == "allow-everything"
        return Approval(ASKS[policy], _BRIEFLY[policy], is_open, "policy", _BEFORE[policy])
    name, less = found
    return Approval(f"{name}: {LESS[less]}", f"{name}: {_LESS_BRIEFLY[less]}", True, "mode", _BEFORE[less])


def _less(options: Sequence[Option]) -> Iterator[tuple[str, str]]:
    for option in options:
        value = option.config.current_value
        less = asks_less(option.config, value)
        if less is not None:
            name = option.name_of(value)
            is_mode = option.config.is_mode and not isinstance(value, bool)
            yield (name if is_mode else f"{option.config.name} {name}"), less
