"""Screens that ask something and can be taken away again, whatever lies over them by then."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from acp_tui.ui.screens.key_guard import hands_of
from acp_tui.ui.screens.unasked import UnaskedScreen

if TYPE_CHECKING:
    from textual.app import App
    from textual.screen import Screen

Result = TypeVar("Result")


async def answer_of(app: App[Any], screen: Screen[Result]) -> Result | None:
    """Show a screen and return what it is dismissed with. Cancelled, it takes the screen away."""
    answer: asyncio.Future[Result | None] = asyncio.get_running_loop().create_future()

    def answered(result: Result | None) -> None:
        if not answer.done():
            answer.set_result(result)

    shown = app.push_screen(screen, answered)
    try:
        await shown
        return await answer
    except asyncio.CancelledError:
        withdraw(screen)
        raise


def withdraw(screen: Screen[Any]) -> None:
    """Take a screen away without an answer, also from under others; one that is gone is left alone."""
    app = screen.app
    if isinstance(screen, UnaskedScreen):
        screen.release_letter()
        hands_of(app).surprise(monotonic())
    for stack in app._screen_stacks.values():  # each of Textual's modes has its own
        if screen not in stack:
            continue
        if screen is app.screen:
            screen.dismiss(None)
        else:
            # Textual dismisses the topmost screen only; this is what it does to a screen that it takes off.
            stack.remove(screen)
            screen.remove()
        return
