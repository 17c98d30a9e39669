"""The block for the output of a command that has ended."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from time import perf_counter
from typing import Final

from rich.style import Style
from typing_extensions import override

from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.terminal.log import TerminalLog
from acp_tui.ui.widgets.text import Row, wrap
from acp_tui.ui.widgets.transcript.blocks import Block

LINES: Final = 5_000
"""Newest lines that are shown."""

_READ: Final = 2 * LINES
"""Lines read at the end of the text; some may overwrite those before them."""

_PIECE: Final = 8 << 10
"""Bytes read at once."""

_FEW: Final = 32
"""Lines wrapped at once."""


class OutputBlock(Block):
    """Complete output, with colours and the last state of progress bars."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._printed = b""
        self._at = 0
        """Bytes of that that are read."""
        self._log: TerminalLog | None = None
        self._lines: list[Row] | None = None
        """Lines of the log, once all is read."""
        self._wrapped = 0
        """Number of lines in the rows."""
        self._rows: list[Row] = []
        self._width = 0

    @override
    def rows(self, width: int, styles: Styles) -> Sequence[Row]:
        return self.some_rows(width, styles, inf)

    @override
    def some_rows(self, width: int, styles: Styles, until: float) -> Sequence[Row]:
        if width != self._width:
            self._width, self._rows, self._wrapped = width, [], 0
        self.stable_rows = len(self._rows)
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
        """Return the lines of the output; None if there was not enough time to read it."""
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

    @override
    def height_hint(self, width: int) -> int:
        return min(LINES, self._text.count("\n") + 1 + len(self._text) // max(1, width))

    @override
    def source(self) -> str:
        return self._text

    @override
    def forget_rows(self) -> None:
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
