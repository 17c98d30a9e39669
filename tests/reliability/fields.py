"""Raw bytes on a PTY, pasted into each field of the real program: none of them is ever a key."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from tests.reliability.program import EMPTY, program
from tests.reliability.row import Result, Row
from tests.terminal import NeverShown, Terminal

_START: Final = b"\x1b[200~"
_END: Final = b"\x1b[201~"
_PATIENCE: Final = 30.0
_READY: Final = "asks before everything"
"""Shown once the session is there; until then, what is pasted is for the prompt."""
_PIECES: Final = (
    *(b"\x1b", b"\r", b"\n", b"\x00", b"\x03", b"\x11", b"\x1a", b"\x7f", b"\t", b"\x9b", b"\xff", b"\xc3"),
    *(b"\x1b\r", b"\x1b[200~", b"\x1b[201", b"\x1b[13u", b"\x1b[27u", b"\x1b[113;5u", b"\x1b[97:65;2u"),
    *(b"\x1b[<0;9;9M\x1b[<0;9;9m", b"\x1b[I", b"\x1b[O", b"\x1b[48;1;1;1;1t", b"\x1bOP", b"\x1b[A"),
    *(b"\x1b]52;c;eA==\x07", b"\x1bn", b"\x1bw", b"y", b"n", b"a", b"!touch bad\r", b"/quit\r", b"\x1b\x1b"),
    *("\u202e".encode(), "\u200b".encode(), "\u3164".encode(), "\x9d".encode(), "é".encode()),
)
"""Parts of pastes, next to bytes of any kind."""

_AGENT: Final = """
import json, sys

def send(**fields):
    print(json.dumps({"jsonrpc": "2.0", **fields}), flush=True)

for line in sys.stdin:
    frame = json.loads(line)
    match frame.get("method"):
        case "initialize":
            send(id=frame["id"], result={"protocolVersion": 1, "agentCapabilities": {}})
        case "session/new":
            send(id=frame["id"], result={"sessionId": "s1"})
        case "session/prompt" if frame["params"]["prompt"][0]["text"] == "ask":
            call = {"toolCallId": "c1", "title": "Do it", "kind": "other", "status": "pending"}
            options = [{"optionId": one, "name": one, "kind": f"{one}_once"} for one in ("allow", "reject")]
            send(id=1, method="session/request_permission",
                 params={"sessionId": "s1", "toolCall": call, "options": options})
        case method:
            open(f"heard {method}".replace("/", " "), "w")
"""
"""An agent that leaves a file for all that it should never hear."""


class _Field(NamedTuple):
    """A place that has the keys while something is pasted."""

    name: str
    way: tuple[tuple[str, str], ...]
    """The keys that lead to it from the prompt, each with what the screen shows then."""
    back: tuple[tuple[str, str | Callable[[str], object]], ...]
    """The keys that lead from it to the empty prompt."""
    takes_text: bool = True
    most: int = 1_000
    """Bytes of a paste after which there is room for a mark."""


_ESCAPE: Final = "\x1b"
_CLOSED: Final = ((_ESCAPE, EMPTY),)


def _is_put_aside(screen: str) -> bool:
    """Return whether no dialog asks: it covers nothing of the prompt, so the prompt tells nothing."""
    return "asks for permission" not in screen


_PUT_ASIDE: Final = ((_ESCAPE, _is_put_aside),)
_QUESTION: Final = ("\x19", "reject with a reason")
_FIELDS: Final = (
    _Field("the prompt", (("", EMPTY),), (("\x03", EMPTY),)),
    # What is pasted in the chat goes to the prompt.
    _Field("the chat", (("\x1bOQ", "▌  /"),), (("\x03", EMPTY),)),
    _Field("the find bar", (("\x06", "find in the chat"),), _CLOSED),
    _Field("the name of the session", (("\x1br", "Name of this session"),), _CLOSED, most=60),
    _Field("the filter of a menu", (("\x1b[21~", "Enter choose"),), _CLOSED),
    _Field(
        "the filter of the protocol",
        (("\x1c", "Errors only"), ("/", "filter frames")),
        ((_ESCAPE, "Errors only"), *_CLOSED),
    ),
    _Field("the rules", (("\x1bl", "No rules yet"),), _CLOSED, takes_text=False),
)
_IN_QUESTION: Final = (
    _Field("a question", (_QUESTION,), _PUT_ASIDE, takes_text=False),
    _Field(
        "the reason of a rejection",
        (_QUESTION, ("r", "Enter reject")),
        ((_ESCAPE, "with a reason"), *_PUT_ASIDE),
    ),
)


def _bytes(chance: random.Random) -> bytes:
    """Return what is pasted: nothing in it ends the paste."""
    parts = [
        chance.choice(_PIECES) if chance.random() < 0.7 else chance.randbytes(chance.randint(1, 6))
        for _ in range(chance.randint(1, 40))
    ]
    return b"".join(parts).replace(_END, b"")


def _send(terminal: Terminal, data: bytes, chance: random.Random) -> None:
    """Paste in one or several writes."""
    data = _START + data + _END
    cuts = sorted(chance.randrange(len(data)) for _ in range(chance.randint(0, 3)))
    for first, last in zip((0, *cuts), (*cuts, len(data)), strict=True):
        terminal.send(data[first:last])


def _press(terminal: Terminal, key: str, sees: str | Callable[[str], object]) -> None:
    """Press a key until it acts: a dialog takes letters when no one has typed for a moment.

    Raises:
        NeverShown: it does not act.
    """
    for _ in range(10 if key.isalpha() else 1):
        terminal.type(key)
        try:
            terminal.until(sees, 3 if key.isalpha() else _PATIENCE)
        except NeverShown:
            continue
        return
    raise NeverShown(f"{key!r} did not lead to {sees}:\n{terminal.screen}")


def _try(terminal: Terminal, field: _Field, data: bytes, chance: random.Random, mark: str) -> None:
    """Paste something into a field, and see that the keys are still there.

    Raises:
        NeverShown: they are not.
    """
    for key, sees in field.way:
        _press(terminal, key, sees)
    _send(terminal, data, chance)
    if field.takes_text:
        terminal.type(mark)
        terminal.until(mark)
    else:
        terminal.until(sees)
    for key, seen in field.back:
        terminal.type(key)
        terminal.until(seen)
    terminal.until(lambda screen: mark not in screen)
    if field.back[-1] in _CLOSED:  # what is typed while a screen closes is its own
        terminal.until(lambda screen: field.way[0][1] not in screen)


def _run(count: int, seed: int) -> Result:
    result = Result(unit="pastes")
    chance = random.Random(seed)
    with program(_AGENT, _PATIENCE) as (terminal, workspace):
        terminal.until(_READY)
        for number in range(count):
            fields: Sequence[_Field] = _FIELDS
            if 2 * number >= count:
                fields = _IN_QUESTION
            if 2 * number in (count, count + 1):
                terminal.type("ask\r")
                terminal.until(_QUESTION[1])
                _press(terminal, *_PUT_ASIDE[0])
            field = fields[number % len(fields)]
            data = _bytes(chance)[: field.most]
            wrong = ""
            try:
                _try(terminal, field, data, chance, f"zq{number}")
            except NeverShown as problem:
                wrong = str(problem)
            result.tried += 1
            if made := sorted(one.name for one in workspace.iterdir()):
                wrong = f"acted: {made}"
            if wrong:
                result.wrong.append(f"case {number} of seed {seed}, {field.name}, {data!r}: {wrong}")
                break
    return result


ROW = Row("fields", "nothing in a paste is a key, in any field", 14, 20_000, _run)
