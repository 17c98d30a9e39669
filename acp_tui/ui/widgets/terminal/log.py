"""Terminal output as a bounded log of lines, with colours and progress bars."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple, TypeGuard

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from typing_extensions import override

from acp_tui.lazy_regex import regex
from acp_tui.ui.widgets.text import Row, cells, safe


class Pen(NamedTuple):
    """The attributes of a terminal's text; a colour is a number, (red, green, blue), or None for default."""

    foreground: int | tuple[int, int, int] | None = None
    background: int | tuple[int, int, int] | None = None
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False
    reverse: bool = False
    strike: bool = False
    link: str = ""
    """Address of a link, or ""."""


PLAIN: Final = Pen()
_ADDRESS: Final = regex(r"(?:https?://|file://|mailto:)[!-~]{1,2000}")

_ON: Final = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 9: "strike", 21: "underline"}
_OFF: Final = {23: "italic", 24: "underline", 27: "reverse", 29: "strike"}


@lru_cache(maxsize=2_000)
def pen_after(pen: Pen, parameters: str) -> Pen:
    """Return the pen after an SGR sequence; unknown parameters change nothing."""
    fields = parameters.split(";")
    while fields:
        field = fields.pop(0)
        code = _number(field.partition(":")[0])
        if code in (38, 48):
            parts = field.split(":")[1:]
            color = _color([part for part in parts if part]) if parts else _color(fields, take=True)
            pen = Pen(color, *pen[1:]) if code == 38 else Pen(pen[0], color, *pen[2:])
        else:
            pen = _after_one(pen, 24 if field == "4:0" else code)
    return pen


@lru_cache(maxsize=2_000)
def sequence_of(pen: Pen) -> str:
    """Return the SGR sequence that sets a pen after any other; its link is not in it."""
    on = ["0", *(str(code) for code, name in _ON.items() if code < 10 and getattr(pen, name))]
    for code, color in (("38", pen.foreground), ("48", pen.background)):
        if isinstance(color, int):
            on.append(f"{code};5;{color}")
        elif color is not None:
            on.append(f"{code};2;{color[0]};{color[1]};{color[2]}")
    return f"\x1b[{';'.join(on)}m"


@lru_cache(maxsize=2_000)
def style_of(pen: Pen) -> Style:
    """Return the style of a pen."""
    if pen == PLAIN:
        return Style.null()
    return Style(
        color=_rich_color(pen.foreground),
        bgcolor=_rich_color(pen.background),
        bold=pen.bold or None,
        dim=pen.dim or None,
        italic=pen.italic or None,
        underline=pen.underline or None,
        reverse=pen.reverse or None,
        strike=pen.strike or None,
        link=pen.link or None,
    )


def linked(pen: Pen, command: str) -> Pen:
    """Return the pen after an operating system command: `8;PARAMETERS;ADDRESS` begins or ends a link.

    Only addresses of the web, of mail and of files are taken, and only in plain characters: they are written
    to the user's own terminal.
    """
    number, _, rest = command.partition(";")
    if number != "8":
        return pen
    address = rest.partition(";")[2]
    return pen._replace(link=address if _ADDRESS.fullmatch(address) else "")


def _with(pen: Pen, name: str, value: bool) -> Pen:
    return Pen(**{**pen._asdict(), name: value})


def _after_one(pen: Pen, code: int) -> Pen:
    if code == 0:
        return Pen(link=pen.link)
    if code in _ON:
        return _with(pen, _ON[code], True)
    if code in _OFF:
        return _with(pen, _OFF[code], False)
    if code == 22:
        return pen._replace(bold=False, dim=False)
    if 30 <= code <= 37 or 90 <= code <= 97:
        return pen._replace(foreground=code - 30 if code < 90 else code - 82)
    if 40 <= code <= 47 or 100 <= code <= 107:
        return pen._replace(background=code - 40 if code < 100 else code - 92)
    if code == 39:
        return pen._replace(foreground=None)
    if code == 49:
        return pen._replace(background=None)
    return pen


