"""What a line of the wire can be: a request, a notification, a response, noise, or too much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

RequestId = int | float | str | None
"""An id as JSON gave it. It is echoed with the same type and value."""


@dataclass(slots=True)
class ErrorObject:
    """Why a request failed, in JSON-RPC's words."""

    code: int
    message: str
    data: Any = None


@dataclass(slots=True, eq=False)
class Request:
    """The other side wants an answer. Compared by identity: an id may be used twice by mistake."""

    id: RequestId
    method: str
    params: Any
    line: bytes = b""
    """The line it came in."""


@dataclass(slots=True, eq=False)
class Notification:
    """The other side tells us something and expects nothing."""

    method: str
    params: Any
    line: bytes = b""


@dataclass(slots=True, eq=False)
class Call:
    """A request of ours that waits for its response."""

    id: int
    method: str
    params: Any


@dataclass(slots=True, eq=False)
class Response:
    """What the other side answered to one of our calls: a result, or an error."""

    call: Call
    result: Any
    error: ErrorObject | None
    line: bytes = b""


@dataclass(slots=True, eq=False)
class Noise:
    """A line that is no message for us: kept for the log, harmless for the connection."""

    line: bytes
    reason: str


@dataclass(slots=True, eq=False)
class Dropped:
    """A message that is too large to be read. Its ends tell what it was, if they can."""

    line: bytes
    """How it begins."""
    reason: str
    method: str = ""
    request: Request | None = None
    """What the other side asked by it, and waits for."""
    call: Call | None = None
    """What it answered."""


Message = Request | Notification | Response | Noise | Dropped
