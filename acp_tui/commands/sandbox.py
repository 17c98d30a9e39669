"""`acp-tui sandbox`: run any command in the sandbox of agents."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
import termios
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from acp_tui.sandbox.sandbox import Sandbox
from acp_tui.workspace.guard import Guard
from acp_tui.workspace.processes import Child, ExitStatus, ProgramNotFound, StartFailed
from acp_tui.workspace.terminals import MARK, TerminalError, Terminals

_NOT_STARTED: Final = 126
_NOT_FOUND: Final = 127
_SIGNAL: Final = 128
_OWNER: Final = "sandbox"
_PATIENCE: Final = 1.0
_INPUT: Final = 16 << 10
_OF_TERMINALS: Final = ("TERM", "COLORTERM", "PAGER", "GIT_PAGER")


def run(sandbox: Sandbox, command: Sequence[str], cwd: str) -> int:
    """Run a command inside, and return the exit code."""
    guard = Guard()
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    try:
        return asyncio.run((_on_terminal if is_terminal else _on_pipes)(sandbox, command, cwd, guard))
    except StartFailed as error:
        print(f"acp-tui: {error}", file=sys.stderr)
        return _NOT_FOUND if isinstance(error, ProgramNotFound) else _NOT_STARTED
    except TerminalError as error:
        print(f"acp-tui: {error}", file=sys.stderr)
        return _NOT_FOUND if isinstance(error.__cause__, ProgramNotFound) else _NOT_STARTED
    finally:
        guard.close()


async def _on_pipes(sandbox: Sandbox, command: Sequence[str], cwd: str, guard: Guard) -> int:
    child = Child.start(
        command,
        environment=os.environ,
        mark_name=MARK,
        cwd=cwd,
        file_actions=[],
        guard=guard,
        enclosure=sandbox.commands,
    )
    try:
        return _code(await child.wait())
    finally:
        await child.end(_PATIENCE)


# The command gets a terminal of its own, and this program copies between the two: with the user's terminal
# the command could type into the shell from which this program was started.
async def _on_terminal(sandbox: Sandbox, command: Sequence[str], cwd: str, guard: Guard) -> int:
    loop = asyncio.get_running_loop()
    terminals = Terminals(guard=guard, enclosure=sandbox.commands)
    size = shutil.get_terminal_size()
    program, *arguments = command
    terminal = await terminals.create(
        _OWNER, program, arguments, env=_kept(), cwd=cwd, columns=size.columns, rows=size.lines
    )

    def resized() -> None:
        now = os.get_terminal_size(1)
        terminal.resize(now.columns, now.lines)

    def typed() -> None:
        terminal.write(os.read(0, _INPUT) or b"\x04")

    with _raw():
        loop.add_signal_handler(signal.SIGWINCH, resized)
        loop.add_reader(0, typed)
        _print(terminal.attach(_print))
        try:
            return _code(await terminal.wait())
        finally:
            loop.remove_reader(0)
            await terminals.close()


def _kept() -> dict[str, str]:
    """Return the user's values of variables that `Terminals` sets for agents: here a user presses keys."""
    return {name: value for name in _OF_TERMINALS if (value := os.environ.get(name))}


@contextmanager
def _raw() -> Iterator[None]:
    """Pass each key on, including those that send signals."""
    before = termios.tcgetattr(0)
    tty.setraw(0, termios.TCSANOW)
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)


def _print(data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(1, rest) :]


def _code(status: ExitStatus) -> int:
    if status.signal is not None:
        return _SIGNAL + getattr(signal, status.signal, 0)
    return status.exit_code or 0
