"""A real terminal without a window: a program runs on a PTY, and tests see its screen as a user would."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from avt import Vt  # type: ignore[attr-defined]  # its stubs do not export it

_ON_TERMINAL = 'tty=$1; shift; exec "$@" <"$tty" >"$tty" 2>&1'
"""Run by a shell that leads a session: the first terminal it opens becomes the controlling one."""

_SAME_CODE = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
"""So that the program is that of the tests, also where another checkout is installed."""


def acp_tui(agent: str, *options: str) -> list[str]:
    """Return the command line of the program with an agent."""
    return [sys.executable, "-m", "acp_tui", *options, "--agent", agent]


class NeverShown(AssertionError):
    """The expected text did not come; the message holds the screen."""


class Terminal:
    """A program on a terminal of its own."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        columns: int = 130,
        rows: int = 40,
        patience: float = 60,
    ) -> None:
        self.cwd = cwd
        self._patience = patience
        self._emulator = Vt(columns, rows, 0)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._master, self._slave = pty.openpty()
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.modes_at_start = self.modes
        self.process = subprocess.Popen(
            ["sh", "-c", _ON_TERMINAL, "sh", os.ttyname(self._slave), *argv],
            cwd=cwd,
            env={"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8", **_SAME_CODE, **env},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        os.close(self._slave)
        os.close(self._master)

    @property
    def screen(self) -> str:
        """The rows of the screen."""
        return "\n".join(line.text.rstrip() for line in self._emulator.view())

    @property
    def modes(self) -> list[Any]:
        """The terminal's modes, as `termios` tells them."""
        return termios.tcgetattr(self._slave)

    def type(self, text: str) -> None:
        """Send keys as the terminal does: text as it is, special keys as their sequences."""
        self.send(text.encode())

    def send(self, data: bytes) -> None:
        """Send bytes, as many of them as there are, however busy the program is."""
        while data:
            _, writable, _ = select.select([], [self._master], [], 0.05)
            if writable:
                data = data[os.write(self._master, data[:1024]) :]
            self._read()

    def until(self, condition: str | Callable[[str], object], seconds: float | None = None) -> str:
        """Return the screen once it shows a text, or once a condition on its text holds.

        Waits for some seconds, as many as this terminal has patience for if none are given.

        Raises:
            NeverShown: that does not happen in time, or the program ended before.
        """
        holds = (lambda screen: condition in screen) if isinstance(condition, str) else condition
        seconds = self._patience if seconds is None else seconds
        deadline = time.monotonic() + seconds
        while not holds(self.screen):
            if not self._read(0.05) and self.process.poll() is not None:
                raise NeverShown(f"ended with {self.process.returncode} before {condition}:\n{self.screen}")
            if time.monotonic() > deadline:
                raise NeverShown(f"{condition} was not shown in {seconds:.0f} s:\n{self.screen}")
        return self.screen

    def exit_code(self, seconds: float = 30) -> int:
        """Return the exit code once the program has ended.

        Raises:
            NeverShown: it does not end in time.
        """
        deadline = time.monotonic() + seconds
        while self.process.poll() is None:
            self._read(0.05)
            if time.monotonic() > deadline:
                raise NeverShown(f"it did not end in {seconds:.0f} s:\n{self.screen}")
        return self.process.returncode

    def _read(self, seconds: float = 0.0) -> bool:
        """Take in what the program has written within a moment; False: nothing."""
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        self._take(self._decoder.decode(os.read(self._master, 1 << 16)))
        return True

    def _take(self, text: str) -> None:
        """Do what the program has written to its terminal."""
        self._emulator.feed_str(text)
