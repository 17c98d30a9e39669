"""Writing in the person's own editor, which gets the terminal for as long as it runs."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.ui.app import AcpApp


async def edit(app: AcpApp, text: str) -> tuple[str, str]:
    """Return (what became of a text in $VISUAL or $EDITOR, what went wrong or "").

    When the editor fails, the text is returned as it was, and what the editor wrote is left in a file
    that the problem names.
    """
    path = _written(text)
    problem = await open_in_editor(app, path)
    try:
        written = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return text, f"{problem} What was written cannot be read: {error}".strip()
    if problem and written != text:
        return text, f"{problem} What was written is in {path}"
    shutil.rmtree(path.parent, ignore_errors=True)  # also what the editor has put beside it
    # Editors end a file with a line end that nobody typed.
    return written if text.endswith("\n") else written.removesuffix("\n"), problem


async def open_in_editor(app: AcpApp, path: Path) -> str:
    """Open a file in the person's editor and wait for its end; return what went wrong, or ""."""
    from textual.app import SuspendNotSupported

    command = editor()
    try:
        with _lent(app):
            process = await asyncio.create_subprocess_exec(*command, str(path))
            try:
                code = await process.wait()
            finally:
                if process.returncode is None:  # we are told to end
                    process.terminate()
    except SuspendNotSupported:
        return "This terminal cannot be lent to an editor."
    except OSError as error:
        return f"{command[0]} cannot be started: {error.strerror}."
    return f"{command[0]} ended with {code}." if code else ""


def _written(text: str) -> Path:
    """Return a new file, in a folder for our eyes only, that holds a text."""
    path = Path(tempfile.mkdtemp(prefix="acp-tui-")) / "prompt.md"
    path.write_text(text, encoding="utf-8")
    return path


def editor() -> Sequence[str]:
    """Return the person's editor as a command: $VISUAL, $EDITOR, else vi."""
    for name in ("VISUAL", "EDITOR"):
        try:
            if words := shlex.split(os.environ.get(name, "")):
                return words
        except ValueError:  # an open quote
            continue
    return ("vi",)


@contextmanager
def _lent(app: AcpApp) -> Iterator[None]:
    """Leave the terminal to another program: nothing is drawn, and Ctrl+C is for that program only."""
    numbers = (signal.SIGINT, signal.SIGQUIT)
    with app.batch_update(), app.suspend():
        # Ignored outright, the other program would ignore them, too.
        before = [signal.signal(number, lambda *_: None) for number in numbers]
        app.is_lent = True
        try:
            yield
        finally:
            app.is_lent = False
            for number, handler in zip(numbers, before, strict=True):
                signal.signal(number, handler)
