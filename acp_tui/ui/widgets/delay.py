"""Delayed calls for widgets and screens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.events import Callback
from textual.message_pump import MessagePump

from acp_tui.ui.widgets.textual_internals import is_pruned


def after(pump: MessagePump, seconds: float, act: Callable[[], object]) -> None:
    """Call `act` in a widget's or screen's own loop after `seconds`, even if late; 0 means its next turn.

    Textual skips a timer that is late when its task begins, even one that fires only once: on a busy machine
    a delay of a millisecond would never end, and nothing would be drawn again. Its `call_next` and
    `call_later` inspect the signature of the callable each time, which takes longer than drawing a row.
    """
    call = Callback(_Delayed(pump, act).come)
    if seconds > 0:
        asyncio.get_running_loop().call_later(seconds, pump.post_message, call)
    else:
        pump.post_message(call)


class _Delayed:
    """A delayed call; Textual asks for the parameters of a method once, and of other callables each time."""

    __slots__ = ("_act", "_pump")

    def __init__(self, pump: MessagePump, act: Callable[[], object]) -> None:
        self._pump = pump
        self._act = act

    def come(self) -> None:
        """Make the call, if its pump is still mounted."""
        if draws(self._pump):
            self._act()


def draws(pump: MessagePump) -> bool:
    """Return True while a widget or screen and its children are mounted.

    Ask this after waiting for a file or for git, before drawing the result: children are removed first.
    """
    return pump.is_running and pump.app.is_running and not is_pruned(pump)
