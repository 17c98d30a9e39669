"""Hands that type while questions come: on the guard's model, and in the real program on a PTY."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Final

from tests.reliability.program import program
from tests.reliability.row import Result, Row
from tests.terminal import NeverShown
from tests.ui.screens.hands import RHYTHMS, try_hands

_EACH: Final = 40
"""Openings of one pair of hands in the model."""
_REAL: Final = 100
"""One opening of so many is tried in the real program, too."""
_BYTES: Final = {
    "space": " ",
    "enter": "\r",
    "backspace": "\x7f",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "tab": "\t",
    "shift+up": "\x1b[1;2A",
    "shift+down": "\x1b[1;2B",
    "ctrl+u": "\x15",
    "pageup": "\x1b[5~",
}

_AGENT: Final = """
import json, random, select, sys, time

def send(**fields):
    print(json.dumps({"jsonrpc": "2.0", **fields}), flush=True)

def log(**fields):
    with open("answers.ndjson", "a") as file:
        file.write(json.dumps(fields) + "\\n")

kinds = ("allow_once", "allow_always", "reject_once", "reject_always")
options = [{"optionId": one, "name": one, "kind": one} for one in kinds]
count, hold, opened, until, due, session = 0, 0.0, 0, None, None, ""
while True:
    moments = [one for one in (until, due) if one is not None]
    wait = max(0.0, min(moments) - time.monotonic()) if moments else None
    if select.select([sys.stdin], [], [], wait)[0]:
        line = sys.stdin.readline()
        if not line:
            break
        frame = json.loads(line)
        match frame.get("method"):
            case "initialize":
                send(id=frame["id"], result={"protocolVersion": 1, "agentCapabilities": {}})
            case "session/new":
                send(id=frame["id"], result={"sessionId": "s1"})
            case "session/prompt" if frame["params"]["prompt"][0]["text"].startswith("ask "):
                _, number, seconds = frame["params"]["prompt"][0]["text"].split()
                count, hold, due = int(number), float(seconds), time.monotonic() + 0.5
            case "session/prompt":
                send(id=frame["id"], result={"stopReason": "end_turn"})
            case None if frame.get("id") == f"q{opened}" and until is not None:
                if "optionId" in json.dumps(frame):
                    log(answered=opened, by=frame["result"])
                until, due = None, time.monotonic() + random.uniform(0.05, 0.9)
        continue
    now = time.monotonic()
    if until is not None and until <= now:
        send(method="$/cancel_request", params={"requestId": f"q{opened}"})
        until, due = None, now + random.uniform(0.05, 0.9)
    elif due is not None and due <= now:
        if opened == count:
            log(over=opened)
            due = None
            continue
        opened, due, until = opened + 1, None, now + random.uniform(0.3, hold)
        call = {"toolCallId": f"c{opened}", "title": f"rm -rf {opened}", "kind": "execute"}
        send(id=f"q{opened}", method="session/request_permission",
             params={"sessionId": "s1", "toolCall": call, "options": options})
"""
"""An agent that asks again and again and takes each question back after a while."""


def _logged(workspace: Path) -> list[dict[str, object]]:
    try:
        return [json.loads(line) for line in (workspace / "answers.ndjson").read_text().splitlines()]
    except FileNotFoundError:
        return []


def _try_real(rhythm: str, count: int, seed: int, result: Result) -> None:
    """Type on a real terminal until so many questions have come and gone."""
    chance = random.Random(f"{rhythm} {seed}")
    with program(_AGENT) as (terminal, workspace):
        terminal.type(f"ask {count} 1.6\r")
        terminal.until("rm -rf 1")
        end = time.monotonic() + 30 + count * 6
        recent: list[str] = []
        for key, gap in RHYTHMS[rhythm](chance):
            terminal.type(_BYTES.get(key, key))
            recent = [*recent[-8:], key]
            time.sleep(gap)
            logged = _logged(workspace)
            if answers := [one for one in logged if "answered" in one]:
                result.wrong.append(f"{rhythm}, seed {seed}, real: {answers[0]} after {recent}")
                break
            if any("over" in one for one in logged):
                result.tried += count
                return
            if time.monotonic() > end or terminal.process.poll() is not None:
                result.wrong.append(f"{rhythm}, seed {seed}, real: ended or hung:\n{terminal.screen}")
                break


def _on_purpose(result: Result) -> None:
    """Measure how long an answer on purpose takes in the real program."""
    with program(_AGENT) as (terminal, workspace):
        terminal.type("ask 1 600\r")
        terminal.until("rm -rf 1")
        time.sleep(2.0)  # the hands are off
        began = time.monotonic()
        terminal.type("n")
        terminal.until(lambda _: _logged(workspace), 30)
        result.notes.append(
            f"a letter of hands that were off answered after {time.monotonic() - began:.2f} s"
        )


def _run(count: int, seed: int) -> Result:
    result = Result(unit="openings")
    for number in range(0, count, _EACH):
        rhythm = list(RHYTHMS)[number // _EACH % len(RHYTHMS)]
        trial = try_hands(rhythm, min(_EACH, count - number), seed * 100_000 + number)
        result.tried += trial.openings
        result.wrong += [f"{rhythm}, seed {seed}: {one}" for one in (*trial.answered, *trial.lost)]
    try:
        _on_purpose(result)
        real = max(2, count // _REAL)
        rhythms = list(RHYTHMS) if real >= len(RHYTHMS) else ["hunt"]
        before = result.tried
        for rhythm in rhythms:
            _try_real(rhythm, max(2, real // len(rhythms)), seed, result)
        result.notes.append(f"{result.tried - before} of them in the real program")
    except NeverShown as problem:
        result.wrong.append(f"seed {seed}, real: {problem}")
    return result


ROW = Row("hands", "no key that was meant for something else answers a question", 800, 10_000, _run)
