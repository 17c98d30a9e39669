"""Theme files in TOML, converted to the styles of the roles and to Textual's theme.

ThemeProblem is a value, not an exception: a broken file of the user is shown, and acp-dark is used instead.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from rich.errors import StyleSyntaxError
from rich.style import Style
from textual.color import Color, ColorParseError
from textual.theme import Theme

from acp_tui.lazy_regex import regex
from acp_tui.store.plain_files import plain_text
from acp_tui.ui.widgets.contrast import LEAST, LEAST_OF_DECORATION, contrast, legible, mix
from acp_tui.ui.widgets.styles import ROLES, Styles

DEFAULT_THEME: Final = "acp-dark"

REQUIRED_COLORS: Final = ("background", "foreground", "primary", "accent", "success", "warning", "error")
OPTIONAL_COLORS: Final = ("secondary", "surface", "panel", "boost", "muted", "faint")
TABLES: Final = ("theme", "palette", "colors", "roles")

DEFAULT_ROLES: Final[Mapping[str, str]] = {
    "text": "$foreground",
    "muted": "$muted",
    "faint": "$faint",
    "accent": "$accent",
    "success": "$success",
    "warning": "$warning",
    "error": "bold $error",
    "cursor": "on $cursor-ground",
    "match": "bold on $match-ground",
    "user": "bold $accent",
    "prompt-mark": "reverse $accent",
    "agent": "$foreground",
    "thought": "italic $muted",
    "notice": "$muted",
    "heading": "bold $primary",
    "strong": "bold",
    "emphasis": "italic",
    "strike": "strike $muted",
    "code": "$secondary on $surface",
    "code-block": "on $surface",
    "link": "underline $primary",
    "quote": "italic $muted",
    "list-marker": "$accent",
    "table-border": "$faint",
    "table-head": "bold",
    "tool-pending": "$muted",
    "tool-running": "$accent",
    "tool-completed": "$success",
    "tool-failed": "$error",
    "tool-cancelled": "$muted",
    "added": "$success",
    "removed": "$error",
    "added-word": "bold on $added-ground",
    "removed-word": "bold on $removed-ground",
    "hunk": "$muted on $surface",
    "line-number": "$number",
    "syntax-keyword": "$primary",
    "syntax-name": "$foreground",
    "syntax-function": "$accent",
    "syntax-type": "$secondary",
    "syntax-string": "$success",
    "syntax-number": "$warning",
    "syntax-comment": "italic $muted",
    "syntax-operator": "$foreground",
}
"""The default style of each role; grounds and `$number` are blends of colours."""

DECORATION: Final = frozenset({"faint", "table-border"})
"""Roles of lines and marks without a meaning of their own."""

_READ_AS_TEXT: Final = ("primary", "secondary", "accent", "success", "warning", "error")
_REFERENCE: Final = regex(r"\$([A-Za-z0-9_-]+)")
_TOML_LINE: Final = regex(r"\s*\(at line (\d+), column \d+\)|\s*\(at end of document\)")
_TEXTUAL_VARIABLES: Final = frozenset({"text", *REQUIRED_COLORS, *OPTIONAL_COLORS[:4]})
"""Roles with the name of one of Textual's style sheet variables."""


class ThemeFile(NamedTuple):
    """The content of a theme file, checked and with references resolved."""

    path: Path
    name: str
    dark: bool
    colors: Mapping[str, str]
    """Colours by name as `#rrggbb`: the required ones, and every optional one, given or derived."""
    roles: Mapping[str, str]
    """The roles that the file overrides, in Rich style words."""


class ThemeProblem(NamedTuple):
    """An error in a theme file."""

    path: Path
    line: int
    """The line, from 1; 0 for an unreadable file."""
    message: str

    def __str__(self) -> str:
        """Return `path:line: message`."""
        place = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{place}: {self.message}"


def find(user_folder: Path | None = None) -> dict[str, Path]:
    """Return the theme files by theme name; the user's own replace bundled ones."""
    files = {path.stem: path for path in sorted(bundled_folder().glob("*.toml"))}
    if user_folder is not None and user_folder.is_dir():
        files |= {path.stem: path for path in sorted(user_folder.glob("*.toml"))}
    return files


def bundled_folder() -> Path:
    """Return the folder of the bundled themes: in the installed package, else in the checkout."""
    package = Path(__file__).parents[2]
    installed = package / "themes"
    return installed if installed.is_dir() else package.parent / "themes"


def choose(name: str, user_folder: Path | None = None) -> tuple[ThemeFile, ThemeProblem | None]:
    """Return the theme of a name, or acp-dark and the problem."""
    path = find(user_folder).get(name)
    if path is None:
        found: ThemeFile | ThemeProblem = ThemeProblem(Path(f"{name}.toml"), 0, "unknown theme")
    else:
        found = load(path)
    if isinstance(found, ThemeFile):
        return found, None
    fallback = load(bundled_folder() / f"{DEFAULT_THEME}.toml")
    if isinstance(fallback, ThemeProblem):
        raise FileNotFoundError(f"the installation is broken: {fallback}")
    return fallback, found


