"""What our client sends, each frame checked against the official schema."""

from __future__ import annotations

import json
from typing import Any

from tests.schema.official import faults_of_params, faults_of_result

Frame = dict[str, Any]

_UNPUBLISHED = frozenset({"session/set_model", "session/fork"})
"""Methods that are in no stable schema, and that agents offer all the same."""


class Sent:
    """The frames of the client in order, and what is wrong with them."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.faults: list[str] = []
        self._asked: dict[str, str] = {}

    def asked(self, frame: Frame) -> None:
        """Take note of a frame of the agent: its requests tell how our answers have to look."""
        if "method" in frame and "id" in frame:
            self._asked[json.dumps(frame["id"])] = frame["method"]

    def take(self, data: bytes) -> list[Frame]:
        """Take in what the client wrote: whole lines."""
        assert data.endswith(b"\n"), "lines are written whole"
        frames = [json.loads(line) for line in data.decode().split("\n")[:-1]]
        for frame in frames:
            self.faults += self._faults(frame)
        self.frames += frames
        return frames

    def requests(self, method: str) -> list[Frame]:
        """Return the params of the requests and notifications of a method."""
        return [frame["params"] for frame in self.frames if frame.get("method") == method]

    def answers(self, request_id: object) -> list[Frame]:
        """Return the answers to a request of the agent."""
        same = (frame for frame in self.frames if "method" not in frame)
        return [frame for frame in same if json.dumps(frame["id"]) == json.dumps(request_id)]

    def _faults(self, frame: Frame) -> list[str]:
        if frame.get("jsonrpc") != "2.0":
            return [f"no JSON-RPC 2.0: {frame}"]
        if "method" in frame:
            if frame["method"] in _UNPUBLISHED:
                return []
            return faults_of_params(frame["method"], frame["params"])
        if "error" in frame:
            error = frame["error"]
            fine = type(error.get("code")) is int and type(error.get("message")) is str
            return [] if fine and "result" not in frame else [f"no error object: {frame}"]
        return faults_of_result(self._asked[json.dumps(frame["id"])], frame["result"])
