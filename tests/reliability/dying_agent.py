"""An agent that dies once, at a moment and in a way that its argument names; started again, it lives.

Stands alone (standard library only). What it said is taken up again where it `resumes`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

LIKE: dict[str, Any] = json.loads(sys.argv[1])
LIVES = Path("lives")
"""One byte for each process of the agent so far."""


def send(**message: Any) -> None:
    data = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
    while data:
        data = data[os.write(1, data) :]


def say(words: str) -> None:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": words}}
    send(method="session/update", params={"sessionId": "s1", "update": update})


def die(life: int, moment: str) -> None:
    """Die if this is the moment, in this life."""
    if (life, moment) != (LIKE["life"], LIKE["moment"]):
        return
    os.write(2, b"noise before\nlast words\n")
    if LIKE["cut"]:
        os.write(1, b'{"jsonrpc": "2.0", "method": "session/upd')
    kind, value = LIKE["how"]
    match kind:
        case "exit":
            os._exit(value)
        case "signal":
            os.kill(os.getpid(), value)
        case "close":
            os.close(value)
    if kind != "signal" or value != signal.SIGSTOP:
        time.sleep(600)


def main() -> None:
    life = len(LIVES.read_bytes()) if LIVES.exists() else 0
    with LIVES.open("ab") as file:
        file.write(b".")
    Path(f"pid-{life}").write_text(str(os.getpid()))
    die(life, "start")
    for line in sys.stdin.buffer:
        message = json.loads(line)
        method = message.get("method")
        die(life, str(method))
        match method:
            case "initialize":
                able: dict[str, Any] = (
                    {"sessionCapabilities": {"resume": {}}} if LIKE["is_resumed_start"] == "resume" else {}
                )
                able |= {"loadSession": LIKE["is_resumed_start"] == "load"}
                send(id=message["id"], result={"protocolVersion": 1, "agentCapabilities": able})
            case "session/new":
                send(id=message["id"], result={"sessionId": "s1"})
            case "session/load" | "session/resume":
                send(id=message["id"], result={})
            case "session/prompt":
                turn(life, message)
    os._exit(0)


def turn(life: int, message: dict[str, Any]) -> None:
    """Say as many words as wanted, ask for a permission and end the turn."""
    for number in range(LIKE["words"]):
        say(f"w{life}.{number} ")
    die(life, "turn")
    call = {"toolCallId": "t", "title": "make", "kind": "execute", "rawInput": {"command": "make"}}
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
    if LIKE["moment"] == "permission" and life == LIKE["life"]:
        params = {"sessionId": "s1", "toolCall": call, "options": options}
        send(id="q", method="session/request_permission", params=params)
        die(life, "permission")
    say(f"heard-{life} ")
    send(id=message["id"], result={"stopReason": "end_turn"})


if __name__ == "__main__":
    main()
