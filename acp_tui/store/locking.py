"""Keeps programs that run at once from writing one file at the same time."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

PATIENCE: Final = 0.2
"""Seconds that another program is waited for at most: it needs a thousandth, unless it was stopped."""


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Keep other programs from writing a file meanwhile.

    Raises:
        OSError: the lock beside it cannot be made, or another program has it and does not go on.
    """
    lock = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _take(lock)
        yield
    finally:
        os.close(lock)


def _take(lock: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                text = "another acp-tui has begun to write it, and does not go on"
                raise TimeoutError(errno.ETIMEDOUT, text) from None
            time.sleep(0.002)
        else:
            return
