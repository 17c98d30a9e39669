"""An agent as a true process that speaks version 2 of the protocol, or refuses it as its argument says.

Stands alone (standard library only). The text of a prompt says what happens in the turn; `hold` is a prompt
that is not taken before the agent has worked by itself.
"""

from __future__ import annotations

import base64
import json
import sys
from typing import Any

Frame = dict[str, Any]

REFUSES: Frame = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
"""The error for whoever asks for version 2; with it, the agent speaks version 1."""
SESSION = "s1"
OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]
PATCH = "--- a/one.txt\n+++ b/one.txt\n@@ -1,2 +1,2 @@\n alpha\n-beta\n+BETA\n"

number = 0


def send(**frame: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **frame}) + "\n")
    sys.stdout.flush()


def update(name: str, /, **fields: Any) -> None:
    send(method="session/update", params={"sessionId": SESSION, "update": {"sessionUpdate": name, **fields}})


def state(word: str, **fields: Any) -> None:
    update("state_update", state=word, **fields)


def text(words: str) -> Frame:
    return {"type": "text", "text": words}


def say(words: str) -> None:
    global number
    number += 1
    update("agent_message_chunk", messageId=f"a{number}", content=text(words))


def hear() -> Frame:
    line = sys.stdin.readline()
    if not line:
        raise SystemExit(0)
    frame: Frame = json.loads(line)
    return frame


def ask(**params: Any) -> None:
    state("requires_action")
    request = {"sessionId": SESSION, "title": "May the agent go on?", "options": OPTIONS, **params}
    send(id="q", method="session/request_permission", params=request)
    while hear().get("id") != "q":
        pass
    state("running")


def insert(frame: Frame, words: str) -> None:
    message_id = f"u{frame['id']}"
    send(id=frame["id"], result={"messageId": message_id})
    told = "something else" if words == "twist" else words
    update("user_message", messageId=message_id, content=[text(told)])
    state("running")


def until_cancelled(frame: Frame) -> None:
    """Work by itself until the user stops it; the prompt is never taken."""
    while True:
        told = hear()
        if told.get("method") == "session/cancel":
            send(id=frame["id"], error={"code": -32800, "message": "Request cancelled"})
            state("idle", stopReason="cancelled", background=[])
            return


def prompt(frame: Frame) -> None:
    words = "".join(block.get("text", "") for block in frame["params"]["prompt"])
    if words == "never":
        until_cancelled(frame)
        return
    if words == "hold":
        say("first my own work")
        state("idle", stopReason="end_turn")
    insert(frame, words)
    background: list[Frame] = []
    if words == "ask":
        ask(description="There is a reason.")
    elif words == "edit":
        changes = [{"operation": "modify", "path": "/w/one.txt"}]
        diff = {"type": "diff", "changes": changes, "patch": {"format": "git_patch", "text": PATCH}}
        gone = {"type": "diff", "changes": [{"operation": "delete", "path": "/w/old.txt"}]}
        update(
            "tool_call_update",
            toolCallId="t1",
            title="Edit",
            kind="edit",
            status="completed",
            content=[diff, gone],
        )
    elif words == "run":
        background = [{"type": "terminal", "terminalId": "x1"}]
        update("terminal_update", terminalId="x1", command="make all", capabilities={"cancel": {}})
        data = base64.b64encode("grün\n".encode()).decode()
        update("terminal_output_chunk", terminalId="x1", data=data)
        item = {"type": "terminal", "terminalId": "x1"}
        update(
            "tool_call_update",
            toolCallId="t2",
            title="make all",
            kind="execute",
            status="completed",
            content=[item],
        )
    elif words.startswith("dream"):
        state(words.partition(" ")[2] or "dreaming")
        hear()  # the cancel
        state("idle", stopReason="cancelled")
        return
    say(f"heard {words}")
    update("agent_message", messageId=f"a{number}", content=[text(f"Heard {words}.")])
    state("idle", stopReason="end_turn", background=background)
    if words == "wake":
        state("running")


def in_version_1(frame: Frame) -> None:
    method = frame.get("method")
    if method == "initialize":
        send(id=frame["id"], result={"protocolVersion": 1})
    elif method == "session/new":
        send(id=frame["id"], result={"sessionId": SESSION})
    elif method == "session/prompt":
        update("agent_message_chunk", content=text("heard in version 1"))
        send(id=frame["id"], result={"stopReason": "end_turn"})


def in_version_2(frame: Frame) -> None:
    method = frame.get("method")
    if method == "initialize":
        info = {"name": "two", "version": "2.0"}
        send(id=frame["id"], result={"protocolVersion": 2, "info": info, "capabilities": {"session": {}}})
    elif method == "session/new":
        send(id=frame["id"], result={"sessionId": SESSION})
    elif method == "session/prompt":
        prompt(frame)
    elif method == "terminal/cancel":
        send(id=frame["id"], result={})
        update("terminal_update", terminalId="x1", exitStatus={}, capabilities=None)
        state("idle", background=[])
    elif method == "session/cancel":
        state("idle", stopReason="cancelled")
    elif method == "session/list":
        send(id=frame["id"], result={"sessions": []})
    elif "id" in frame and str(method).startswith("_"):
        send(id=frame["id"], error={"code": -32601, "message": "Method not found"})
    elif "id" in frame and method is not None:
        send(id=frame["id"], result={})


def main() -> None:
    is_refusing = bool(REFUSES)
    while True:
        frame = hear()
        if is_refusing and frame.get("method") == "initialize" and frame["params"]["protocolVersion"] == 2:
            send(id=frame["id"], error=REFUSES)
        elif is_refusing:
            in_version_1(frame)
        else:
            in_version_2(frame)


if __name__ == "__main__":
    main()
