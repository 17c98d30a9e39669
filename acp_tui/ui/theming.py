"""In which theme the application is drawn: the person's choice, and what their terminal can show of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App

from acp_tui.store.folders import state_folder
from acp_tui.store.last_theme import keep_theme, last_theme
from acp_tui.ui.few_colors import Colors, told_by_form, with_few_colors
from acp_tui.ui.theme import choose, look_of, textual_theme
from acp_tui.ui.theme_watch import ThemeWatch
from acp_tui.ui.widgets.look import Look, restyle

if TYPE_CHECKING:
    from pathlib import Path

    from acp_tui.ui.app import AcpApp


def _kept() -> Path:
    return state_folder() / "theme"


class Theming:
    """The theme of one application; a change is seen on every screen at once."""

    def __init__(self, app: AcpApp, folder: Path, colors: Colors, ascii: bool) -> None:
        """Draw in nothing yet.

        Args:
            app: what is drawn.
            folder: where the person's own themes are.
            colors: how many colours the terminal has.
            ascii: whether it shows ASCII only.
        """
        self.name = ""
        """The theme that the person wants, also while its file is broken."""
        self.look = Look()
        self._app = app
        self._folder = folder
        self._colors = colors
        self._ascii = ascii
        self._watch = ThemeWatch(folder)
        self._in_settings = ""

    def names(self) -> list[str]:
        """Return the themes there are, the person's own among them."""
        from acp_tui.ui.theme import find

        return list(find(self._folder))

    def begin(self, for_this_run: str | None, in_settings: str) -> None:
        """Draw in the theme of the command line, else the one chosen last, else that of the settings."""
        self._in_settings = in_settings
        self.use(for_this_run or last_theme(_kept(), in_settings) or in_settings)

    def choose(self, name: str) -> None:
        """Draw in a theme that the person has chosen, in the next run, too."""
        problem = keep_theme(_kept(), self._in_settings, name) if self.use(name) else None
        if problem is not None:
            self._app.warn(str(problem), "Theme")

    def use(self, name: str) -> bool:
        """Draw in the theme of this name from now on; return whether it can be used.

        A broken one says why, and what was used before stays; at the start that is acp-dark.
        """
        theme, problem = choose(name, self._folder)
        self.name = name
        self._watch.watch(name)
        if problem is not None:
            self._app.call_later(self._app.warn, str(problem), "Theme")
            if self._app.is_running:
                return False
        if self._colors != "many":
            theme = with_few_colors(theme)
        look = look_of(theme, self._ascii)
        self.look = look if self._colors == "many" else told_by_form(look)
        self._app.register_theme(textual_theme(theme))
        if self._app.theme == theme.name:
            self._app.mutate_reactive(App.theme)  # the same name, but other colours
        else:
            self._app.theme = theme.name
        for screen in self._app.every_screen:
            restyle(screen, self.look)
        return problem is None

    def look_again(self) -> None:
        """Show a theme of the person as soon as it is saved."""
        if self._watch.has_changed():
            self.use(self.name)
