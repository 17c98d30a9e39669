"""Commands of every kind on terminals, used in any order: nothing is left when their session closes."""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import signal
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

from acp_tui.platform import has_limits
from acp_tui.sandbox.sandbox import Sandbox
from acp_tui.workspace.guard import Guard
from acp_tui.workspace.terminals import Terminal, TerminalError, Terminals
from tests.offspring import descriptors, zombies
from tests.reliability.row import Result, Row
from tests.sandbox.fences import HAS_BUBBLEWRAP, HERE, sandbox

_KINDS: Final = {
    "plain": "echo done",
    "no newline": "printf done",
    "an early end": "exit 7",
    "ended by a signal": "kill -KILL $$",
    "a long one": "sleep {time}",
    "a child": "sleep {time} & wait",
    "setsid": "setsid sleep {time} & wait",
    "a double fork": "(setsid sh -c 'sleep {time} & exit' &); sleep {time}",
    "nohup": "nohup sleep {time} > /dev/null 2>&1 & wait",
    "ignored TERM": "trap '' TERM HUP INT; sleep {time} & sleep {time}",
    "a cleared environment": "env -i sleep {time} & wait",
    "cleared in another session": "env -i setsid sleep {time} & wait",
    "cleared and forked twice": "(env -i setsid sh -c 'setsid sleep {time} & exit' &); sleep {time}",
    "a flood": "yes | head -c 300000",
    "a flood without end": "yes '\x1b[31mred' & sleep {time}",
    "job control": "set -m; sleep {time} & sleep {time} & fg",
    "stopped": "kill -STOP $$; sleep {time}",
    "never reading": "exec > /dev/null < /dev/null; sleep {time}",
    "bytes of any kind": "head -c 20000 /dev/urandom; exit 3",
    "left behind by nohup": "trap '' HUP; nohup sleep {time} > /dev/null 2>&1 &",
    "left behind by setsid": "trap '' HUP; setsid sleep {time} > /dev/null 2>&1 &",
    "left behind without environment": "trap '' HUP; env -i setsid sleep {time} > /dev/null 2>&1 &",
}
_UNMARKED: Final = frozenset(
    {"cleared in another session", "cleared and forked twice", "left behind without environment"}
)
"""Kinds that only a limit tells; the portable way may lose them, which `acp-tui doctor` says."""
_TOGETHER: Final = 25
"""Terminals that are used at the same time."""
_NUMBERS: Final = itertools.count(1)


def kinds_here() -> list[str]:
    return [kind for kind in _KINDS if has_limits() or kind not in _UNMARKED]


def run(count: int, seed: int) -> Result:
    """Use so many terminals."""
    return asyncio.run(_run(count, random.Random(seed)))


async def _run(count: int, draw: random.Random) -> Result:
    result = Result(unit="terminals")
    with tempfile.TemporaryDirectory() as cwd, ExitStack() as stack:
        sandboxes: list[Sandbox | None] = [None]
        if HAS_BUBBLEWRAP:
            sandboxes.append(stack.enter_context(sandbox(Path("/nowhere"), roots=[Path(cwd)])))
        else:
            result.notes.append(f"none in a sandbox: {HERE.why}")
        await _use_many(count, draw, result, cwd, sandboxes)
    return result


async def _use_many(
    count: int, draw: random.Random, result: Result, cwd: str, sandboxes: Sequence[Sandbox | None]
) -> None:
    """Use so many, with and without a sandbox by turns."""
    guard = Guard()
    guard.start()
    await asyncio.gather(
        *(asyncio.to_thread(os.getpid) for _ in range(32))
    )  # threads are there before we count
    before = descriptors()
    for made in itertools.cycle(sandboxes):
        if result.tried >= count:
            break
        terminals = Terminals(guard=guard, enclosure=made.commands if made is not None else None)
        stamp = f"300.{os.getpid()}{next(_NUMBERS):05}"
        number = min(_TOGETHER, count - result.tried)
        kinds = [draw.choice(kinds_here()) for _ in range(number)]
        lines = await asyncio.gather(
            *(
                _use(terminals, kind, f"{stamp}{place:02}", cwd, random.Random(draw.random()))
                for place, kind in enumerate(kinds)
            )
        )
        where = " in a sandbox" if made is not None else ""
        result.wrong += [f"{line}{where}" for line in lines if line]
        await terminals.close("s")
        result.tried += number
        result.wrong += [f"{left} is left of {sorted(set(kinds))}{where}" for left in _left(stamp)]
    guard.close()
    result.wrong += [f"a zombie: {pid}" for pid in zombies()]
    result.wrong += [f"an open descriptor: {one}" for one in _opened(before)]


async def _use(terminals: Terminals, kind: str, stamp: str, cwd: str, draw: random.Random) -> str:
    """Use one terminal in some order; return what was wrong, or ""."""
    done: list[str] = []
    where = draw.choice(["bash", "sh"])
    try:
        line = _KINDS[kind].format(time=stamp)
        terminal = await terminals.create(
            "s", where, ["-c", line], cwd=cwd, output_byte_limit=draw.choice([0, 100, None])
        )
        for act in draw.choices(
            ["output", "wait", "write", "signal", "resize", "stop", "view", "pause"], k=draw.randrange(6)
        ):
            done.append(act)
            await asyncio.wait_for(_act(terminal, act), 15)
        if draw.random() < 0.7:
            done.append("release")
            await asyncio.wait_for(terminals.release("s", terminal.id), 15)
            by_itself = await asyncio.wait_for(terminal.wait(), 15) == (0, None)
            if not by_itself and "signal" not in done and _left(stamp):
                return f"{kind} by {where} after {done}: it goes on after its release"
            with suppress(TerminalError):
                terminals.get("s", terminal.id)
                return f"{kind} by {where} after {done}: its id is still known"
        elif kind.startswith("left behind") and not {"stop", "signal"} & set(done):
            await asyncio.wait_for(terminal.wait(), 15)
            await terminal.stop()
            if not _left(stamp):
                return f"{kind} by {where} after {done}: what it left behind is gone"
    except Exception as error:  # noqa: BLE001  # whatever it is, it is a fault
        return f"{kind} by {where} after {done}: {error!r}"
    return ""


async def _act(terminal: Terminal, act: str) -> None:
    match act:
        case "output":
            terminal.output()
        case "wait":
            with suppress(TimeoutError):
                await asyncio.wait_for(terminal.wait(), 0.2)
        case "write":
            terminal.write(b"some keys\r" * 100)
        case "signal":
            terminal.signal(signal.SIGINT)
        case "resize":
            terminal.resize(40, 10)
        case "stop":
            await terminal.stop()
        case "view":
            terminal.attach(_nobody)
            terminal.detach(_nobody)
        case "pause":
            await asyncio.sleep(0.05)


def _opened(before: set[str]) -> set[str]:
    return {one for one in descriptors() - before if "pid" in one or "/pt" in one or "pipe" in one}


def _nobody(data: bytes) -> None:
    """Look at nothing."""


def _left(stamp: str) -> Sequence[str]:
    """Return the command lines of what still runs of some terminals."""
    found: list[str] = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if folder.name.isdigit():
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                if stamp in words:
                    found.append(f"{folder.name} {words}")
    return found


ROW: Final = Row(
    "terminals",
    "nothing is left of a command when its session closes, and a release leaves alone what outlived it",
    60,
    1000,
    run,
)
