"""What is known of an agent that is silent in a turn: what is pending, whether its process computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from acp_tui.readable import size
from acp_tui.ui.widgets.text import shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_tui.session.session import Session

SILENT: Final = 20.0
"""Seconds without a word of the agent, after which the person is told."""
MEASURED_EVERY: Final = 3.0
"""Seconds between two looks at the processor time; one look at all processes costs some milliseconds."""
_BUSY: Final = 0.02
"""Part of one processor from which a process computes; below it, it only turns over in its sleep."""
_PROMPT: Final = "session/prompt"
_TITLE: Final = 28
"""Cells of what a tool call does."""


class Computing:
    """Tells from its processor time, looked at now and then, whether a process computes."""

    def __init__(self) -> None:
        self.is_busy: bool | None = None
        """None while it is not known."""
        self._before: tuple[float, float] | None = None

    def is_due(self, now: float) -> bool:
        """Whether it is time for another look."""
        return self._before is None or now - self._before[0] >= MEASURED_EVERY

    def note(self, now: float, cpu_seconds: float | None) -> None:
        """Take a look: the time on the monotonic clock, and the processor time so far (None: unknown)."""
        if cpu_seconds is None:
            return
        if self._before is not None and now > self._before[0]:
            self.is_busy = (cpu_seconds - self._before[1]) / (now - self._before[0]) >= _BUSY
        self._before = (now, cpu_seconds)

    def forget(self) -> None:
        """The agent speaks again."""
        self.is_busy = self._before = None


def pending(session: Session, methods: Sequence[str]) -> str:
    """Return what is waited for: the newest open tool call, else our prompt or the oldest call."""
    from acp_tui.session.entries import ToolCall
    from acp_tui.ui.entries.words import call_sentence

    first = session.turns[-1].first if session.turns else 0
    for index in range(len(session.entries) - 1, first, -1):
        entry = session.entries[index]
        if isinstance(entry, ToolCall) and not entry.is_final and not entry.is_empty:
            return shortened(call_sentence(entry, session.cwd), _TITLE)
    return _PROMPT if _PROMPT in methods else methods[0] if methods else ""


def told(since: str, waits_for: str, is_busy: bool | None, unread: int = 0) -> str:
    """Return the notice: since when, what is pending, and whether the process computes.

    Args:
        since: how long it is silent.
        waits_for: what is pending.
        is_busy: whether its process computes; None: unknown.
        unread: bytes that it was sent and does not read, which is all there is to know then.
    """
    if unread:
        return f"silent {since}, does not read what it is sent ({size(unread)})"
    doing = {None: "", True: ", computes", False: ", idle"}[is_busy]
    return f"silent {since}{f', {waits_for}' if waits_for else ''}{doing}"
