"""What stands beside the chat: plan, tool calls and changes. The first frame does without them."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical

from acp_tui.ui.panes.changes import ChangesPane
from acp_tui.ui.panes.frame import Frame
from acp_tui.ui.panes.plan import PlanPane
from acp_tui.ui.panes.tool_calls import ToolCallsPane


class Side(Vertical):
    """The panes beside the chat, one below the other."""

    def __init__(self) -> None:
        super().__init__(id="side")

    def compose(self) -> ComposeResult:
        """Each pane under its title."""
        yield Frame(PlanPane(), id="plan-frame")
        yield Frame(ToolCallsPane(), id="tool-calls-frame")
        yield Frame(ChangesPane(), id="changes-frame")