def load(path: Path) -> ThemeFile | ThemeProblem:
    """Read a theme file."""
    try:
        text = plain_text(path)
        tables = tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        return ThemeProblem(path, 0, f"cannot be read: {error}")
    except (ValueError, RecursionError) as error:
        return _syntax_problem(path, text, str(error))
    try:
        return _theme_file(path, tables)
    except _WrongValue as wrong:
        return ThemeProblem(path, _line_of(text, wrong.table, wrong.key), wrong.message)


def styles_of(theme: ThemeFile, ascii: bool = False) -> Styles:
    """Return the styles of the roles, for widgets that draw rows."""
    words = {**_default_roles(theme.colors), **theme.roles}
    base = Style.parse(f"{theme.colors['foreground']} on {theme.colors['background']}")
    grounds = [theme.colors["background"], theme.colors["surface"]]
    if (cursor := Style.parse(words["cursor"]).bgcolor) is not None and not cursor.is_default:
        grounds.append(Color.from_rich_color(cursor).hex6)
    by_role = {role: _readable(role, Style.parse(words[role]), theme.colors, grounds) for role in ROLES}
    return Styles(base=base, by_role=by_role, ascii=ascii)


def _readable(role: str, style: Style, colors: Mapping[str, str], grounds: Sequence[str]) -> Style:
    """Return a style whose colour is readable on its own ground, or on all given ones."""
    has_color = style.color is not None and not style.color.is_default
    has_ground = style.bgcolor is not None and not style.bgcolor.is_default
    if not has_color and not has_ground:
        return style
    least = LEAST_OF_DECORATION if role in DECORATION else LEAST
    shown = Color.from_rich_color(style.color).hex6 if has_color else colors["foreground"]
    if has_ground:
        grounds = [Color.from_rich_color(style.bgcolor).hex6]
    read = shown
    for ground in grounds:
        read = legible(read, ground, colors["foreground"], least)
    return style if read == shown else style + Style(color=read)


def textual_theme(theme: ThemeFile) -> Theme:
    """Return Textual's theme, with the roles as style sheet variables."""
    colors = theme.colors
    return Theme(
        name=theme.name,
        dark=theme.dark,
        primary=colors["primary"],
        secondary=colors["secondary"],
        accent=colors["accent"],
        foreground=colors["foreground"],
        background=colors["background"],
        surface=colors["surface"],
        panel=colors["panel"],
        success=colors["success"],
        warning=colors["warning"],
        error=colors["error"],
        boost=colors.get("boost"),
        variables=_variables(theme),
    )


class _WrongValue(Exception):
    """An invalid value in a theme file; `load` turns it into a `ThemeProblem`."""

    def __init__(self, table: str, key: str, message: str) -> None:
        super().__init__(message)
        self.table, self.key, self.message = table, key, message


def _theme_file(path: Path, tables: Mapping[str, Any]) -> ThemeFile:
    for table, content in tables.items():
        if table not in TABLES or not isinstance(content, dict):
            raise _WrongValue(table, "", f"unknown table [{table}]: a theme has {', '.join(TABLES)}")
    head = tables.get("theme", {})
    name = head.get("name", path.stem)
    dark = head.get("dark", True)
    if not isinstance(name, str) or not name:
        raise _WrongValue("theme", "name", "name must be a string")
    if not isinstance(dark, bool):
        raise _WrongValue("theme", "dark", "dark must be true or false")
    palette: dict[str, str] = {}
    for key, value in tables.get("palette", {}).items():
        palette[key] = _color("palette", key, value, palette)
    colors = _colors(tables.get("colors", {}), palette)
    roles = {
        key: _style_words(key, value, {**palette, **colors}) for key, value in tables.get("roles", {}).items()
    }
    return ThemeFile(path, name, dark, colors, roles)


def _colors(table: Mapping[str, Any], palette: Mapping[str, str]) -> dict[str, str]:
    known = (*REQUIRED_COLORS, *OPTIONAL_COLORS)
    for key in table:
        if key not in known:
            raise _WrongValue("colors", key, f"unknown colour {key!r}: a theme has {', '.join(known)}")
    given = {key: _color("colors", key, value, palette) for key, value in table.items()}
    for key in REQUIRED_COLORS:
        if key not in given:
            raise _WrongValue("colors", "", f"the colour {key!r} is missing")
    colors = {**_derived_colors(given), **given}
    for ground in ("background", "surface", "panel"):
        if contrast(colors["foreground"], colors[ground]) < LEAST_OF_DECORATION:
            raise _WrongValue("colors", "foreground", f"foreground cannot be read on {ground}")
    return colors


def _derived_colors(given: Mapping[str, str]) -> dict[str, str]:
    background, foreground = given["background"], given["foreground"]
    surface = given.get("surface", mix(background, foreground, 0.05))
    return {
        "secondary": given["primary"],
        "surface": surface,
        "panel": mix(background, foreground, 0.10),
        "muted": legible(mix(foreground, background, 0.35), surface, foreground, LEAST),
        "faint": mix(foreground, background, 0.70),
    }


