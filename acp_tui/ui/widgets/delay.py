"""Delayed calls for widgets and screens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.message_pump import MessagePump

from acp_tui.ui.widgets.textual_internals import is_pruned


def after(pump: MessagePump, seconds: float, act: Callable[[], object]) -> None:
    """Call `act` in a widget's or screen's own loop after `seconds`, even if late.

    Textual skips a timer that is late when its task begins, even one that fires only once: on a busy machine
    a delay of a millisecond would never end, and nothing would be drawn again.
    """

    def due() -> None:
        if draws(pump):
            act()

    asyncio.get_running_loop().call_later(seconds, pump.call_next, due)


def draws(pump: MessagePump) -> bool:
    """Return True while a widget or screen and its children are mounted.

    Ask this after waiting for a file or for git, before drawing the result: children are removed first.
    """
    return pump.is_running and pump.app.is_running and not is_pruned(pump)
