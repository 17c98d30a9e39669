"""The block of a shell command that the user typed after `!`."""

from __future__ import annotations

from typing import Final

from typing_extensions import override

from acp_tui.formatting import exit_words, seconds
from acp_tui.session.entries import UserCommand
from acp_tui.ui.entries import output as call_output
from acp_tui.ui.entries.entry import EntryBlock
from acp_tui.ui.widgets.text import exact_line
from acp_tui.ui.widgets.transcript.blocks import Block, OneRowBlock, Piece

_ROWS: Final = 12


class OwnCommandBlock(EntryBlock):
    """A shell command that was typed after `!`; Enter shows its whole output."""

    __slots__ = ("_line",)
    entry: UserCommand
    parts: list[Block]
    is_action = True

    @override
    def sync(self) -> None:
        if not self.parts:
            self._line = OneRowBlock(above=1)
            terminal = self.context.terminal(self.entry.terminal_id)
            self.parts = [self._line]
            if terminal is not None:
                self.parts.append(
                    call_output.TerminalTail(terminal, lambda: self.context.redraw(self), _ROWS)
                )
            elif self.entry.output is not None:
                self.parts.append(call_output.TextTail(self.entry.output, _ROWS))
        self._show(self.entry.ended)

    @property
    @override
    def is_running(self) -> bool:
        return self.entry.ended is None

    @override
    def tick(self, now: float) -> None:
        self._show(now)

    def _show(self, now: float | None) -> None:
        entry = self.entry
        right: list[Piece] = []
        if entry.ended is None:
            right.append(("tool-running", f"running, {self.context.key('session.stop')} ends it"))
        elif entry.exit_code is None:
            right.append(("tool-failed", "ended by a signal"))
        elif entry.exit_code:
            right.append(("tool-failed", exit_words(entry.exit_code)))
        if now is not None:
            right.append(("muted", f"  {seconds(max(0.0, now - entry.at)):>6}"))
        self._line.set_pieces([("accent", "! "), ("strong", exact_line(entry.command))], right)