def _color(fields: list[str], take: bool = False) -> int | tuple[int, int, int] | None:
    """Read `5;n` or `2;r;g;b`; with `take` the fields that were read are removed."""
    kind = _number(fields[0]) if fields else 0
    length = {5: 2, 2: 4}.get(kind, 1)
    numbers = [min(255, _number(field)) for field in fields[1:length]]
    if take:
        del fields[:length]
    if kind == 5 and len(numbers) == 1:
        return numbers[0]
    if kind == 2 and len(numbers) == 3:
        return (numbers[0], numbers[1], numbers[2])
    return None


def _number(field: str) -> int:
    return int(field) if field.isascii() and field.isdigit() and len(field) < 6 else 0


def _rich_color(color: int | tuple[int, int, int] | None) -> Color | None:
    if color is None:
        return None
    return Color.from_ansi(color) if isinstance(color, int) else Color.from_rgb(*color)


_COLOUR: Final = regex(r"\x1b(\[[0-9;:]*m|\[0?K|\(B)")
"""A sequence that moves nothing when the cursor is at the end of its line: SGR, erase to the right, ASCII."""
_RESETS: Final = ("[m", "[0m")


@lru_cache(maxsize=4_000)
def _after_colour(pen: Pen, sequence: str) -> Pen:
    after = pen_after(pen, sequence[1:-1]) if sequence[-1] == "m" else pen
    return PLAIN if after == PLAIN else after


def _after_printed(pen: Pen, line: str) -> Pen | None:
    """Return the pen after a line without other controls; None if it has more escapes than colours."""
    if "\x1b" not in line:
        return pen
    colours = _COLOUR.findall(line)
    if len(colours) != line.count("\x1b"):
        return None
    first = len(colours)
    while first and colours[first - 1] not in _RESETS:
        first -= 1
    if first:
        pen = PLAIN
    for colour in colours[first:]:
        pen = _after_colour(pen, colour)
    return pen


def _visible(line: str) -> str:
    """Return the text of a printed line."""
    text = _COLOUR.sub("", line) if "\x1b" in line else line
    return _expanded([text])[0][0] if "\t" in text else text


def _segments(line: str, pen: Pen = PLAIN) -> Row:
    """Return a printed line in its colours."""
    parts = _COLOUR.split(line)
    texts = _expanded(parts[::2])[0] if "\t" in line else parts[::2]
    row = []
    for text, colour in zip(texts, [*parts[1::2], ""], strict=True):
        if text:
            row.append(Segment(text, style_of(pen)))
        if colour:
            pen = _after_colour(pen, colour)
    return row


def _expanded(texts: Sequence[str]) -> tuple[list[str], int]:
    """Return the texts of one line with spaces for its tabs, and the column after them."""
    found = []
    end = column = 0
    for text in texts:
        spaced = ""
        for number, piece in enumerate(text.split("\t")):
            if number:
                column += _TAB - column % _TAB
            if piece:
                spaced += " " * (column - end) + piece
                end = column = column + cells(piece)
        found.append(spaced)
    return found, column


_TOKEN: Final = regex(
    r"(?:\x1b\[|\x9b)(?P<parameters>[0-?]*)[ -/]*(?P<final>[@-~])"  # control sequence
    r"|(?P<string>\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])"  # start of a string such as a title
    r"|\x1b(?:[ -/]*[0-OQ-WYZ\\`-~]|\[[0-?]*[ -/]*)"  # other and broken sequences
    r"|(?P<control>[\x00-\x1f\x7f-\x9f])"
)
_CUT_SEQUENCE: Final = regex(r"(?:\x1b\[[0-?]*[ -/]*|\x9b[0-?]*[ -/]*|\x1b[ -/]*)\Z")
_OSC_END: Final = regex(r"\x07|\x9c|\x1b\\|[\x18\x1a]|(?=[\x1b\n])")
_STRING_END: Final = regex(r"\x9c|\x1b\\|[\x18\x1a]|(?=\x1b)")
_NO_CONTROLS: Final = b"\t\n" + bytes(code for code in range(32, 256) if code != 0x7F)
_ODD_CONTROL: Final = regex(r"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]")
_LONGEST_PRINTED: Final = 65_536
"""Characters of a line up to which pieces are added to its text."""
_ADDRESSING: Final = frozenset("HfdrLMST")
_SCREEN_MODES: Final = frozenset({"?47", "?1047", "?1049"})
_LONGEST_SEQUENCE: Final = 256
_LONGEST_STRING: Final = 1_000_000
"""Characters after which an unterminated string (a cut image, for example) is given up."""
_LONGEST_COMMAND: Final = 4_096
"""Characters of a string that are read, for the links in it."""
_TAB: Final = 8


