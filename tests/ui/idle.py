"""The end of all that an interface has to do, told by its event loop and not by a clock."""

from __future__ import annotations

import asyncio
from time import monotonic

from textual._context import active_app

_CALM = 3
"""Turns of the loop in which nothing else was ready to run; what comes over a pipe shows up in one."""
_AT_LEAST = 5_000
"""Turns of the loop that all there is to do may take, also on a machine so busy that they take seconds."""


async def idle(min_sleep: float = 0, max_sleep: float = 1) -> None:
    """Return once all that is ready has run and is drawn, or after very many turns and `max_sleep` seconds.

    It takes the place of Textual's own `wait_for_idle`, which sleeps until the process has used almost no
    processor time for 20 ms: that is slow at best, and means nothing on a busy machine. What waits for a
    timer, a thread or another process is not waited for: a test names the condition. The one timer that is
    waited for is Textual's own between a terminal of another size and its layout.
    """
    app = active_app.get()
    screen = app.screen
    end = monotonic() + max_sleep
    calm = turns = 0
    while calm < _CALM and (turns < _AT_LEAST or monotonic() < end):
        turns += 1
        await asyncio.sleep(0)
        if asyncio.get_running_loop()._ready or app._resize_event is not None:  # type: ignore[attr-defined]
            calm = 0
            continue
        calm += 1
        screen._on_timer_update()
