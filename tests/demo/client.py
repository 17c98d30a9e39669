"""A client for the demo agent, independent of acp-tui's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Message = dict[str, Any]
Answer = Callable[[str, Message], Any]
"""Answers a request of the agent: `(method, params) -> result`."""

ALL_CAPABILITIES: Message = {
    "fs": {"readTextFile": True, "writeTextFile": True},
    "terminal": True,
    "session": {"configOptions": {"boolean": {}}},
    "elicitation": {"form": {}, "url": {}},
}


class Failure(Exception):
    """An error response of the agent."""

    def __init__(self, error: Message) -> None:
        super().__init__(error["message"])
        self.code = error["code"]
        self.data = error.get("data")


class Client:
    """A demo process and its connection."""

    def __init__(self, process: subprocess.Popen[bytes], answer: Answer) -> None:
        self.process = process
        self.received: list[Message] = []
        self.noise: list[bytes] = []
        self.answer = answer
        self._answered: dict[int, Message] = {}
        self._next_id = 0

    def send(self, message: Message) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def notify(self, method: str, **params: Any) -> None:
        self.send({"method": method, "params": params})

    def begin(self, method: str, **params: Any) -> int:
        self._next_id += 1
        self.send({"id": self._next_id, "method": method, "params": params})
        return self._next_id

    def request(self, method: str, **params: Any) -> Message:
        return self.result(self.begin(method, **params))

    def result(self, number: int) -> Message:
        """Read until our request is answered."""
        while number not in self._answered:
            self.step()
        answer = self._answered.pop(number)
        if "error" in answer:
            raise Failure(answer["error"])
        result: Message = answer["result"]
        return result

    def read_until(self, wanted: Callable[[Message], bool]) -> Message:
        """Read until a matching message."""
        while True:
            message = self.step()
            if message is not None and wanted(message):
                return message

    def step(self) -> Message | None:
        """Read one line, and answer it if it is a request."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise EOFError(f"the demo ended with {self.process.wait(5)}")
        message = _message(line)
        if message is None:
            self.noise.append(line)
            return None
        self.received.append(message)
        if "method" not in message:
            self._answered[message["id"]] = message
        elif "id" in message:
            self._reply(message)
        return message

    def _reply(self, message: Message) -> None:
        try:
            result = self.answer(message["method"], message["params"])
        except Failure as failure:
            error = {"code": failure.code, "message": str(failure)}
            self.send({"id": message["id"], "error": error})
            return
        if result is not None:  # None: answer later, or never
            self.send({"id": message["id"], "result": result})

    def new_session(self, cwd: Path) -> str:
        return str(self.request("session/new", cwd=str(cwd), mcpServers=[])["sessionId"])

    def prompt(self, session_id: str, text: str) -> Message:
        return self.result(self.begin_prompt(session_id, text))

    def begin_prompt(self, session_id: str, text: str) -> int:
        return self.begin("session/prompt", sessionId=session_id, prompt=[{"type": "text", "text": text}])

    def updates(self, session_id: str, kind: str = "") -> list[Message]:
        """Return the updates of a session received so far, of one kind or all."""
        params = [each["params"] for each in self.received if each.get("method") == "session/update"]
        updates = [each["update"] for each in params if each["sessionId"] == session_id]
        return [each for each in updates if kind in ("", each["sessionUpdate"])]

    def text(self, session_id: str, kind: str = "agent_message_chunk") -> str:
        """Return the text of all messages."""
        return "".join(each["content"].get("text", "") for each in self.updates(session_id, kind))


def lend(choice: str = "allow_once") -> Answer:
    """Return an answer that lends real files, fakes terminals, and chooses the first option of a kind."""

    def answer(method: str, params: Message) -> Any:
        if method == "session/request_permission":
            options = [each for each in params["options"] if each["kind"] == choice]
            chosen = {"outcome": "selected", "optionId": options[0]["optionId"]} if options else None
            return {"outcome": chosen or {"outcome": "cancelled"}}
        if method == "fs/read_text_file":
            path = Path(params["path"])
            if not path.exists():
                raise Failure({"code": -32002, "message": "Resource not found"})
            return {"content": path.read_text()}
        if method == "fs/write_text_file":
            Path(params["path"]).write_text(params["content"])
            return {}
        if method.startswith("terminal/"):
            return _TERMINAL[method]
        raise Failure({"code": -32601, "message": "Method not found"})

    return answer


_TERMINAL: dict[str, Message] = {
    "terminal/create": {"terminalId": "t-1"},
    "terminal/wait_for_exit": {"exitCode": 0, "signal": None},
    "terminal/output": {"output": "4 passed\n", "truncated": False, "exitStatus": {"exitCode": 0}},
    "terminal/kill": {},
    "terminal/release": {},
}


@contextmanager
def demo(
    answer: Answer | None = None,
    *,
    speed: str = "0",
    capabilities: Message | None = None,
    sessions: Path | None = None,
) -> Iterator[Client]:
    """Start and initialize a demo, which ends with the block at the latest."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    if sessions is not None:
        environment["ACP_TUI_DEMO_SESSIONS"] = str(sessions)
    command = [sys.executable, "-P", "-m", "acp_tui.demo", "--speed", speed]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment) as process:
        watchdog = threading.Timer(20, process.kill)  # a test that waits in vain ends with an EOFError
        watchdog.start()
        try:
            client = Client(process, answer or lend())
            given = ALL_CAPABILITIES if capabilities is None else capabilities
            client.request("initialize", protocolVersion=1, clientCapabilities=given)
            yield client
        finally:
            watchdog.cancel()
            process.kill()


def _message(line: bytes) -> Message | None:
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message if isinstance(message, dict) and "jsonrpc" in message else None
