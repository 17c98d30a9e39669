"""Styles by role and symbols by name, resolved once per theme."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from rich.style import Style
from textual.screen import Screen

ROLES: Final = (
    # text
    "text",  # ordinary text
    "muted",  # what matters less: paths, durations, hints
    "faint",  # rules, borders, marks: never words
    "accent",  # what the eye should find first
    "success",
    "warning",
    "error",
    "cursor",  # the line or block the keyboard is on
    "match",  # a hit of a search
    # who speaks
    "user",
    "prompt-mark",  # what only a prompt has: nothing that an agent sends is drawn so
    "agent",
    "thought",
    "notice",
    # Markdown
    "heading",
    "strong",
    "emphasis",
    "strike",
    "code",
    "code-block",
    "link",
    "quote",
    "list-marker",
    "table-border",
    "table-head",
    # tool calls
    "tool-pending",
    "tool-running",
    "tool-completed",
    "tool-failed",
    "tool-cancelled",
    # differences
    "added",
    "removed",
    "added-word",
    "removed-word",
    "hunk",
    "line-number",
    # code, by kind of token
    "syntax-keyword",
    "syntax-name",
    "syntax-function",
    "syntax-type",
    "syntax-string",
    "syntax-number",
    "syntax-comment",
    "syntax-operator",
)
"""Every role of the interface. A theme gives each a style; no other code names a colour."""

SYMBOLS: Final[Mapping[str, tuple[str, str]]] = {
    "prompt": ("›", ">"),
    "shell": ("$", "$"),
    "folded": ("▸", "+"),
    "open": ("▾", "-"),
    "pending": ("○", "o"),
    "running": ("●", "*"),
    "completed": ("✓", "V"),
    "failed": ("✗", "x"),
    "cancelled": ("⊘", "/"),
    "interrupted": ("◌", "?"),
    "asks": ("?", "?"),
    "current": ("▶", ">"),
    "waiting": ("·", "."),
    "tab": ("→", ">"),
    "bullet": ("•", "*"),
    "unticked": ("☐", "[ ]"),
    "ticked": ("☑", "[x]"),
    "quote": ("▌", "|"),
    "rule": ("─", "-"),
    "column": ("│", "|"),
    "cross": ("┼", "+"),
    "thumb": ("█", "#"),
    "track": ("│", "|"),
    "cut": ("…", "~"),
    "up": ("↑", "^"),
    "down": ("↓", "v"),
    "minus": ("−", "-"),
    "menu": ("▾", "v"),
    "dot": ("·", "-"),
    "warning": ("⚠", "!"),
    "note": ("⚑", "!"),
}
"""Each symbol as (Unicode, ASCII). All Unicode ones are one cell wide."""


class Styles:
    """The styles of one theme. A new theme makes a new object; compare by identity."""

    def __init__(
        self,
        base: Style | None = None,
        by_role: Mapping[str, Style] | None = None,
        ascii: bool = False,
    ) -> None:
        self.base = base or Style.null()
        """Foreground and background of a pane; every row is drawn on it."""
        self.by_role = by_role or {}
        """Style by role, without a background unless the role is one (cursor, code-block, added-word …)."""
        self.ascii = ascii
        """True if only ASCII symbols are drawn."""

    def __getitem__(self, role: str) -> Style:
        """Return the style of a role, or a plain one if the theme has none."""
        return self.by_role.get(role) or _PLAIN

    @lru_cache(1024)  # noqa: B019 (a theme is kept for the run, and drawing asks for the same few)
    def blend(self, roles: tuple[str, ...]) -> Style:
        """Return the combined style of several roles, the last one on top."""
        return Style.combine([self[role] for role in roles])

    def symbol(self, name: str) -> str:
        """Return a symbol by its name in `SYMBOLS`."""
        return SYMBOLS[name][self.ascii]


_PLAIN: Final = Style.null()


def restyle(screen: Screen[Any], styles: Styles) -> None:
    """Set the styles of a screen and all widgets on it."""
    if hasattr(screen, "theme_styles"):  # Textual's own screens have none
        screen.theme_styles = styles
    for widget in screen.query("*"):
        if (set_theme_styles := getattr(widget, "set_theme_styles", None)) is not None:
            set_theme_styles(styles)
