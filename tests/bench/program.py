"""A program on a terminal of its own: what it draws, what it costs, keys for it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final

PATIENCE = 60.0
"""Seconds after which what is waited for counts as never coming."""

_ASKS_FOR_FRAMES: Final = b"\x1b[?2026$p"
_HAS_FRAMES: Final = b"\x1b[?2026;2$y"
_FRAME: Final = b"\x1b[?2026h"
"""Question and answer whether frames can be marked as such, as modern terminals do, and how one begins."""
_SEQUENCE: Final = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]P][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])")
_WORDS: Final = 5
"""Words that make a first frame."""


class Program:
    """Started on a PTY of 120 by 40 cells; as a context it is killed at the end, with all that it started."""

    def __init__(
        self,
        argv: Sequence[str],
        env: Mapping[str, str],
        size: tuple[int, int] = (120, 40),
        cwd: Path | None = None,
    ) -> None:
        self._pty, theirs = pty.openpty()
        columns, rows = size
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        modes = termios.tcgetattr(theirs)
        modes[3] &= ~termios.ECHO  # what is typed before the program is there is not drawn by the terminal
        termios.tcsetattr(theirs, termios.TCSANOW, modes)
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            argv, env=dict(env), cwd=cwd, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
        )
        self.pid = self._process.pid
        os.close(theirs)
        self._drawn = b""
        self.bytes_drawn = 0
        self.frames = 0
        """Frames that it has drawn, if it tells where they begin."""
        self.noted: dict[str, float | None] = {}
        """Times (perf_counter) at which noted texts were drawn."""

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for child in self.children():
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        os.close(self._pty)

    def type(self, text: str) -> None:
        os.write(self._pty, text.encode())

    def note(self, text: str) -> None:
        """Note in `noted` when a text is drawn, whatever else is waited for."""
        self.noted[text] = None

    def wait_for(self, text: str, patience: float = PATIENCE) -> float:
        """Return when (perf_counter) a text was drawn since the last wait.

        Raises:
            TimeoutError: it was not.
        """
        wanted = text.encode()
        end = time.perf_counter() + patience
        while wanted not in self._drawn:
            left = end - time.perf_counter()
            if left <= 0 or not self._read(left):
                raise TimeoutError(f"never drawn: {text}; last: {self._drawn[-300:]!r}")
        seen = time.perf_counter()
        self._drawn = b""
        return seen

    def wait_for_text(self, patience: float = PATIENCE) -> float:
        """Return when (perf_counter) the first words were drawn, whichever they are.

        Raises:
            TimeoutError: there were none.
        """
        end = time.perf_counter() + patience
        while len(_SEQUENCE.sub(b"", self._drawn).split()) < _WORDS:
            left = end - time.perf_counter()
            if left <= 0 or not self._read(left):
                raise TimeoutError("it has drawn nothing")
        return time.perf_counter()

    def wait_for_end(self, patience: float = PATIENCE) -> float | None:
        """Take what is drawn until it has ended; return when (perf_counter), or None if it does not."""
        end = time.perf_counter() + patience
        while self._process.poll() is None:
            if time.perf_counter() > end:
                return None
            self._read(0.005)
        return time.perf_counter()

    def look_on(self, seconds: float) -> None:
        """Take what is drawn meanwhile."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self._read(left)
        self._drawn = b""

    def look_on_until(self, condition: Callable[[], bool]) -> None:
        """Take what is drawn until a condition holds.

        Raises:
            TimeoutError: it does not come to hold.
        """
        end = time.perf_counter() + PATIENCE
        while not condition():
            if time.perf_counter() > end:
                raise TimeoutError("it never came to hold")
            self.look_on(0.02)

    def _read(self, seconds: float) -> bool:
        if not select.select([self._pty], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self._pty, 65_536)
        except OSError:  # EIO: it has ended
            return False
        self.bytes_drawn += len(data)
        self.frames += data.count(_FRAME)
        if _ASKS_FOR_FRAMES in data:
            os.write(self._pty, _HAS_FRAMES)
        self._drawn = self._drawn[-4_096:] + data
        for text, seen in self.noted.items():
            if seen is None and text.encode() in self._drawn:
                self.noted[text] = time.perf_counter()
        return bool(data)

    # ------------------------------------------------------------------ what it costs

    def cpu(self) -> float:
        """Return the seconds of processor time that its threads have taken, also those that have ended."""
        of_process = (~self.pid << 3) | 2  # as clock_getcpuclockid(3) of the C library makes it on Linux
        return time.clock_gettime(of_process)

    def wake_ups(self) -> int:
        """Return how often its threads have waited for something that then came, since they began."""
        found = 0
        for task in Path(f"/proc/{self.pid}/task").iterdir():
            with suppress(OSError):  # the thread has ended
                _, _, rest = (task / "status").read_text().partition("\nvoluntary_ctxt_switches:")
                found += int(rest.split()[0])
        return found

    def peak(self) -> float:
        """Return the most resident memory that it has had so far, in MB."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024 / 1e6

    def memory(self) -> float:
        """Return its resident memory in MB."""
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def children(self) -> list[int]:
        """Return the processes that it started and still has."""
        found: list[int] = []
        with suppress(OSError):  # it, or one of its threads, has ended
            for task in Path(f"/proc/{self.pid}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
        return found
