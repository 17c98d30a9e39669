"""Commands that print as fast as they can: into the host alone, and into a view that draws them."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from acp_tui.workspace.terminals import Terminals
from tests.bench import agent
from tests.bench.apps import terminal
from tests.bench.installed import PYTHON
from tests.bench.keys import LETTERS, echoes, late
from tests.bench.program import Program
from tests.bench.table import Row, at_least, at_most
from tests.bench.talk import allow_everything, order, talk

LINES = ("sh", "-c", "seq -f 'line %.0f of what a long build has to tell its reader' 100000")
_COLOURED = "\x1b[1;32m   Compiling\x1b[0m crate-%.0f \x1b[36mv1.0.3\x1b[39m (\x1b[38;5;244m/home/src\x1b[m)"
COLOURED = ("sh", "-c", f"seq -f '{_COLOURED}' 100000")
_SIZE = 60 * 10**6
YES = ("timeout", "2", "yes", "a line that says the same again and again")


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    allow_everything(env)
    for colours in (False, True):
        yield from _in_chat(env, colours)
    for argv, name in (
        (LINES, "100,000 lines"),
        (COLOURED, "100,000 coloured"),
        (YES, "`yes` for 2 s"),
    ):
        floor = _bare(argv)
        enough = at_least(20)
        yield Row(f"terminal, {name}, host alone", "MB/s", asyncio.run(_hosted(argv)), floor, enough)
        rate, idle, echoed, grown = _drawn(argv, env)
        yield Row(f"terminal, {name}, drawn", "MB/s", rate, floor, enough)
        name_of_keys = f"terminal, {name}, key to echo"  # the floor: while nothing is printed
        yield Row(f"{name_of_keys}, p95", "ms", late(echoed), late(idle), at_most(50))
        yield Row(f"{name_of_keys}, longest", "ms", max(echoed), max(idle), at_most(100))
        yield Row(f"terminal, {name}, memory", "MB", grown, None, at_most(60))


def _in_chat(env: Mapping[str, str], colours: bool) -> Iterator[Row]:
    """Measure a command of an agent: from the prompt until its last line is in the chat."""
    name = f"terminal in the chat, {_SIZE // 10**6} MB {'coloured' if colours else 'plain'}"
    floor = _bare(("sh", "-c", agent.script(int(colours), _SIZE, "over")))
    with talk(env) as program:
        program.look_on(2)
        before = program.memory()
        program.note(last := agent.printed(1))
        began = order(program, f"command {int(colours)} {_SIZE}")
        program.look_on(0.3)  # a key at once would count as part of a paste
        echoed = echoes(program, LETTERS[:20], pause=0.02)
        program.look_on_until(lambda: program.noted[last] is not None)
        seconds = (program.noted[last] or 0.0) - began
        program.look_on(1)
        idle = echoes(program, LETTERS[20:40], pause=0.02)
        yield Row(name, "MB/s", _SIZE / 1e6 / seconds, floor, at_least(20))
        yield Row(f"{name}, key to echo, p95", "ms", late(echoed), late(idle), at_most(50))
        yield Row(f"{name}, memory", "MB", program.memory() - before, None, at_most(60))


def _drawn(argv: Sequence[str], env: Mapping[str, str]) -> tuple[float, list[float], list[float], float]:
    """Return MB a second, the echoes of keys in milliseconds before and while it prints, and MB of growth."""
    report = Path(env["HOME"]) / "report"
    report.unlink(missing_ok=True)
    with Program((PYTHON, "-m", "tests.bench.apps.terminal", str(report), *argv), env) as program:
        program.wait_for(terminal.READY)
        program.look_on(0.3)
        idle = echoes(program, LETTERS[20:40], pause=0.02)
        before = program.memory()
        program.type("\r")
        echoed = echoes(program, LETTERS[:20], pause=0.02)
        program.look_on_until(report.exists)
        figures = json.loads(report.read_text())
        return figures["bytes"] / 1e6 / figures["seconds"], idle, echoed, program.memory() - before


async def _hosted(argv: Sequence[str]) -> float:
    """Return MB a second that a terminal of the host takes in."""
    taken = 0

    def listen(data: bytes) -> None:
        nonlocal taken
        taken += len(data)

    terminals = Terminals()
    began = time.perf_counter()
    started = await terminals.create("bench", argv[0], argv[1:], cwd="/")
    taken = len(started.attach(listen))
    await started.wait()
    seconds = time.perf_counter() - began
    await terminals.close()
    return taken / 1e6 / seconds


def _bare(argv: Sequence[str]) -> float:
    """Return MB a second of a loop that only reads."""
    ours, theirs = pty.openpty()
    began = time.perf_counter()
    with subprocess.Popen(argv, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True):
        os.close(theirs)
        taken = 0
        try:
            while data := os.read(ours, 65_536):
                taken += len(data)
        except OSError:  # EIO is the end
            pass
    seconds = time.perf_counter() - began
    os.close(ours)
    return taken / 1e6 / seconds
