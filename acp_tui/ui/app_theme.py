"""In which theme the application is drawn: the person's choice, and what their terminal can show of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.segment import Segment
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter

from acp_tui.store.folders import state_folder
from acp_tui.store.preferences import keep_theme, last_theme
from acp_tui.ui.theme import Colors, choose, find, look_of, textual_theme, told_by_form, with_few_colors
from acp_tui.ui.widgets.look import Look, restyle

if TYPE_CHECKING:
    from acp_tui.ui.app import AcpApp


EVERY: Final = 0.5
"""Seconds between two looks: one `stat` of one file, where a watcher would be a thread for the whole run."""

_Stamp = tuple[int, int, int] | None


class ThemeWatch:
    """Looks at the file of one theme among the person's own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._name = ""
        self._stamp: _Stamp = None

    def watch(self, name: str) -> None:
        """Look at the file of this theme from now on, whether it is there yet or not."""
        self._name = name
        self._stamp = self._now()

    def has_changed(self) -> bool:
        """Return whether the file is another than at the last look. One that is gone is no news."""
        before, self._stamp = self._stamp, self._now()
        return self._stamp is not None and self._stamp != before

    def _now(self) -> _Stamp:
        try:
            found = (self._folder / f"{self._name}.toml").stat()
        except (OSError, ValueError):  # ValueError: a name that no file can have
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino


def _kept() -> Path:
    return state_folder() / "theme"


class AppTheme:
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
"""One cell for one cell."""


class AsciiFilter(LineFilter):
    """Draws marks in ASCII, whoever they are of: the terminal has no others."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments with their marks in ASCII."""
        return [
            segment if segment.text.isascii() else Segment(segment.text.translate(_TABLE), *segment[1:])
            for segment in segments
        ]


def is_ascii(env: Mapping[str, str]) -> bool:
    """Whether the locale names a character set other than UTF-8; one that names none says nothing."""
    locale = next((value for name in ("LC_ALL", "LC_CTYPE", "LANG") if (value := env.get(name))), "")
    language, _, charset = locale.partition("@")[0].partition(".")
    if not charset:
        return language in ("C", "POSIX")
    return charset.lower().replace("-", "") != "utf8"
