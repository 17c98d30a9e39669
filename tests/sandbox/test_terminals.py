"""Terminals of commands: what they do in a sandbox is what they do without one."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from acp_tui.sandbox.sandbox import Sandbox
from acp_tui.workspace.guard import Guard
from acp_tui.workspace.processes import ExitStatus
from acp_tui.workspace.terminals import Terminal, Terminals
from tests.sandbox.fences import lay_out, needs_bubblewrap, sandbox
from tests.waiting import until

pytestmark = [pytest.mark.slow, needs_bubblewrap]

_LOOP: Final = "while :; do :; done"  # of the shell alone: a child that is hit would be reported, or not

LINES: Final = {
    "an exit code": "echo out; echo err >&2; exit 7",
    "a signal of its own": "kill -KILL $$",
    "a fault": "ulimit -c 0; kill -SEGV $$",
    "a broken pipe": "yes | head -c 3 > /dev/null; echo ${PIPESTATUS[@]}",
    "a terminal on all sides": "test -t 0 && test -t 1 && test -t 2 && stty size && echo line > /dev/tty",
    "a group of its own in front": "ps -o stat= -p $$ | grep -c '[+]'",
    "jobs in the background": "set -m; sleep 0.01 & wait $!; echo $?; (exit 5) & fg; echo $?",
    "a job that is stopped": "set -m; sh -c 'kill -STOP $$; exit 4' & wait $!; fg > /dev/null; echo $?",
    "a trap at the end": "trap 'echo bye; exit 9' EXIT; true",
    "no core, no rights": "umask; ulimit -n; pwd; id -u",
    "many lines": "seq 1 20000 | tail -n 3; printf '\\e[31mred\\e[0m no newline'",
    "a child that outlasts its parent": "(sleep 0.05; echo late) & exec sh -c 'echo first; wait; sleep 0.2'",
}
"""Command lines that run by themselves, by name."""

KEYS: Final = {
    "Ctrl+C": (f"trap 'echo stopped; exit 3' INT; echo ready; {_LOOP}", b"\x03"),
    "Ctrl+C without a trap": ("echo ready; exec sleep 300", b"\x03"),
    "Ctrl+\\": (f"ulimit -c 0; trap 'echo quit; exit 4' QUIT; echo ready; {_LOOP}", b"\x1c"),
    "Ctrl+D": ("echo ready; cat; echo end", b"\x04"),
    "a line": ("echo ready; read word; echo got $word", b"typed\r"),
    "Ctrl+Z and fg": (
        f"set -m; sh -c \"trap 'echo again; exit 6' CONT; echo ready; {_LOOP}\"; fg > /dev/null; echo $?",
        b"\x1a",
    ),
}
"""Command lines that wait for a key once they say that they are ready, and the key."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    lay_out(tmp_path / "home")
    return tmp_path / "home"


@asynccontextmanager
async def begun(home: Path, line: str, made: Sandbox | None) -> AsyncIterator[Terminal]:
    guard = Guard()
    terminals = Terminals(guard=guard, enclosure=made.commands if made is not None else None)
    try:
        yield await terminals.create(
            "s", "bash", ["-c", line], cwd=str(home / "work"), env={"HOME": str(home)}
        )
    finally:
        await terminals.close()
        guard.close()


def told(status: ExitStatus) -> int | None:
    """Return a status as a shell tells it: the sandbox tells a death by a signal as a code."""
    return 128 + signal.Signals[status.signal] if status.signal else status.exit_code


async def both(
    home: Path, line: str, act: Callable[[Terminal], object] | None = None
) -> list[tuple[str, int | None]]:
    """Return what a line prints and how it ends, without a sandbox and in one."""
    found: list[tuple[str, int | None]] = []
    with sandbox(home) as inside:
        for made in (None, inside):
            async with begun(home, line, made) as terminal:
                if act is not None:
                    await until(lambda: "ready" in terminal.output()[0])
                    act(terminal)
                status = told(await terminal.wait())
                found.append((terminal.output()[0], status))
    return found


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
async def test_a_command_runs_and_ends_as_without_a_sandbox(home: Path, line: str) -> None:
    outside, inside = await both(home, line)

    assert inside == outside


@pytest.mark.parametrize(("line", "key"), KEYS.values(), ids=KEYS)
async def test_a_key_does_what_it_does_without_a_sandbox(home: Path, line: str, key: bytes) -> None:
    outside, inside = await both(home, line, lambda terminal: terminal.write(key))

    assert inside == outside


async def test_a_new_size_reaches_the_program_as_without_a_sandbox(home: Path) -> None:
    line = f"trap 'stty size; exit 0' WINCH; echo ready; {_LOOP}"

    outside, inside = await both(home, line, lambda terminal: terminal.resize(33, 11))

    assert inside == outside == ("ready\n11 33\n", 0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
async def test_a_signal_reaches_the_command_as_without_a_sandbox(home: Path, number: signal.Signals) -> None:
    line = f"trap 'echo heard; exit 5' {number.name.removeprefix('SIG')}; echo ready; {_LOOP}"

    outside, inside = await both(home, line, lambda terminal: terminal.signal(number))

    assert inside == outside
    assert outside[0].endswith("heard\n")
