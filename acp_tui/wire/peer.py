"""One end of a JSON-RPC connection, without any input or output of its own.

Bytes go in through `receive` in whatever pieces they come, messages come out; `call`, `notify`, `reply` and
`fail` return the bytes to be written. Nothing that the other side sends raises: a line that is no message is
a `Noise` value.
"""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any, Final

from acp_tui.wire.messages import (
    Call,
    ErrorObject,
    Message,
    Noise,
    Notification,
    Request,
    RequestId,
    Response,
)

LINE_LIMIT: Final = 64 * 1024 * 1024
"""Bytes of one line that are accepted unless the peer is given another limit."""

_BOM: Final = b"\xef\xbb\xbf"
_NUMBER: Final = re.compile(r"-?[0-9]{1,18}")
_ODD_LINE_ENDS: Final = re.compile("[\u0085\u2028\u2029]")


class AlreadyAnswered(Exception):
    """A request was answered a second time: a mistake of ours."""


class Peer:
    """Ids, pending calls and framing of one connection."""

    def __init__(self, line_limit: int = LINE_LIMIT) -> None:
        self.calls: dict[int, Call] = {}
        """Our requests without a response yet, by id, oldest first."""
        self._unanswered: dict[Request, None] = {}
        self._next_id = 0
        self._line_limit = line_limit
        self._parts: list[bytes] = []
        self._size = 0
        self._skipping = False
        # NaN and the infinities are no JSON; agents written in JavaScript or Python send them all the same.
        self._decode = json.JSONDecoder(parse_float=_finite, parse_constant=lambda _: None).decode

    # ------------------------------------------------------------------ in

    def receive(self, data: bytes) -> list[Message]:
        """Take bytes as they came from the pipe and return the messages that are complete, in order."""
        messages: list[Message] = []
        lines = data.split(b"\n")
        rest = lines.pop()
        for line in lines:
            self._end_line(line, messages)
        if rest:
            self._keep(rest, messages)
        return messages

    def receive_end(self) -> list[Message]:
        """Take the end of the stream: a last line without its newline is still tried."""
        messages: list[Message] = []
        if self._parts:
            self._end_line(b"", messages)
        return messages

    def find(self, request_id: RequestId) -> Request | None:
        """Return the unanswered request with this id, of the same JSON type and value."""
        for request in self._unanswered:
            if type(request.id) is type(request_id) and request.id == request_id:
                return request
        return None

    # ------------------------------------------------------------------ out

    def call(self, method: str, params: Any) -> tuple[Call, bytes]:
        """Return a new request of ours and the line that asks it."""
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
            AlreadyAnswered: the request has had its answer.
        """
        self._settle(request)
        return encode({"jsonrpc": "2.0", "id": request.id, "result": result})

    def fail(self, request: Request, code: int, message: str, data: Any = None) -> bytes:
        """Return the line that answers a request with an error.

        Raises:
            AlreadyAnswered: the request has had its answer.
        """
        self._settle(request)
        error: dict[str, Any] = {"code": code, "message": message}
        if data is not None:
            error["data"] = data
        return encode({"jsonrpc": "2.0", "id": request.id, "error": error})

    # ------------------------------------------------------------------ framing

    def _keep(self, part: bytes, messages: list[Message]) -> None:
        if self._skipping:
            return
        self._parts.append(part)
        self._size += len(part)
        if self._size > self._line_limit:
            self._drop_line(messages)
            self._skipping = True

    def _end_line(self, last: bytes, messages: list[Message]) -> None:
        if self._skipping:
            self._skipping = False
            return
        if self._parts:
            self._parts.append(last)
            last = b"".join(self._parts)
        if len(last) > self._line_limit:
            self._parts = [last]
            self._drop_line(messages)
            return
        self._parts = []
        self._size = 0
        line = last.removeprefix(_BOM).strip()  # a mark may follow a launcher's banner
        if line:
            self._read(line, messages)

    def _drop_line(self, messages: list[Message]) -> None:
        start = b"".join(self._parts)[:200]
        self._parts = []
        self._size = 0
        messages.append(Noise(start, f"a line of more than {self._line_limit:,} bytes was dropped"))

    # ------------------------------------------------------------------ one line

    def _read(self, line: bytes, messages: list[Message]) -> None:
        try:
            value = self._decode(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            messages.append(Noise(line, "not JSON"))
            return
        if type(value) is dict:
            messages.append(self._message(value, line))
        elif type(value) is list and value:
            # Version 1 has no batches; whoever sends one means its items in order.
            messages.extend(
                self._message(item, encode(item).rstrip())
                if type(item) is dict
                else Noise(encode(item), "not a message")
                for item in value
            )
        else:
            messages.append(Noise(line, "not a message"))

    def _message(self, value: dict[str, Any], line: bytes) -> Message:
        method = value.get("method")
        if type(method) is str:
            if "id" not in value:
                return Notification(method, value.get("params"), line)
            request_id = value["id"]
            if isinstance(request_id, bool | list | dict):
                return Noise(line, "a request whose id is neither text, number nor null")
            request = Request(request_id, method, value.get("params"), line)
            self._unanswered[request] = None
            return request
        if method is None and ("result" in value or "error" in value or "id" in value):
            return self._response(value, line)
        return Noise(line, "neither a request, a notification nor a response")

    def _response(self, value: dict[str, Any], line: bytes) -> Message:
        call_id = value.get("id")
        if type(call_id) is str:
            call_id = _number(call_id)  # some agents echo numbers as text
        call = None
        if isinstance(call_id, int | float) and not isinstance(call_id, bool):
            call = self.calls.pop(call_id, None)  # type: ignore[arg-type]  # 5.0 finds 5
        if call is None:
            return Noise(line, "a response to nothing that we asked")
        error = value.get("error")
        return Response(call, value.get("result"), None if error is None else _error(error), line)

    def _settle(self, request: Request) -> None:
        if self._unanswered.pop(request, self) is self:
            raise AlreadyAnswered(f"{request.method} {request.id!r}")


def encode(value: Any) -> bytes:
    """Return a value as one line of UTF-8 JSON with its newline: no other line end, no lone surrogate."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        line = text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        line = text.encode()
    if not text.isascii() and _ODD_LINE_ENDS.search(text):
        # Valid JSON, but readers that split with a Unicode-aware function would cut here.
        line = _ODD_LINE_ENDS.sub(lambda match: f"\\u{ord(match.group()):04x}", text).encode()
    return line + b"\n"


def _error(value: Any) -> ErrorObject:
    """Read an error object, or whatever stands in its place."""
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


def _finite(text: str) -> float | None:
    """Read a number; one that is too large for us is none, for we could not write it again."""
    value = float(text)
    return value if isfinite(value) else None


def _number(text: str) -> int | None:
    """Read a whole number of a size that somebody may have meant."""
    return int(text) if _NUMBER.fullmatch(text) else None
