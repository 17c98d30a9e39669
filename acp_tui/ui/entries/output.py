"""Blocks for the newest lines of a command's output, below its tool call."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from rich.segment import Segment
from typing_extensions import override

from acp_tui.lazy_regex import regex
from acp_tui.session.entries import Text, ToolCall
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.terminal.log import MainScreenLog, newest
from acp_tui.ui.widgets.text import Row
from acp_tui.ui.widgets.transcript.blocks import Block, crop_row
from acp_tui.workspace.terminals import Terminal

_FENCE: Final = regex(r"\A```[^\n`]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_NAMES: Final = ("output", "stdout", "text", "content", "result", "message", "error", "stderr")
"""Fields in which agents send the text of a raw output."""


def result_text(call: ToolCall) -> str:
    """Return the text of a tool call's result, without the fence that some agents put around it."""
    text = "\n".join(_texts(call)).strip("\n")
    if not text:
        text = _raw_text(call.raw_output).strip("\n")
    fenced = _FENCE.match(text)
    return fenced[1] if fenced else text


def error_text(raw: Any) -> Iterator[str]:
    """Yield the texts and numbers in a raw input or output, whatever their fields are called."""
    if isinstance(raw, dict | list):
        for value in raw.values() if isinstance(raw, dict) else raw:
            yield from error_text(value)
    elif raw not in (None, "") and not isinstance(raw, bool):
        yield str(raw)


def _texts(call: ToolCall) -> list[str]:
    return [item.text for item in call.content if isinstance(item, Text)]


def _raw_text(raw: Any) -> str:
    if isinstance(raw, str):
        return raw
    if isinstance(raw, dict):
        return next((raw[name] for name in _NAMES if isinstance(raw.get(name), str) and raw[name]), "")
    return ""


_LINES: Final = 50
"""Lines kept for each shown line: progress bars go back over some."""

_ASIDE: Final = "A full-screen program; open it to see the screen."

_NEWEST: Final = 20_000
"""Characters at the end of an output that are searched for its newest lines."""


class Tail(Block):
    """The newest lines of an output."""

    __slots__ = ("_limit", "stable_rows")
    is_action = True

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.stable_rows = 0

    @abstractmethod
    def log(self) -> MainScreenLog:
        """Return the lines, up to date."""

    def new_log(self) -> MainScreenLog:
        """Return an empty log of the needed size."""
        return MainScreenLog(max_lines=self._limit * _LINES)

    @override
    def rows(self, width: int, styles: Styles) -> Sequence[Row]:
        self.stable_rows = 0
        mark, log = Segment(f"  {styles.symbol('quote')} ", styles["faint"]), self.log()
        if log.is_aside:
            return [[mark, *crop_row([Segment(_ASIDE, styles["muted"])], max(1, width - 4), styles)]]
        last = log.line_count
        while last and not log.line_text(last - 1).strip():
            last -= 1
        is_cut = last > self._limit
        rows = log.rows(last - self._limit + 1 if is_cut else 0, last)
        more = [[Segment(f"{styles.symbol('cut')} more above", styles["muted"])]] if is_cut else []
        return [[mark, *crop_row(row, max(1, width - 4), styles)] for row in (*more, *rows)]

    @override
    def source(self) -> str:
        return self.log().text()


_READ: Final = 64 << 10
"""Bytes of the newest output that are read for a draw."""
_MOST_WAITING: Final = 1 << 20
"""Maximum bytes of output that wait to be drawn."""


class TerminalTail(Tail):
    """The newest lines of a terminal that the client runs, live."""

    __slots__ = ("_log", "_redraw", "_waiting")

    def __init__(self, terminal: Terminal, redraw: Callable[[], None], limit: int) -> None:
        super().__init__(limit)
        self._redraw = redraw
        self._log = self.new_log()
        self._waiting = bytearray()
        """Output that is read when it is drawn."""
        self._waiting += terminal.attach(self._take)

    @override
    def log(self) -> MainScreenLog:
        if self._waiting:
            data, self._waiting = newest(bytes(self._waiting), _READ), bytearray()
            self._log.feed(data)
        return self._log

    @override
    def height_hint(self, width: int) -> int:
        return min(self._limit, self.log().line_count) or 1

    def _take(self, data: bytes) -> None:
        self._waiting += data
        if len(self._waiting) > _MOST_WAITING:  # it is not being drawn
            self._waiting = bytearray(newest(bytes(self._waiting), _READ))
        self._redraw()


class ResultTail(Tail):
    """The newest lines of a finished call's result, read from the call."""

    __slots__ = ("_call", "_log")

    def __init__(self, call: ToolCall, limit: int) -> None:
        super().__init__(limit)
        self._call = call
        self._log: MainScreenLog | None = None

    @override
    def log(self) -> MainScreenLog:
        if self._log is None:
            self._log = self.new_log()
            self._log.feed(self._newest().encode("utf-8", "replace"))
        return self._log

    @override
    def height_hint(self, width: int) -> int:
        return min(self._limit, self._newest().count("\n") + 1)

    @override
    def forget_rows(self) -> None:
        self._log = None

    def _newest(self) -> str:
        return result_text(self._call)[-_NEWEST:]


class TextTail(Tail):
    """The newest lines of a command that the agent ran itself, read when drawn."""

    __slots__ = ("_log", "_seen", "_text")

    def __init__(self, text: TextBuffer, limit: int) -> None:
        super().__init__(limit)
        self._text = text
        self._log: MainScreenLog | None = None
        self._seen = 0

    def shows(self, text: TextBuffer) -> bool:
        """Return whether this is the output that is shown."""
        return text is self._text

    @override
    def log(self) -> MainScreenLog:
        log = self._log = self._log or self.new_log()
        start = max(self._seen, self._text.length - _NEWEST)
        log.feed(self._text.since(start).encode("utf-8", "replace"))
        self._seen = self._text.length
        return log

    @override
    def height_hint(self, width: int) -> int:
        return min(self._limit, self._text.since(self._text.length - _NEWEST).count("\n") + 1)

    @override
    def forget_rows(self) -> None:
        self._log = None
        self._seen = 0
