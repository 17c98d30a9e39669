"""One end of a JSON-RPC connection, without any I/O.

`receive` takes bytes in pieces of any size and yields messages; `call`, `notify`, `reply` and `fail` return
the bytes to send. Input never raises: a line that is not a message becomes a `StrayLine`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from acp_tui.lazy_regex import regex
from acp_tui.protocol.frames import (
    LENIENT,
    DecodedLine,
    LineDecoder,
    Oversized,
    Piece,
    StrayLine,
    ascii_line,
    is_message,
)

RequestId = int | float | str | None
"""A request id, echoed with its type and value."""


@dataclass(slots=True)
class ErrorObject:
    """A JSON-RPC error."""

    code: int
    message: str
    data: Any = None


@dataclass(slots=True, eq=False)
class Request:
    """A request from the peer.

    Compared by identity, because a peer may use an id twice.
    """

    id: RequestId
    method: str
    params: Any
    line: bytes = b""
    """The line it came in."""
    version: int = 1
    """Version of the protocol whose words its params were before they were translated."""


@dataclass(slots=True, eq=False)
class Notification:
    """A notification from the peer."""

    method: str
    params: Any
    line: bytes = b""
    version: int = 1
    """2 if it was translated from version 2."""


@dataclass(slots=True, eq=False)
class Call:
    """A pending request of our own."""

    id: int
    method: str
    params: Any


@dataclass(slots=True, eq=False)
class Response:
    """The peer's result or error for one of our calls."""

    call: Call
    result: Any
    error: ErrorObject | None
    line: bytes = b""


@dataclass(slots=True, eq=False)
class Dropped:
    """A message too large to decode, described from its first and last bytes."""

    line: bytes
    """First bytes."""
    reason: str
    method: str = ""
    request: Request | None = None
    """The request it was, which still needs an answer."""
    call: Call | None = None
    """The call it was the response to."""


Message = Request | Notification | Response | StrayLine | Dropped


UNASKED: Final = "a response to nothing that we asked"
LINE_LIMIT: Final = 64 * 1024 * 1024
"""Default maximum size of a line, in bytes."""

_VALUE: Final = r'"(?:[^"\\]|\\.)*"|-?[0-9.eE+-]+|null|true|false'
_FIRST: Final = regex(rf'\s*[{{,]\s*("(?:[^"\\]|\\.)*")\s*:\s*({_VALUE})?(?=\s*[,}}{{\[]|$)')
"""A member at the start of an object, with its value if that is a scalar."""
_LAST: Final = regex(rf'((?:,\s*"(?:[^"\\]|\\.)*"\s*:\s*(?:{_VALUE})\s*)+)\}}\s*$')
"""Members with scalar values at the end of an object."""
_NUMBER: Final = regex(r"-?[0-9]{1,18}")
_ODD_LINE_ENDS: Final = regex("[\u0085\u2028\u2029]")


class AlreadyAnswered(Exception):
    """A second answer to the same request; a bug in the caller."""


