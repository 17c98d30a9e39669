"""The menu of themes: each is seen while it is moved to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import on
from textual.widgets import OptionList

from acp_tui.ui.screens.menu import Item, Menu
from acp_tui.ui.widgets.look import Look


class ThemeMenu(Menu):
    """Lets the person choose a theme; `show` draws everything in the one that was moved to."""

    def __init__(self, names: Sequence[str], current: str, look: Look, show: Callable[[str], object]) -> None:
        super().__init__("Theme", [Item(name, name) for name in names], current, look)
        self._show_theme = show
        self._seen = current

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        """Show the theme, once the keys are on another one."""
        event.stop()
        name = self.highlighted_key()
        if name is not None and name != self._seen and self.is_current:
            self._seen = name
            self._show_theme(name)
