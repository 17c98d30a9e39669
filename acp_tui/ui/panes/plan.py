"""The plan pane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from acp_tui.ui.panes.pane import Pane
from acp_tui.ui.widgets.blocks import TextBlock

if TYPE_CHECKING:
    from acp_tui.acp.plan import PlanEntry
    from acp_tui.session.changes import Change
    from acp_tui.session.session import Session

_MARKS: Final = {
    "completed": ("completed", "tool-completed", "muted"),
    "in_progress": ("current", "tool-running", "text"),
    "cancelled": ("cancelled", "tool-cancelled", "muted"),
}
"""By status: the glyph, its role, and the role of the text."""


class PlanPane(Pane):
    """What the agent means to do, and how far it is."""

    NAME = "plan"
    EMPTY = "The agent's plan will be here."

    def show(self, session: Session, change: Change) -> None:
        """Show the plan as it is now."""
        if "plan" not in change.fields:
            return
        self.take_placeholder_away()
        self.clear()
        for entry in session.plan:
            self.append(self._line(entry))
        done = sum(entry.status in ("completed", "done") for entry in session.plan)
        self.set_fact(f"{done}/{len(session.plan)}" if session.plan else "")
        if not session.plan:
            self.on_mount()

    def _line(self, entry: PlanEntry) -> TextBlock:
        status = "completed" if entry.status == "done" else entry.status
        glyph, mark_role, role = _MARKS.get(status, ("waiting", "muted", "text"))
        priority = [("warning", " !")] if entry.priority == "high" and status != "completed" else []
        return TextBlock(
            [(role, entry.content), *priority],
            first=[(mark_role, f"{self.look.glyph(glyph)} ")],
            rest=[("text", "  ")],
        )
