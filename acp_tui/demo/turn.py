"""A turn of the demo agent, with the operations of scenes."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from typing import Any, Final

from acp_tui.demo.connection import DemoConnection, Params, PendingCall, RequestRefused, Stopped
from acp_tui.demo.session import DemoSession

_PIECE: Final = re.compile(r"\s*(?:\S+\s*){1,3}")
"""A chunk of a model's output: up to three words with their spaces."""

_TOKENS_A_CHARACTER: Final = 0.25


class DemoCancelled(Exception):
    """The turn was cancelled; scenes let it pass after tidying up."""


class DemoTurn:
    """A turn, from prompt to answer. Its operations raise `DemoCancelled` once cancelled."""

    def __init__(
        self,
        session: DemoSession,
        connection: DemoConnection,
        client: Params,
        prompt: list[Params],
        speed: float,
        commands: list[Params],
    ) -> None:
        self.session = session
        self.prompt = prompt
        self.commands = commands
        """All commands of the agent."""
        self.capabilities = client
        """Capabilities of the client."""
        self.connection = connection
        self.speed = speed
        self.open_tools: dict[str, DemoToolCall] = {}
        self._stopped = threading.Event()
        self._calls: set[PendingCall] = set()

    def cancel(self) -> None:
        """Cancel the turn from another thread; all its waits end."""
        self._stopped.set()
        for call in list(self._calls):
            call.settle(None)

    def can(self, *path: str) -> bool:
        """Return whether the client has a capability: `can("fs", "readTextFile")`."""
        return offers(self.capabilities, *path)

    def pause(self, seconds: float) -> None:
        """Sleep, scaled by the speed of the demo."""
        if self.speed > 0:
            self._stopped.wait(seconds / self.speed)
        self.check()

    def wait_for_cancel(self) -> None:
        """Wait until the turn is cancelled, at any speed."""
        self._stopped.wait()
        self.check()

    def check(self) -> None:
        """Raise `DemoCancelled` if the turn is cancelled."""
        if self._stopped.is_set():
            raise DemoCancelled

    def say(self, text: str) -> None:
        """Stream Markdown as one message."""
        self._stream("agent_message_chunk", text, 0.06)

    def think(self, text: str) -> None:
        """Stream a thought."""
        self._stream("agent_thought_chunk", text, 0.07)

    def show(self, block: Params) -> None:
        """Send a content block that is not text as its own message."""
        self.check()
        self.session.update("agent_message_chunk", content=block, messageId=self.session.next_id("msg"))

    def plan(self, steps: Sequence[tuple[str, str]], done: int) -> None:
        """Send a plan of (text, priority): `done` steps are completed, the next is in progress."""
        self.check()
        status = ["completed"] * done + ["in_progress"] + ["pending"] * len(steps)
        entries = [
            {"content": text, "priority": priority, "status": state}
            for (text, priority), state in zip(steps, status, strict=False)
        ]
        self.session.update("plan", entries=entries)

    def tool(self, title: str, kind: str, path: str = "", raw_input: Any = None) -> DemoToolCall:
        """Announce a tool call, pending, on `path` if given."""
        self.check()
        return DemoToolCall(self, title, kind, path, raw_input)

    def call(self, method: str, **params: Any) -> Any:
        """Send a request about this session and wait for its result.

        Raises:
            DemoCancelled: the turn was cancelled.
            RequestRefused: the client answered with an error.
        """
        return self.wait(self.begin(method, **params))

    def begin(self, method: str, **params: Any) -> PendingCall:
        """Send a request about this session, to be awaited by `wait`."""
        self.check()
        call = self.connection.call(method, {"sessionId": self.session.session_id, **params})
        self._calls.add(call)
        if self._stopped.is_set():  # cancelled between the check and here
            call.settle(None)
        return call

    def wait(self, call: PendingCall) -> Any:
        """Wait for a request sent by `begin`."""
        try:
            return call.result()
        except Stopped:
            raise DemoCancelled from None
        finally:
            self._calls.discard(call)

    def call_anyway(self, method: str, **params: Any) -> Any:
        """Send a request even if the turn is cancelled; return None if the client refuses it."""
        try:
            call = self.connection.call(method, {"sessionId": self.session.session_id, **params})
            return call.result(timeout=5)
        except (Stopped, RequestRefused):
            return None

    def settle(self) -> None:
        """Fail open tool calls and send the usage."""
        for tool in list(self.open_tools.values()):
            tool.finish(failed=True)
        self.session.send_usage()

    def _stream(self, kind: str, text: str, seconds: float) -> None:
        message_id = self.session.next_id("msg")
        self.pause(10 * seconds)
        for piece in _PIECE.findall(text):
            self.check()
            self.session.update(kind, content={"type": "text", "text": piece}, messageId=message_id)
            self.pause(seconds)
        self.session.used += int(len(text) * _TOKENS_A_CHARACTER)


class DemoToolCall:
    """A tool call of a turn."""

    def __init__(self, turn: DemoTurn, title: str, kind: str, path: str, raw_input: Any) -> None:
        self.tool_call_id = turn.session.next_id("call")
        self.fields: Params = {"title": title, "kind": kind}
        if path:
            self.fields["locations"] = [{"path": path}]
        if raw_input is not None:
            self.fields["rawInput"] = raw_input
        self._turn = turn
        turn.open_tools[self.tool_call_id] = self
        turn.session.update("tool_call", toolCallId=self.tool_call_id, status="pending", **self.fields)

    def update(self, **fields: Any) -> None:
        """Send changed fields."""
        self.fields.update(fields)
        if fields.get("status") in ("completed", "failed"):
            self._turn.open_tools.pop(self.tool_call_id, None)
        self._turn.session.update("tool_call_update", toolCallId=self.tool_call_id, **fields)

    def start(self) -> None:
        """Set the status to in progress."""
        self._turn.check()
        self.update(status="in_progress")

    def finish(self, text: str = "", *, failed: bool = False, content: list[Params] | None = None) -> None:
        """Complete or fail the call, with a text or other content."""
        shown = content if content is not None else [text_content(text)] if text else None
        fields: Params = {"status": "failed" if failed else "completed"}
        self.update(**fields if shown is None else {**fields, "content": shown})

    def described(self) -> Params:
        """Return the tool call for a permission request."""
        return {"toolCallId": self.tool_call_id, "status": "pending", **self.fields}


def offers(capabilities: Params, *path: str) -> bool:
    """Return whether capabilities have this one."""
    value: Any = capabilities
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value is not None and value is not False


def text_content(text: str) -> Params:
    """Return a text as tool call content."""
    return {"type": "content", "content": {"type": "text", "text": text}}


def diff(path: str, old: str | None, new: str) -> Params:
    """Return a diff as tool call content; `old` is None for a new file."""
    content: Params = {"type": "diff", "path": path, "newText": new}
    return content if old is None else {**content, "oldText": old}
