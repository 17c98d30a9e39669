"""An agent that changes files in the ways that its prompts name.

`many N TEXT` writes N files by itself. `ours PATH` asks and writes through the client, `own PATH` asks and
writes by itself. `stale PATH` writes over what it has changed since it read it.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]


def send(**message: Any) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def hear(wanted: str) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = json.loads(sys.stdin.readline())
        if message.get("method", message.get("id")) == wanted:
            return message


def ask(method: str, **params: Any) -> dict[str, Any]:
    send(id=method, method=method, params={"sessionId": "s1", **params})
    return hear(method)


def update(kind: str, **fields: Any) -> None:
    send(method="session/update", params={"sessionId": "s1", "update": {"sessionUpdate": kind, **fields}})


def allowed(path: str, old: str, new: str) -> bool:
    """Ask whether a file may be changed."""
    diff = {"type": "diff", "path": path, "oldText": old, "newText": new}
    call = {"toolCallId": "t1", "title": "Edit it", "kind": "edit", "content": [diff]}
    answer = ask("session/request_permission", toolCall=call, options=OPTIONS)
    return bool(answer.get("result", {}).get("outcome", {}).get("optionId") == "yes")


def turn(words: list[str]) -> None:
    match words:
        case ["many", count, text]:
            time.sleep(1.0)  # no model is as fast as a snapshot
            for number in range(int(count)):
                Path(f"{number}.txt").write_text(f"{text} {number}\n" * 4_000)
        case ["ours" | "own" as how, name]:
            path = str(Path(name).absolute())
            old = Path(path).read_text()
            new = old.replace("old", "proposed")
            if not allowed(path, old, new):
                return
            if how == "ours":
                ask("fs/write_text_file", path=path, content=new)
            else:
                Path(path).write_text(new)
            update("tool_call_update", toolCallId="t1", status="completed")
        case ["stale", name]:
            path = str(Path(name).absolute())
            lines = ask("fs/read_text_file", path=path)["result"]["content"].splitlines(keepends=True)
            Path(path).write_text("".join(["newer\n", *lines[1:]]))
            ask("fs/write_text_file", path=path, content="".join([*lines[:-1], "proposed\n"]))


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        match message.get("method"):
            case "initialize":
                send(id=message["id"], result={"protocolVersion": 1})
            case "session/new":
                send(id=message["id"], result={"sessionId": "s1"})
            case "session/prompt":
                turn(message["params"]["prompt"][0]["text"].split())
                update("agent_message_chunk", content={"type": "text", "text": "It is over."})
                send(id=message["id"], result={"stopReason": "end_turn"})


if __name__ == "__main__":
    main()
