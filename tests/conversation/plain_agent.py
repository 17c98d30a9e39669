"""An agent as a true process for the tests of the interface; what is special about it is one JSON argument.

Stands alone (standard library only). The text of a prompt says what happens in the turn.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any

Frame = dict[str, Any]

LIKE: Frame = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
SESSION = "s1"
OPTIONS = [
    {"optionId": "yes:1", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no/2", "name": "Reject", "kind": "reject_once"},
]
LOGIN_REQUIRED = {"code": -32000, "message": "Authentication required"}

logged_in = False
mode = LIKE.get("mode", "ask")
number = 0
system_prompts: list[Any] = []
"""The text for the system prompt that came with each request for a session."""


def put(text: str) -> None:
    os.write(1, text.encode("utf-8", "surrogateescape"))


def send(**frame: Any) -> None:
    put(json.dumps({"jsonrpc": "2.0", **frame}) + "\n")


def reply(frame: Frame, **more: Any) -> None:
    send(id=frame["id"], **(more or {"result": {}}))


def update(kind: str, **fields: Any) -> None:
    send(method="session/update", params={"sessionId": SESSION, "update": {"sessionUpdate": kind, **fields}})


def say(text: str) -> None:
    update("agent_message_chunk", content={"type": "text", "text": text})


def ask(call: str) -> None:
    tool_call = {"toolCallId": call, "title": LIKE.get("title", f"Do {call}"), "kind": "execute"}
    options = [{**option, "name": LIKE.get("title", option["name"])} for option in OPTIONS]
    params = {"sessionId": LIKE.get("asks_as", SESSION), "toolCall": tool_call, "options": options}
    send(id=f"q-{call}", method="session/request_permission", params=params)


def hear() -> Frame:
    line = sys.stdin.readline()
    if not line:
        while LIKE.get("stubborn"):
            time.sleep(60)
        sys.exit(0)
    frame: Frame = json.loads(line)
    if frame.get("method") == "_session/steering":
        steer(frame)
        return hear()
    return frame


def steer(frame: Frame) -> None:
    """Answer words for the running turn with the next outcome or an error; say the words if taken."""
    outcome = LIKE["steers"].pop(0)
    if outcome == "silence":
        say("heard, and nothing said of it")
        return
    if outcome == "error":
        reply(frame, error={"code": -32603, "message": "Not now"})
        return
    reply(frame, result={"outcome": outcome})
    if outcome == "injected":
        say(f"steered by {frame['params']['prompt'][0]['text']}")


def hear_of(what: Any) -> Frame:
    """Return the next message with this method, or the answer to this id."""
    while True:
        frame = hear()
        if frame.get("method", frame.get("id")) == what:
            return frame


def lent(method: str, **params: Any) -> Frame:
    """Return the result of a request to the client."""
    send(id=f"c-{method}", method=method, params={"sessionId": SESSION, **params})
    result: Frame = hear_of(f"c-{method}")["result"]
    return result


def turn(text: str) -> str:
    """Play a turn and return its stop reason."""
    word, _, rest = text.partition(" ")
    match word:
        case "wait":
            say("waiting")
            hear_of("session/cancel")
            return "cancelled"
        case "ask":
            calls = rest.split() or ["t1"]
            for call in calls:
                ask(call)
            answers: Frame = {}
            while len(answers) < len(calls):
                frame = hear()
                if "result" in frame:
                    answers[frame["id"]] = frame["result"]["outcome"].get("optionId", "cancelled")
            say(" ".join(answers[f"q-{call}"] for call in calls))
        case "prompts":
            say(json.dumps(system_prompts))
        case "drain":
            for number in range(2):
                params = {"sessionId": SESSION, "todoStopGuardWatchQueuedPrompt": True}
                send(id=f"d{number}", method="craft/drainMidTurnQueue", params=params)
                say(json.dumps(hear_of(f"d{number}")["result"]))
                if number == 0:
                    ask("t1")
                    hear_of("q-t1")
        case "take-back":
            ask("t1")
            hear_of("session/cancel" if rest else "_proceed")
            send(method="$/cancel_request", params={"requestId": "q-t1"})
        case "die":
            sys.stderr.write(LIKE.get("last_words", "fatal: the roof is on fire") + "\n")
            sys.stderr.flush()
            os._exit(7)
        case "fall":
            os.close(1)
            hear_of("nothing")
        case "print":
            put(f"{rest}\n")
            hear_of("session/cancel")
            return "cancelled"
        case "sh":
            with os.popen(rest) as printed:
                say(printed.read())
        case "terminal":
            created = lent("terminal/create", command="sh", args=["-c", rest])
            lent("terminal/wait_for_exit", **created)
            say(lent("terminal/output", **created)["output"])
        case "updates":
            for one in json.loads(rest):
                update(**one)
        case _:
            say(f"heard {text}")
    return "end_turn"


def prompt(frame: Frame) -> None:
    global SESSION
    SESSION = frame["params"]["sessionId"]
    text = frame["params"]["prompt"][0]["text"]
    if LIKE.get("login") == "prompt" and not logged_in:
        reply(frame, error=LOGIN_REQUIRED)
    elif text == "fail":
        reply(frame, error={"code": -32603, "message": "It broke"})
    else:
        reply(frame, result={"stopReason": turn(text)})


def new_session(frame: Frame) -> None:
    global number, SESSION
    if LIKE.get("login") == "session" and not logged_in:
        reply(frame, error=LOGIN_REQUIRED)
        return
    number += 1
    system_prompts.append(frame["params"].get("systemPrompt"))
    SESSION = LIKE.get("session", f"s{number}")
    modes = [{"id": name, "name": name.title()} for name in LIKE.get("modes", ())]
    state = {"modes": {"currentModeId": mode, "availableModes": modes}} if modes else {}
    if "options" in LIKE:
        state["configOptions"] = LIKE["options"]
    reply(frame, result={"sessionId": SESSION, **state})
    for one in LIKE.get("updates", ()):
        update(**one)


def attach(frame: Frame) -> None:
    global SESSION
    SESSION = frame["params"]["sessionId"]
    system_prompts.append(frame["params"].get("systemPrompt"))
    tells = frame["method"] == "session/load" and not LIKE.get("tells_nothing")
    if tells and not LIKE.get("tells_late"):
        say("as before")
        for one in LIKE.get("tells", ()):
            update(**one)
    if LIKE.get("refuses_to_attach"):
        reply(frame, error={"code": -32002, "message": "No such session"})
    else:
        reply(frame, result=LIKE.get("attached", {}))
        if tells and LIKE.get("tells_late"):
            time.sleep(0.05)
            say("as before")


def fork(frame: Frame) -> None:
    """Make a copy; what was said is told again before the answer, where that is wanted."""
    global SESSION
    told, SESSION = LIKE.get("fork", ()), f"{frame['params']['sessionId']}-fork"
    if LIKE.get("fork_fails"):
        SESSION = frame["params"]["sessionId"]
        reply(frame, error={"code": -32603, "message": "No room for a copy"})
        return
    for one in told:
        update(**one)
    reply(frame, result={"sessionId": SESSION})


def set_option(frame: Frame) -> None:
    """Take a mode or a value, and say so in the session."""
    params = frame["params"]
    option, value = params.get("configId", "mode"), params.get("modeId", params.get("value"))
    if value in LIKE.get("refuses", ()):
        reply(frame, error={"code": -32602, "message": f"not {value}"})
    elif "options" in LIKE:
        for one in LIKE["options"]:
            if one["id"] == option:
                one["currentValue"] = value
        reply(frame, result={"configOptions": LIKE["options"]})
    else:
        reply(frame)


def authenticate(frame: Frame) -> None:
    global logged_in
    if LIKE.get("form"):
        params = {"mode": "form", "message": "Who are you?", "requestId": frame["id"]}
        send(id="form", method="elicitation/create", params={**params, "requestedSchema": LIKE["form"]})
        hear_of("form")
    if LIKE.get("bad_logins", 0) > 0:
        LIKE["bad_logins"] -= 1
        reply(frame, error={"code": -32603, "message": "Wrong password"})
        return
    logged_in = not LIKE.get("useless_logins")
    reply(frame)


def serve(frame: Frame) -> None:
    method = frame.get("method")
    if method is not None and method == LIKE.get("dies_at"):  # None: an answer that came late
        sys.stderr.write("no API key\n")
        sys.exit(3)
    if method == LIKE.get("ignores"):
        return
    match method:
        case "initialize":
            methods = [{"id": "key", "name": "By key"}] if LIKE.get("login") or LIKE.get("accounts") else []
            version = LIKE.get("version", 1)
            info = {"name": LIKE["name"]} if "name" in LIKE else None
            can = LIKE.get("can", {})
            result = {"protocolVersion": version, "authMethods": methods, "agentInfo": info}
            meta = {"steering": {"supported": True}} if "steers" in LIKE else {}
            reply(frame, result={**result, "agentCapabilities": can, "_meta": meta})
        case "session/new":
            new_session(frame)
        case "session/prompt":
            prompt(frame)
        case "authenticate":
            authenticate(frame)
        case "session/load" | "session/resume":
            attach(frame)
        case "session/fork":
            fork(frame)
        case "auth/status":
            state = "authenticated" if logged_in else "unauthenticated"
            accounts = [{"label": "Ann", "email": "ann@example.org", "active": True}]
            reply(frame, result={"state": state, "accounts": accounts})
        case "providers/list":
            reply(frame, result={"providers": LIKE["providers"]})
        case "session/list":
            params = frame["params"]
            LIKE.setdefault("asked", []).append(params.get("archived"))
            reply(frame, result={"sessions": LIKE["sessions"]})
        case "session/status":
            is_open = frame["params"]["sessionId"] in LIKE["open"]
            reply(frame, result={"status": "open" if is_open else "saved"})
        case "session/archive" | "session/unarchive":
            archived = method == "session/archive"
            for one in LIKE["sessions"]:
                if one["sessionId"] == frame["params"]["sessionId"]:
                    one["archived"] = archived
            reply(frame)
        case "session/set_title":
            title = frame["params"]["title"]
            refused = {"code": -32602, "message": "Not that"}
            reply(frame, **({"error": refused} if title == "bad" else {"result": {"title": f"{title}!"}}))
        case "session/set_mode" | "session/set_config_option":
            set_option(frame)


if __name__ == "__main__":
    if LIKE.get("stubborn"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in range(LIKE.get("noise", 0)):
        put(f"usage: something else, line {line}\n")
    while True:
        serve(hear())
