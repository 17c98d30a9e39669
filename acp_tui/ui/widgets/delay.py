"""Work after a short delay, for whoever draws what comes meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.message_pump import MessagePump


def after(pump: MessagePump, seconds: float, act: Callable[[], object]) -> None:
    """Let a widget or screen do something in its own loop after `seconds`, however late that becomes.

    A timer of Textual's that is late already when its task begins is skipped, also one that fires only once:
    a millisecond is over soon on a busy machine, and then nothing would ever be drawn again.
    """

    def due() -> None:
        if draws(pump):
            act()

    asyncio.get_running_loop().call_later(seconds, pump.call_next, due)


def draws(pump: MessagePump) -> bool:
    """Whether a widget or screen still has its parts: they go before it does, as before the application does.

    To be asked by whatever has waited, for a file or for git, before it shows what came of that.
    """
    return pump.is_running and pump.app.is_running and not getattr(pump, "_pruning", False)
