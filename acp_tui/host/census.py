"""The living processes of the system, known again without being read again.

A process belongs to what it came of from its birth on. So only those are read that are new, and those that
somebody asks for. New ones are known by their numbers, which the system gives in turn.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from acp_tui.host import inherited
from acp_tui.host.guard import RUN

PROC: Final = Path("/proc")
_FULL: Final = 0.5
"""Seconds after which all processes are read again: numbers begin anew some day."""
_MARK: Final = re.compile(rb"(?:^|\0)(ACP_TUI_[A-Z]+=" + RUN.encode() + rb"-[0-9]+)(?=\0|$)")


class Known(NamedTuple):
    """A process as it was when it was read."""

    since: bytes
    """The time of its start, which tells it from another one of the same number."""
    session: int
    limit: int | None
    """Our limit that it carries."""
    mark: str
    """Our entry in its environment; empty without one."""


class Census:
    """Remembers the processes from one look to the next."""

    def __init__(self) -> None:
        self._known: dict[int, Known] = {}
        self._last = 0
        self._read_all = float("-inf")

    def living(self, is_wanted: Callable[[int, Known], bool]) -> Iterator[tuple[int, Known]]:
        """Yield the living processes that are wanted, as they are now.

        Blocking: call it in a thread.
        """
        last, now = _last_number(), time.monotonic()
        is_full = last is None or now - self._read_all > _FULL
        if is_full:
            self._read_all = now
        before, self._known = self._known, {}
        for pid in _numbers():
            known = before.get(pid)
            if known is None or is_full or _is_between(self._last, pid, last or 0) or is_wanted(pid, known):
                known = _read(pid, known)
                if known is not None and is_wanted(pid, known):
                    yield pid, known
            if known is not None:
                self._known[pid] = known
        self._last = last or 0


def processes() -> Iterator[tuple[int, list[bytes]]]:
    """Yield each living process: its id, and the fields of its `stat` from the third (state) on."""
    for pid in _numbers():
        fields = _stat(pid)
        if fields is not None:
            yield pid, fields


def _numbers() -> Iterator[int]:
    return (int(name) for name in os.listdir(PROC) if name.isdigit())  # noqa: PTH208 - a Path takes longer


def _stat(pid: int) -> list[bytes] | None:
    """Return the fields of the `stat` of a living process, from the third (state) on."""
    try:
        with open(f"{PROC}/{pid}/stat", "rb", buffering=0) as file:
            stat = file.read(4096)
    except OSError:  # it is gone
        return None
    fields = stat[stat.rindex(b")") + 2 :].split()
    return fields if fields[0] not in b"ZX" else None


def _read(pid: int, known: Known | None) -> Known | None:
    """Read a process; what it carries is its own from birth, and slow to read."""
    fields = _stat(pid)
    if fields is None:
        return None
    since, session = fields[19], int(fields[3])
    if known is not None and known.since == since:
        return known._replace(session=session)
    process = f"{PROC}/{pid}"
    return Known(since, session, inherited.value_carried(process), _mark_of(process))


def _mark_of(process: str) -> str:
    """Return the entry in the environment of a process that one of our marks is; "" without one."""
    try:
        with open(f"{process}/environ", "rb") as file:
            found = _MARK.search(file.read())
    except OSError:  # gone, or somebody else's
        return ""
    return found[1].decode() if found is not None else ""


def _last_number() -> int | None:
    """Return the number that was given last; None where the system does not tell."""
    try:
        return int((PROC / "loadavg").read_bytes().split()[4])
    except (OSError, ValueError, IndexError):
        return None


def _is_between(before: int, number: int, last: int) -> bool:
    """Whether a number was given after one and up to another; they begin anew behind the largest."""
    return before < number <= last if before <= last else number > before or number <= last
