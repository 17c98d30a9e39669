"""The theme of the app: chosen by the user, fitted to the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from rich.segment import Segment
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter
from textual.screen import Screen
from typing_extensions import override

from acp_tui.desktop import Colors
from acp_tui.store.folders import state_folder
from acp_tui.store.preferences import keep_theme, last_theme
from acp_tui.store.toml_check import Problem
from acp_tui.ui.application.theme_files import (
    ThemeFile,
    ThemeProblem,
    choose,
    find,
    styles_of,
    textual_theme,
    with_few_colors,
    with_forms,
)
from acp_tui.ui.widgets.styles import Styles, restyle


def _kept() -> Path:
    return state_folder() / "theme"


class AppTheme:
    """The theme of the app, applied to all its screens."""

    def __init__(
        self,
        app: App[Any],
        screens: Callable[[], Iterable[Screen[Any]]],
        folder: Path,
        colors: Colors,
        ascii: bool,
    ) -> None:
        """Prepare; `begin` sets the theme.

        Args:
            app: the application.
            screens: returns all of its screens, in view or not.
            folder: the user's own themes.
            colors: how many colours the terminal has.
            ascii: True if the terminal shows ASCII only.
        """
        self.name = ""
        """The name of the chosen theme, even if its file is broken."""
        self.styles = Styles()
        self._app = app
        self._screens = screens
        self._folder = folder
        self._colors = colors
        self._ascii = ascii
        self._chosen: tuple[ThemeFile, ThemeProblem | None] | None = None
        """The theme file as last read, or its problem."""
        self._in_settings = ""

    def names(self) -> list[str]:
        """Return the names of the bundled themes and the user's own."""
        return list(find(self._folder))

    def begin(self, for_this_run: str | None, in_settings: str) -> None:
        """Use the theme of the command line, else the last chosen one, else that of the settings."""
        self._in_settings = in_settings
        self.use(for_this_run or last_theme(_kept(), in_settings) or in_settings)

    def choose(self, name: str) -> None:
        """Use a theme and keep it for the next run."""
        problem = keep_theme(_kept(), self._in_settings, name) if self.use(name) else None
        if problem is not None:
            self._warn(problem)

    def use(self, name: str) -> bool:
        """Use a theme; return False if its file is broken.

        Then the user is warned, and the previous theme is kept; at the start, acp-dark.
        """
        self._chosen = theme, problem = choose(name, self._folder)
        self.name = name
        if problem is not None:
            self._app.call_later(self._warn, problem)
            if self._app.is_running:
                return False
        if self._colors != "many":
            theme = with_few_colors(theme)
        styles = styles_of(theme, self._ascii)
        self.styles = styles if self._colors == "many" else with_forms(styles)
        self._app.register_theme(textual_theme(theme))
        if self._app.theme == theme.name:
            self._app.mutate_reactive(App.theme)  # Textual ignores new colours under the same name
        else:
            self._app.theme = theme.name
        for screen in self._screens():
            restyle(screen, self.styles)
        return problem is None

    def _warn(self, problem: Problem) -> None:
        self._app.notify(str(problem), title="Theme", severity="warning", timeout=15)

    @property
    def file(self) -> Path:
        """The user's own file of the theme, which need not exist."""
        return self._folder / f"{self.name}.toml"

    def reload(self) -> None:
        """Apply the saved theme file; a missing one changes nothing."""
        if self.name in find(self._folder) and choose(self.name, self._folder) != self._chosen:
            self.use(self.name)

    def use_saved(self, name: str) -> None:
        """Use the theme that the settings now name; it replaces an earlier choice."""
        self._in_settings = name
        self.use(name)


_FRAMES: Final = range(0x2500, 0x2580)
_BLOCKS: Final = range(0x2580, 0x25A0)
_HORIZONTAL: Final = "─━┄┅┈┉╌╍═╴╶╸╺╼╾"
_VERTICAL: Final = "│┃┆┇┊┋╎╏║╵╷╹╻╽╿"

_TABLE: Final[dict[int, str]] = {
    **dict.fromkeys(_FRAMES, "+"),
    **dict.fromkeys(_BLOCKS, "#"),
    **dict.fromkeys(map(ord, _HORIZONTAL), "-"),
    **dict.fromkeys(map(ord, _VERTICAL), "|"),
    **{ord(mark): plain for mark, plain in zip("←→↑↓…·•−“”‘’–", "<>^v~-*-\"\"''-", strict=True)},
}
"""ASCII replacements, one cell each."""


class AsciiFilter(LineFilter):
    """Replaces symbols by ASCII, including Textual's."""

    @override
    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment if segment.text.isascii() else Segment(segment.text.translate(_TABLE), *segment[1:])
            for segment in segments
        ]


def is_ascii(env: Mapping[str, str]) -> bool:
    """Return True for a locale with a character set other than UTF-8."""
    locale = next((value for name in ("LC_ALL", "LC_CTYPE", "LANG") if (value := env.get(name))), "")
    language, _, charset = locale.partition("@")[0].partition(".")
    if not charset:
        return language in ("C", "POSIX")
    return charset.lower().replace("-", "") != "utf8"
