"""Lines that an agent in disorder may write: recorded ones, damaged, and JSON-RPC made at random."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final

from tests import recordings

_ACTS: Final = ("terminal/create", "fs/write_text_file")
"""Requests that would have us do something on this machine."""
_BITS: Final = (
    b"{", b"}", b"[", b"]", b'"', b"\\", b":", b",", b"\x00", b"\x1b]0;t\x07", b"\x1b[31m", b"\x9b", b"\xff",
    b"\xed\xa0\xbd", b"\xc2\x9b", b"\r", b"\n", b"\r\n\r\n", b"Content-Length: 120\r\n\r\n", b"NaN",
    b"-Infinity", b"1e999", b"null", b'"\\ud83d"', b"\xef\xbb\xbf", b"DEBUG ",
    b"9" * 400, b'{"jsonrpc":"2.0",', b'{"id":',
)  # fmt: skip
_METHODS: Final = (
    "session/update", "session/request_permission", "elicitation/create", "elicitation/complete",
    "fs/read_text_file", "terminal/output", "terminal/kill", "$/cancel_request", "initialize", "x", "",
)  # fmt: skip
_NAMES: Final = (
    "sessionId", "update", "sessionUpdate", "content", "type", "text", "toolCallId", "status", "options",
    "kind", "rawInput", "path", "optionId", "name", "entries", "requestId", "messageId", "title", "mode",
    "id", "_meta",
)  # fmt: skip

_SIMPLE: Final = (
    "", "text", "tool_call", "plan", "é漢\ud83d", "\x1b[2J\x9b", "allow_once", 0, -1, 2**70, 0.5, True, None,
)  # fmt: skip


class OddLines:
    """Makes lines from a seed; all of them are about one session."""

    def __init__(self, seed: int, session_id: str) -> None:
        self._random = Random(seed)
        self._session_id = session_id
        self._recorded = [
            json.dumps(_of_session(row.msg, session_id), ensure_ascii=False).encode()
            for name in recordings.NAMES
            for row in recordings.rows(name)
            if row.direction == "in" and isinstance(row.msg, dict) and row.msg.get("method") not in _ACTS
        ]

    def line(self) -> bytes:
        """Return a line; one in fifty has no end."""
        random = self._random
        made = self._damaged(random.choice(self._recorded)) if random.random() < 0.7 else self._made()
        return made if random.random() < 0.02 else made + b"\n"

    def _damaged(self, line: bytes) -> bytes:
        random, data = self._random, bytearray(line)
        for _ in range(random.choice((0, 1, 1, 2, 5))):
            at = random.randrange(len(data) + 1)
            match random.randrange(6):
                case 0:
                    data[at:at] = random.choice(_BITS)
                case 1:
                    del data[at : at + random.choice((1, 3, 40))]
                case 2:
                    del data[at:]
                case 3:
                    data[at : at + 1] = bytes((random.randrange(256),))
                case 4:
                    data[at:at] = data[: random.randrange(100)]
                case _:
                    data[at:at] = random.choice(self._recorded)[:200]
        return bytes(data)

    def _made(self) -> bytes:
        random = self._random
        message: dict[str, Any] = {"jsonrpc": "2.0"}
        if random.random() < 0.8:
            message["method"] = random.choice(_METHODS)
            message["params"] = self._value(0)
            if isinstance(message["params"], dict) and random.random() < 0.8:
                message["params"]["sessionId"] = self._session_id
        if random.random() < 0.5:
            message["id"] = random.choice((0, 1, 2, 99, -1, "a", None, 1.5, True, [], 10**30))
        if random.random() < 0.3:
            message[random.choice(("result", "error"))] = self._value(0)
        return json.dumps(message, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")

    def _value(self, depth: int) -> Any:
        random = self._random
        if depth < 5 and random.random() < 0.6:
            if random.random() < 0.7:
                return {random.choice(_NAMES): self._value(depth + 1) for _ in range(random.randrange(5))}
            return [self._value(depth + 1) for _ in range(random.randrange(4))]
        return random.choice(
            (
                "",
                "text",
                "tool_call",
                "plan",
                "é漢\ud83d",
                "\x1b[2J\x9b",
                "allow_once",
                0,
                -1,
                2**70,
                0.5,
                True,
                None,
            )
        )


def _of_session(message: Any, session_id: str) -> Any:
    """Return a recorded message as if it were about another session."""
    params = message.get("params")
    if isinstance(params, dict) and "sessionId" in params:
        return {**message, "params": {**params, "sessionId": session_id}}
    return message
