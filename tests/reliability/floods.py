"""An agent writes too much of something: the program lives, answers keys, stays in bounds, and goes on."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from tests.reliability.flood_agent import SCENES
from tests.reliability.row import Result, Row
from tests.terminal import NeverShown, Terminal, acp_tui

_AGENT: Final = Path(__file__).with_name("flood_agent.py")
_MEMORY: Final = 400
"""MB by which the program may grow: a line within the limit is there twice while it is read."""
_STDERR_MEMORY: Final = 15
_DISK: Final = 90
_KEY: Final = 2.0
"""Seconds that a key may wait for its echo on a machine that does other things, too."""
_PATIENCE: Final = 90.0
_LETTER: Final = "ß"


def run(count: int, seed: int) -> Result:
    result = Result(unit="floods")
    names = list(SCENES)
    for number in range(count):
        name = names[number % len(names)]
        note, problems = _flooded(name)
        result.tried += 1
        result.wrong += [f"{name}: {problem}" for problem in problems]
        result.notes.append(f"{name}: {note}")
    return result


def _flooded(name: str) -> tuple[str, list[str]]:
    """Return the figures of a flood, and what is wrong."""
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        argv = acp_tui(f"{sys.executable} -S -P {_AGENT}", "--cwd", folder)
        env = {"HOME": folder, "ACP_TUI_HOME": str(home), "PATH": os.environ["PATH"]}
        slowest, grown = 0.0, 0
        with Terminal(argv, cwd=Path(folder), env=env) as terminal:
            try:
                terminal.until(lambda screen: "F1 help" in screen and "starting" not in screen)
                before = _at_rest(terminal.process.pid)
                terminal.type(f"{name}\r")
                end = time.monotonic() + _PATIENCE
                is_over = False
                while not is_over:
                    is_over = "after-the-flood" in terminal.screen
                    slowest = max(slowest, _echo(terminal))
                    grown = max(grown, _resident(terminal.process.pid) - before)
                    if time.monotonic() > end:
                        problems.append(f"what came behind it was not shown:\n{terminal.screen[:3000]}")
                        break
                terminal.type("\x11")
                terminal.until(lambda _: terminal.process.poll() is not None or True, 0.1)
            except NeverShown as error:
                problems.append(str(error)[:3000])
        disk = sum(file.stat().st_size for file in (home / "data").rglob("*") if file.is_file()) // 1_000_000
        log = (home / "state" / "acp-tui.log").read_text("utf-8", "replace")
    if "Traceback" in log:
        problems.append(f"in the log: {log[-500:]}")
    if grown > (most := _STDERR_MEMORY if name in ("stderr", "noise") else _MEMORY):
        problems.append(f"grew by {grown} MB, at most {most} are right")
    if slowest > _KEY:
        problems.append(f"a key waited {slowest:.1f} s for its echo")
    if disk > _DISK:
        problems.append(f"{disk} MB on the disk")
    return f"grew by {grown} MB, slowest key {slowest * 1000:.0f} ms, {disk} MB on the disk", problems


def _echo(terminal: Terminal) -> float:
    """Return how long a key waits for its echo in the prompt."""
    began = time.monotonic()
    terminal.type(_LETTER)
    terminal.until(_LETTER, 20)
    waited = time.monotonic() - began
    terminal.type("\x7f")
    terminal.until(lambda screen: _LETTER not in screen, 20)
    return waited


def _at_rest(pid: int) -> int:
    """Return the resident memory in MB once the program has loaded all its modules."""
    seen = [_resident(pid)]
    while len(seen) < 4 or seen[-4] != seen[-1]:
        time.sleep(0.25)
        seen.append(_resident(pid))
    return seen[-1]


def _resident(pid: int) -> int:
    """Return the resident memory of a process in MB."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) // 1000 if found is not None else 0


ROW: Final = Row(
    "floods",
    "whatever an agent writes too much of, the program lives, answers keys and stays in bounds",
    small=3,
    full=len(SCENES) * 3,
    run=run,
)
