"""The messages that our client sends, in order."""

from __future__ import annotations

import json
from typing import Any

Frame = dict[str, Any]


class Sent:
    """The frames of the client in order."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []

    def take(self, data: bytes) -> list[Frame]:
        """Take in what the client wrote: whole lines."""
        assert data.endswith(b"\n"), "lines are written whole"
        frames = [json.loads(line) for line in data.decode().split("\n")[:-1]]
        self.frames += frames
        return frames

    def requests(self, method: str) -> list[Frame]:
        """Return the params of the requests and notifications of a method."""
        return [frame["params"] for frame in self.frames if frame.get("method") == method]

    def answers(self, request_id: object) -> list[Frame]:
        """Return the answers to a request of the agent."""
        same = (frame for frame in self.frames if "method" not in frame)
        return [frame for frame in same if json.dumps(frame["id"]) == json.dumps(request_id)]
