"""The plan pane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from typing_extensions import override

from acp_tui.protocol.schema import PlanEntry
from acp_tui.session.events import SessionChange
from acp_tui.session.session import Session
from acp_tui.ui.panes.pane import Pane
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import shortened
from acp_tui.ui.widgets.transcript.blocks import TextBlock

_MARKS: Final = {
    "completed": ("completed", "tool-completed", "muted"),
    "in_progress": ("current", "tool-running", "text"),
    "failed": ("failed", "tool-failed", "text"),
    "cancelled": ("cancelled", "tool-cancelled", "muted"),
}
"""By status: the symbol, its role, and the role of the text."""


_LONGEST: Final = 1_000
"""Cells of an entry that are shown: a step is a sentence, and more would be laid out again and again."""

_MOST: Final = 500
"""Entries shown; each costs work whenever the agent sends its plan again."""


class PlanLine(TextBlock):
    """One entry of the plan."""

    def __init__(self, entry: PlanEntry, styles: Styles, *, is_idle: bool = False) -> None:
        status = "completed" if entry.status == "done" else entry.status
        if is_idle and status == "in_progress":
            status = "left"  # nobody works on it
        symbol, mark_role, role = _MARKS.get(status, ("waiting", "muted", "text"))
        priority = [("warning", " !")] if entry.priority == "high" and status != "completed" else []
        mark = f"{styles.symbol(symbol)} "
        spans = [(role, shortened(entry.content, _LONGEST, styles.symbol("cut"))), *priority]
        super().__init__(spans, first=[(mark_role, mark)], rest=[("text", " " * len(mark))])
        self.entry = entry
        self.is_idle = is_idle
        self.is_current = status == "in_progress"

    @override
    def source(self) -> str:
        return self.entry.content


class PlanPane(Pane):
    """The agent's plan and its progress."""

    NAME = "plan"
    EMPTY = "The agent's plan will be here."

    @override
    def show(self, session: Session, change: SessionChange) -> None:
        is_idle = session.turn_state == "idle" and bool(session.turns)
        if "plan" not in change.fields and ("turn" not in change.fields or not session.plan):
            return
        self.take_placeholder_away()
        entries = session.plan[_first_shown(session.plan) :][:_MOST]
        for index, entry in enumerate(entries):
            before = self.blocks[index] if index < len(self.blocks) else None
            if not isinstance(before, PlanLine) or (before.entry, before.is_idle) != (entry, is_idle):
                if before is not None:
                    self.remove_block(before)
                self.insert(index, PlanLine(entry, self.theme_styles, is_idle=is_idle))
        for block in list(self.blocks[len(entries) :]):
            self.remove_block(block)
        if left := len(session.plan) - len(entries):
            self.append(TextBlock([("muted", f"{left:,} more steps are not shown")]))
        done = sum(entry.status in ("completed", "done") for entry in session.plan)
        self.set_fact(f"{done}/{len(session.plan)}" if session.plan else "")
        self._show_current()
        if not session.plan:
            self.on_mount()

    def on_resize(self) -> None:
        """Show the current step again: a plan may come before the pane has a height."""
        self.call_later(self._show_current)  # once it is laid out for the new size

    def _show_current(self) -> None:
        """Keep the current entry in view, unless the pane has the focus."""
        current = next(
            (block for block in self.blocks if isinstance(block, PlanLine) and block.is_current), None
        )
        if current is not None and not self.has_focus:
            self.show_amid(current)


def _first_shown(plan: Sequence[PlanEntry]) -> int:
    """Return the index of the first entry to show: of a long plan, those around the current one."""
    if len(plan) <= _MOST:
        return 0
    current = next((index for index, entry in enumerate(plan) if entry.status == "in_progress"), 0)
    return max(0, min(current - _MOST // 2, len(plan) - _MOST))
