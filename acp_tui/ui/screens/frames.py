"""The frames of a journal as the protocol view lists them: who said what, in which session, how fast."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from acp_tui.ui.widgets.cut_json import beginning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acp_tui.store.tail import Line

Kind = Literal["request", "notification", "response", "error", "raw", "err", "note", "broken"]
_REMARKS: Final[dict[str, Kind]] = {"raw": "raw", "err": "err", "note": "note"}
"""Kinds of rows that are no messages, by their direction."""

_ID_AT_END: Final = re.compile(rb'"id"\s*:\s*(-?\d+|"[^"]*")\s*\}\s*\}$')
_NAME: Final = 120
"""Characters of a name."""


@dataclass(slots=True, frozen=True)
class Frame:
    """One row of a journal."""

    offset: int
    size: int
    """Where its line is in the file, in bytes."""
    t: float
    """Seconds since the start of the connection."""
    direction: str
    """`out`, `in`, `raw`, `err` or `note`."""
    kind: Kind
    name: str
    """Its method, the method it answers, or its first words."""
    detail: str = ""
    """What more there is to say on the line, such as the kind of an update."""
    session: str = ""
    latency: float | None = None
    """Seconds between a request and this response."""
    answers: int | None = None
    """Where the request that this response answers is in the file; None for others."""


class Frames:
    """Turns lines into frames, in order; remembers requests until their responses come."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], tuple[float, str, str, int]] = {}

    def read(self, line: Line) -> Frame:
        """Return the frame of the next line."""
        row = beginning(line.head.decode("utf-8", "replace"))
        if not isinstance(row, dict) or not isinstance(row.get("dir"), str):
            return Frame(
                line.offset, line.size, 0.0, "", "broken", _words(line.head.decode("utf-8", "replace"))
            )
        t = row["t"] if isinstance(row.get("t"), int | float) else 0.0
        direction, msg = row["dir"], row.get("msg")
        if direction not in ("in", "out") or not isinstance(msg, dict):
            return _remark(line, float(t), direction, msg)
        _complete(msg, line)
        if isinstance(msg.get("method"), str):
            return self._call(line, float(t), direction, msg)
        return self._response(line, float(t), direction, msg)

    def _call(self, line: Line, t: float, direction: str, msg: dict[str, Any]) -> Frame:
        params = msg.get("params")
        session, update = _text(params, "sessionId"), _get(params, "update")
        name = msg["method"][:_NAME]
        kind: Kind = "request" if "id" in msg else "notification"
        if kind == "request":
            self._open[direction, _key(msg["id"])] = (t, name, session, line.offset)
        detail = _text(update, "sessionUpdate") or _words(_text(params, "path") or _text(params, "command"))
        return Frame(line.offset, line.size, t, direction, kind, name, detail, session)

    def _response(self, line: Line, t: float, direction: str, msg: dict[str, Any]) -> Frame:
        asked_by = "out" if direction == "in" else "in"
        found = self._open.pop((asked_by, _key(msg.get("id"))), None)
        sent, name, session, asked = found or (None, "", "", None)
        error = msg.get("error")
        kind: Kind = "error" if error is not None else "response"
        detail = (
            _words(_text(error, "message")) if kind == "error" else _text(msg.get("result"), "stopReason")
        )
        session = session or _text(msg.get("result"), "sessionId")
        latency = None if sent is None else t - sent
        return Frame(line.offset, line.size, t, direction, kind, name, detail, session, latency, asked)


def other_half(frames: Sequence[Frame], frame: Frame) -> Frame | None:
    """Return the request that a response answers, or the response to a request, if it is there."""
    for other in frames:
        if frame.answers == other.offset or (frame.kind == "request" and other.answers == frame.offset):
            return other
    return None


def matches(frame: Frame, text: str, line: bytes) -> bool:
    """Return whether a frame has all words of a filter; the word `errors` keeps errors only.

    `line` is its line in the file, in lower case.
    """
    for word in text.lower().split():
        if word == "errors":
            if frame.kind not in ("error", "broken"):
                return False
        elif word not in frame.name.lower() and word.encode() not in line:
            return False
    return True


def _remark(line: Line, t: float, direction: str, msg: Any) -> Frame:
    """Return a row that is no message: noise, stderr, or a note of ours."""
    kind = _REMARKS.get(direction, "broken")
    words = [f"{name} {value}" for name, value in msg.items()] if isinstance(msg, dict) else [str(msg)]
    return Frame(line.offset, line.size, t, direction, kind, _words(", ".join(words)))


def _complete(msg: dict[str, Any], line: Line) -> None:
    """Add what stands at the end of a line that was too long to be read whole."""
    found = _ID_AT_END.search(line.foot) if line.foot else None
    if found and "id" not in msg:
        msg["id"] = beginning(found[1].decode())


def _key(request_id: object) -> str:
    return repr(request_id)


def _words(text: str) -> str:
    return " ".join(text[: 4 * _NAME].split())[:_NAME]


def _text(value: Any, name: str) -> str:
    found = _get(value, name)
    return found[:_NAME] if isinstance(found, str) else ""


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None
