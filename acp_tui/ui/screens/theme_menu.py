"""The menu of themes, with a preview of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import on
from textual.widgets import OptionList

from acp_tui.ui.screens.base.menu import Menu, MenuItem
from acp_tui.ui.widgets.styles import Styles


class ThemeMenu(Menu):
    """Lets the user choose a theme; `show` previews the highlighted one."""

    def __init__(
        self, names: Sequence[str], current: str, styles: Styles, show: Callable[[str], object]
    ) -> None:
        super().__init__("Theme", [MenuItem(name, name) for name in names], current, styles)
        self._show_theme = show
        self._seen = current

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        """Preview the highlighted theme."""
        event.stop()
        name = self.highlighted_key()
        if name is not None and name != self._seen and self.is_current:
            self._seen = name
            self._show_theme(name)
