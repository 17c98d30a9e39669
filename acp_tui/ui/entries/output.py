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


class TerminalTail(Block):
    """The newest lines of a terminal."""

    is_action = True

    def __init__(self, terminal: Terminal | None, redraw: Callable[[], None], limit: int) -> None:
        self._redraw = redraw
        self._limit = limit
        self._log = TerminalLog(max_lines=limit * 50)
        self._known = terminal is not None
        if terminal is not None:
            self._log.feed(terminal.attach(self._take))

    def rows(self, width: int, look: Look) -> Sequence[Row]:
        """Return the last lines, cut at the width, behind a mark."""
        self.kept = 0
        mark = Segment(f"  {look.glyph('quote')} ", look["faint"])
        if not self._known:
            return [[mark, Segment("output of a terminal that is not ours", look["muted"])]]
        last = self._log.line_count
        while last and not self._log.line_text(last - 1).strip():
            last -= 1
        rows = self._log.rows(max(0, last - self._limit), last)
        return [[mark, *crop_row(row, max(1, width - 4), look)] for row in rows]

    def height_hint(self, width: int) -> int:
        """At most the limit."""
        return min(self._limit, self._log.line_count) or 1

    def source(self) -> str:
        """Return all that is kept of the output."""
        return self._log.text()

    def _take(self, data: bytes) -> None:
        self._log.feed(data)
        self._redraw()
