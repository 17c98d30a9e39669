"""JSON-RPC over two pipes, for an agent with a reading thread and a thread for each turn."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from typing import Any, Final

Params = dict[str, Any]

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
NOT_FOUND: Final = -32002


class RequestRefused(Exception):
    """An error response, in either direction."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def params(self) -> Params:
        """Return the error object of the response."""
        error: Params = {"code": self.code, "message": self.message}
        return error if self.data is None else {**error, "data": self.data}


class Stopped(Exception):
    """The wait for a response was given up."""


class PendingCall:
    """A request without a response yet."""

    def __init__(self) -> None:
        self._settled = threading.Event()
        self._answer: Params | None = None

    def settle(self, answer: Params | None) -> None:
        """Set the response, or None to give up; only the first counts."""
        if not self._settled.is_set():
            self._answer = answer
            self._settled.set()

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the response and return its result.

        Raises:
            RequestRefused: the client answered with an error.
            Stopped: given up, the client is gone, or `timeout` seconds have passed.
        """
        if not self._settled.wait(timeout) or self._answer is None:
            raise Stopped
        if (error := self._answer.get("error")) is not None:
            raise RequestRefused(
                error.get("code", INTERNAL_ERROR), error.get("message", ""), error.get("data")
            )
        return self._answer.get("result") or {}


class DemoConnection:
    """A connection to one client."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading = reading
        self._writing = writing
        self._lock = threading.Lock()
        self._calls: dict[int, PendingCall] = {}
        self._next_id = 0

    def messages(self) -> Iterator[Params]:
        """Yield requests and notifications; responses go to their calls."""
        with open(self._reading, "rb", closefd=False) as stream:
            for line in stream:
                message = self._decoded(line)
                if message is None:
                    continue
                if "method" in message:
                    yield message
                elif (call := self._calls.pop(message.get("id"), None)) is not None:  # type: ignore[arg-type]
                    call.settle(message)
        for call in list(self._calls.values()):
            call.settle(None)

    def call(self, method: str, params: Params) -> PendingCall:
        """Send a request."""
        call = PendingCall()
        with self._lock:
            number = self._next_id
            self._next_id += 1
            self._calls[number] = call
            self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return call

    def notify(self, method: str, params: Params) -> None:
        """Send a notification."""
        with self._lock:
            self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def reply(self, request_id: Any, result: Params) -> None:
        """Answer a request with a result."""
        with self._lock:
            self._write({"jsonrpc": "2.0", "id": request_id, "result": result})

    def refuse(self, request_id: Any, refused: RequestRefused) -> None:
        """Answer a request with an error."""
        with self._lock:
            self._write({"jsonrpc": "2.0", "id": request_id, "error": refused.params()})

    def noise(self, text: str) -> None:
        """Write a line that is not a message."""
        with self._lock:
            self._send(text.encode() + b"\n")

    def _write(self, message: Params) -> None:
        self._send(json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n")

    def _send(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._writing, view) :]
        except BrokenPipeError:
            raise Stopped from None  # the client is gone; its end of our stdin follows

    def _decoded(self, line: bytes) -> Params | None:
        """Return the message of a line, or answer with an error."""
        if not line.strip():
            return None
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self.refuse(None, RequestRefused(PARSE_ERROR, "Parse error"))
            return None
        if not isinstance(message, dict):
            self.refuse(None, RequestRefused(INVALID_REQUEST, "A message must be an object"))
            return None
        return message
