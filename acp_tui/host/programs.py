"""Programs that we start and read to their end: whoever gives up leaves neither them nor their pipes behind.

An interface that ends cancels what it does twice, and asyncio forgets what it is closing at the second time.
"""

from __future__ import annotations

import asyncio
from asyncio.subprocess import Process
from contextlib import suppress
from typing import Any


async def started(*argv: str, **how: Any) -> Process:
    """Start a program as `asyncio.create_subprocess_exec` does; when cancelled meanwhile, end it first.

    Raises:
        OSError: it could not be started.
    """
    starting = asyncio.ensure_future(asyncio.create_subprocess_exec(*argv, **how))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await over(starting)
        if starting.exception() is None:
            await ended(starting.result())
        raise


async def ended(process: Process) -> None:
    """Kill a program if it still runs, and wait until it is gone and its pipes are closed."""
    with suppress(ProcessLookupError):
        process.kill()
    await over(asyncio.ensure_future(process.communicate()))  # what is left unread keeps a pipe open


async def over(work: asyncio.Future[Any]) -> None:
    """Wait for something that ends now; who is cancelled again meanwhile hears of it afterwards."""
    again = False
    while not work.done():
        try:
            await asyncio.wait({work})
        except asyncio.CancelledError:
            again = True
    task = asyncio.current_task()
    if again and task is not None:
        task.uncancel()
        task.cancel()  # at its next wait
