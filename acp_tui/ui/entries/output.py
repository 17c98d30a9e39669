"""The end of a command's output, under its tool call: live while it runs, kept when its terminal is gone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.segment import Segment

from acp_tui.ui.widgets.blocks import Block
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.one_line import crop_row
from acp_tui.ui.widgets.terminal_log import TerminalLog
from acp_tui.ui.widgets.wrap import Row

if TYPE_CHECKING:
    from acp_tui.host.terminals import Terminal
    from acp_tui.session.growing import GrowingText


class Tail(Block):
    """The newest lines of an output."""

    is_action = True

    def __init__(self, limit: int) -> None:
        self.log = TerminalLog(max_lines=limit * 50)
        self._limit = limit

    def rows(self, width: int, look: Look) -> Sequence[Row]:
        """Return the last lines, cut at the width, behind a mark."""
        self.kept = 0
        mark = Segment(f"  {look.glyph('quote')} ", look["faint"])
        last = self.log.line_count
        while last and not self.log.line_text(last - 1).strip():
            last -= 1
        rows = self.log.rows(max(0, last - self._limit), last)
        return [[mark, *crop_row(row, max(1, width - 4), look)] for row in rows]

    def height_hint(self, width: int) -> int:
        """At most the limit."""
        return min(self._limit, self.log.line_count) or 1

    def source(self) -> str:
        """Return all that is kept of the output."""
        return self.log.text()


class TerminalTail(Tail):
    """The newest lines of a terminal of ours, as they come."""

    def __init__(self, terminal: Terminal, redraw: Callable[[], None], limit: int) -> None:
        super().__init__(limit)
        self._redraw = redraw
        self.log.feed(terminal.attach(self._take))

    def _take(self, data: bytes) -> None:
        self.log.feed(data)
        self._redraw()


class TextTail(Tail):
    """The newest lines of what a command printed that the agent ran by itself."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self._seen = 0

    def take_over(self, text: GrowingText) -> None:
        """Take in what came since the last time."""
        if text.length > self._seen:
            self.log.feed(text.since(self._seen).encode("utf-8", "replace"))
            self._seen = text.length
