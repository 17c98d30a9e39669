"""Two judges of each line that our client sends: the official schema and the official SDK."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from tests.schema.official import faults_of_params, faults_of_result, is_method, unknown_fields
from tests.schema.sdk import lost_in_params, lost_in_result

_UNPUBLISHED = frozenset(
    {
        *("session/set_model", "session/fork", "craft/drainMidTurnQueue", "session/set_title"),
        *("session/archive", "session/unarchive", "session/status", "auth/status"),
        *("providers/list", "providers/set", "providers/disable"),
    }
)
"""Methods that are in no stable schema, and that agents offer all the same."""
_UNPUBLISHED_FIELDS = frozenset({"systemPrompt", "archived"})
"""Fields of stable methods that are in no stable schema."""


class Judges:
    """The official schema, and the official SDK: is what we send valid, and read as it is meant?"""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self._asked: dict[str, str] = {}

    def heard(self, request_id: object, method: str) -> None:
        """Take note of a request of the agent: it tells how our answer has to look."""
        self._asked[json.dumps(request_id)] = method

    def sent(self, line: bytes, version: int = 1) -> None:
        """Judge a line of ours, in a version of the protocol."""
        if line.count(b"\n") != 1 or not line.endswith(b"\n"):
            self.faults.append(f"not one line: {line!r}")
        frame = json.loads(line.decode())
        if frame.get("jsonrpc") != "2.0":
            self.faults.append(f"no JSON-RPC 2.0: {frame}")
        if _asks_for_version_2(frame):
            self.faults += faults_of_params(frame["method"], frame["params"], 2)
        elif version == 2:
            self.faults += self._in_version_2(frame)
        else:
            self.faults += self._of_call(frame) if "method" in frame else self._of_answer(frame)

    def _in_version_2(self, frame: dict[str, Any]) -> list[str]:
        method = frame.get("method") or self._asked[json.dumps(frame["id"])]
        if method in _UNPUBLISHED or method.startswith("_") or "error" in frame:
            return []
        if "method" not in frame:
            return faults_of_result(method, frame["result"], 2)
        if not is_method(method, 2):
            return [f"no method of version 2: {method}"]
        odd = unknown_fields(method, frame["params"], 2)
        return faults_of_params(method, frame["params"], 2) + ([f"{method} {odd}"] if odd else [])

    def _of_call(self, frame: dict[str, Any]) -> list[str]:
        method, params = frame["method"], frame["params"]
        if method in _UNPUBLISHED or method.startswith("_"):  # an extension is nobody's but its vendor's
            return []
        params = {name: value for name, value in params.items() if name not in _UNPUBLISHED_FIELDS}
        return list(_faults_of_call(method, json.dumps(params)))

    def _of_answer(self, frame: dict[str, Any]) -> list[str]:
        if "error" in frame:
            error = frame["error"]
            fine = type(error.get("code")) is int and type(error.get("message")) is str
            return [] if fine and "result" not in frame else [f"no error object: {frame}"]
        method, result = self._asked[json.dumps(frame["id"])], frame["result"]
        if method in _UNPUBLISHED:
            return []
        return faults_of_result(method, result) or lost_in_result(method, result)


@lru_cache(1_000)
def _faults_of_call(method: str, text: str) -> tuple[str, ...]:
    """Judge params once: most tests begin with the same calls."""
    params = json.loads(text)
    return tuple(faults_of_params(method, params) or lost_in_params(method, params))


def _asks_for_version_2(frame: dict[str, Any]) -> bool:
    return frame.get("method") == "initialize" and frame["params"]["protocolVersion"] == 2
