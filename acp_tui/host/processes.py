"""Children of ours, each in a session of its own: wait for the end, and end all that came of it."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from acp_tui.host.guard import RUN, Guard
from acp_tui.host.spawning import StartFailed, spawn

_PROC: Final = Path("/proc")
_NUMBERS: Final = itertools.count(1)
_KILL_ROUNDS: Final = 50
_TICKS: Final = os.sysconf("SC_CLK_TCK")


class ExitStatus(NamedTuple):
    """How a process ended: by an exit code, by a signal, or (both None) in a way we could not learn."""

    exit_code: int | None
    signal: str | None
    """The name of the signal that ended it, such as "SIGKILL"."""

    def __str__(self) -> str:
        """Return it as a noun for people: `exit code 3`, `signal SIGKILL`."""
        if self.signal:
            return f"signal {self.signal}"
        return "no known exit code" if self.exit_code is None else f"exit code {self.exit_code}"

    @property
    def told(self) -> str:
        """It as a verb for people: `ended with exit code 3`, `was ended by SIGKILL`."""
        if self.signal:
            return f"was ended by {self.signal}"
        return "ended" if self.exit_code is None else f"ended with {self}"


class Child:
    """A process we started, leader of its session, with everything that it started itself."""

    def __init__(self, pid: int, mark: str, guard: Guard | None) -> None:
        self.pid = pid
        self.mark = mark
        """The environment entry, `NAME=value`, by which its descendants are known."""
        self.exit_status: ExitStatus | None = None
        self._guard = guard
        self._pidfd = _open_pidfd(pid)
        self._exited: asyncio.Future[ExitStatus] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._over = False

    @classmethod
    def start(
        cls,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str],
        mark_name: str,
        cwd: str | None,
        file_actions: Sequence[tuple[Any, ...]],
        guard: Guard | None,
    ) -> Child:
        """Start a program, marked and guarded; needs no event loop.

        Raises:
            StartFailed: nothing was started.
        """
        value = f"{RUN}-{next(_NUMBERS)}"
        if guard is not None:
            try:
                guard.start()  # before the child: we may be killed between the two
            except OSError as error:
                raise StartFailed(f"What watches over it could not be started: {error.strerror}.") from error
        pid = spawn(argv, {**environment, mark_name: value}, cwd, file_actions)
        if guard is not None:
            guard.watch(pid)
        return cls(pid, f"{mark_name}={value}", guard)

    async def wait(self) -> ExitStatus:
        """Return how the process ended, once it has; for any number of waiters."""
        return await asyncio.shield(self.watch())

    def watch(self) -> asyncio.Future[ExitStatus]:
        """Have the running loop look out for the end, and return the future of it."""
        if self._exited is None:
            loop = asyncio.get_running_loop()
            self._exited = loop.create_future()
            if self._pidfd is not None:
                loop.add_reader(self._pidfd, self._reap, loop, self._pidfd)
            else:
                threading.Thread(target=self._wait_in_thread, args=(loop,), daemon=True).start()
        return self._exited

    def _reap(self, loop: asyncio.AbstractEventLoop, pidfd: int) -> None:
        loop.remove_reader(pidfd)
        os.close(pidfd)
        self._pidfd = None
        self._note(_wait_for(self.pid))

    def _wait_in_thread(self, loop: asyncio.AbstractEventLoop) -> None:
        status = _wait_for(self.pid)
        try:
            loop.call_soon_threadsafe(self._note, status)
        except RuntimeError:  # the loop is closed: nobody waits any more
            pass

    def _note(self, status: ExitStatus) -> None:
        self.exit_status = status
        if self._exited is not None and not self._exited.done():
            self._exited.set_result(status)

    async def end(self, patience: float) -> None:
        """End the process and all that came of it: TERM, `patience` seconds, then KILL.

        Safe to call at any time and at the same time. Returns when nothing is left (or will not go).
        """
        if self._ending is None or self._ending.done():
            self._ending = asyncio.create_task(self._end(patience))
        await asyncio.shield(self._ending)

    async def _end(self, patience: float) -> None:
        if self._over:
            return
        exited = self.watch()
        if await self._signal(signal.SIGTERM):
            await self._signal(signal.SIGCONT)  # a stopped process hears TERM only when it goes on
            await self._gone(patience)
        for _ in range(_KILL_ROUNDS):
            if not await self._signal(signal.SIGKILL):
                break
            await asyncio.sleep(0.01)
        await asyncio.wait({exited}, timeout=1)
        self._forget()

    async def _gone(self, patience: float) -> None:
        """Wait up to `patience` seconds until nothing is left."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + patience
        pause = 0.01
        while (left := deadline - loop.time()) > 0 and await self.alive():
            await asyncio.sleep(min(pause, left))
            pause = min(2 * pause, 0.1)

    async def alive(self) -> bool:
        """Return whether the process or anything that came of it still runs."""
        return await self._signal(0)

    async def forget_if_alone(self) -> None:
        """After the exit: if nothing was left running, nothing needs to be ended or guarded any more."""
        if not await self.alive():
            self._forget()

    def _forget(self) -> None:
        self._over = True  # from now on the number may be another's
        if self._guard is not None:
            self._guard.forget(self.pid)

    async def _signal(self, number: int) -> bool:
        """Send a signal to all that is left; return whether there was anything."""
        return await asyncio.to_thread(self._signal_all, number)

    def _signal_all(self, number: int) -> bool:
        if not _PROC.is_dir():  # without a list of processes, the group is all that we can reach
            return _send(-self.pid, number)
        found = False
        for pid in self._descendants():
            found |= _send(pid, number)
        return found

    def _descendants(self) -> Iterator[int]:
        """Yield what runs in the session, and what left it but carries the mark."""
        # Once reaped, the number may be another's; a leader that does not carry our mark tells.
        ours = self.exit_status is None or not Path(_PROC, str(self.pid)).exists()
        for pid, fields in _processes():
            if (ours and int(fields[3]) == self.pid) or _carries(pid, self.mark):
                yield pid

    def cpu_seconds(self) -> float | None:
        """Return the seconds of processor time of the session so far, None where that is unknown."""
        if not _PROC.is_dir():
            return None
        ticks = 0
        for _, fields in _processes():
            if int(fields[3]) == self.pid:
                ticks += sum(map(int, fields[11:15]))  # of itself and of children it has reaped
        return ticks / _TICKS


