"""The safety against answering a dialog with keys that were meant for something else."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Literal

PAUSE: Final = 0.4
"""Seconds without a key after which the person has seen the dialog."""

PAUSE_AT_WORK: Final = 1.2
"""The same, where it came over something in use: a draft, or a list that the person goes through."""

AT_WORK: Final = 3.0
"""Seconds after a key in which somebody is still at what it was for."""

REPEAT: Final = 0.7
"""Seconds after a key that answers in which it may come again, held down: keyboards wait so long at most."""

ALONE: Final = 0.15
"""Seconds that an answer waits for another key: with one, it was the beginning of a word."""

InUse = Literal["", "draft", "list"]
"""What keys went to: a text, something to choose from with a look at each, or nothing that is at work."""

LastKey = tuple[str, float]
"""A key by its name, and when it was typed."""


def is_writing(last: LastKey | None, now: float, pause: float = PAUSE) -> bool:
    """Return whether somebody is in the middle of a text, by the key that was typed last."""
    return last is not None and now - last[1] < pause and (len(last[0]) == 1 or last[0] == "space")


def is_at_work(last: LastKey | None, now: float) -> bool:
    """Return whether somebody uses keys just now, if slowly: from line to line, with a look at each."""
    return last is not None and now - last[1] < AT_WORK


class TypingPause:
    """Tells whether a key or a click is meant for the dialog; times are seconds and come from outside.

    A key carries the time when it was typed, so that keys which waited in a queue count as what they are.
    """

    def __init__(
        self,
        appeared: float,
        pause: float = PAUSE,
        last: LastKey | None = None,
        answering: Collection[str] = (),
    ) -> None:
        """Begin to wait.

        Args:
            appeared: when the dialog did.
            pause: seconds without a key.
            last: the key that was typed last before that.
            answering: the keys that answer: after one of them the pause lasts as long as keys may be held.
        """
        self._answering = answering
        self._quiet_since = appeared
        self._pause = pause
        self._last = last

    def key(self, at: float, name: str = "") -> bool:
        """Take in a key; False: it belongs to what was typed before, and the pause starts anew."""
        if self.left(at) <= 0:
            return True
        self._last = (name, at)
        self.restart(at)
        return False

    def restart(self, at: float) -> None:
        """Start the pause anew: something came that was not meant for the dialog."""
        self._quiet_since = max(self._quiet_since, at)

    def left(self, now: float) -> float:
        """Return how many seconds of quiet are missing; zero or less when there were enough."""
        until = self._quiet_since + self._pause
        if self._last is not None and self._last[0] in self._answering:
            until = max(until, self._last[1] + REPEAT)
        return until - now
