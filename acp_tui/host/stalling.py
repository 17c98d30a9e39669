"""Waits for a program that may come to wait for something itself, for ever: a pipe in place of a file."""

from __future__ import annotations

import asyncio
import os
import stat
import time
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from acp_tui.host.programs import over

STILL: Final = 20.0
"""Seconds without any work after which a program counts as stalled."""
MOST: Final = 1_800.0
"""Seconds that it may take where the system does not tell whether it works."""
_STEP: Final = 1.0
_OPENED: Final = (".gitignore", ".gitattributes", ".git/HEAD", ".git/commondir")
"""What git opens in each folder, whatever it is."""
_LARGEST: Final = 100 << 20  # bytes of such a file
_SEARCHED: Final = 2.0  # seconds


class Stalled(Exception):
    """The program did nothing any more, and was ended."""


async def finish(process: Process, given: bytes, still: float = STILL) -> tuple[bytes, bytes]:
    """Give a program what it reads and return what it wrote on both ways, once it has ended.

    Raises:
        Stalled: it has used no time and read and written nothing for `still` seconds.
    """
    talking = asyncio.create_task(process.communicate(given))
    try:
        began = changed = time.monotonic()
        before = _work_of(process.pid)
        while not (await asyncio.wait({talking}, timeout=min(_STEP, still / 4)))[0]:
            now, work = time.monotonic(), _work_of(process.pid)
            if work != before:
                before, changed = work, now
            if now - (began if work is None else changed) > (MOST if work is None else still):
                raise Stalled
        return talking.result()
    finally:
        if not talking.done():
            _end(process)
            await over(talking)  # asyncio tells the end only once all that was said is read


async def pieces(process: Process, size: int, still: float = STILL) -> AsyncGenerator[bytes]:
    """Yield what a program writes, some at a time.

    Raises:
        Stalled: it has used no time and read and written nothing for `still` seconds; it still runs.
    """
    assert process.stdout is not None, "its output is a pipe"
    while True:
        reading = asyncio.ensure_future(process.stdout.read(size))
        try:
            changed, before = time.monotonic(), _work_of(process.pid)
            while not (await asyncio.wait({reading}, timeout=min(_STEP, still / 4)))[0]:
                now, work = time.monotonic(), _work_of(process.pid)
                if work != before:
                    before, changed = work, now
                if now - changed > (MOST if work is None else still):
                    raise Stalled
        finally:
            if not reading.done():
                reading.cancel()
                await over(reading)
        if not (data := reading.result()):
            return
        yield data


class Unsearched(Exception):
    """There are too many folders to look for an obstacle in all of them."""


def obstacle_in(root: Path, opened: Sequence[str] = _OPENED, seconds: float = _SEARCHED) -> str | None:
    """Return which of the files that are opened is no plain one, or far too large; None if there is none.

    Blocking: call it in a thread.

    Raises:
        Unsearched: none was found in the time.
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


def _is_obstacle(path: Path) -> bool:
    try:
        found = path.stat()
    except OSError:
        return False
    if stat.S_ISREG(found.st_mode):
        return found.st_size > _LARGEST
    return not stat.S_ISDIR(found.st_mode)


def _work_of(pid: int) -> tuple[bytes, ...] | None:
    """Return what grows while a process works: its time, what it reads and writes; None: nobody tells."""
    try:
        times = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[11:13]
        return (*times, Path(f"/proc/{pid}/io").read_bytes())
    except OSError:
        return None


def _end(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.terminate()  # git takes its lock away then
