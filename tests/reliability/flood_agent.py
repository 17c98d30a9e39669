"""An agent that writes too much of something; the prompt names the scene."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any, Final

SESSION: Final = "s1"
OPTIONS: Final = [
    {"optionId": "y", "name": "Allow", "kind": "allow_once"},
    {"optionId": "n", "name": "Reject", "kind": "reject_once"},
]


def write(data: bytes, descriptor: int = 1) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def line(**message: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


def update(name: str, /, **fields: Any) -> bytes:
    params = {"sessionId": SESSION, "update": {"sessionUpdate": name, **fields}}
    return line(method="session/update", params=params)


def chunk(text: str) -> bytes:
    return update("agent_message_chunk", content={"type": "text", "text": text})


def asked(number: int, method: str, **params: Any) -> bytes:
    return line(id=f"q{number}", method=method, params={"sessionId": SESSION, **params})


def bomb(value: bytes) -> bytes:
    """Return a tool call with a value in its input."""
    head, tail = update("tool_call", toolCallId="b", title="bomb", rawInput="@").split(b'"@"')
    return head + value + tail


def lists() -> None:
    write(bomb(b"[" + b"[]," * 20_000_000 + b"[]]"))


def objects() -> None:
    write(bomb(b"[" + (b'{"a":' * 40 + b"1" + b"}" * 40 + b",") * 120_000 + b"0]"))


def levels() -> None:
    write(bomb(b"[" * 3_000_000 + b"]" * 3_000_000))


def long_line() -> None:
    write(b'{"jsonrpc":"2.0","id":"gb","method":"fs/write_text_file","params":{"content":"')
    for _ in range(300):
        write(b"y" * (1 << 20))
    write(b'"}}\n')


def stderr() -> None:
    for _ in range(256):
        write((b"e" * 4_000 + b"\n") * 256, 2)


def noise() -> None:
    for _ in range(100):
        write(b"garbage line " * 20_000 + b"\n" + b"short\n" * 20_000)


def chunks() -> None:
    end = time.monotonic() + 8
    while time.monotonic() < end:
        write(b"".join(chunk(f"word {number} " + "lorem ipsum " * 8) for number in range(200)))


def calls() -> None:
    for number in range(5_000):
        call = f"c{number}"
        write(update("tool_call", toolCallId=call, title=call, kind="read", status="in_progress"))
        write(update("tool_call_update", toolCallId=call, status="completed"))


def plan() -> None:
    step = {"content": "step", "priority": "high", "status": "pending"}
    write(update("plan", entries=[step] * 200_000))


def commands() -> None:
    names = [{"name": f"cmd{number}", "description": "d" * 50} for number in range(200_000)]
    write(update("available_commands_update", availableCommands=names))


def strangers() -> None:
    for number in range(20_000):
        write(line(id=f"x{number}", error={"code": number, "message": "m"}))
        other = {"sessionId": f"other{number}", "toolCall": {"toolCallId": "z"}, "options": OPTIONS}
        write(line(id=f"y{number}", method="session/request_permission", params=other))


def question(number: int) -> bytes:
    """Return a request for permission, with news of its call before and after it."""
    call = {"toolCallId": f"c{number}", "title": f"make {number}", "kind": "execute"}
    return (
        update("tool_call", **call, status="pending")
        + asked(number, "session/request_permission", toolCall=call, options=OPTIONS)
        + update("tool_call_update", toolCallId=f"c{number}", status="in_progress")
    )


def questions() -> None:
    for number in range(10_000):
        write(question(number))


def questions_rate() -> None:
    for number in range(1_500):
        write(question(number))
        time.sleep(0.01)


def withdrawn() -> None:
    for number in range(10_000):
        write(question(number))
    for number in range(10_000):
        write(line(method="$/cancel_request", params={"requestId": f"q{number}"}))


def unopened() -> None:
    write(b"{\n" * 500_000 + b'{"a": [' * 200_000 + b"\n")


SCENES: Final[dict[str, Callable[[], None]]] = {
    scene.__name__: scene
    for scene in (
        lists, stderr, unopened, objects, levels, long_line, noise, chunks, calls, plan, commands, strangers,
        questions, questions_rate, withdrawn,
    )
}  # fmt: skip


def main() -> None:
    for received in sys.stdin.buffer:
        message = json.loads(received)
        match message.get("method"):
            case "initialize":
                write(line(id=message["id"], result={"protocolVersion": 1}))
            case "session/new":
                write(line(id=message["id"], result={"sessionId": SESSION}))
            case "session/prompt":
                SCENES[message["params"]["prompt"][0]["text"].strip()]()
                write(chunk("\n\nafter-the-flood"))


if __name__ == "__main__":
    main()
