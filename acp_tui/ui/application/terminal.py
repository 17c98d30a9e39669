"""The terminal of the interface: its end, and other programs in it."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from collections.abc import Callable
from typing import Final


class TerminalTaken(Exception):
    """Another program has the terminal."""


HANG_UP_PATIENCE: Final = 4.0
"""Seconds for an orderly end after a hang-up; the guard ends what is left."""
_END_PATIENCE: Final = 10.0
"""Seconds for an orderly end after SIGTERM, while the terminal still exists."""


def on_end(leave: Callable[[], object]) -> None:
    """Call `leave`, from any thread, after a hang-up or SIGTERM; exit if it takes too long.

    A write to a terminal that is closed, or reads nothing, may block the event loop forever.
    """

    def end(number: int, patience: float) -> None:
        last_resort = threading.Timer(patience, os._exit, (128 + number,))
        last_resort.daemon = True
        last_resort.start()
        leave()

    def gone() -> None:
        end(signal.SIGHUP, HANG_UP_PATIENCE)

    signal.signal(signal.SIGHUP, lambda *_: gone())
    signal.signal(signal.SIGTERM, lambda number, _: end(number, _END_PATIENCE))
    if sys.__stdin__ is not None and hasattr(select, "poll"):
        fd = sys.__stdin__.fileno()
        threading.Thread(target=_watch, args=(fd, gone), name="hang-up", daemon=True).start()


def _watch(fd: int, gone: Callable[[], None]) -> None:
    """Wait until the other side of a terminal is closed: not all send a signal."""
    poll = select.poll()
    poll.register(fd, 0)  # report only hang-up and errors
    poll.poll()
    gone()


def has_shell() -> bool:
    """Return True if the parent is a shell with job control, which can resume the program."""
    parent = os.getppid()
    try:
        same_terminal = os.getsid(parent) == os.getsid(0)
        return same_terminal and os.getpgid(parent) != os.getpgrp()
    except OSError:  # the parent is gone, or of another user
        return False
