"""Children of ours, each in a session of its own: wait for the end, and end all that came of it."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from acp_tui.host import inherited
from acp_tui.host.census import PROC, Census, Known, processes
from acp_tui.host.guard import RUN, Guard
from acp_tui.host.spawning import StartFailed, spawn

_NUMBERS: Final = itertools.count(1)
_KILL_ROUNDS: Final = 50
_WATCHED: Final = 16  # of many processes left by one command, so many are waited for
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

    def __init__(self, pid: int, mark: str, limit: int, guard: Guard | None) -> None:
        self.pid = pid
        self.mark = mark
        """The environment entry, `NAME=value`, by which its descendants are known."""
        self.limit = limit
        """The limit that they inherit, by which those are known that cleared their environment."""
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
        number = next(_NUMBERS)
        value = f"{RUN}-{number}"
        if guard is not None:
            try:
                guard.start()  # before the child: we may be killed between the two
            except OSError as error:
                raise StartFailed(f"What watches over it could not be started: {error.strerror}.") from error
        limit = inherited.value_of(number)

        def before(pid: int) -> None:
            inherited.give(pid, limit)
            if guard is not None:
                guard.watch(pid)

        pid = spawn(argv, {**environment, mark_name: value}, cwd, file_actions, before)
        return cls(pid, f"{mark_name}={value}", limit, guard)

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

    @property
    def has_ended(self) -> bool:
        """Whether the process itself is gone, known to us or not yet."""
        if self.exit_status is not None:
            return True
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:  # somebody else reaped it
            return True

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
        # A stopped process hears TERM only when it goes on.
        if await sweeper().send(self, signal.SIGTERM, signal.SIGCONT):
            await self._gone(exited, patience)
        for _ in range(_KILL_ROUNDS):
            if not await sweeper().send(self, signal.SIGKILL):
                break
            await asyncio.sleep(0.01)
        await asyncio.wait({exited}, timeout=1)
        self._forget()

    async def _gone(self, exited: asyncio.Future[ExitStatus], patience: float) -> None:
        """Wait up to `patience` seconds until nothing is left; what came of a process mostly ends with it."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + patience
        pause = 0.01
        await asyncio.wait({exited}, timeout=min(pause, patience))
        while (left := deadline - loop.time()) > 0 and await self.alive():
            await asyncio.sleep(min(pause, left))
            pause = min(2 * pause, 0.1)

    async def alive(self) -> list[int]:
        """Return the ids of what still runs: the process, and all that came of it."""
        return [] if self._over else await sweeper().send(self)

    async def outlived(self) -> list[int]:
        """Return what was left running by a process that has ended; nothing left needs no guard any more."""
        if self._ending is not None:  # which looks itself
            await asyncio.shield(self._ending)
        left = await self.alive()
        if not left:
            self._forget()
        return left

    @property
    def is_over(self) -> bool:
        """Whether it and all that came of it are known to have ended."""
        return self._over

    def _forget(self) -> None:
        self._over = True  # from now on the number may be another's
        if self._guard is not None:
            self._guard.forget(self.pid)

    @property
    def leads_its_session(self) -> bool:
        """Whether the session of its number is still ours, by a look at the processes there are.

        Once it is reaped, the number may be another's; a leader that does not carry our mark tells.
        """
        return self.exit_status is None or not Path(PROC, str(self.pid)).exists()

    def cpu_seconds(self) -> float | None:
        """Return the seconds of processor time of the session so far, None where that is unknown."""
        if not PROC.is_dir():
            return None
        ticks = 0
        for _, fields in processes():
            if int(fields[3]) == self.pid:
                ticks += sum(map(int, fields[11:15]))  # of itself and of children it has reaped
        return ticks / _TICKS


async def wait_for_an_end(pids: Sequence[int], seconds: float) -> None:
    """Come back when one of some processes has ended, or the time is over."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[None] = loop.create_future()
    watched = [pidfd for pid in pids[:_WATCHED] if (pidfd := _open_pidfd(pid)) is not None]
    for pidfd in watched:
        loop.add_reader(pidfd, ended.cancel)
    try:
        await asyncio.wait({ended}, timeout=seconds)
    finally:
        for pidfd in watched:
            loop.remove_reader(pidfd)
            os.close(pidfd)


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


class _Sweeper:
    """Finds what belongs to children: one look at all processes serves all who ask meanwhile."""

    def __init__(self) -> None:
        self._wishes: list[tuple[Child, tuple[int, ...], asyncio.Future[list[int]]]] = []
        self._work: asyncio.Task[None] | None = None
        self._census = Census()

    async def send(self, child: Child, *numbers: int) -> list[int]:
        """Send signals, or none, to all that is left of a child; return the ids that were reached."""
        answer: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()
        self._wishes.append((child, numbers or (0,), answer))
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._sweep())
        return await answer

    async def _sweep(self) -> None:
        while self._wishes:
            wishes, self._wishes = self._wishes, []
            asked = [(child, numbers) for child, numbers, _ in wishes]
            try:
                found = await asyncio.to_thread(_signal_all, asked, self._census)
            except asyncio.CancelledError:
                for _, _, answer in wishes:
                    answer.cancel()
                raise
            for (_, _, answer), pids in zip(wishes, found, strict=True):
                if not answer.done():
                    answer.set_result(pids)


_SWEEPERS: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, _Sweeper]] = WeakKeyDictionary()


def sweeper() -> _Sweeper:
    """Return what finds processes for all who wait on the running loop."""
    return _SWEEPERS.setdefault(asyncio.get_running_loop(), _Sweeper())


def _signal_all(wishes: Sequence[tuple[Child, tuple[int, ...]]], census: Census) -> list[list[int]]:
    """Send to the descendants of each child its signals; return the ids of those that were reached."""
    found: list[list[int]] = [[] for _ in wishes]
    if not PROC.is_dir():  # without a list of processes, the group is all that we can reach
        for (child, numbers), reached in zip(wishes, found, strict=True):
            if all(_send(-child.pid, number) for number in numbers):
                reached.append(child.pid)
        return found
    by_session: dict[int, list[int]] = {}
    by_limit: dict[int | None, list[int]] = {}
    by_mark: dict[str, list[int]] = {}
    for at, (child, _) in enumerate(wishes):
        if child.leads_its_session:
            by_session.setdefault(child.pid, []).append(at)
        by_limit.setdefault(child.limit, []).append(at)
        by_mark.setdefault(child.mark, []).append(at)

    def wishes_for(known: Known) -> Sequence[int]:
        return by_session.get(known.session) or by_limit.get(known.limit) or by_mark.get(known.mark) or ()

    # A child may have been read before it had its session.
    for pid, known in census.living(lambda pid, known: pid in by_session or bool(wishes_for(known))):
        for at in wishes_for(known):
            if all(_send(pid, number) for number in wishes[at][1]):
                found[at].append(pid)
    return found
