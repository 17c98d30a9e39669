"""Finds in which sessions of a journal something was said, also in a long one, by reading little of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from acp_tui.wire import json_line

_PIECE: Final = 1 << 20
"""Bytes that are looked at in one go."""
_LOOKED_AT: Final = 32 << 20
"""Bytes of a journal that are looked at, at most."""
_LINE: Final = 4 << 20
"""Bytes of a line that is read: a prompt may hold pictures."""
_BEGINNING: Final = 200
"""Bytes of a row that name the method, in all that this program writes."""
_OURS: Final = b', "dir": "out", "msg": '
_METHODS: Final = ("session/prompt", "session/load", "session/resume")


@dataclass
class Spoken:
    """One session of a journal in which somebody said something."""

    session_id: str
    """Empty where no row tells it."""
    at: float
    """Seconds from the start of the journal to its first prompt."""
    prompt: Any
    """The blocks of that prompt."""
    is_taken_up: bool = False
    """Whether it was begun in an earlier journal."""


def spoken(path: Path) -> list[Spoken]:
    """Return the sessions in which something was said, in the order in which they were last spoken in.

    Raises:
        OSError: the file cannot be read.
    """
    found: dict[str, Spoken] = {}
    taken_up: set[str] = set()
    for at, method, params in _requests(path):
        session_id = str(params.get("sessionId") or "")
        if method != "session/prompt":
            taken_up.add(session_id)
            continue
        known = found.pop(session_id, None)
        found[session_id] = known or Spoken(session_id, at, params.get("prompt"), session_id in taken_up)
    return list(found.values())


def _requests(path: Path) -> Iterator[tuple[float, str, dict[str, Any]]]:
    """Yield time, method and parameters of what we asked an agent about its sessions."""
    for line in _lines(path):
        try:
            row = json_line.read(line)
            at, method, params = float(row["t"]), row["msg"].get("method"), row["msg"].get("params")
        except (ValueError, TypeError, KeyError, AttributeError):
            continue
        if method in _METHODS and isinstance(params, dict):
            yield at, method, params


def _lines(path: Path) -> Iterator[bytes]:
    """Yield lines of ours that may name one of the methods, from the beginning."""
    with path.open("rb") as file:
        rest, seen = b"", 0
        while seen < _LOOKED_AT and (piece := file.read(_PIECE)):
            seen += len(piece)
            whole, _, rest = (rest + piece).rpartition(b"\n")
            if len(rest) > _LINE:
                rest = b""  # of a line so long, what is left means nothing
            yield from _ours(whole)
        yield from _ours(rest)


def _ours(lines: bytes) -> Iterator[bytes]:
    found = lines.find(_OURS)
    while found >= 0:
        start, end = lines.rfind(b"\n", 0, found) + 1, lines.find(b"\n", found)
        end = len(lines) if end < 0 else end
        if b'"session/' in lines[found : min(end, found + _BEGINNING)]:
            yield lines[start:end]
        found = lines.find(_OURS, end)
