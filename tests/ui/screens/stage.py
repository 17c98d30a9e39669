"""A stage for one screen: an app with the real theme and the screens' own sheets, and nothing else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from time import monotonic
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip

from acp_tui.ui.application import theme_files
from acp_tui.ui.widgets.styles import Styles
from tests.waiting import PATIENCE

SCREENS = Path(theme_files.__file__).parents[1] / "screens"
SHEETS = [SCREENS / f"{name}.tcss" for name in ("base/full_screens", "help", "start", "review/tool_call")]
SHEETS += sorted((SCREENS.parent / "widgets").glob("*.tcss"))


def styles(name: str = "acp-dark") -> Styles:
    return theme_files.styles_of(theme_files.choose(name)[0])


class Stage(App[None]):
    """Shows one screen and keeps what it was dismissed with."""

    CSS_PATH = [sheet for sheet in SHEETS if sheet.exists()]  # noqa: RUF012
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, shown: Screen[Any], theme_name: str = "acp-dark") -> None:
        super().__init__()
        self._shown = shown
        self.results: list[Any] = []
        self.register_theme(theme_files.textual_theme(theme_files.choose(theme_name)[0]))
        self.theme = theme_name  # before the sheets are read: our roles are variables of a theme

    def on_mount(self) -> None:
        self.push_screen(self._shown, self.results.append)


def screen_text(app: App[Any]) -> str:
    """Return what the screen shows, row by row."""
    return "\n".join(strip.text.rstrip() for strip in drawn(app.screen))


def drawn(screen: Screen[Any]) -> list[Strip]:
    """Return the rows of a screen as they are drawn."""
    return screen._compositor.render_strips()


async def until(pilot: Pilot[Any], condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Wait for a condition, and fail with what the screen shows."""
    end = monotonic() + seconds
    while not condition():
        assert monotonic() < end, screen_text(pilot.app)
        await pilot.pause(0.01)


Play = Callable[[Pilot[None]], Awaitable[None]]
