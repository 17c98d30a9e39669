"""An agent as a true process that says what its argument, an object in JSON, has it say; stands alone.

Its members: `initialize`, `new`, `end` and `cancelled` are merged into the results of `initialize`,
`session/new` and `session/prompt` (null takes a member out); `updates`, `requests` and whole messages,
`asks`, are sent in the first turn; `prints` is written as it is before a turn ends; `after_cancel` is the
error or the stop reason of the first prompt behind a cancel when nothing ran; `large` is the code of the
error for a long line; `fails` is the error of every prompt. All turns but the first last until they are
cancelled.
"""

from __future__ import annotations

import json
import sys
from typing import Any

SCRIPT: dict[str, Any] = json.loads(sys.argv[1])
STATE = {"cancelled": False, "turns": 0}


def send(**frame: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **frame}) + "\n")
    sys.stdout.flush()


def merged(result: dict[str, Any], name: str) -> dict[str, Any]:
    whole = {**result, **SCRIPT.get(name, {})}
    return {key: value for key, value in whole.items() if value is not None}


def await_answer(call_id: str) -> None:
    for line in sys.stdin:
        frame = json.loads(line)
        if frame.get("id") == call_id and "method" not in frame:
            return


def play() -> None:
    for update in SCRIPT.get("updates", []):
        send(method="session/update", params={"sessionId": "s", "update": update})
    for number, (method, params) in enumerate(SCRIPT.get("requests", [])):
        send(id=f"q{number}", method=method, params=params)
        await_answer(f"q{number}")
    for message in SCRIPT.get("asks", []):
        send(**message)


def turn(frame: dict[str, Any]) -> None:
    ending, STATE["cancelled"] = STATE["cancelled"], False
    STATE["turns"] += 1
    if "fails" in SCRIPT:
        send(id=frame["id"], error=SCRIPT["fails"])
        return
    if ending and "after_cancel" in SCRIPT:
        after = SCRIPT["after_cancel"]
        if isinstance(after, str):
            send(id=frame["id"], result={"stopReason": after})
        else:
            send(id=frame["id"], error=after)
        return
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}
    send(method="session/update", params={"sessionId": "s", "update": chunk})
    if STATE["turns"] == 1:
        play()
    sys.stdout.write(SCRIPT.get("prints", ""))
    if STATE["turns"] > 1:
        for line in sys.stdin:
            if json.loads(line).get("method") == "session/cancel":
                break
        send(id=frame["id"], result=merged({"stopReason": "cancelled"}, "cancelled"))
    else:
        send(id=frame["id"], result=merged({"stopReason": "end_turn"}, "end"))


def serve(frame: dict[str, Any], line: str) -> None:
    match frame.get("method"):
        case "initialize":
            about = {"agentInfo": {"name": "scripted", "version": "1"}, "agentCapabilities": {}}
            send(id=frame["id"], result=merged({"protocolVersion": 1, **about}, "initialize"))
        case "session/new":
            send(id=frame["id"], result=merged({"sessionId": "s"}, "new"))
        case "session/prompt":
            turn(frame)
        case "session/cancel":
            STATE["cancelled"] = True
        case _ if "id" in frame:
            code = SCRIPT.get("large", -32601) if len(line) > 100_000 else -32601
            send(id=frame["id"], error={"code": code, "message": "no"})


if __name__ == "__main__":
    for line in sys.stdin:
        serve(json.loads(line), line)
