"""Why there is no conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from acp_tui.host.processes import ExitStatus

FailureKind = Literal["spawn", "exited", "version", "login", "refused", "ended", "silent"]


class Failure(NamedTuple):
    """What went wrong with an agent: the facts, from which the words are made."""

    kind: FailureKind
    reason: str
    stderr: str = ""
    """The newest of what the agent said on the side."""
    exit: ExitStatus | None = None
    noise: int = 0
    """Lines on its stdout that were no messages."""
    strange: bool = False
    """It only ever printed such lines."""
    advice: str = ""
    """What to do, where whoever failed knows it best."""
