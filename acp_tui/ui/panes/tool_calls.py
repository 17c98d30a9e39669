"""The tool-call pane: every tool call of the session, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_tui.ui.panes.pane import Pane
from acp_tui.ui.widgets.one_line import OneLine, Piece

if TYPE_CHECKING:
    from acp_tui.session.changes import Change
    from acp_tui.session.entries import ToolCall
    from acp_tui.session.session import Session


class CallLine(OneLine):
    """One tool call."""

    def __init__(self, call: ToolCall) -> None:
        super().__init__(is_action=True)
        self.call = call


class ToolCallsPane(Pane):
    """What the agent does and did; enter opens one."""

    NAME = "tool-calls"
    EMPTY = "What the agent does will be here."

    def __init__(self) -> None:
        super().__init__()
        self._lines: dict[str, CallLine] = {}
        self._asking: set[str] = set()
        """Ids of the calls that wait for a permission."""

    def begin(self) -> None:
        """Another session is shown from now on."""
        self._lines.clear()
        super().begin()

    def show(self, session: Session, change: Change) -> None:
        """Show the tool calls among the changed entries."""
        from acp_tui.session.entries import ToolCall
        from acp_tui.session.questions import Permission

        self._asking = {
            question.tool_call_id
            for question in session.questions.values()
            if isinstance(question, Permission)
        }
        for index in change.entries:
            call = session.entries[index]
            if isinstance(call, ToolCall):
                self._show(call, session.cwd)
        if change.entries:
            self.set_fact(str(len(self._lines)) if self._lines else "")

    def tick(self, now: float, cwd: str) -> None:
        """Count the seconds of what runs."""
        for line in self._lines.values():
            if not line.call.is_final and line.set_pieces(*self._pieces(line.call, cwd, now)):
                self.changed(line)

    @property
    def latest(self) -> ToolCall | None:
        """The newest tool call."""
        return next(reversed(self._lines.values())).call if self._lines else None

    def _show(self, call: ToolCall, cwd: str) -> None:
        line = self._lines.get(call.tool_call_id)
        if line is None:
            if call.is_empty:
                return
            self.take_placeholder_away()
            line = self._lines[call.tool_call_id] = CallLine(call)
            line.set_pieces(*self._pieces(call, cwd))
            self.append(line)
        elif line.set_pieces(*self._pieces(call, cwd)):
            self.changed(line)

    def _pieces(self, call: ToolCall, cwd: str, now: float | None = None) -> tuple[list[Piece], list[Piece]]:
        from acp_tui.ui.entries.tool_call import call_pieces

        return call_pieces(call, cwd, self.look, now, asks=call.tool_call_id in self._asking)
