"""What a command printed, as rows: colours are kept, a progress bar is its last state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.style import Style

from acp_tui.ui.widgets.blocks import Block
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.terminal_log import ansi_rows
from acp_tui.ui.widgets.wrap import Row, wrap

LINES: Final = 5_000
"""Lines that are shown; the newest ones."""


class OutputBlock(Block):
    """Shows output that is complete; see the terminal view for one that lives."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._laid_out: tuple[int, list[Row]] | None = None

    def rows(self, width: int, look: Look) -> Sequence[Row]:
        """Return the lines, wrapped anywhere."""
        if self._laid_out and self._laid_out[0] == width:
            self.kept = len(self._laid_out[1])
            return self._laid_out[1]
        rows: list[Row] = []
        for line in ansi_rows(self._text, LINES):
            spans = [(segment.text, segment.style or Style.null()) for segment in line]
            rows.extend(wrap(spans, width, words=False))
        self._laid_out = (width, rows)
        self.kept = 0
        return rows

    def height_hint(self, width: int) -> int:
        """Estimate from the number of characters and lines."""
        return min(LINES, self._text.count("\n") + 1 + len(self._text) // max(1, width))

    def source(self) -> str:
        """Return the text as it came."""
        return self._text

    def forget_rows(self) -> None:
        """Drop the rows."""
        self._laid_out = None
