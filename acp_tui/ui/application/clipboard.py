"""The clipboard outside the program: of the desktop, of tmux, or through the terminal."""

from __future__ import annotations

import asyncio
import base64
import subprocess
from collections.abc import Callable, Mapping
from typing import Final

from acp_tui.desktop import ClipboardProgram, FindProgram, desktop_clipboard, is_remote
from acp_tui.trusted_programs import own_program

OSC52_LIMIT: Final = 74_994
"""Maximum base64 bytes in one sequence, as in the strictest terminals."""

PATIENCE: Final = 3.0
"""Seconds for a clipboard program to take the text."""


class Clipboard:
    """The clipboard outside the program."""

    def __init__(
        self,
        write: Callable[[str], None],
        env: Mapping[str, str],
        finds: FindProgram = own_program,
        *,
        export: str = "",
    ) -> None:
        """Set the outputs.

        Args:
            write: sends a control sequence to the terminal.
            env: the environment.
            finds: returns the path of a program.
            export: the key that exports the session.
        """
        self._write = write
        self._env = env
        self._finds = finds
        self._export = export
        self._has_told = False

    async def put(self, text: str) -> str:
        """Put a text on the clipboard; return a message for the user, usually ""."""
        program = desktop_clipboard(self._env, self._finds)
        if program is not None and await asyncio.to_thread(run_clipboard, program, text):
            return ""
        in_tmux = await self._in_tmux(text)
        sent = self._through_terminal(text)
        if sent:
            return self._warn_once(program)
        if in_tmux:
            return "Too long for the terminal's clipboard, but in tmux's buffer: prefix ] pastes it."
        size = f"{len(text) // 1000} thousand characters"
        return (
            f"It is not on the clipboard: {size} are more than terminals take. "
            f"{self._advice(program)} {self._export} writes the session into a file."
        )

    async def _in_tmux(self, text: str) -> bool:
        """Put a text into tmux's buffer, and from there into the terminal's clipboard."""
        if not self._env.get("TMUX") or self._finds("tmux") is None:
            return False
        for option in (("-w",), ()):  # tmux before 3.2 cannot pass it on
            if await asyncio.to_thread(
                run_clipboard, ClipboardProgram("tmux", ("tmux", "load-buffer", *option, "-")), text
            ):
                return True
        return False

    def _through_terminal(self, text: str) -> bool:
        if len(text) > OSC52_LIMIT:
            return False  # without encoding all of it first
        code = base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")
        if len(code) > OSC52_LIMIT:
            return False
        self._write(f"\x1b]52;c;{code}\x07")
        return True

    def _warn_once(self, program: ClipboardProgram | None) -> str:
        """Return a warning, once: the terminal does not confirm OSC 52."""
        if self._has_told:
            return ""
        self._has_told = True
        advice = self._advice(program)
        if program is None:
            advice = f"If paste fails, {advice[0].lower()}{advice[1:]}"
        return f"Sent to the terminal (OSC 52). {advice}"

    def _advice(self, program: ClipboardProgram | None) -> str:
        if program is not None:
            return f"{program.name} failed; check that it works in a shell."
        if is_remote(self._env):
            return "Allow OSC 52 in the settings of your terminal."
        return "Install wl-copy, xclip or xsel, or allow OSC 52 in your terminal."


def run_clipboard(program: ClipboardProgram, text: str) -> bool:
    """Run a clipboard program with a text; return True on success. For a thread."""
    found = own_program(program.argv[0])
    if found is None:
        return False
    try:
        # The process that stays to serve the clipboard must not keep the program's streams open.
        done = subprocess.run(
            [found, *program.argv[1:]],
            input=text.encode(program.encoding, "replace"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            start_new_session=True,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
