"""An app with a draft to show a dialog over, and what came of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.pilot import Pilot
from textual.widgets import Input

from acp_tui.ui import theme
from acp_tui.ui.screens.dialog import Dialog
from acp_tui.ui.screens.typing_pause import TypingPause
from tests.ui.screens.stage import look, screen_text, until

LOOK = look()
NOTHING = object()
"""The result of a dialog that is still open."""


class Desk(App[None]):
    """Something to type into, over which a dialog may appear."""

    CSS_PATH = sorted(Path(theme.__file__).parent.rglob("*.tcss"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("alt+a", "inbox", "Inbox", id="app.inbox"),  # dialogs name it
    ]

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(theme.textual_theme(theme.choose("acp-dark")[0]))
        self.theme = "acp-dark"
        self.result: Any = NOTHING

    def compose(self) -> ComposeResult:
        yield Input(id="draft")

    def take(self, result: Any) -> None:
        self.result = result

    @property
    def text(self) -> str:
        return screen_text(self)


_LONG = 30.0


def let_the_pause_pass(dialog: Dialog[Any]) -> bool:
    """Let a dialog believe that nothing was typed for long, and that no letter begins a word."""
    if dialog.is_mounted and not dialog.armed:
        dialog.alone = 0.0
        dialog.typing_pause = TypingPause(0.0, dialog.pause, answering=dialog.answering)
        dialog._arm_if_quiet()
    return dialog.armed


@asynccontextmanager
async def shown(
    dialog: Dialog[Any],
    size: tuple[int, int] = (80, 24),
    *,
    armed: bool = True,
    wary: bool = False,
    alone: float = 0.0,
    notices: bool = False,
) -> AsyncIterator[tuple[Desk, Pilot[None]]]:
    """Show a dialog and wait until it takes answers, which is soon, or only until it is drawn.

    Where answers are not waited for, and for each further pause where it is `wary`, the pause is so long
    that a busy machine does not get through it: the test lets it pass. An answer waits `alone` seconds for
    another key. `notices`: what is said in passing is drawn.
    """
    dialog.pause = 0.02 if armed else _LONG
    dialog.alone = alone
    app = Desk()
    async with app.run_test(size=size, notifications=notices) as pilot:
        await app.push_screen(dialog, app.take)
        await pilot.pause()
        if armed:
            await until(pilot, lambda: dialog.armed)
            await pilot.pause()
        if wary:
            dialog.pause = _LONG
            dialog.typing_pause = TypingPause(0.0, _LONG, answering=dialog.answering)
        yield app, pilot
