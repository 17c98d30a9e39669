"""An agent that wants a login, kept in a file, and has its own login program; stands alone.

Run as `login_agent.py FOLDER JSON [--login]`: the folder keeps what outlives the process; the JSON says what
is special about it.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(sys.argv[1])
LIKE: dict[str, Any] = json.loads(sys.argv[2])
LOGIN = FOLDER / "login"
SESSIONS = (f"s-{os.getpid()}-{number}" for number in itertools.count(1))
METHODS = [
    {"id": "page", "name": "Browser"},
    {
        "id": "tui",
        "name": "Terminal",
        "type": "terminal",
        "args": ["--login"],
        "env": {"OF_METHOD": "2", "OF_BOTH": "method"},
    },
]


def send(**frame: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **frame}) + "\n")
    sys.stdout.flush()


def say(session: str, text: str) -> None:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    send(method="session/update", params={"sessionId": session, "update": update})


def log_in() -> int:
    assert os.isatty(0)
    assert os.isatty(1)
    print(LIKE.get("prints", ""), end="", flush=True)
    print("variables", *(os.environ[f"OF_{whose}"] for whose in ("LAUNCH", "METHOD", "BOTH")), flush=True)
    if input("password? ") != "sesame":
        return 3
    LOGIN.write_text("terminal")
    return 0


def serve(frame: dict[str, Any]) -> None:
    params, asked = frame.get("params", {}), frame.get("id")
    with (FOLDER / "heard").open("a") as heard:
        heard.write(f"{os.getpid()} {frame.get('method')}\n")
    refusal = {"code": -32000, "message": "Log in first"}
    match frame.get("method"):
        case "initialize":
            can = {"auth": {"logout": {}}, "sessionCapabilities": LIKE.get("can", {})}
            methods = [] if LIKE.get("late") else METHODS
            send(id=asked, result={"protocolVersion": 1, "agentCapabilities": can, "authMethods": methods})
        case "session/list" if not LOGIN.exists():
            send(id=asked, error=refusal)
        case "session/list":
            send(id=asked, result={"sessions": [{"sessionId": "old", "cwd": "/w", "title": "An old talk"}]})
        case "session/new" if LIKE.get("at") == "session" and not LOGIN.exists():
            late = {"data": {"authMethods": METHODS}} if LIKE.get("late") else {}
            send(id=asked, error={**refusal, **late})
        case "session/prompt" if not LOGIN.exists():
            send(id=asked, error=refusal)
        case "session/new":
            send(id=asked, result={"sessionId": next(SESSIONS)})
        case "session/resume":
            send(id=asked, result={})
        case "session/prompt":
            say(params["sessionId"], f"heard {params['prompt'][0]['text']}")
            send(id=asked, result={"stopReason": "end_turn"})
        case "logout":
            LOGIN.unlink(missing_ok=True)
            send(id=asked, result={})
        case "authenticate":
            for stream in LIKE.get("prints_on", ["stderr"]):
                getattr(sys, stream).write(LIKE.get("prints", "visit https://example.com/login\n"))
                getattr(sys, stream).flush()
            authenticate(asked)


def authenticate(asked: Any) -> None:
    """Wait until the page is visited, which is a file, or the client asks to stop."""
    if not LIKE.get("slow"):
        LOGIN.write_text("page")
        send(id=asked, result={})
        return
    while frame := json.loads(sys.stdin.readline() or "null"):
        if frame.get("method") == "$/cancel_request" and frame["params"]["requestId"] == asked:
            send(id=asked, error={"code": -32800, "message": "Cancelled"})
            return


if __name__ == "__main__":
    if "--login" in sys.argv:
        sys.exit(log_in())
    for line in sys.stdin:
        serve(json.loads(line))
