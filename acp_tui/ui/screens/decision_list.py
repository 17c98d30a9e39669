"""The rows of the decision log: when, what came of it, what was asked, by whom it was answered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from textual.binding import Binding, BindingType

from acp_tui.store.decisions import Decision
from acp_tui.ui.widgets.one_line import Piece
from acp_tui.ui.widgets.row_list import RowList
from acp_tui.ui.widgets.text import exact_line, safe_line

Outcome = Literal["allowed", "rejected", "cancelled"]

OUTCOMES: Final[tuple[Outcome, ...]] = ("allowed", "rejected", "cancelled")
_LOOKS: Final[dict[Outcome, tuple[str, str]]] = {
    "allowed": ("success", "completed"),
    "rejected": ("error", "failed"),
    "cancelled": ("muted", "cancelled"),
}
_WIDE: Final = 100
"""Cells from which a row has room for the agent."""


def outcome(decision: Decision) -> Outcome:
    """Return what came of a question."""
    if decision.chosen is None:
        return "cancelled"
    return "allowed" if decision.is_allowed else "rejected"


def wish(decision: Decision) -> str:
    """Return what was asked for, in a line: the command, else the title, else the paths."""
    return decision.command or decision.title or ", ".join(decision.paths) or decision.kind


def who(decision: Decision) -> str:
    """Return who answered, with the key, the rule or the policy."""
    by = "you" if decision.by == "person" else decision.by
    return f"{by}: {decision.detail}" if decision.detail else by


@dataclass(frozen=True)
class Sieve:
    """Which decisions are listed."""

    words: str = ""
    """Words that a decision must have somewhere."""
    outcome: Outcome | None = None
    by: str | None = None
    session: str | None = None
    agent: str | None = None

    def keeps(self, decision: Decision) -> bool:
        """Return whether a decision is listed."""
        if self.outcome not in (None, outcome(decision)) or self.by not in (None, decision.by):
            return False
        if self.session not in (None, decision.session) or self.agent not in (None, decision.agent):
            return False
        text = "\n".join(_texts(decision)).casefold()
        return all(word in text for word in self.words.casefold().split())

    def told(self) -> Iterator[str]:
        """Yield what is left out, in words."""
        if self.outcome is not None:
            yield self.outcome
        if self.by is not None:
            yield f"by {'you' if self.by == 'person' else self.by}"
        if self.agent is not None:
            yield f"of {self.agent}"
        if self.session is not None:
            yield "of this session"


class DecisionList(RowList[Decision]):
    """Decisions, one a row, the newest first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="decision-list.up"),
        Binding("down,j", "move(1)", "Down", show=False, id="decision-list.down"),
        Binding("pageup", "move_page(-1)", "Page up", show=False, id="decision-list.page-up"),
        Binding("pagedown", "move_page(1)", "Page down", show=False, id="decision-list.page-down"),
        Binding("home", "move_to(0)", "Newest", show=False, id="decision-list.first"),
        Binding("end", "move_to(-1)", "Oldest", show=False, id="decision-list.last"),
        Binding("enter", "open", "Open", id="decision-list.open"),
    ]

    def pieces(self, item: Decision) -> tuple[list[Piece], list[Piece]]:
        """Return a decision: when, what came of it, what was asked; who answered on the right."""
        role, glyph = _LOOKS[outcome(item)]
        left: list[Piece] = [
            ("muted", f" {item.time.astimezone():%m-%d %H:%M} "),
            (role, f"{self.look.glyph(glyph)} "),
            ("muted", f"{safe_line(item.kind)[:11]:<11} "),
            ("text", exact_line(wish(item))),
        ]
        right: list[Piece] = [("muted", f"  {safe_line(who(item))[:32]} ")]
        if self.row_width >= _WIDE:
            right.append(("accent", f" {safe_line(item.agent)[:12]:<12} "))
        return left, right


def _texts(decision: Decision) -> Iterator[str]:
    yield from (decision.session, decision.agent, decision.workspace, decision.kind, decision.title)
    yield from (decision.command or "", *decision.paths, *decision.inputs, who(decision), outcome(decision))
    if decision.chosen is not None:
        yield f"{decision.chosen.name} {decision.chosen.kind}"