class TerminalLog:
    """A log of the newest lines of a terminal, fed with bytes cut anywhere.

    It knows lines, not a screen: carriage return, backspace, tabs, erasing, colours and going a few lines up
    are followed; `needs_screen` tells that more was asked for.
    """

    def __init__(self, max_lines: int = 10_000, max_bytes: int = 4 << 20) -> None:
        self.needs_screen = False
        """True once the program has addressed the cursor freely or switched to the alternate screen."""
        self.dropped = 0
        """Lines that were dropped at the front so far."""
        self._max_lines = max_lines
        self._max_size = max_bytes
        self._lines: list[str | Row] = [""]
        """Printed lines, whose colours are read when they are drawn, and lines that were changed since."""
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
        """Cells of the cursor's line; -1 while the cursor is at its end and they are not needed."""
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
        self._measure()
        return len(self._lines) - 1 - self._up, self._column

    def feed(self, data: bytes) -> None:
        """Take the next bytes, cut anywhere."""
        data = self._held + data
        self._held = b"\r" if data.endswith(b"\r") else b""  # a newline may follow
        data = data[: len(data) - len(self._held)].replace(b"\r\n", b"\n")
        feed = self._feed_plain if self._is_plain(data) else self._feed_text
        feed(self._rest + self._decoder.decode(data))
        self._drop_oldest()

    def rows(self, first: int = 0, last: int | None = None) -> list[Row]:
        """Return lines `first` to `last` (exclusive) in the styles that the program chose."""
        return [_row(line) for line in self._lines[first:last]]

    def line_text(self, index: int) -> str:
        """Return one line as text."""
        return _text(self._lines[index])

    def texts(self, first: int) -> list[str]:
        """Return all lines from `first` on as text."""
        lines = self._lines[first:]
        printed = "\n".join([line if type(line) is str else _text(line) for line in lines])
        if "\t" in printed:
            return [_text(line) for line in lines]
        return (_COLOUR.sub("", printed) if "\x1b" in printed else printed).split("\n") if lines else []

    def text(self) -> str:
        """Return all lines that are kept, as text to copy."""
        return "\n".join(self.texts(0))

    def take_changed(self) -> int:
        """Return the first line, counted with the dropped ones, that changed since this was last called."""
        changed = max(self._changed, self.dropped)
        self._changed = self.dropped + len(self._lines) - 1
        return changed

    def _is_plain(self, data: bytes) -> bool:
        """Return True for bytes without any control but newlines and tabs, for the end of the log."""
        if self._rest or self._pen != PLAIN or not self._is_at_end or self._decoder.getstate()[0]:
            return False
        return not data.translate(None, _NO_CONTROLS) and b"\xc2" not in data

    @property
    def _is_at_end(self) -> bool:
        """True if the next text is added to the last line."""
        return self._column == self._end and not self._up and self._string is None and not self._pen.link

    def _feed_plain(self, text: str) -> None:
        """Take text without any control but newlines and tabs, at the speed of splitting it."""
        if text.count("\n") > self._max_lines:
            skipped, text = _split_last(text, self._max_lines)
            self.dropped += len(self._lines) + skipped
            self._lines, self._size = [""], 0
        first, *others = text.split("\n")
        self._feed_line(first, has_odd=False)
        if others:
            self._lines.extend(others)
            self._size += len(text) - len(first)
            self._column = self._end = -1

    def _feed_text(self, text: str) -> None:
        cut = _CUT_SEQUENCE.search(text, max(0, len(text) - _LONGEST_SEQUENCE))
        self._rest = cut.group() if cut else ""
        if cut:
            text = text[: cut.start()]
        has_odd = _ODD_CONTROL.search(text) is not None
        first, *others = text.split("\n")
        self._feed_line(first, has_odd)
        at = 0
        while at < len(others):
            at = self._add_lines(others, at, has_odd)
            if at < len(others):
                if self._string is None:
                    self._new_line()
                else:
                    self._read("\n")
                self._feed_line(others[at], has_odd)
                at += 1

    def _feed_line(self, line: str, has_odd: bool) -> None:
        """Take text without newlines; with `has_odd` there may be controls in it that are no escapes."""
        can_add = self._is_at_end and ("\t" not in line or _is_short(self._lines[-1]))
        is_odd = has_odd and _ODD_CONTROL.search(line) is not None
        pen = _after_printed(self._pen, line) if can_add and not is_odd else None
        if pen is None:
            self._read(line)
        elif line:
            self._append(line, pen)

    def _add_lines(self, lines: list[str], at: int, has_odd: bool) -> int:
        """Add lines from `at` on that were printed from left to right; return the number of the next."""
        if self._string is not None or self._up or self._pen.link:
            return at
        start, pen = at, self._pen
        for line in islice(lines, start, None):
            after = None if has_odd and _ODD_CONTROL.search(line) else _after_printed(pen, line)
            if after is None:
                break
            self._lines.append(line if pen is PLAIN else sequence_of(pen) + line)
            pen = after
            at += 1
        if at > start:
            self._pen = pen
            self._size += sum(map(len, self._lines[start - at :])) + at - start
            self._column = self._end = -1
        return at

    def _append(self, line: str, pen: Pen) -> None:
        """Add a printed line to the last one; its colours end with this pen."""
        old = self._lines[-1]
        if _is_short(old):
            if self._pen != PLAIN or "\x1b" in old:
                line = sequence_of(self._pen) + line
            self._put(old + line, len(line))
        else:
            row, added = old if isinstance(old, list) else _segments(old), _segments(line, self._pen)
            row.extend(added)
            self._put(row, _weight(added) if row is old else None)
        self._pen = pen
        self._column = self._end = -1

    def _measure(self) -> None:
        """Count the cells of the cursor's line, if that was postponed."""
        if self._column >= 0:
            return
        line = self._lines[-1]
        if isinstance(line, str):
            (text,), self._column = _expanded([_COLOUR.sub("", line)])
            if "\t" in line:  # the next text begins after the tab
                self._put(_segments(line))
        else:
            text = _text(line)
            self._column = cells(text)
        self._end = cells(text)
        self._last = text[-1:] or self._last

    def _read(self, text: str) -> None:
        """Take text with any controls, one after the other."""
        self._measure()
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
        """Obey a control character and return the position behind it."""
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
        """Return the end of a string that began before `at`; it may continue in the next bytes."""
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
        width = cells(text)
        style = style_of(self._pen)
        line = self._lines[-1 - self._up]
        if self._column > self._end:
            text = " " * (self._column - self._end) + text
            self._column, width = self._end, width + self._column - self._end
        if self._column < self._end:
            old = Strip(_row(line))
            rest = list(old.crop(self._column + width, self._end)) if self._column + width < self._end else []
            self._put([*old.crop(0, self._column), Segment(text, style), *rest])
        elif self._pen == PLAIN and _is_short(line) and "\x1b" not in line and "\t" not in line:
            self._put(line + text, len(text))
        else:
            pieces = line if isinstance(line, list) else _row(line)
            pieces.append(Segment(text, style))
            self._put(pieces, len(text) if pieces is line else None)
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
                self._size -= _weight(self._lines[index])
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
        self._size += _weight(line) - _weight(self._lines[index]) if grown is None else grown
        self._lines[index] = line
        self._changed = min(self._changed, self.dropped + index)

    def _drop_oldest(self) -> None:
        excess = len(self._lines) - self._max_lines
        if self._size > self._max_size:
            size, excess = self._size, max(0, excess)
            for line in self._lines[:-1]:
                if size <= self._max_size:
                    break
                size -= _weight(line) + 1
                excess += 1
        if excess > 0:
            excess = min(excess, len(self._lines) - 1)
            self._size -= sum(map(_weight, self._lines[:excess])) + excess
            del self._lines[:excess]
            self.dropped += excess
            self._up = min(self._up, len(self._lines) - 1)
        if self._size > 2 * self._max_size:
            self._shorten_line()

    def _shorten_line(self) -> None:
        """Keep only the end of an endless line."""
        text = _text(self._lines[0])[-self._max_size :]
        self._lines[0] = text
        self._size = len(text)
        self._column = self._end = cells(text)
        self._changed = min(self._changed, self.dropped)