def _color(table: str, key: str, value: object, names: Mapping[str, str]) -> str:
    if not isinstance(value, str):
        raise _WrongValue(table, key, f'{key} must be a string such as "#88c0d0"')
    try:
        return Color.parse(_resolved(table, key, value, names)).hex6.lower()
    except ColorParseError:
        raise _WrongValue(table, key, f"{value!r} is not a colour") from None


def _style_words(role: str, value: object, names: Mapping[str, str]) -> str:
    if role not in ROLES:
        raise _WrongValue("roles", role, f"unknown role {role!r}")
    if not isinstance(value, str):
        raise _WrongValue("roles", role, f'{role} must be a string such as "bold $accent"')
    words = _resolved("roles", role, value, names)
    try:
        style = Style.parse(words)
    except StyleSyntaxError as error:
        raise _WrongValue("roles", role, f"{value!r} is not a style: {error}") from None
    if style.conceal:
        raise _WrongValue("roles", role, f"{value!r} would hide what a question shows")
    if style.link:
        raise _WrongValue("roles", role, f"{value!r}: a style cannot be a link")
    return words


def _resolved(table: str, key: str, value: str, names: Mapping[str, str]) -> str:
    def color_of(reference: re.Match[str]) -> str:
        try:
            return names[reference[1]]
        except KeyError:
            raise _WrongValue(table, key, f"unknown colour {reference[0]}") from None

    return _REFERENCE.sub(color_of, value)


def _default_roles(colors: Mapping[str, str]) -> dict[str, str]:
    """Return the default style of each role for these colours, in Rich style words."""
    background, foreground = colors["background"], colors["foreground"]
    names = {
        **colors,
        **{name: legible(colors[name], background, foreground, LEAST) for name in _READ_AS_TEXT},
        "number": legible(mix(foreground, background, 0.55), background, foreground, LEAST),
        "cursor-ground": _tint(colors, "primary", 0.18),
        "match-ground": _tint(colors, "warning", 0.35),
        "added-ground": _tint(colors, "success", 0.38),
        "removed-ground": _tint(colors, "error", 0.38),
    }
    return {role: _resolved("roles", role, words, names) for role, words in DEFAULT_ROLES.items()}


def _variables(theme: ThemeFile) -> dict[str, str]:
    """Return the colour of each role, for style sheets."""
    found: dict[str, str] = {}
    for role, style in styles_of(theme).by_role.items():
        color = style.bgcolor or style.color
        if role not in _TEXTUAL_VARIABLES:
            found[role] = Color.from_rich_color(color).hex6 if color else theme.colors["foreground"]
    return found


def _tint(colors: Mapping[str, str], name: str, amount: float) -> str:
    """Return a background tinted with a colour, as strongly as text stays readable."""
    background, foreground = colors["background"], colors["foreground"]
    least = min(LEAST, contrast(foreground, background) * 0.85)
    while amount > 0.05:
        tinted = mix(background, colors[name], amount)
        if contrast(foreground, tinted) >= least:
            return tinted
        amount -= 0.04
    return mix(background, colors[name], amount)


def _syntax_problem(path: Path, text: str, message: str) -> ThemeProblem:
    where = _TOML_LINE.search(message)
    line = int(where[1]) if where and where[1] else len(text.splitlines())
    return ThemeProblem(path, max(line, 1), _TOML_LINE.sub("", message))


def _line_of(text: str, table: str, key: str) -> int:
    """Return the line of a key, else of its table, else 1."""
    table_line, inside = 1, False
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped.startswith("["):
            inside = stripped.strip("[] ").partition("]")[0] == table
            table_line = number if inside else table_line
        elif inside and key and stripped.partition("=")[0].strip().strip("\"'") == key:
            return number
    return table_line


"""The number of colours of a terminal."""

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
"""The palettes for terminals with sixteen colours."""

_FORMS: Final[Mapping[str, str]] = {
    "cursor": "reverse",
    "match": "bold reverse",
    "prompt-mark": "reverse",
    "added-word": "bold underline",
    "removed-word": "bold underline",
    "heading": "bold underline",
    "code": "italic",
    "accent": "bold",
    "warning": "bold",
    "error": "bold",
}
"""The form of a role in addition to its colour."""


def with_few_colors(theme: ThemeFile) -> ThemeFile:
    """Return a theme for a terminal with sixteen colours, light or dark as before."""
    return theme._replace(colors=_DARK if theme.dark else _LIGHT, roles={})


def with_forms(styles: Styles) -> Styles:
    """Return styles that use bold, underline and reverse in place of shades."""
    by_role = dict(styles.by_role)
    for role, words in _FORMS.items():
        form = Style.parse(words)
        by_role[role] = form if form.reverse else Style(color=by_role[role].color) + form
    for role in ("code-block", "hunk"):
        by_role[role] = Style(color=by_role[role].color)
    return Styles(base=styles.base, by_role=by_role, ascii=styles.ascii)
