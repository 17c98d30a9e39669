"""The safety against answering a dialog with keys that were meant for something else."""

from __future__ import annotations

from typing import Final

PAUSE: Final = 0.4
"""Seconds without a key after which the person has seen the dialog."""


class TypingPause:
    """Tells whether a key or a click is meant for the dialog; times are seconds and come from outside.

    A key carries the time when it was typed, so that keys which waited in a queue count as what they are.
    """

    def __init__(self, appeared: float, pause: float = PAUSE) -> None:
        self._quiet_since = appeared
        self._pause = pause

    def key(self, at: float) -> bool:
        """Take in a key; False: it belongs to what was typed before, and the pause starts anew."""
        if self.left(at) <= 0:
            return True
        self.restart(at)
        return False

    def restart(self, at: float) -> None:
        """Start the pause anew: something came that was not meant for the dialog."""
        self._quiet_since = max(self._quiet_since, at)

    def left(self, now: float) -> float:
        """Return how many seconds of quiet are missing; zero or less when there were enough."""
        return self._quiet_since + self._pause - now