def text_of(output: bytes, most_lines: int = 10_000) -> str:
    """Return the newest lines that a program has printed, in their final state."""
    log = TerminalLog(max_lines=most_lines)
    log.feed(output)
    return log.text().rstrip()


def _split_last(text: str, lines: int) -> tuple[int, str]:
    """Return how many lines are before the last `lines` newlines, and what follows."""
    total = text.count("\n")
    return total - lines, "\n".join(text.rsplit("\n", lines)[1:])


def _is_short(line: str | Row) -> TypeGuard[str]:
    """Return True for the text of a line to which more is added at little cost."""
    return isinstance(line, str) and len(line) < _LONGEST_PRINTED


def _text(line: str | Row) -> str:
    return _visible(line) if isinstance(line, str) else "".join(segment.text for segment in line)


def _weight(line: str | Row) -> int:
    """Return the size of a line: its text, with colours that were not read yet."""
    return len(line) if isinstance(line, str) else sum(len(segment.text) for segment in line)


def _length(line: str | Row) -> int:
    return cells(_text(line))


def _row(line: str | Row) -> Row:
    if isinstance(line, list):
        return [Segment(safe(text), style) for text, style, _ in line if text]
    if "\x1b" in line or "\t" in line:
        return [Segment(safe(text), style) for text, style, _ in _segments(line)]
    return [Segment(safe(line))] if line else []


