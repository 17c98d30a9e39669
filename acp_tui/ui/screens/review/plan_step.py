"""The plan step screen: calls, changes, decisions, tokens and time of a step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from textual.binding import Binding, BindingType
from typing_extensions import override

from acp_tui.formatting import inside, seconds, tokens
from acp_tui.protocol.schema import PlanEntry
from acp_tui.session.entries import ToolCall
from acp_tui.session.plan_step_work import StepWork
from acp_tui.ui.entries.tool_call import call_pieces
from acp_tui.ui.panes.changes import STATUS_ROLES, FileLine, facts, status_of
from acp_tui.ui.screens.base.full_screens import TextScreen
from acp_tui.ui.widgets.rows.row_view import StatusRow
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import exact_line, safe
from acp_tui.ui.widgets.transcript.blocks import Block, OneRowBlock, TextBlock
from acp_tui.ui.widgets.transcript.transcript import Transcript


class StepCall(OneRowBlock):
    """A tool call of the step; Enter opens it."""

    __slots__ = ("call",)

    def __init__(self, call: ToolCall, cwd: str, styles: Styles) -> None:
        left, right = call_pieces(call, cwd, styles)
        if call.decision:
            right = [("muted", f"  {exact_line(call.decision)}"), *right]
        super().__init__(left, right, is_action=True)
        self.call = call


class PlanStepScreen(TextScreen):
    """Lists the work on a step at the time when the screen opens."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", id="plan-step.close"),
    ]

    def __init__(
        self, step: PlanEntry, work: StepWork, cwd: str, styles: Styles, choose: Callable[[Block], None]
    ) -> None:
        """Show a step.

        Args:
            step: the step.
            work: the work on it.
            cwd: the folder of the session; paths are shown relative to it.
            styles: the theme's styles.
            choose: opens a tool call or a changed file.
        """
        super().__init__(styles)
        self._step = step
        self._work = work
        self._cwd = cwd
        self._open = choose

    @override
    def title_line(self) -> StatusRow:
        return [("strong", " plan step")], [("muted", f"{self._facts()} ")]

    def on_transcript_chosen(self, event: Transcript.Chosen) -> None:
        """Open what was chosen."""
        event.stop()
        self._open(event.block)

    def _facts(self) -> str:
        work = self._work
        context = f"{tokens(work.tokens)} tokens" if work.tokens else ""
        asked = f"{_count(work.questions, 'decision')}" if work.questions else ""
        calls, files = _count(len(work.calls), "call"), _count(len(work.files), "file")
        return " · ".join(filter(None, (seconds(work.seconds), calls, files, asked, context)))

    @override
    def content(self) -> Iterator[Block]:
        yield TextBlock([("strong", safe(self._step.content))])
        if self._step.priority == "high":
            yield TextBlock([("warning", "!"), ("muted", " high priority, says the agent")])
        yield TextBlock([("accent", "calls")], above=1)
        for call in self._work.calls:
            yield StepCall(call, self._cwd, self.theme_styles)
        if not self._work.calls:
            yield TextBlock([("muted", "No tool call began in this step.")])
        yield TextBlock([("accent", "changes")], above=1)
        for file in self._work.files:
            line, status = FileLine(file.path), status_of(file)
            left = [(STATUS_ROLES[status], f"{status} "), ("text", exact_line(inside(file.path, self._cwd)))]
            line.show([*left, *(("muted", f"  {fact}") for fact in facts(file, self._cwd))], [], "")
            yield line
        if not self._work.files:
            yield TextBlock([("muted", "No file changed in this step.")])


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
