"""A mark that a process cannot drop by accident: a limit of its own, which all that comes of it inherits.

Linux has a limit for real-time processes that says nothing to any other (`RLIMIT_RTTIME`). With a value of
thousands of years it forbids nothing, and it stays when a process clears its environment, leaves its session
and its parent. Anybody may read it in `/proc`.
"""

from __future__ import annotations

import os
import resource
from typing import Final

PREFIX: Final = str(4 * 10**11 + int.from_bytes(os.urandom(4), "big"))
"""What the values of all our marks begin with; as decimal digits, for the watcher looks with `grep`."""
_DIGITS: Final = 7
_MOST: Final = 10**_DIGITS
_LIMIT: Final[int | None] = getattr(resource, "RLIMIT_RTTIME", None)
_NAME: Final = b"Max realtime timeout"


def value_of(number: int) -> int:
    """Return the limit by which the descendants of our child of a number are known."""
    return int(PREFIX) * _MOST + number % _MOST


def give(pid: int, value: int) -> bool:
    """Give a process a limit, before anything comes of it; return whether the system knows such limits."""
    change = getattr(resource, "prlimit", None)
    if _LIMIT is None or change is None:
        return False
    try:
        hard = change(pid, _LIMIT)[1]
        change(pid, _LIMIT, (value, hard))
    except (OSError, ValueError):  # it is gone, a lower limit is set already, or a fence forbids it
        return False
    return True


def value_carried(process: str) -> int | None:
    """Return the mark of a process by its folder in `/proc`; None for one that is not ours."""
    try:
        with open(f"{process}/limits", "rb", buffering=0) as file:
            limits = file.read(4096)
    except OSError:  # gone
        return None
    start = limits.find(_NAME)
    fields = limits[start + len(_NAME) : start + 80].split(None, 1)
    is_ours = start >= 0 and bool(fields) and fields[0].startswith(PREFIX.encode()) and fields[0].isdigit()
    return int(fields[0]) if is_ours and len(fields[0]) == len(PREFIX) + _DIGITS else None
