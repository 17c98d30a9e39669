"""The rows of the list of rules: decision, what it matches, for how much, until when, where it stands."""

from __future__ import annotations

from pathlib import PurePath
from typing import ClassVar, Final

from textual.binding import Binding, BindingType

from acp_tui.agent.rule_book import Listed
from acp_tui.readable import from_home
from acp_tui.store.rules import WORKSPACE_FILE
from acp_tui.ui.screens.rule_words import matches, scope, state, until
from acp_tui.ui.widgets.one_line import Piece
from acp_tui.ui.widgets.row_list import RowList
from acp_tui.ui.widgets.text import exact_line, safe_line

ROLES: Final = {"allow": "success", "ask": "warning", "deny": "error"}
_WIDE: Final = 100
"""Cells from which a row has room for the file."""
_PLACE: Final = 23


class RuleList(RowList[Listed]):
    """Rules, one a row, in the order in which they are looked at."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="rule-list.up"),
        Binding("down,j", "move(1)", "Down", show=False, id="rule-list.down"),
        Binding("pageup", "move_page(-1)", "Page up", show=False, id="rule-list.page-up"),
        Binding("pagedown", "move_page(1)", "Page down", show=False, id="rule-list.page-down"),
        Binding("home", "move_to(0)", "First", show=False, id="rule-list.first"),
        Binding("end", "move_to(-1)", "Last", show=False, id="rule-list.last"),
        Binding("enter", "open", "Edit", id="rule-list.open"),
    ]

    workspace = ""
    """The folder that the person comes from."""

    def pieces(self, item: Listed) -> tuple[list[Piece], list[Piece]]:
        """Return a rule: what it says and matches; scope, end and place on the right."""
        counts = item.state in ("counts", "mistake")
        left: list[Piece] = [
            (ROLES[item.rule.decision] if counts else "muted", f" {item.rule.decision:<6}"),
            ("text" if counts else "muted", exact_line(matches(item.rule))),
        ]
        if item.rule.note:
            left.append(("muted", f"  {safe_line(item.rule.note)}"))
        expires = item.written.expires if item.written is not None else None
        right: list[Piece] = [("warning", f"  {text}") for text in (state(item), until(expires)) if text]
        right.append(("muted", f"  {safe_line(from_home(scope(item.rule, self.workspace)))} "))
        if self.row_width >= _WIDE:
            right.append(("accent", f" {safe_line(_place(item)):<{_PLACE}} "))
        return left, right


def _place(item: Listed) -> str:
    """Return the end of the path of a rule's file, and the line."""
    if item.written is None or item.written.file is None:
        return ""
    path = PurePath(item.written.where)
    return f"{path.parent.name}/{path.name}" if path.parent.name == WORKSPACE_FILE.parent.name else path.name
