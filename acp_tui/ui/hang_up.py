"""The terminal may go away: its window is closed, the line to it breaks. Then the program leaves, too."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from collections.abc import Callable
from typing import Final

PATIENCE: Final = 4.0
"""Seconds for an orderly end after the terminal has gone; the guard ends what is left."""


def when_terminal_goes(leave: Callable[[], object]) -> None:
    """Call `leave`, from any thread, when the terminal has gone; end the process if that does not.

    What writes to a terminal that is gone may block for ever, and so may the event loop with it.
    """

    def gone() -> None:
        last_resort = threading.Timer(PATIENCE, os._exit, (128 + signal.SIGHUP,))
        last_resort.daemon = True
        last_resort.start()
        leave()

    signal.signal(signal.SIGHUP, lambda *_: gone())
    if sys.__stdin__ is not None and hasattr(select, "poll"):
        fd = sys.__stdin__.fileno()
        threading.Thread(target=_watch, args=(fd, gone), name="hang-up", daemon=True).start()


def _watch(fd: int, gone: Callable[[], None]) -> None:
    """Wait, without any work, until the other side of a terminal is closed: not all tell by a signal."""
    poll = select.poll()
    poll.register(fd, 0)  # only that it has hung up or is broken
    poll.poll()
    gone()
