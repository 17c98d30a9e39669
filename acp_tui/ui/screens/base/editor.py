"""The user's own editor, which gets the terminal while it runs."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import tempfile
import termios
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from textual.app import App, SuspendNotSupported

from acp_tui.trusted_programs import own_program
from acp_tui.ui.application.terminal import TerminalTaken
from acp_tui.ui.screens.base.unasked_screen import UnaskedScreen

_PLUS: Final = frozenset(
    (
        *("vi", "vim", "nvim", "view", "gvim", "nano", "pico", "emacs"),
        *("emacsclient", "kak", "ne", "joe", "mcedit", "micro"),
    )
)
"""Editors that take `+LINE FILE`. Others get only the file: they might open `+LINE` as a file."""
_COLON: Final = frozenset(("hx", "helix", "subl", "zed"))
_GOTO: Final = frozenset(("code", "codium", "code-insiders", "cursor", "windsurf"))


_PATIENCE: Final = 2.0
"""Seconds for a terminated editor to end."""
_GROUP: Final = "terminal"
"""Group of the workers that lend the terminal, one at a time."""


def begin(app: App[Any], work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Start a worker that lends the terminal, unless one is running."""
    if not any(worker.group == _GROUP and not worker.is_finished for worker in app.workers):
        app.run_worker(work(), group=_GROUP)


async def edit(app: App[Any], text: str) -> tuple[str, str]:
    """Edit a text in $VISUAL or $EDITOR; return (text, problem or "").

    If the editor fails, the text is returned unchanged; the problem names the file with the edited text.
    """
    path = _written(text)
    problem = await open_in_editor(app, path)
    try:
        written = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return text, f"{problem} The edited text cannot be read: {error}".strip()
    if problem and written != text:
        return text, f"{problem} The edited text is in {path}"
    shutil.rmtree(path.parent, ignore_errors=True)  # including other files of the editor beside it
    return as_typed(written, text), problem


def as_typed(written: str, before: str) -> str:
    """Return the text of an editor without the line end that it adds after the last line."""
    return written if before.endswith(("\n", "\r")) else written.removesuffix("\n").removesuffix("\r")


async def open_in_editor(app: App[Any], path: Path, line: int | None = None) -> str:
    """Open a file in the user's editor, at a line (from 1), and wait for its end.

    Returns the problem, or "".
    """
    command = editor()
    try:
        with _lent(app):
            code = await _run([*command, *place(command, path, line)])
    except SuspendNotSupported:
        return "This terminal cannot run an editor."
    except TerminalTaken:
        return "Another program has the terminal."
    if isinstance(code, OSError):
        why = code.strerror
        return f"{command[0]} cannot be started: {why}. Set $VISUAL or $EDITOR to an installed editor."
    if code < 0:
        return f"{command[0]} was killed by {_signal_name(-code)}."
    return f"{command[0]} exited with code {code}." if code else ""


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


async def _run(command: Sequence[str]) -> int | OSError:
    """Run a program in the foreground; return its exit code, or the error of its start.

    One of the same name that an agent may have written is run only if there is no other.
    """
    program, *arguments = command
    try:
        process = await asyncio.create_subprocess_exec(own_program(program) or program, *arguments)
    except OSError as error:
        return error
    try:
        return await process.wait()
    finally:
        if process.returncode is None:  # acp-tui is ending, but the editor still uses the terminal
            await _ended(process)


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Terminate a program and wait for its end."""
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), _PATIENCE)
    except TimeoutError:
        process.kill()
        await process.wait()


async def edit_in_workspace(
    app: App[Any], cwd: str, path: str, line: int, outside: Callable[[str], str] = str
) -> None:
    """Open a file of the workspace in the user's editor, at a line; notify of problems.

    Args:
        app: the application, which lends its terminal.
        cwd: the workspace.
        path: absolute, or relative to the workspace.
        line: from 1.
        outside: translates a path of the agent to the path outside its sandbox.
    """
    there = Path(outside(str(Path(cwd, path))))
    if await asyncio.to_thread(there.is_file):
        problem = await open_in_editor(app, there, line)
    else:
        problem = f"{path} no longer exists."
    if problem:
        app.notify(problem, title="Edit", severity="warning")


def place(command: Sequence[str], path: Path, line: int | None) -> list[str]:
    """Return the arguments with which an editor opens a file at a line."""
    if line is None:
        return [str(path)]
    name = Path(command[0]).name
    if name in _COLON:
        return [f"{path}:{line}"]
    if name in _GOTO:
        return ["--goto", f"{path}:{line}"]
    return [f"+{line}", str(path)] if name in _PLUS else [str(path)]


def _written(text: str) -> Path:
    """Write a text to a new file in a private folder."""
    path = Path(tempfile.mkdtemp(prefix="acp-tui-")) / "prompt.md"
    path.write_text(text, encoding="utf-8")
    return path


def editor() -> Sequence[str]:
    """Return the command of the user's editor: $VISUAL, $EDITOR, else vi."""
    for name in ("VISUAL", "EDITOR"):
        try:
            if words := shlex.split(os.environ.get(name, "")):
                return words
        except ValueError:  # an unterminated quote
            continue
    return ("vi",)


def _drop_unread() -> None:
    """Drop unread input of the terminal, which is not the standard input if that is a pipe."""
    with suppress(OSError, termios.error):
        terminal = os.open(os.ctermid(), os.O_RDWR | os.O_NOCTTY)
        try:
            termios.tcflush(terminal, termios.TCIFLUSH)
        finally:
            os.close(terminal)


@contextmanager
def _lent(app: App[Any]) -> Iterator[None]:
    """Lend the terminal to another program: nothing is drawn, and Ctrl+C reaches only that program.

    Keys that the program did not read are dropped, and the guards of questions restart.
    """
    numbers = (signal.SIGINT, signal.SIGQUIT)
    with app.batch_update(), app.suspend():
        # With SIG_IGN the other program would ignore them, too.
        before = [signal.signal(number, lambda *_: None) for number in numbers]
        try:
            yield
        finally:
            for number, handler in zip(numbers, before, strict=True):
                signal.signal(number, handler)
            _drop_unread()
    for screen in app.screen_stack:
        if isinstance(screen, UnaskedScreen):
            screen.guard_anew()