class Peer:
    """Ids, pending calls and framing of one connection."""

    def __init__(self, line_limit: int = LINE_LIMIT) -> None:
        self.calls: dict[int, Call] = {}
        """Our requests without a response, by id, oldest first."""
        self._unanswered: dict[Request, None] = {}
        self._next_id = 0
        self._frames = LineDecoder(line_limit)

    # ------------------------------------------------------------------ in

    def receive(self, data: bytes) -> Iterator[Message | None]:
        """Yield the messages completed by `data`, in order.

        Yields None between slices of work on a long line, so that other tasks can run.
        """
        for piece in self._frames.feed(data):
            if type(piece) is DecodedLine and type(piece.value) is dict:
                yield self._message(*piece)
            else:
                yield from self._others(piece)

    def receive_value(self, value: Any) -> Iterator[Message | None]:
        """Yield the messages of a decoded value, such as one from a journal.

        The messages have no `line`.
        """
        yield from self._others(DecodedLine(value, b""))

    def receive_pause(self) -> Iterator[Message | None]:
        """Yield a complete message that lacks its newline, after a silence."""
        for piece in self._frames.pause():
            yield from self._others(piece)

    def receive_end(self) -> Iterator[Message | None]:
        """Yield the messages left at the end of the stream."""
        for piece in self._frames.end():
            yield from self._others(piece)

    @property
    def is_within_a_line(self) -> bool:
        """True while a line is unfinished."""
        return self._frames.is_within

    @property
    def unfinished(self) -> bytes:
        """First bytes of the unfinished message."""
        return self._frames.unfinished

    def find(self, request_id: RequestId) -> Request | None:
        """Return the oldest unanswered request with this id, compared by type and value."""
        return next(self.unanswered(request_id), None)

    def unanswered(self, request_id: RequestId) -> Iterator[Request]:
        """Yield all unanswered requests with this id, oldest first."""
        for request in self._unanswered:
            if type(request.id) is type(request_id) and request.id == request_id:
                yield request

    # ------------------------------------------------------------------ out

    def call(self, method: str, params: Any) -> tuple[Call, bytes]:
        """Return a new call and the line that sends it."""
        call = Call(self._next_id, method, params)
        self._next_id += 1
        self.calls[call.id] = call
        return call, encode({"jsonrpc": "2.0", "id": call.id, "method": method, "params": params})

    def notify(self, method: str, params: Any) -> bytes:
        """Return the line of a notification."""
        return encode({"jsonrpc": "2.0", "method": method, "params": params})

    def reply(self, request: Request, result: Any) -> bytes:
        """Return the line that answers a request with a result.

        Raises:
            AlreadyAnswered: the request has been answered.
        """
        self._settle(request)
        return encode({"jsonrpc": "2.0", "id": request.id, "result": result})

    def fail(self, request: Request, code: int, message: str, data: Any = None) -> bytes:
        """Return the line that answers a request with an error.

        Raises:
            AlreadyAnswered: the request has been answered.
        """
        self._settle(request)
        error: dict[str, Any] = {"code": code, "message": message}
        if data is not None:
            error["data"] = data
        return encode({"jsonrpc": "2.0", "id": request.id, "error": error})

    # ------------------------------------------------------------------ one line

    def _others(self, piece: Piece | None) -> Iterator[Message | None]:
        match piece:
            case None:
                yield None
            case StrayLine():
                yield piece
            case Oversized():
                yield self._dropped(piece)
            case DecodedLine(value, line) if type(value) is dict:
                yield self._message(value, line)
            case DecodedLine([_, *_] as items, _):
                # Version 1 has no batches; handle the items in order.
                for item in items:
                    line = ascii_line(item)
                    is_object = type(item) is dict
                    yield self._message(item, line) if is_object else StrayLine(line, "not a message")
            case DecodedLine(_, line):
                yield StrayLine(line, "not a message")

    def _dropped(self, line: Oversized) -> Message:
        """Describe an oversized message."""
        reason = f"{line.reason} are too much for one message"
        members = _members(line.head, line.tail)
        method, request_id = members.get("method"), members.get("id")
        head = line.head[:2000]
        if not line.head.lstrip().startswith(b"{"):
            return StrayLine(head, reason)
        if isinstance(method, str):
            if "id" not in members or isinstance(request_id, bool):
                return Dropped(head, reason, method)
            request = Request(request_id, method, None, head)
            self._unanswered[request] = None
            return Dropped(head, reason, method, request)
        return Dropped(head, reason, call=self._called(request_id))

    def _message(self, value: dict[str, Any], line: bytes) -> Message:
        method = value.get("method")
        if not ("jsonrpc" in value or is_message(value)):
            return StrayLine(line, "neither a request, a notification nor a response")
        if type(method) is str:
            if "id" not in value:
                return Notification(method, value.get("params"), line)
            request_id = value["id"]
            if isinstance(request_id, bool | list | dict):
                return StrayLine(line, "a request whose id is neither text, number nor null")
            ours = self.calls.get(request_id) if type(request_id) is int else None
            if ours is not None and ours.method == method and ours.params == value.get("params"):
                return StrayLine(line, "an echo of what we said")
            request = Request(request_id, method, value.get("params"), line)
            self._unanswered[request] = None
            return request
        if method is None and ("result" in value or "error" in value or "id" in value):
            return self._response(value, line)
        return StrayLine(line, "neither a request, a notification nor a response")

    def _response(self, value: dict[str, Any], line: bytes) -> Message:
        call = self._called(value.get("id"))
        if call is None:
            return StrayLine(line, UNASKED)
        error = value.get("error")
        return Response(call, value.get("result"), None if error is None else _error(error), line)

    def _called(self, call_id: Any) -> Call | None:
        """Remove and return the pending call with this id."""
        if type(call_id) is str:
            call_id = _number(call_id)  # some agents echo numbers as text
        if isinstance(call_id, int | float) and not isinstance(call_id, bool):
            return self.calls.pop(call_id, None)  # type: ignore[arg-type]  # 5.0 finds 5
        return None

    def _settle(self, request: Request) -> None:
        if self._unanswered.pop(request, self) is self:
            raise AlreadyAnswered(f"{request.method} {request.id!r}")


def encode(value: Any) -> bytes:
    """Return a value as one line of UTF-8 JSON with its newline.

    The line contains no other line separator and no lone surrogate.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        line = text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        line = text.encode()
    if not text.isascii() and _ODD_LINE_ENDS.search(text):
        # Valid JSON, but readers that split lines by Unicode rules would cut here.
        line = _ODD_LINE_ENDS.sub(lambda match: f"\\u{ord(match.group()):04x}", text).encode()
    return line + b"\n"


def _error(value: Any) -> ErrorObject:
    """Return an error object, however malformed."""
    if not isinstance(value, dict):
        return ErrorObject(0, str(value))
    code = value.get("code")
    if isinstance(code, str):
        code = _number(code)
    message = value.get("message")
    return ErrorObject(
        int(code) if isinstance(code, int | float) and isfinite(code) else 0,
        message if isinstance(message, str) else "Unknown error",
        value.get("data"),
    )


def _number(text: str) -> int | None:
    """Return an integer of up to 18 digits."""
    return int(text) if _NUMBER.fullmatch(text) else None


def _members(head: bytes, tail: bytes) -> dict[str, Any]:
    """Return the scalar members at both ends of a truncated object."""
    found: dict[str, Any] = {}
    text, at = head.decode("utf-8", "replace"), 0
    while member := _FIRST.match(text, at):
        found[_read(member[1])] = _read(member[2]) if member[2] else None
        if not member[2]:
            break  # the rest lies inside this member
        at = member.end()
    end = (tail or head).decode("utf-8", "replace")
    if last := _LAST.search(end, max(0, len(end) - 2000)):
        found.update(_read("{" + last[1][1:] + "}"))
    return found


def _read(text: str) -> Any:
    try:
        return LENIENT.decode(text)
    except ValueError:
        return {} if text.startswith("{") else None
