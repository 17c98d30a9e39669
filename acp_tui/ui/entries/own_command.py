"""How a command of the person looks: its line, and the newest of its output while it comes."""

from __future__ import annotations

from typing import Final

from acp_tui.readable import seconds
from acp_tui.session.entries import OwnCommand
from acp_tui.ui.entries.entry import EntryBlock
from acp_tui.ui.entries.output import TerminalTail, TextTail
from acp_tui.ui.widgets.blocks import Block
from acp_tui.ui.widgets.one_line import OneLine, Piece
from acp_tui.ui.widgets.text import exact_line

_ROWS: Final = 12


class OwnCommandBlock(EntryBlock):
    """A command that was typed behind `!`."""

    __slots__ = ("_line",)
    entry: OwnCommand
    parts: list[Block]

    def sync(self) -> None:
        """Show how it stands."""
        if not self.parts:
            self._line = OneLine(above=1)
            terminal = self.setting.terminal(self.entry.terminal_id)
            self.parts = [self._line]
            if terminal is not None:
                self.parts.append(TerminalTail(terminal, lambda: self.setting.redraw(self), _ROWS))
            elif self.entry.output is not None:
                self.parts.append(TextTail(self.entry.output, _ROWS))
        self._show(self.entry.ended)

    @property
    def is_running(self) -> bool:
        """Whether its seconds are counted."""
        return self.entry.ended is None

    def tick(self, now: float) -> None:
        """Count its seconds."""
        self._show(now)

    def _show(self, now: float | None) -> None:
        entry = self.entry
        right: list[Piece] = []
        if entry.ended is None:
            right.append(("tool-running", f"running, {self.setting.key('session.stop')} ends it"))
        elif entry.exit_code is None:
            right.append(("tool-failed", "ended by a signal"))
        elif entry.exit_code:
            right.append(("tool-failed", f"exit code {entry.exit_code}"))
        if now is not None:
            right.append(("muted", f"  {seconds(max(0.0, now - entry.at)):>6}"))
        self._line.set_pieces([("accent", "! "), ("strong", exact_line(entry.command))], right)
