"""The double of a process that plays a recording: it says what the agent said once it has heard as much.

The client's request ids and the ids of the terminals that it makes take the place of the recorded ones.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

from acp_tui.workspace.processes import ExitStatus
from tests.journals import Line
from tests.sent import Frame, Sent


class Scripted:
    """Plays the rows of one process, from its start to its exit."""

    stderr_tail = ""

    def __init__(self, rows: Sequence[Line], workspace: str, on_wait: Callable[[Frame], None]) -> None:
        self.sent = Sent()
        self.ended = False
        """True if the script is at its end, with all of it heard."""
        self._rows = [row.msg for row in rows if row.direction == "in" or row.direction == "out"]
        self._ours = [row.direction == "out" for row in rows if row.direction in ("in", "out")]
        self._workspace = workspace
        self._on_wait = on_wait
        self._position = 0
        self._waited = -1
        self._heard: list[Frame] = []
        self._ids: dict[int, int] = {}
        self._terminals: dict[str, str] = {}
        self._news = asyncio.Event()
        self._stopped = asyncio.Event()

    async def read(self) -> bytes:
        while self._position < len(self._rows):
            row = self._rows[self._position]
            if not self._ours[self._position]:
                self._position += 1
                return self._line(row)
            if self._take(row):
                self._position += 1
                continue
            if self._waited < self._position:
                self._waited = self._position
                self._on_wait(row)
            await self._news.wait()
            self._news.clear()
        self.ended = True
        await self._stopped.wait()
        return b""

    def write(self, data: bytes) -> None:
        self._heard += self.sent.take(data)
        self._news.set()

    @property
    def unread(self) -> int:
        return 0

    async def room(self) -> None:
        pass

    async def wait(self) -> ExitStatus:
        await self._stopped.wait()
        return ExitStatus(0, None)

    async def stop(self) -> ExitStatus:
        self._stopped.set()
        return ExitStatus(0, None)

    @property
    def waits_for(self) -> str:
        """The place in the script, for a test that is stuck."""
        at = self._position
        return json.dumps(self._rows[at])[:200] if at < len(self._rows) else "nothing"

    def _take(self, row: Frame) -> bool:
        """Find what the client sent in place of a recorded message, whatever else it has sent."""
        for number, frame in enumerate(self._heard):
            if "method" in row and frame.get("method") == row["method"]:
                if "id" in row:
                    self._ids[row["id"]] = frame["id"]
            elif "method" in row or "method" in frame or frame["id"] != row["id"]:
                continue
            elif isinstance(made := _terminal(row), str) and isinstance(ours := _terminal(frame), str):
                self._terminals[made] = ours
            del self._heard[number]
            return True
        return False

    def _line(self, row: Frame) -> bytes:
        if "method" not in row and row.get("id") in self._ids:
            row = {**row, "id": self._ids[row["id"]]}
        text = json.dumps(row).replace("/workspace", self._workspace)
        for recorded, ours in self._terminals.items():
            text = text.replace(json.dumps(recorded), json.dumps(ours))
        return text.encode() + b"\n"


def _terminal(frame: Frame) -> Any:
    result = frame.get("result")
    return result.get("terminalId") if isinstance(result, dict) else None
