"""Themes on terminals with 16 colours or none: nothing that matters may be told by a shade alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from rich.console import Console
from rich.style import Style

from acp_tui.ui.theme import ThemeFile
from acp_tui.ui.widgets.look import Look

Colors = Literal["many", "sixteen", "none"]
"""How many colours a terminal has."""

_DARK: Final = {
    "background": "#000000",
    "foreground": "#ffffff",
    "surface": "#000000",
    "panel": "#555555",
    "boost": "#000000",
    "muted": "#aaaaaa",
    "faint": "#555555",
    "primary": "#5555ff",
    "secondary": "#ff55ff",
    "accent": "#55ffff",
    "success": "#55ff55",
    "warning": "#ffff55",
    "error": "#ff5555",
}
_LIGHT: Final = {
    "background": "#ffffff",
    "foreground": "#000000",
    "surface": "#ffffff",
    "panel": "#aaaaaa",
    "boost": "#ffffff",
    "muted": "#555555",
    "faint": "#aaaaaa",
    "primary": "#0000aa",
    "secondary": "#aa00aa",
    "accent": "#00aaaa",
    "success": "#00aa00",
    "warning": "#aa5500",
    "error": "#aa0000",
}
"""The colours that such terminals have, as they are named to them: others fall together."""

_BY_FORM: Final[Mapping[str, str]] = {
    "cursor": "reverse",
    "match": "bold reverse",
    "added-word": "bold underline",
    "removed-word": "bold underline",
    "heading": "bold underline",
    "code": "italic",
    "accent": "bold",
    "warning": "bold",
    "error": "bold",
}
"""What a role is told by beside its colour."""

_COLORLESS: Final = ("vt1", "vt2", "vt3", "vt4")
"""How the names of terminals begin that know no colours."""


def colors_of_terminal(env: Mapping[str, str]) -> Colors:
    """Return how many colours there are for us: none as well where the person wants none (NO_COLOR)."""
    term = env.get("TERM", "")
    if env.get("NO_COLOR") or term.startswith(_COLORLESS) or term.endswith(("-m", "-mono")):
        return "none"
    found = Console(force_terminal=True, _environ=env).color_system
    return "many" if found in ("256", "truecolor") else "sixteen"


def with_few_colors(theme: ThemeFile) -> ThemeFile:
    """Return a theme as such a terminal can show it: light or dark as it was, in colours that stay apart."""
    return theme._replace(colors=_DARK if theme.dark else _LIGHT, roles={})


def told_by_form(look: Look) -> Look:
    """Return a look in which bold, underlined and reversed text says what shades cannot."""
    styles = dict(look.styles)
    for role, words in _BY_FORM.items():
        form = Style.parse(words)
        styles[role] = form if form.reverse else Style(color=styles[role].color) + form
    for role in ("code-block", "hunk"):
        styles[role] = Style(color=styles[role].color)
    return Look(base=look.base, styles=styles, ascii=look.ascii)
