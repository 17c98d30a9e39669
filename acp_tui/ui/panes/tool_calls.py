"""The tool-call pane: every tool call of the session, one line each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from typing_extensions import override

from acp_tui.session.entries import ToolCall
from acp_tui.session.events import SessionChange
from acp_tui.session.session import Session
from acp_tui.ui.entries import tool_call as call_entry
from acp_tui.ui.panes.pane import DETAILED_FROM, Pane
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Row
from acp_tui.ui.widgets.transcript.blocks import Block, Piece, one_row


class CallLine(Block):
    """One tool call; its text is computed when it is drawn."""

    __slots__ = ("_pane", "call", "stable_rows")
    is_action = True

    def __init__(self, call: ToolCall, pane: ToolCallsPane) -> None:
        self.call = call
        self._pane = pane
        self.stable_rows = 0

    @override
    def rows(self, width: int, styles: Styles) -> Sequence[Row]:
        self.stable_rows = 0
        left, right = self._pane.pieces_of(self.call)
        if width < DETAILED_FROM:  # the title is most important; the chat has the rest
            right = [("warning", "asks you")] if self._pane.asks(self.call) else []
        return [one_row(left, right, width, styles)]

    @override
    def height_hint(self, width: int) -> int:
        return 1

    @override
    def source(self) -> str:
        left, right = self._pane.pieces_of(self.call)
        return "".join(text for _, text in (*left, *right))


class ToolCallsPane(Pane):
    """The tool calls of the session; Enter opens one."""

    NAME = "tool-calls"
    EMPTY = "No tool calls yet"

    def __init__(self) -> None:
        super().__init__()
        self._lines: dict[int, CallLine] = {}
        self.asks: Callable[[ToolCall], bool] = lambda call: False
        """Returns whether a call waits for a permission."""
        self._cwd = ""
        self._now: float | None = None

    @override
    def begin(self) -> None:
        self._lines.clear()
        super().begin()

    @override
    def show(self, session: Session, change: SessionChange) -> None:
        self.asks = session.asks
        self._cwd = session.cwd
        for index in change.entries:
            call = session.entries[index]
            if isinstance(call, ToolCall):
                self._show(index, call)
        if change.entries:
            self.set_fact(str(len(self._lines)) if self._lines else "")

    @override
    def tick(self, now: float) -> None:
        self._now = now
        for line in self._lines.values():
            if not line.call.is_final and not self.asks(line.call):  # a waiting call shows no seconds
                self.changed(line)

    @property
    def latest(self) -> ToolCall | None:
        """The newest tool call."""
        return next(reversed(self._lines.values())).call if self._lines else None

    def _show(self, place: int, call: ToolCall) -> None:
        line = self._lines.get(place)
        if line is not None:
            self.changed(line)
        elif not call.is_empty:
            self.take_placeholder_away()
            line = self._lines[place] = CallLine(call, self)
            self.append(line)

    def pieces_of(self, call: ToolCall) -> tuple[list[Piece], list[Piece]]:
        """Return the line of a call as (left, right)."""
        now = None if call.is_final else self._now
        return call_entry.call_pieces(call, self._cwd, self.theme_styles, now, asks=self.asks(call))
