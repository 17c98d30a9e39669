"""The messages of an examined agent, kept in version 1 for the checks. No I/O."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from acp_tui.commands.doctor.findings import WireMessage
from acp_tui.protocol import version2
from acp_tui.protocol.jsonrpc import Call, Message, Notification, Peer, Request, Response
from acp_tui.protocol.version2 import Meaning, Version2

_LARGE: Final = 1_000_000
"""Characters from which on a line of the client is not kept."""


class ExaminedWire:
    """A journal that keeps the messages for the checks."""

    def __init__(self) -> None:
        self.frames: list[WireMessage] = []
        self._peer = Peer()
        self._version2: Version2 | None = None

    def record(self, direction: str, line: bytes) -> None:
        """Keep a message, translated to version 1 if needed."""
        if len(line) > _LARGE and direction == "out":
            return
        msg = json.loads(line.decode("utf-8", "replace"))
        if direction == "out":
            self.frames.append(WireMessage(direction, self._sent(msg)))
            return
        came = [each for each in self._peer.receive_value(msg) if each is not None]
        if any(version2.begins(each) for each in came):
            self._version2 = Version2()
        if self._version2 is None:
            self.frames.append(WireMessage(direction, msg))
            return
        for each in came:
            self.frames += self._meanings(each)

    def raw(self, text: str) -> None:
        """Ignore stray lines; the connection counts them."""

    def note(self, msg: dict[str, Any]) -> None:
        """Ignore a row of the client."""

    def output(self, msg: dict[str, Any]) -> None:
        """Ignore the output of a command."""

    def flush(self) -> None:
        """Do nothing: all is in memory."""

    def flush_some(self) -> bool:
        """Return False: nothing is left to be written."""
        return False

    def _sent(self, msg: dict[str, Any]) -> dict[str, Any]:
        method, call_id = msg.get("method"), msg.get("id")
        if not isinstance(method, str) or type(call_id) is not int:
            return msg
        call = self._peer.calls[call_id] = Call(call_id, method, msg.get("params"))
        if self._version2 is None:
            return msg
        return {**msg, "method": self._version2.called(call).method}

    def _meanings(self, message: Message) -> Iterator[WireMessage]:
        assert self._version2 is not None
        for meaning in self._version2.received(message):
            if (frame := _frame(meaning)) is not None:
                yield WireMessage("in", frame)


def _frame(meaning: Meaning) -> dict[str, Any] | None:
    """Return a message as it would be on the wire; None if version 1 has no equivalent."""
    match meaning:
        case Response(call=call, error=None):
            return {"jsonrpc": "2.0", "id": call.id, "result": meaning.result}
        case Response(call=call, error=error):
            described = {"code": error.code, "message": error.message} if error is not None else {}
            return {"jsonrpc": "2.0", "id": call.id, "error": described}
        case Request():
            return {"jsonrpc": "2.0", "id": meaning.id, "method": meaning.method, "params": meaning.params}
        case Notification():
            return {"jsonrpc": "2.0", "method": meaning.method, "params": meaning.params}
        case _:
            return None
