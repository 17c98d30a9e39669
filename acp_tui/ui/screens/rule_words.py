"""Rules in words: what one matches, for how much it is, until when."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from acp_tui.agent.rule_book import Listed
    from acp_tui.host.rules import Rule, Verdict

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
    "other": "what is of no other kind",
}

SAYS: Final = {"allow": "allowed", "ask": "asked", "deny": "denied"}


def matches(rule: Rule) -> str:
    """Return what a rule matches, such as `commands: git status, of gemini`."""
    what = _KINDS.get(rule.tool_kind, rule.tool_kind) if rule.tool_kind is not None else ""
    if rule.command is not None:
        what = f"exactly “{rule.command}”" if rule.exact else f"{rule.command} …"
    elif not what:
        what = "anything" if rule.path is None else ""
    if rule.path is not None:
        what = f"{what} in {rule.path}" if what else rule.path
    if rule.agent is not None:
        what += f", of {rule.agent}"
    if rule.mode is not None:
        what += f", in mode {rule.mode}"
    return what


def scope(rule: Rule, workspace: str) -> str:
    """Return for how much a rule is, seen from a workspace."""
    if rule.session is not None:
        return "this session"
    if rule.workspace is None:
        return "everywhere"
    return "this workspace" if rule.workspace == workspace else rule.workspace


def until(expires: datetime | None) -> str:
    """Return until when a rule counts, or nothing."""
    if expires is None:
        return ""
    here = expires.astimezone()
    is_over = expires <= datetime.now(UTC)
    day = f"{here:%Y-%m-%d}"
    end = day if (here.hour, here.minute) == (23, 59) else f"{day} {here:%H:%M}"
    return f"{'expired' if is_over else 'until'} {end}"


def because(verdict: Verdict) -> str:
    """Return what the rules say and which of them says so."""
    said = SAYS[verdict.decision]
    if verdict.rule is None:
        return f"{said}: no rule matches"
    rules = " and ".join(
        f"{rule.decision} {matches(rule)} ({rule.source})" for rule in (verdict.rule, *verdict.also)
    )
    doubt = ", as far as can be told" if verdict.rule.decision not in ("ask", verdict.decision) else ""
    return f"{said}{doubt}: {rules}"


def state(listed: Listed) -> str:
    """Return why a rule does not count as written, or nothing."""
    match listed.state:
        case "mistake":
            return "mistake, so it asks"
        case "not trusted":
            return "not trusted"
        case _:
            return ""
