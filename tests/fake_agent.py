"""An agent as a true process, for pipes and exits: what it does is named by its arguments and by the prompts.

Stands alone (standard library only): it is run as `python fake_agent.py [at the start …]`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

Frame = dict[str, Any]

OUT = sys.stdout.buffer
SESSION = "s1"
OPTIONS = [
    {"optionId": "y", "name": "Yes", "kind": "allow_once"},
    {"optionId": "n", "name": "No", "kind": "reject_once"},
]


def put(data: bytes) -> None:
    OUT.write(data)
    OUT.flush()


def send(**frame: Any) -> None:
    put(json.dumps({"jsonrpc": "2.0", **frame}, ensure_ascii=False).encode() + b"\n")


def say(text: str) -> None:
    send(method="session/update", params=chunk(text))


def chunk(text: str) -> Frame:
    content = {"type": "text", "text": text}
    return {"sessionId": SESSION, "update": {"sessionUpdate": "agent_message_chunk", "content": content}}


def hear() -> Frame:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    frame: Frame = json.loads(line)
    return frame


def hear_answer(request_id: object) -> Frame:
    while True:
        frame = hear()
        if "method" not in frame and frame["id"] == request_id:
            return frame


def ask(request_id: object, method: str, **params: Any) -> None:
    send(id=request_id, method=method, params={"sessionId": SESSION, **params})


# ------------------------------------------------------------------ what it does before it listens


def banner() -> None:
    put("\x1b[2JWelcome to the fake agent! 漢字\n\n{}\nnull\n42\n\xff\n".encode("utf-8", "replace"))


def flood() -> None:
    os.write(2, b"".join(b"line %d of the log\n" % number for number in range(60_000)))


def leave() -> None:
    sys.stderr.write("no API key: set FAKE_KEY\n")
    sys.exit(3)


def nonsense() -> None:
    for number in range(40):
        put(b"usage: something else, line %d\n" % number)


# ------------------------------------------------------------------ what it does in a turn


def noise() -> None:
    say("one ")
    put(b"status: still working\nDEBUG 1\n")
    say("two")


def split() -> None:
    line = json.dumps(
        {"method": "session/update", "params": chunk("é漢🎉 done")}, ensure_ascii=False
    ).encode()
    for byte in line + b"\n":
        put(bytes([byte]))


def huge() -> None:
    say("a" * 200_000)
    say("b" * 8_000_000)
    say("end")


def halves() -> None:
    for half in ("\\ud83d", "\\ude00", "\\ud83d"):
        put(
            json.dumps({"method": "session/update", "params": chunk("@")}).replace("@", half).encode() + b"\n"
        )


def batch() -> None:
    frames = [{"method": "session/update", "params": chunk(text)} for text in ("1", "2")]
    put(json.dumps([*frames, 5, {"id": "b", "method": "no/such"}]).encode() + b"\n")
    say(str(hear_answer("b")["error"]["code"]))


def odd_answers() -> None:
    odds: list[Frame] = [{"id": 999}, {"id": None}, {"id": [1]}, {"id": {}}, {"error": "?"}]
    for odd in [*odds, {"id": "x", "result": 1}]:
        send(**odd)
    say("still here")


def unknown() -> None:
    send(method="$/odd", params={})
    send(method="_vendor/heartbeat", params={})
    codes = []
    for request_id, method in ((0, "no/such"), ("x", "_vendor/open"), (None, "session/elicitation")):
        send(id=request_id, method=method, params={"sessionId": SESSION})
        codes.append(hear_answer(request_id)["error"]["code"])
    say(" ".join(map(str, codes)))


def race() -> None:
    """Ask, and write an update and a request behind it while the question is open."""
    tool_call = {"toolCallId": "t1", "title": "Run it", "kind": "execute"}
    ask("p", "session/request_permission", toolCall=tool_call, options=OPTIONS)
    say("meanwhile ")
    ask("r", "fs/read_text_file", path="relative")
    say(str(hear_answer("r")["error"]["code"]))
    say(" " + json.dumps(hear_answer("p")["result"]["outcome"]))


def taken_back() -> None:
    """Ask for something and take it back in the same write."""
    read = {"id": "r", "method": "fs/read_text_file", "params": {"sessionId": SESSION, "path": "/nowhere"}}
    cancel = {"method": "$/cancel_request", "params": {"requestId": "r"}}
    put(json.dumps(read).encode() + b"\n" + json.dumps(cancel).encode() + b"\n")
    say(str(hear_answer("r")["error"]["code"]))


def grandchild() -> None:
    child = subprocess.Popen(["sleep", "300"], start_new_session=True)
    say(str(child.pid))


def die() -> None:
    say("last words")
    sys.stderr.write("fatal: the roof is on fire\n")
    sys.stderr.flush()
    os.abort()


def half_line() -> None:
    put(json.dumps({"method": "session/update", "params": chunk("no newline")}).encode())
    sys.exit(0)


def deaf() -> None:
    say("deaf")
    os.close(1)
    sys.stdin.read()
    os._exit(0)


def silent() -> None:
    """Say nothing until cancelled, and then not either."""
    while True:
        if hear().get("method") == "session/cancel":
            say("I heard")


ACTS: dict[str, Callable[[], None]] = {
    act.__name__: act
    for act in (
        *(banner, flood, leave, nonsense, noise, split, huge, halves, batch, odd_answers, unknown),
        *(race, taken_back, grandchild, die, half_line, deaf, silent),
    )
}


def serve(frame: Frame) -> None:
    match frame.get("method"):
        case "initialize":
            send(id=frame["id"], result={"protocolVersion": 1})
        case "session/new":
            send(id=str(frame["id"]), result={"sessionId": SESSION})  # some agents echo ids as text
        case "session/prompt":
            for word in frame["params"]["prompt"][0]["text"].split():
                ACTS[word]()
            send(id=frame["id"], result={"stopReason": "end_turn"})
            send(id=frame["id"], result={"stopReason": "end_turn"})  # once is not enough for everybody
            if frame["params"]["prompt"][0]["text"] == "noise":
                say(" late")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        ACTS[name]()
    while True:
        serve(hear())
