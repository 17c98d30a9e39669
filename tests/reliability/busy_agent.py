"""An agent that does in each turn what agents do: words, a plan, tools, permissions, terminals."""

from __future__ import annotations

import itertools
import json
import sys
from typing import Any

SESSION = "s1"
OPTIONS = [{"optionId": one, "name": one, "kind": f"{one}_once"} for one in ("allow", "reject")]
_IDS = itertools.count(1)


class Cancelled(Exception):
    """The turn is to end."""


def send(**message: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def update(name: str, /, **fields: Any) -> None:
    send(method="session/update", params={"sessionId": SESSION, "update": {"sessionUpdate": name, **fields}})


def say(words: str, kind: str = "agent_message_chunk") -> None:
    update(kind, content={"type": "text", "text": words})


def ask(method: str, **params: Any) -> Any:
    """Return the answer to a request; a turn that is cancelled meanwhile ends when it is there."""
    number = f"a{next(_IDS)}"
    send(id=number, method=method, params={"sessionId": SESSION, **params})
    cancelled = False
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") == number:
            if cancelled:
                raise Cancelled
            return message.get("result")
        cancelled |= message.get("method") == "session/cancel"
    sys.exit()


def turn(number: str) -> None:
    say(f"begin-{number} ")
    say("I think. " * 20, "agent_thought_chunk")
    update("plan", entries=[{"content": f"Do {number}", "priority": "high", "status": "in_progress"}])
    call = f"call-{number}"
    update("tool_call", toolCallId=call, title=f"Run {number}", kind="execute", status="pending")
    tool = {"toolCallId": call, "rawInput": {"command": "seq 50"}}
    answer = ask("session/request_permission", toolCall=tool, options=OPTIONS)
    if answer["outcome"].get("optionId") == "allow":
        terminal = {"terminalId": ask("terminal/create", command="seq", args=["50"])["terminalId"]}
        content = [{"type": "terminal", **terminal}]
        update("tool_call_update", toolCallId=call, status="in_progress", content=content)
        ask("terminal/wait_for_exit", **terminal)
        lines = ask("terminal/output", **terminal)["output"].count("\n")
        ask("terminal/release", **terminal)
        say(f"lines-{number}-{lines} ")
    update("tool_call_update", toolCallId=call, status="completed")
    say("Some words of a long answer. " * 20)
    say(f"end-{number} ")


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        match message.get("method"):
            case "initialize":
                send(id=message["id"], result={"protocolVersion": 1})
            case "session/new":
                send(id=message["id"], result={"sessionId": SESSION})
            case "session/prompt":
                try:
                    turn(message["params"]["prompt"][0]["text"])
                except Cancelled:
                    send(id=message["id"], result={"stopReason": "cancelled"})
                else:
                    send(id=message["id"], result={"stopReason": "end_turn"})


if __name__ == "__main__":
    main()
