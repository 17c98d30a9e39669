"""An agent as a true process that breaks rules, one way of it named by its argument; stands alone."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

WAY = sys.argv[1]
UPDATES = ("messageChunk", "tomorrow")
METHODS = [{"id": "oauth", "name": "Browser"}]


def send(**frame: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **frame}) + "\n")
    sys.stdout.flush()


def fail(frame: dict[str, Any], code: int) -> None:
    send(id=frame.get("id"), error={"code": code, "message": "no"})


def update(name: str) -> None:
    told = {"sessionUpdate": name, "content": {"type": "text", "text": "x"}}
    send(method="session/update", params={"sessionId": "s", "update": told})


def serve(frame: dict[str, Any], line: str) -> None:
    match frame.get("method"):
        case "initialize":
            offered: dict[str, Any] = {"sessionCapabilities": {"list": {}}} if WAY == "sloppy" else {}
            methods = METHODS if WAY == "locked" else []
            version = 7 if WAY == "version" else 1
            result = {"protocolVersion": version, "agentCapabilities": offered, "authMethods": methods}
            send(id=frame["id"], result={**result, "agentInfo": {"name": "rude", "version": "1"}})
        case "session/new" if WAY == "locked":
            fail(frame, -32000)
        case "session/new":
            if WAY == "sloppy":
                update(UPDATES[0])
            send(id=frame["id"], result={"sessionId": "s"})
            if WAY == "sloppy":
                update(UPDATES[1])
        case "session/list":
            send(id=frame["id"], result={"sessions": [], "nextCursor": "again"})
        case "session/prompt":
            option = {"optionId": "y", "name": "Yes", "kind": "allow_once"}
            asked = {"sessionId": "s", "toolCall": {"toolCallId": "t"}, "options": [option]}
            send(id="q", method="session/request_permission", params=asked)
            answer = json.loads(sys.stdin.readline())
            declined = answer["result"] == {"outcome": {"outcome": "cancelled"}}
            send(id=frame["id"], result={"stopReason": "end_turn" if declined else "refusal"})
        case _ if WAY == "sloppy":
            fail(frame, -32603)  # notifications, too
        case _ if "id" in frame:
            if WAY == "fragile" and len(line) > 100_000:
                sys.exit(9)
            fail(frame, -32601)


if __name__ == "__main__":
    for line in sys.stdin:
        if WAY != "mute":
            serve(json.loads(line), line)
    if WAY == "stay":
        time.sleep(300)
