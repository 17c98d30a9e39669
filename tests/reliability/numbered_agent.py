"""An agent that says numbered words for ever: `flood` without a pause, `mixed` in bursts of all kinds.

`run` has a command of the client print them.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from typing import Any

SESSION = "s1"
BURST = 2000
"""Words that are written in one go: the client is at them for longer than for a frame."""


def send(**message: Any) -> None:
    os.write(1, json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def update(name: str, /, **fields: Any) -> None:
    send(method="session/update", params={"sessionId": SESSION, "update": {"sessionUpdate": name, **fields}})


def say(kind: str, words: str) -> None:
    update(kind, content={"type": "text", "text": words})


def chunk(number: int) -> bytes:
    """Return the line of a numbered word."""
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": f"k{number:06} "}}
    message = {"jsonrpc": "2.0", "method": "session/update"}
    return json.dumps({**message, "params": {"sessionId": SESSION, "update": update}}).encode() + b"\n"


def mixed(number: int) -> None:
    """Do one thing, and rest now and then."""
    word = f"k{number:06}"
    match random.randrange(6):
        case 0:
            update("tool_call", toolCallId=word, title=word, kind="read", status="in_progress")
        case 1:
            content = [{"type": "content", "content": {"type": "text", "text": word}}]
            update("tool_call", toolCallId=word, title=word, kind="edit", status="completed", content=content)
        case 2:
            update("plan", entries=[{"content": word, "priority": "high", "status": "pending"}])
        case 3:
            os.write(2, f"{word}\n".encode())
            say("agent_thought_chunk", f"{word} ")
        case _:
            say("agent_message_chunk", f"{word} ")
    if random.random() < 0.02:
        time.sleep(random.uniform(0, 0.08))


def main() -> None:
    for line in sys.stdin.buffer:
        message = json.loads(line)
        match message.get("method"):
            case "initialize":
                send(id=message["id"], result={"protocolVersion": 1})
            case "session/new":
                send(id=message["id"], result={"sessionId": SESSION})
            case None if message.get("id") == "run":
                content = [{"type": "terminal", "terminalId": message["result"]["terminalId"]}]
                update("tool_call", toolCallId="run", title="run", kind="execute", content=content)
            case "session/prompt":
                said = message["params"]["prompt"][0]["text"]
                if said.startswith("run "):
                    terminal = {"command": "sh", "args": ["-c", said[4:]]}
                    send(id="run", method="terminal/create", params={"sessionId": SESSION, **terminal})
                    continue
                is_flood = "flood" in said
                for number in range(1_000_000):
                    if not is_flood:
                        mixed(number)
                    elif number % BURST == 0:
                        os.write(1, b"".join(map(chunk, range(number, number + BURST))))


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(0)
