"""An agent that says what the prompt orders, as fast as the pipe takes it or at a given rate.

Orders (characters and bytes, separated by blanks):
    stream CHARACTERS MESSAGE    Markdown in pieces of 40; messages of MESSAGE characters (0: one)
    pace RATE COUNT              Markdown in COUNT pieces of 40, RATE a second
    count UPDATES                numbered pieces
    line BYTES                   one line of that length
    flood BYTES                  plain lines; how much went out stands in the file named by ACP_BENCH_SENT
    work SECONDS RATE            thoughts, messages and tool calls, RATE pieces a second; told as with a flood
    command COLOURS BYTES        a command in a terminal of the client's, which prints BYTES; 1: in colours
    words RATE COUNT             Markdown in COUNT pieces of three words, RATE a second
    stderr BYTES                 lines on stderr
    change LINES                 a tool call that changes a file of LINES lines in many places
    ask BYTES                    a question about a chain of commands of that length
When (monotonic) the call or the question was sent stands in the same file as what a flood tells.
With ACP_BENCH_STAYS in its environment it goes on when its input ends.
Each answer that comes as fast as it can, but for a flood, ends with `end(which one it is, from 1)`.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from tests.bench import working
from tests.bench.prose import markdown, pieces

READY = "may-I-begin"
_SESSION = "bench"
_answers = itertools.count(1)


def end(answer: int) -> str:
    """The last words of an answer, drawn by nothing else."""
    return f"all-is-said-{answer}"


def _last() -> str:
    return f"\n\n{end(next(_answers))}\n\n"


def printed(answer: int) -> str:
    """The last line of a command, printed by nothing else."""
    return f"all-is-printed-{answer}"


def main() -> None:
    while line := sys.stdin.buffer.readline():
        message = json.loads(line)
        match message.get("method"):
            case "initialize":
                _send(encoded({"id": message["id"], "result": {"protocolVersion": 1}}))
            case "session/new":
                _send(encoded({"id": message["id"], "result": {"sessionId": _SESSION}}))
                _send(chunk(READY))
            case "session/prompt":
                order, *numbers = message["params"]["prompt"][0]["text"].split()
                ORDERS[order](*map(int, numbers))
                _send(encoded({"id": message["id"], "result": {"stopReason": "end_turn"}}))
    if "ACP_BENCH_STAYS" in os.environ:
        signal.pause()


def stream(characters: int, message: int) -> None:
    _send(b"".join(streamed(characters, message)))


def streamed(characters: int, message: int) -> Iterator[bytes]:
    """Return the lines of a streamed answer."""
    said = 0
    for piece in pieces(markdown(characters)):
        yield chunk(piece, f"m{said // message}" if message else None)
        said += len(piece)
    yield chunk(_last(), "last" if message else None)


def pace(rate: int, count: int) -> None:
    later = pieces(markdown(count * 50, seed=3))[:count]
    start = time.monotonic()
    for number, piece in enumerate(later):
        time.sleep(max(0.0, start + number / rate - time.monotonic()))
        _send(chunk(piece))


def words(rate: int, count: int) -> None:
    later = re.findall(r"(?:\S+\s+){3}", markdown(count * 25, seed=4))[:count]
    start = time.monotonic()
    for number, piece in enumerate(later):
        time.sleep(max(0.0, start + number / rate - time.monotonic()))
        _send(chunk(piece))


def count(updates: int) -> None:
    _send(b"".join(chunk(f"{number}\n") for number in range(updates)) + chunk(_last()))


def line(size: int) -> None:
    word = "long lines happen "
    _send(chunk(word * (size // len(word))) + chunk(_last()))


def flood(size: int) -> None:
    lines = b"".join(map(chunk, pieces(markdown(60_000))))
    sent = 0
    with open(os.environ["ACP_BENCH_SENT"], "wb", buffering=0) as told:
        while sent < size:
            for start in range(0, len(lines), 65_536):
                sent += len(lines[start : start + 65_536])
                _send(lines[start : start + 65_536])
                os.pwrite(told.fileno(), b"%12d" % sent, 0)


def stderr(size: int) -> None:
    lines = b"a line of what an agent has to say on stderr, of the usual length\n" * 1_000
    for _ in range(-(-size // len(lines))):
        view = memoryview(lines)
        while view:
            view = view[os.write(2, view) :]
    _send(chunk(_last()))


def change(lines: int) -> None:
    old = [f"line {number} = {number}\n" for number in range(lines)]
    new = [f"was {line}" if place % 50 == 0 else line for place, line in enumerate(old)]
    diff = {"type": "diff", "path": "/work/changed.py", "oldText": "".join(old), "newText": "".join(new)}
    call = {
        "toolCallId": end(0),
        "title": "Edit all",
        "kind": "edit",
        "status": "completed",
        "content": [diff],
    }
    _tell_when(updated({"sessionUpdate": "tool_call", **call}))
    _send(chunk(_last()))


def ask(size: int) -> None:
    command = " && ".join(f"make part-{number}" for number in range(size // 20))
    call = {"toolCallId": "asked", "title": "Build", "kind": "execute", "rawInput": {"command": command}}
    option = {"optionId": "once", "name": "Allow", "kind": "allow_once"}
    params = {"sessionId": _SESSION, "toolCall": call, "options": [option]}
    _tell_when(encoded({"id": "asked", "method": "session/request_permission", "params": params}))
    sys.stdin.buffer.readline()


def _tell_when(line: bytes) -> None:
    """Write down when (monotonic) a line goes out, then send it."""
    Path(os.environ["ACP_BENCH_SENT"]).write_text(str(time.monotonic()))
    _send(line)


def work(seconds: int, rate: int) -> None:
    """Work at a steady pace; what was told holds the characters and the entries since the start."""
    start = time.monotonic()
    for number, update in enumerate(working.updates(seconds * rate)):
        time.sleep(max(0.0, start + number / rate - time.monotonic()))
        _send(updated(update))
    with open(os.environ["ACP_BENCH_SENT"], "w") as told:
        told.write(f"{working.said.characters} {working.said.entries}")
    _send(chunk(_last(), f"last-{time.monotonic_ns()}"))


_PLAIN: Final = "line 12345 of what a long build has to tell to its reader"
_COLOURED: Final = (
    r"\033[1;32m   Compiling\033[0m crate-12345 \033[36mv1.0.3\033[39m (\033[38;5;244m/home/src\033[m)"
)


def script(colours: int, size: int, last: str) -> str:
    """Return what a shell runs to print `size` bytes and a last line."""
    line = _COLOURED if colours else _PLAIN
    return f"yes \"$(printf '{line}')\" | head -c {size}; echo; echo {last}"


def command(colours: int, size: int) -> None:
    last = printed(next(_answers))
    args = ["-c", script(colours, size, last)]
    terminal = _asked("terminal/create", command="sh", args=args)["terminalId"]
    call = {"toolCallId": last, "title": "printing", "kind": "execute", "status": "in_progress"}
    content = [{"type": "terminal", "terminalId": terminal}]
    _send(updated({"sessionUpdate": "tool_call", **call, "content": content}))
    _asked("terminal/wait_for_exit", terminalId=terminal)
    _send(updated({"sessionUpdate": "tool_call_update", "toolCallId": last, "status": "completed"}))


def _asked(method: str, **params: Any) -> dict[str, Any]:
    """Send a request and return its result."""
    _send(encoded({"id": method, "method": method, "params": {"sessionId": _SESSION, **params}}))
    while (answer := json.loads(sys.stdin.buffer.readline())).get("id") != method:
        pass
    result: dict[str, Any] = answer["result"]
    return result


ORDERS: Final[dict[str, Callable[..., None]]] = {
    "stream": stream,
    "pace": pace,
    "count": count,
    "line": line,
    "flood": flood,
    "work": work,
    "command": command,
    "words": words,
    "stderr": stderr,
    "change": change,
    "ask": ask,
}


def chunk(text: str, message_id: str | None = None) -> bytes:
    update: dict[str, Any] = {
        "sessionUpdate": "agent_message_chunk",
        "content": {"type": "text", "text": text},
    }
    if message_id is not None:
        update["messageId"] = message_id
    return updated(update)


def updated(update: dict[str, Any]) -> bytes:
    return encoded({"method": "session/update", "params": {"sessionId": _SESSION, "update": update}})


def encoded(message: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode() + b"\n"


def _send(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]


if __name__ == "__main__":
    main()