_SWITCH: Final = regex(rb"\x1b\[\?(?:\d+;)*(?:47|1047|1049)(?:;\d+)*([hl])")
_CUT: Final = regex(rb"\x1b(?:\[(?:\?[\d;]{0,40})?)?\Z")


_SGR: Final = regex(rb"\x1b\[[0-9;:]*m")
_STATE: Final = 4 << 10
"""Bytes before the newest ones that are searched for colours still in effect."""


def newest(data: bytes, size: int) -> bytes:
    """Return the last whole lines of an output, of `size` bytes at most, with what was set before them.

    Output that nobody will see need not be read. Colours of earlier lines, and a switch to another screen,
    still apply.
    """
    if len(data) <= size:
        return data
    at = data.find(b"\n", len(data) - size) + 1 or len(data) - size
    switches = [found.group() for found in _SWITCH.finditer(data, 0, at)]
    return b"".join((*switches[-1:], *_SGR.findall(data, max(0, at - _STATE), at), data[at:]))


class MainScreenLog(TerminalLog):
    """A log of only the main screen: an editor or a pager prints no readable lines."""

    def __init__(self, max_lines: int = 10_000, max_bytes: int = 4 << 20) -> None:
        super().__init__(max_lines, max_bytes)
        self.is_aside = False
        """True while a program draws on the alternate screen."""
        self._begun = b""

    @override
    def feed(self, data: bytes) -> None:
        data = self._begun + data
        cut = _CUT.search(data, max(0, len(data) - 48))
        self._begun = cut.group() if cut else b""
        data = data[: len(data) - len(self._begun)]
        at = 0
        for switch in _SWITCH.finditer(data):
            if not self.is_aside:
                super().feed(data[at : switch.start()])
            self.is_aside, at = switch[1] == b"h", switch.end()
        if not self.is_aside:
            super().feed(data[at:] if at else data)
