"""The list of rules, and descriptions of rules."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import PurePath
from typing import ClassVar, Final

from textual.binding import BindingType
from typing_extensions import override

from acp_tui.formatting import from_home
from acp_tui.rules.model import Rule, RuleVerdict
from acp_tui.rules.rule_book import ListedRule
from acp_tui.rules.rule_files import WORKSPACE_FILE
from acp_tui.ui.screens.base.full_screens import list_keys
from acp_tui.ui.widgets.rows.row_view import RowList
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import exact_line, safe_line
from acp_tui.ui.widgets.transcript.blocks import Piece

_KINDS: Final = {
    "read": "reading",
    "edit": "changing files",
    "delete": "deleting",
    "move": "moving files",
    "search": "searching",
    "execute": "commands",
    "think": "thinking",
    "fetch": "fetching from the network",
    "switch_mode": "changing the mode",
    "other": "other tools",
}

SAYS: Final = {"allow": "allowed", "ask": "asked", "deny": "denied"}


def matches(rule: Rule) -> str:
    """Describe the matches of a rule, such as `commands: git status, of gemini`."""
    what = _KINDS.get(rule.tool_kind, rule.tool_kind) if rule.tool_kind is not None else ""
    if rule.command is not None:
        what = f"exactly “{rule.command}”" if rule.exact else f"{rule.command} …"
    elif not what:
        what = "anything" if rule.path is None and rule.tool_name is None else ""
    if rule.folder is not None:
        what += f" in {from_home(rule.folder)}"
    if rule.path is not None:
        what = f"{what} in {rule.path}" if what else rule.path
    if rule.tool_name is not None:
        what = f"{what}, by {rule.tool_name}" if what else f"what {rule.tool_name} does"
    if rule.agent is not None:
        what += f", of {rule.agent}"
    if rule.mode is not None:
        what += f", in mode {rule.mode}"
    return what


def scope(rule: Rule, workspace: str) -> str:
    """Describe the scope of a rule, seen from a workspace."""
    if rule.session is not None:
        return "this session"
    if rule.workspace is None:
        return "everywhere"
    return "this workspace" if rule.workspace == workspace else rule.workspace


def until(expires: datetime | None) -> str:
    """Describe the expiry of a rule; "" for none."""
    if expires is None:
        return ""
    here = expires.astimezone()
    is_over = expires <= datetime.now(UTC)
    day = f"{here:%Y-%m-%d}"
    end = day if (here.hour, here.minute) == (23, 59) else f"{day} {here:%H:%M}"
    return f"{'expired' if is_over else 'until'} {end}"


def because(verdict: RuleVerdict) -> str:
    """Describe a verdict and the rules behind it."""
    said = SAYS[verdict.decision]
    if verdict.rule is None:
        return f"{said}: {verdict.why or 'no rule matches'}"
    rules = " and ".join(
        f"{rule.decision} {matches(rule)} ({rule.source})" for rule in (verdict.rule, *verdict.also)
    )
    doubt = ", as far as known" if verdict.rule.decision not in ("ask", verdict.decision) else ""
    return f"{said}{doubt}: {rules}"


def state(listed: ListedRule) -> str:
    """Return the reason why a rule does not apply as written, or ""."""
    match listed.state:
        case "mistake":
            return "mistake, so it asks"
        case "not trusted":
            return "not trusted"
        case _:
            return ""


ROLES: Final = {"allow": "success", "ask": "warning", "deny": "error"}
_WIDE: Final = 100
"""Width from which a row shows the file."""
_PLACE: Final = 23


class RuleList(RowList[ListedRule]):
    """A list of rules, in the order in which they are tried."""

    BINDINGS: ClassVar[list[BindingType]] = [*list_keys("rule-list", opens="Edit")]

    def __init__(self, styles: Styles, workspace: str) -> None:
        """Describe scopes relative to a workspace."""
        super().__init__(styles, id="rules")
        self._workspace = workspace

    @override
    def pieces(self, item: ListedRule) -> tuple[list[Piece], list[Piece]]:
        counts = item.state in ("counts", "mistake")
        left: list[Piece] = [
            (ROLES[item.rule.decision] if counts else "muted", f" {item.rule.decision:<6}"),
            ("text" if counts else "muted", exact_line(matches(item.rule))),
        ]
        if item.rule.note:
            left.append(("muted", f"  {safe_line(item.rule.note)}"))
        notices = (state(item), until(item.rule.expires))
        right: list[Piece] = [("warning", f"  {text}") for text in notices if text]
        right.append(("muted", f"  {safe_line(from_home(scope(item.rule, self._workspace)))} "))
        if self.row_width >= _WIDE:
            right.append(("accent", f" {safe_line(_place(item)):<{_PLACE}} "))
        return left, right


def _place(item: ListedRule) -> str:
    """Return the end of the path of a rule's file, with the line."""
    if item.rule.file is None:
        return ""
    path = PurePath(item.rule.where)
    return f"{path.parent.name}/{path.name}" if path.parent.name == WORKSPACE_FILE.parent.name else path.name
