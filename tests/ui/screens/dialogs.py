"""An app with a draft to show a dialog over, and what came of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Event, Key, Paste
from textual.pilot import Pilot
from textual.widgets import Input

from acp_tui.ui.application import key_guard, theme_files
from acp_tui.ui.application.key_guard import is_kept_back
from acp_tui.ui.screens.base.unasked_screen import UnaskedScreen
from tests.ui.screens.stage import screen_text, styles

STYLES = styles()
NOTHING = object()
"""The result of a dialog that is still open."""


class Desk(App[None]):
    """Something to type into, over which a dialog may appear."""

    CSS_PATH = sorted(Path(theme_files.__file__).parents[1].rglob("*.tcss"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("alt+a", "inbox", "Inbox", id="app.inbox"),  # dialogs name it
    ]

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(theme_files.textual_theme(theme_files.choose("acp-dark")[0]))
        self.theme = "acp-dark"
        self.result: Any = NOTHING

    def compose(self) -> ComposeResult:
        yield Input(id="draft")

    async def on_event(self, event: Event) -> None:
        if not isinstance(event, Key | Paste) or not is_kept_back(self, event):
            await super().on_event(event)

    def take(self, result: Any) -> None:
        self.result = result

    @property
    def text(self) -> str:
        return screen_text(self)


def let_the_pause_pass(screen: UnaskedScreen[Any]) -> bool:
    """Let a screen believe that the user has turned to it; return whether letters count."""
    if screen.is_mounted and screen.IS_GUARDED and not screen.guard.turned:
        turn(screen)
    return screen.armed


def turn(screen: UnaskedScreen[Any]) -> None:
    """Turn to a screen, as Tab does."""
    screen.guard.restart(-key_guard.SHOWN_FOR)  # as if it had been there for a long time
    screen.guard.click(0.0)
    screen.turned_to()
    screen.look_at_guard()


@asynccontextmanager
async def shown(
    dialog: UnaskedScreen[Any],
    size: tuple[int, int] = (80, 24),
    *,
    turned: bool = True,
    notices: bool = False,
) -> AsyncIterator[tuple[Desk, Pilot[None]]]:
    """Show a dialog over an empty draft and wait until it is drawn; the user has `turned` to it, or not.

    `notices`: what is said in passing is drawn.
    """
    app = Desk()
    async with app.run_test(size=size, notifications=notices) as pilot:
        await app.push_screen(dialog, app.take)
        await pilot.pause()
        if turned and dialog.IS_GUARDED:
            turn(dialog)
            await pilot.pause()
        yield app, pilot
