"""What a command printed, as rows: colours are kept, a progress bar is its last state."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from time import perf_counter
from typing import Final

from rich.style import Style

from acp_tui.ui.widgets.blocks import Block
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.terminal_log import TerminalLog
from acp_tui.ui.widgets.wrap import Row, wrap

LINES: Final = 5_000
"""Lines that are shown; the newest ones."""

_READ: Final = 2 * LINES
"""Lines at the end of the text that are read: some may go back and write over those before them."""

_PIECE: Final = 8 << 10
"""Bytes that are read at once."""

_FEW: Final = 32
"""Lines that are wrapped at once."""


class OutputBlock(Block):
    """Shows output that is complete; see the terminal view for one that lives."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._printed = b""
        self._at = 0
        """How much of that is read."""
        self._log: TerminalLog | None = None
        self._lines: list[Row] | None = None
        """What the log has made of the text, once all of it is read."""
        self._wrapped = 0
        """How many of the lines are in the rows."""
        self._rows: list[Row] = []
        self._width = 0

    def rows(self, width: int, look: Look) -> Sequence[Row]:
        """Return the lines, wrapped anywhere."""
        return self.some_rows(width, look, inf)

    def some_rows(self, width: int, look: Look, until: float) -> Sequence[Row]:
        """Return the lines as far as they are read and wrapped by `until`."""
        if width != self._width:
            self._width, self._rows, self._wrapped = width, [], 0
        self.kept = len(self._rows)
        lines = self._lines if self._lines is not None else self._read(until)
        while lines is not None and self._wrapped < len(lines):
            for line in lines[self._wrapped : self._wrapped + _FEW]:
                spans = [(segment.text, segment.style or Style.null()) for segment in line]
                self._rows.extend(wrap(spans, width, words=False))
            self._wrapped += _FEW
            if perf_counter() > until:
                break
        left = len(self._printed) - self._at if lines is None else len(lines) - self._wrapped
        self.waiting = max(0, left)
        return self._rows

    def _read(self, until: float) -> list[Row] | None:
        """Read what the program has printed, and return its lines; None if there was not enough time."""
        if self._log is None:
            self._log = TerminalLog(max_lines=LINES)
            self._printed, self._at = _newest(self._text).encode("utf-8", "replace"), 0
        while self._at < len(self._printed):
            self._log.feed(self._printed[self._at : self._at + _PIECE])
            self._at += _PIECE
            if self._at < len(self._printed) and perf_counter() > until:
                return None
        rows, self._log, self._printed = self._log.rows(), None, b""
        self._lines = rows[:-1] if rows and not rows[-1] else rows
        return self._lines

    def height_hint(self, width: int) -> int:
        """Estimate from the number of characters and lines."""
        return min(LINES, self._text.count("\n") + 1 + len(self._text) // max(1, width))

    def source(self) -> str:
        """Return the text as it came."""
        return self._text

    def forget_rows(self) -> None:
        """Drop the rows, and the lines that they are made of."""
        self._log = self._lines = None
        self._printed, self._rows = b"", []
        self._wrapped = self._width = self.waiting = 0


def _newest(text: str) -> str:
    """Return the last lines of a text."""
    at = len(text)
    for _ in range(_READ):
        at = text.rfind("\n", 0, at)
        if at < 0:
            return text
    return text[at + 1 :]