def _open_pidfd(pid: int) -> int | None:
    opener = getattr(os, "pidfd_open", None)
    if opener is None:
        return None
    try:
        return int(opener(pid))
    except OSError:  # an old kernel
        return None


def _wait_for(pid: int) -> ExitStatus:
    try:
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:  # somebody else reaped it
        return ExitStatus(None, None)
    if code >= 0:
        return ExitStatus(code, None)
    try:
        return ExitStatus(None, signal.Signals(-code).name)
    except ValueError:  # a real-time signal
        return ExitStatus(None, f"SIG{-code}")


def _send(pid: int, number: int) -> bool:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # it runs as somebody else; we can do nothing about it
        return False
    return True


def _processes() -> Iterator[tuple[int, list[bytes]]]:
    """Yield each living process: its id, and the fields of its `stat` from the third (state) on."""
    for entry in os.scandir(_PROC):
        if not entry.name.isdigit():
            continue
        try:
            with open(f"{entry.path}/stat", "rb", buffering=0) as file:
                stat = file.read(4096)
        except OSError:  # it is gone
            continue
        fields = stat[stat.rindex(b")") + 2 :].split()
        if fields[0] not in b"ZX":
            yield int(entry.name), fields


def _carries(pid: int, mark: str) -> bool:
    try:
        with open(f"{_PROC}/{pid}/environ", "rb") as file:
            environment = file.read()
    except OSError:  # gone, or somebody else's
        return False
    return b"\0" + mark.encode() + b"\0" in b"\0" + environment
