"""Short-lived programs such as git: run to their end, or stopped if they stall."""

from __future__ import annotations

import asyncio
import os
import stat
import time
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, Callable, Hashable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from acp_tui.platform import process_table


async def start_process(*argv: str, **how: Any) -> Process:
    """Start a program as `asyncio.create_subprocess_exec` does; if cancelled, end it first.

    Raises:
        OSError: it could not be started.
    """
    starting = asyncio.ensure_future(asyncio.create_subprocess_exec(*argv, **how))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await wait_uncancelled(starting)
        if starting.exception() is None:
            await end_process(starting.result())
        raise


async def end_process(process: Process) -> None:
    """Kill a program if it runs, and wait for its end and for its pipes."""
    with suppress(ProcessLookupError):
        process.kill()
    await wait_uncancelled(asyncio.ensure_future(process.communicate()))  # unread output keeps the pipes open


async def wait_uncancelled(work: asyncio.Future[Any]) -> None:
    """Wait for work that ends soon; deliver a cancellation afterwards."""
    again = False
    while not work.done():
        try:
            await asyncio.wait({work})
        except asyncio.CancelledError:
            again = True
    task = asyncio.current_task()
    if again and task is not None:
        task.uncancel()
        task.cancel()  # it takes effect at the next await


STILL: Final = 20.0
"""Seconds without progress after which a program counts as stalled."""
MOST: Final = 1_800.0
"""Maximum seconds if progress cannot be measured."""
_STEP: Final = 1.0
_OPENED: Final = (".gitignore", ".gitattributes", ".git/HEAD", ".git/commondir")
"""Files that git opens in each folder, whatever their kind."""
_LARGEST: Final = 100 << 20  # bytes of an ignore file
_SEARCHED: Final = 2.0  # seconds


class Stalled(Exception):
    """The program made no progress and was ended."""


IsBlocked = Callable[[], bool]
"""Returns whether an idle program is blocked for good; called in a thread."""


class _Patience:
    """Waits for a program as long as it makes progress, and is not blocked for good."""

    def __init__(self, process: Process, still: float, is_blocked: IsBlocked | None) -> None:
        self._process = process
        self._still = still
        self._is_blocked = is_blocked
        """Asked once."""

    async def wait(self, work: asyncio.Future[Any]) -> None:
        """Wait for work of the program.

        Raises:
            Stalled: no CPU time was used and nothing read or written for a while.
        """
        changed, before = time.monotonic(), work_of(self._process.pid)
        while not (await asyncio.wait({work}, timeout=min(_STEP, self._still / 4)))[0]:
            now, counters = time.monotonic(), work_of(self._process.pid)
            if counters != before:
                before, changed = counters, now
            if now - changed > (MOST if counters is None else self._still):
                raise Stalled
            if self._is_blocked is not None and counters is not None and now > changed:
                check, self._is_blocked = self._is_blocked, None
                if await asyncio.to_thread(check) and not work.done():
                    raise Stalled


async def communicate(
    process: Process, given: bytes, still: float = STILL, is_blocked: IsBlocked | None = None
) -> tuple[bytes, bytes]:
    """Run a program to its end with some input; return its output and errors.

    Stops it when it makes no progress, as when blocked on a FIFO.

    Raises:
        Stalled: no CPU time was used and nothing read or written for `still` seconds, or for a moment if it
            is blocked.
    """
    talking = asyncio.create_task(process.communicate(given))
    try:
        await _Patience(process, still, is_blocked).wait(talking)
        return talking.result()
    finally:
        if not talking.done():
            _end(process)
            await wait_uncancelled(talking)  # asyncio reports the end only after all output is read


async def read_chunks(
    process: Process, size: int, still: float = STILL, is_blocked: IsBlocked | None = None
) -> AsyncGenerator[bytes]:
    """Yield a program's output in chunks.

    Raises:
        Stalled: no CPU time was used and nothing read or written for `still` seconds, or for a moment if it
            is blocked; it still runs.
    """
    assert process.stdout is not None, "its output is a pipe"
    patience = _Patience(process, still, is_blocked)
    while True:
        reading = asyncio.ensure_future(process.stdout.read(size))
        try:
            await patience.wait(reading)
        finally:
            if not reading.done():
                reading.cancel()
                await wait_uncancelled(reading)
        if not (data := reading.result()):
            return
        yield data


class Unsearched(Exception):
    """Too many folders to search all of them."""


def obstacle_in(root: Path, opened: Sequence[str] = _OPENED, seconds: float = _SEARCHED) -> str | None:
    """Return a file that would block its reader (a pipe, or far too large), or None.

    Blocking: call it in a thread.

    Raises:
        Unsearched: none was found in time.
    """
    until = time.monotonic() + seconds
    for folder, inner, names in os.walk(root):
        there = {*names, ".git/HEAD", ".git/commondir"} if ".git" in inner else set(names)
        inner[:] = [name for name in inner if name != ".git"]
        for name in opened:
            if name in there and _is_obstacle(Path(folder, name)):
                return os.path.relpath(os.path.join(folder, name), root)  # noqa: PTH118 - text for people
        if time.monotonic() > until:
            raise Unsearched
    return None


def blocks(root: Path) -> bool:
    """Return whether a folder has a file that would block git."""
    try:
        return obstacle_in(root) is not None
    except Unsearched:
        return False


def _is_obstacle(path: Path) -> bool:
    try:
        found = path.stat()
    except OSError:
        return False
    if stat.S_ISREG(found.st_mode):
        return found.st_size > _LARGEST
    return not stat.S_ISDIR(found.st_mode)


def work_of(pid: int) -> Hashable | None:
    """Return counters of a program's CPU time and I/O; None if unknown."""
    return process_table().work(pid)


def _end(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.terminate()  # lets git remove its lock
