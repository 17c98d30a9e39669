"""How far an answer of the kind "always" reaches: the second step of a permission dialog."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from acp_tui.host.rules import Rule


class Reach(NamedTuple):
    """One way to mean "always"."""

    words: str
    rule: Rule | None = None
    """What then counts in the session; None: nothing of ours."""


AGENT_ONLY: Final = Reach("only what the agent itself remembers")
