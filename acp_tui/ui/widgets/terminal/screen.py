"""An emulated terminal screen with history, for programs that address the cursor."""

from __future__ import annotations

import codecs
import importlib
from collections import deque
from collections.abc import Callable
from itertools import groupby
from typing import Any, Final

from rich.segment import Segment
from rich.style import Style

from acp_tui.ui.widgets.terminal.log import Pen, TerminalLog, style_of
from acp_tui.ui.widgets.text import Row, safe, wrap

_ALTERNATE: Final = "\x9b?1047h\x9b1;1H"
"""Start of the alternate screen in a dump of the emulator. Only rows are written without `\x9b`."""
_NARROWEST: Final = 2
"""The emulator breaks in one column, where a wide character cannot fit."""
_HISTORY: Final = 5_000
"""Lines of history that are kept."""


class ScreenBroken(Exception):
    """The emulator failed on its input; show the bytes as lines."""


class TerminalScreen:
    """A screen of a given size, fed with the bytes of a terminal.

    Raises:
        ImportError: when constructed without the emulator installed.
    """

    def __init__(self, columns: int, rows: int) -> None:
        emulator = importlib.import_module("avt")
        self._terminal: Any = emulator.Vt(max(_NARROWEST, columns), max(1, rows), 0)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._history: deque[Any] = deque(maxlen=_HISTORY)
        self._rows: list[Row] | None = None

    @property
    def row_count(self) -> int:
        """Number of rows of the screen and its history."""
        return len(self._history) + int(self._terminal.size[1])

    @property
    def cursor(self) -> tuple[int, int] | None:
        """Row and cell of the cursor, from 0; None while the program hides it."""
        cursor = self._terminal.cursor
        return (len(self._history) + cursor.row, cursor.col) if cursor.visible else None

    @property
    def sends_application_keys(self) -> bool:
        """True if arrow keys are sent in their application form."""
        return bool(self._terminal.cursor_key_app_mode)

    def feed(self, data: bytes) -> None:
        """Take the next bytes, cut anywhere.

        Raises:
            ScreenBroken: the emulator cannot go on.
        """
        self._advance(self._terminal.feed_str, self._decoder.decode(data))

    def resize(self, columns: int, rows: int) -> None:
        """Set the size in cells.

        Raises:
            ScreenBroken: the emulator cannot go on.
        """
        size = (max(_NARROWEST, columns), max(1, rows))
        if self._terminal.size != size:
            self._advance(self._terminal.resize, *size)

    def _advance(self, step: Callable[..., tuple[Any, list[Any]]], *arguments: object) -> None:
        try:
            _, scrolled = step(*arguments)
        except BaseException as error:
            if type(error).__name__ != "PanicException":  # a panic in Rust, which has no other base class
                raise
            raise ScreenBroken(str(error)) from error
        self._history.extend(scrolled)
        self._rows = None

    def row(self, index: int) -> Row:
        """Return a row, from 0 for the oldest that is kept, with the program's own styles."""
        if index < len(self._history):
            return _row_of_cells(self._history[index].cells)
        if self._rows is None:
            self._rows = self._dumped()
        return self._rows[index - len(self._history)]

    def text(self) -> str:
        """Return all rows as text to copy."""
        screen = ("".join(segment.text for segment in row) for row in self._dumped())
        lines = [*(safe(line.text) for line in self._history), *screen]
        return "\n".join(line.rstrip() for line in lines).rstrip("\n")

    def _dumped(self) -> list[Row]:
        """Return the screen from one dump of the emulator, ten times as fast as reading cell by cell."""
        dump = self._terminal.dump()
        rows_only = dump.rpartition(_ALTERNATE)[2].partition("\x9b")[0]
        columns, height = self._terminal.size
        log = TerminalLog()
        log.feed(rows_only.encode())
        rows = [
            row
            for line in log.rows()  # a line that was wrapped is one line in the dump
            for row in wrap([(text, style or Style.null()) for text, style, _ in line], columns, words=False)
        ]
        return [*rows, *([] for _ in range(height))][:height]


def _row_of_cells(cells: list[Any]) -> Row:
    row = []
    for pen, group in groupby(cells, key=lambda cell: _pen(cell.pen)):
        text = "".join(cell.char for cell in group if cell.width)
        row.append(Segment(safe(text), style_of(pen)))
    return row


def _pen(pen: Any) -> Pen:
    if pen.is_default():
        return Pen()
    return Pen(
        _color(pen.foreground),
        _color(pen.background),
        pen.bold,
        pen.faint,
        pen.italic,
        pen.underline,
        pen.inverse,
        pen.strikethrough,
    )


def _color(color: Any) -> int | tuple[int, int, int] | None:
    if color is None:
        return None
    if type(color).__name__.endswith("RGB"):
        return (color[0], color[1], color[2])
    return int(color[0])
