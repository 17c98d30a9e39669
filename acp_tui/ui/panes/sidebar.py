"""The sidebar: the session card and the panes beside the chat, each as high as its content."""

from __future__ import annotations

from typing import Final, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from typing_extensions import override

from acp_tui.ui.panes.changes import ChangesPane
from acp_tui.ui.panes.pane import Pane, PaneFrame
from acp_tui.ui.panes.plan import PlanPane
from acp_tui.ui.panes.session_card import SessionCard
from acp_tui.ui.panes.tool_calls import ToolCallsPane
from acp_tui.ui.widgets.delay import draws

_FOLDED: Final = 2
"""Rows of the folded card: its title and a line."""
_FEWEST: Final = 3
"""Minimum rows for tool calls."""


class SideRows(NamedTuple):
    """The rows of the panes, without titles; the tool calls get the rest."""

    plan: int
    changes: int


def share(room: int, plan: int, tool_calls: int, changes: int) -> SideRows:
    """Share rows among panes with these wishes; the plan and the changes come first."""
    kept = min(tool_calls, max(_FEWEST, room // 3))
    room = max(0, room - kept)
    plan_rows = min(plan, max(room // 2, room - changes))
    return SideRows(plan_rows, min(changes, room - plan_rows))


class Side(Vertical):
    """The session card, and the panes below it."""

    def __init__(self, card: SessionCard) -> None:
        super().__init__(id="side")
        self.card = card
        self._height = 0

    @override
    def compose(self) -> ComposeResult:
        yield self.card
        yield PaneFrame(PlanPane(), id="plan-frame")
        yield PaneFrame(ToolCallsPane(), id="tool-calls-frame")
        yield PaneFrame(ChangesPane(), id="changes-frame")

    def begin(self) -> None:
        """Unfold the card for another session, if there is room."""
        self.card.fold(False)
        self._changed()

    def on_resize(self) -> None:
        """Share the rows of the new height."""
        if self.size.height != self._height:
            self._height = self.size.height
            self.card.fold(False)
        self.fit()

    @on(Pane.Retitled)
    def _changed(self) -> None:
        self.call_after_refresh(self.fit)

    def on_descendant_focus(self) -> None:
        """Show the placeholder of an empty pane that has the focus."""
        self.fit()

    def on_descendant_blur(self) -> None:
        """Fold it again."""
        self.call_after_refresh(self.fit)

    def fit(self) -> None:
        """Make each pane as high as its content; an empty one is only its title."""
        frames = [frame for frame in self.query(PaneFrame) if not frame.has_class("-hidden")]
        if not draws(self) or self.screen.has_class("-narrow") or not self.size.height:
            for frame in frames:
                frame.styles.height = None
            return
        wanted = {frame.pane.NAME: frame.pane.wanted_rows or int(frame.pane.has_focus) for frame in frames}
        self._fold_card(sum(wanted.values()) + len(frames))
        card = _FOLDED if self.card.is_folded else self.card.unfolded_rows
        room = self.size.height - card - len(frames)
        shared = share(room, *(wanted.get(name, 0) for name in ("plan", "tool-calls", "changes")))
        rows = {"plan": shared.plan, "changes": shared.changes}
        for frame in frames:
            name = frame.pane.NAME
            if name == "tool-calls" and wanted[name]:
                frame.styles.height = "1fr"
            else:
                frame.styles.height = 1 + rows.get(name, 0)

    def _fold_card(self, rows: int) -> None:
        """Fold the card once the panes need its room; it stays folded, so that it does not flicker."""
        if not self.card.is_folded and self.card.unfolded_rows + rows > self.size.height:
            self.card.fold(True)
