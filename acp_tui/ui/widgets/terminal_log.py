"""Output of a terminal as lines: what plain programs write, colours and progress bars included, bounded."""

from __future__ import annotations

import codecs
import re
from typing import Final, TypeAlias

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from acp_tui.ui.widgets.terminal_style import PLAIN, Pen, linked, pen_after, style_of
from acp_tui.ui.widgets.text import safe

Row: TypeAlias = list[Segment]
"""One line with the terminal's own styles, without a base style, as long as it is."""

_TOKEN: Final = re.compile(
    r"(?:\x1b\[|\x9b)(?P<parameters>[0-?]*)[ -/]*(?P<final>[@-~])"  # control sequence
    r"|(?P<string>\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])"  # start of a string such as a title
    r"|\x1b(?:[ -/]*[0-OQ-WYZ\\`-~]|\[[0-?]*[ -/]*)"  # other and broken sequences
    r"|(?P<control>[\x00-\x1f\x7f-\x9f])"
)
_CUT_SEQUENCE: Final = re.compile(r"(?:\x1b\[[0-?]*[ -/]*|\x9b[0-?]*[ -/]*|\x1b[ -/]*)\Z")
_OSC_END: Final = re.compile(r"\x07|\x9c|\x1b\\|[\x18\x1a]|(?=[\x1b\n])")
_STRING_END: Final = re.compile(r"\x9c|\x1b\\|[\x18\x1a]|(?=\x1b)")
_PLAIN_CONTROLS: Final = bytes(code for code in range(32) if code != 10) + b"\x7f"
_ADDRESSING: Final = frozenset("HfdrLMST")
_SCREEN_MODES: Final = frozenset({"?47", "?1047", "?1049"})
_LONGEST_SEQUENCE: Final = 256
_LONGEST_STRING: Final = 1_000_000
"""Characters after which a string that never ends (an image that was cut, say) is given up."""
_LONGEST_COMMAND: Final = 4_096
"""Characters of a string that are read, for the links in it."""
_TAB: Final = 8


class TerminalLog:
    """Takes the bytes of a terminal, cut anywhere, and keeps the newest lines.

    It knows lines, not a screen: carriage return, backspace, tabs, erasing, colours and going a few lines up
    are followed; `needs_screen` tells that more was asked for.
    """

    def __init__(self, max_lines: int = 10_000, max_bytes: int = 4 << 20) -> None:
        self.needs_screen = False
        """Whether the program addressed the cursor freely or switched to the alternate screen."""
        self.dropped = 0
        """Lines that were dropped at the front so far."""
        self._max_lines = max_lines
        self._max_size = max_bytes
        self._lines: list[str | Row] = [""]
        self._size = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = b""
        self._rest = ""
        self._string: re.Pattern[str] | None = None
        self._string_length = 0
        self._command = ""
        self._up = 0
        self._column = 0
        self._end = 0
        self._pen: Pen = PLAIN
        self._last = " "
        self._changed = 0

    @property
    def line_count(self) -> int:
        """Lines that are kept."""
        return len(self._lines)

    @property
    def cursor(self) -> tuple[int, int]:
        """Line and cell that are written next, from 0."""
        return len(self._lines) - 1 - self._up, self._column

    def feed(self, data: bytes) -> None:
        """Take the next bytes, cut anywhere."""
        data = self._held + data
        self._held = b"\r" if data.endswith(b"\r") else b""  # a newline may follow
        data = data[: len(data) - len(self._held)].replace(b"\r\n", b"\n")
        if self._is_plain(data):
            self._feed_plain(data)
        else:
            self._feed_text(self._rest + self._decoder.decode(data))
        self._drop_oldest()

    def rows(self, first: int = 0, last: int | None = None) -> list[Row]:
        """Return lines `first` to `last` (exclusive) in the styles that the program chose."""
        return [_row(line) for line in self._lines[first:last]]

    def line_text(self, index: int) -> str:
        """Return one line as text."""
        return _text(self._lines[index])

    def texts(self, first: int) -> list[str]:
        """Return all lines from `first` on as text."""
        return [line if type(line) is str else _text(line) for line in self._lines[first:]]

    def text(self) -> str:
        """Return all lines that are kept, as text to copy."""
        return "\n".join(self.texts(0))

    def take_changed(self) -> int:
        """Return the first line, counted with the dropped ones, that changed since this was last called."""
        changed = max(self._changed, self.dropped)
        self._changed = self.dropped + len(self._lines) - 1
        return changed

    def _is_plain(self, data: bytes) -> bool:
        if self._rest or self._string or self._up or self._pen != PLAIN or self._decoder.getstate()[0]:
            return False
        return len(data.translate(None, _PLAIN_CONTROLS)) == len(data) and b"\xc2" not in data

    def _feed_plain(self, data: bytes) -> None:
        """Take bytes without any control but newlines, at the speed of splitting them."""
        if data.count(b"\n") > self._max_lines:
            skipped, data = _split_last(data, self._max_lines)
            self.dropped += len(self._lines) + skipped
            self._lines, self._size, self._column, self._end = [""], 0, 0, 0
        text = self._decoder.decode(data)
        first, *others = text.split("\n")
        self._write(first)
        if others:
            self._lines.extend(others)
            self._size += len(text) - len(first)
            self._column = self._end = cell_len(others[-1])
            self._last = others[-1][-1:] or self._last

    def _feed_text(self, text: str) -> None:
        cut = _CUT_SEQUENCE.search(text, max(0, len(text) - _LONGEST_SEQUENCE))
        self._rest = cut.group() if cut else ""
        if cut:
            text = text[: cut.start()]
        at = self._skip_string(text, 0)
        while at < len(text):
            token = _TOKEN.search(text, at)
            if token is None:
                self._write(text[at:])
                return
            if token.start() > at:
                self._write(text[at : token.start()])
            at = self._obey(text, token)

    def _obey(self, text: str, token: re.Match[str]) -> int:
        """Do what a control says and return where the text goes on."""
        if token["control"]:
            self._control(token["control"])
        elif token["final"]:
            self._sequence(token["parameters"], token["final"])
        elif token["string"]:
            self._string = _OSC_END if token["string"] in ("\x1b]", "\x9d") else _STRING_END
            self._string_length, self._command = 0, ""
            return self._skip_string(text, token.end())
        return token.end()

    def _skip_string(self, text: str, at: int) -> int:
        """Return where a string that began before `at` ends; it may go on in the next bytes."""
        if self._string is None:
            return at
        end = self._string.search(text, at)
        self._string_length += (end.end() if end else len(text)) - at
        if self._string is _OSC_END and self._string_length <= _LONGEST_COMMAND:
            self._command += text[at : end.start() if end else len(text)]
            if end:
                self._pen = linked(self._pen, self._command)
        if end or self._string_length > _LONGEST_STRING:
            self._string = None
        return end.end() if end else len(text)

    def _control(self, control: str) -> None:
        if control in "\n\x0b\x0c\x84\x85":
            self._new_line()
        elif control == "\r":
            self._column = 0
        elif control == "\b":
            self._column = max(0, self._column - 1)
        elif control == "\t":
            self._column += _TAB - self._column % _TAB

    def _sequence(self, parameters: str, final: str) -> None:
        if final == "m":
            if not parameters.startswith((">", "?")):
                self._pen = pen_after(self._pen, parameters)
            return
        first = parameters.partition(";")[0]
        number = int(first) if first.isdigit() and len(first) < 6 else 0
        count = max(1, number)
        if final in _ADDRESSING or (final == "h" and _SCREEN_MODES.intersection(parameters.split(";"))):
            self.needs_screen = True
        elif final in "AF":
            self._go(-count)
        elif final in "BE":
            self._go(min(count, self._up))
        elif final == "C":
            self._column += min(count, 10_000)
        elif final == "D":
            self._column = max(0, self._column - count)
        elif final in "G`":
            self._column = min(count, 10_000) - 1
        elif final in "KJ":
            self._erase(final, number)
        elif final in "PX@":
            self._edit(final, min(count, 10_000))
        elif final == "b":
            self._write(self._last * min(count, 10_000))
        if final in "EF":
            self._column = 0

    def _new_line(self) -> None:
        if self._up:
            self._go(1)
        else:
            self._lines.append("")
            self._size += 1
            self._end = 0
        self._column = 0

    def _go(self, lines: int) -> None:
        """Move the cursor down, or up with a negative number, within the lines that are kept."""
        self._up = max(0, min(self._up - lines, len(self._lines) - 1))
        self._end = _length(self._lines[-1 - self._up])

    def _write(self, text: str) -> None:
        """Write text without controls at the cursor."""
        if not text:
            return
        width = cell_len(text)
        style = style_of(self._pen)
        line = self._lines[-1 - self._up]
        if self._column > self._end:
            text = " " * (self._column - self._end) + text
            self._column, width = self._end, width + self._column - self._end
        if self._column < self._end:
            old = Strip(_row(line))
            rest = list(old.crop(self._column + width, self._end)) if self._column + width < self._end else []
            self._put([*old.crop(0, self._column), Segment(text, style), *rest])
        elif isinstance(line, str) and self._pen == PLAIN and len(line) < 65_536:
            self._put(line + text, len(text))
        else:
            pieces = line if isinstance(line, list) else [Segment(line)] if line else []
            pieces.append(Segment(text, style))
            self._put(pieces, len(text))
        self._column += width
        self._end = max(self._end, self._column)
        self._last = text[-1]

    def _erase(self, what: str, mode: int) -> None:
        line = Strip(_row(self._lines[-1 - self._up]))
        if mode == 0:
            self._put(list(line.crop(0, min(self._column, self._end))))
        elif mode == 1:
            blank = Segment(" " * min(self._column + 1, self._end))
            self._put([blank, *line.crop(min(self._column + 1, self._end), self._end)])
        elif what == "K":
            self._put("")
        else:
            self.needs_screen = self.needs_screen or mode == 2
            return
        if what == "J" and mode == 0:
            for index in range(-self._up, 0):
                self._size -= len(_text(self._lines[index]))
                self._lines[index] = ""
        self._end = _length(self._lines[-1 - self._up])

    def _edit(self, what: str, count: int) -> None:
        """Delete (P), blank (X) or insert (@) characters at the cursor, as shells do while one types."""
        line = Strip(_row(self._lines[-1 - self._up]))
        at = min(self._column, self._end)
        skipped = 0 if what == "@" else min(count, self._end - at)
        blank = [] if what == "P" else [Segment(" " * (count if what == "@" else skipped))]
        self._put([*line.crop(0, at), *blank, *line.crop(at + skipped, self._end)])
        self._end = _length(self._lines[-1 - self._up])

    def _put(self, line: str | Row, grown: int | None = None) -> None:
        """Replace the line of the cursor, which has `grown` characters more than before."""
        index = len(self._lines) - 1 - self._up
        self._size += len(_text(line)) - len(_text(self._lines[index])) if grown is None else grown
        self._lines[index] = line
        self._changed = min(self._changed, self.dropped + index)

    def _drop_oldest(self) -> None:
        excess = len(self._lines) - self._max_lines
        if self._size > self._max_size:
            size, excess = self._size, max(0, excess)
            for line in self._lines[:-1]:
                if size <= self._max_size:
                    break
                size -= len(_text(line)) + 1
                excess += 1
        if excess > 0:
            excess = min(excess, len(self._lines) - 1)
            gone = [line if type(line) is str else _text(line) for line in self._lines[:excess]]
            self._size -= sum(map(len, gone)) + excess
            del self._lines[:excess]
            self.dropped += excess
            self._up = min(self._up, len(self._lines) - 1)
        if self._size > 2 * self._max_size:
            self._shorten_line()

    def _shorten_line(self) -> None:
        """Keep the end of a line without end."""
        text = _text(self._lines[0])[-self._max_size :]
        self._lines[0] = text
        self._size = len(text)
        self._column = self._end = cell_len(text)
        self._changed = min(self._changed, self.dropped)


def text_of(output: bytes, most_lines: int = 10_000) -> str:
    """Return the newest lines that a program has printed, as they stood there in the end."""
    log = TerminalLog(max_lines=most_lines)
    log.feed(output)
    return log.text().rstrip()


def _split_last(data: bytes, lines: int) -> tuple[int, bytes]:
    """Return how many lines are before the last `lines` newlines, and what follows."""
    total = data.count(b"\n")
    tail = data.rsplit(b"\n", lines)[1:]
    return total - lines, b"\n".join(tail)


def _text(line: str | Row) -> str:
    return line if isinstance(line, str) else "".join(segment.text for segment in line)


def _length(line: str | Row) -> int:
    return cell_len(_text(line))


def _row(line: str | Row) -> Row:
    if isinstance(line, str):
        return [Segment(safe(line))] if line else []
    return [Segment(safe(text), style) for text, style, _ in line if text]
