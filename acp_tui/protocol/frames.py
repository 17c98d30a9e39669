"""JSON values cut from a byte stream, normally one on each line.

It tolerates several objects on a line, text and control sequences around an object, an object over several
lines, and objects after `Content-Length` headers. A valid message is never taken for a part of another
value: a line that is a message ends any value still open before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import accumulate
from math import isfinite
from typing import Any, Final, NamedTuple

from acp_tui.lazy_regex import regex


def finite(text: str) -> float | None:
    """Return a number, or None for one too large for a float."""
    value = float(text)
    return value if isfinite(value) else None


_LONGEST_NUMBER: Final = 40


def whole(text: str) -> int | float | None:
    """Return a whole number; one of more than 40 digits as a float, or None if it is too large for that."""
    return int(text) if len(text) <= _LONGEST_NUMBER else finite(text)


# NaN and the infinities are not JSON, but agents written in Python send them.
_STRICT = json.JSONDecoder(parse_int=whole, parse_float=finite, parse_constant=lambda _: None)
LENIENT = json.JSONDecoder(strict=False, parse_int=whole, parse_float=finite, parse_constant=lambda _: None)
"""A decoder that accepts control characters in strings."""


def read(line: bytes) -> Any:
    """Return the value of a line.

    Bytes that are not UTF-8 become U+FFFD; control characters in strings are data.

    Raises:
        ValueError: the line is not JSON, or nested too deeply.
    """
    try:
        try:
            return _STRICT.decode(line.decode())
        except ValueError:
            return LENIENT.decode(line.decode("utf-8", "replace"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def ascii_line(value: Any) -> bytes:
    """Return a value as one line of ASCII without a newline.

    Lone surrogates stay as they are.
    """
    return json.dumps(value, separators=(",", ":")).encode()


ENDS: Final = 64 << 10
"""Bytes kept from the beginning and the end of an oversized line."""

MEMORY: Final = 128 << 20
"""Upper limit, in bytes, of the estimated size of a line's decoded values."""

DEPTH: Final = 400
"""Maximum nesting of objects and lists."""

_SMALL: Final = 4 << 10
"""Lines up to this size, in bytes, are decoded without an estimate."""
_OBJECT, _LIST, _VALUE = 230, 64, 40  # minimum bytes of each in CPython

_BOM: Final = b"\xef\xbb\xbf"
_HEADER: Final = regex(rb"(?i)content-length[ \t]*:[ \t]*([0-9]{1,12})[ \t\r]*")
_OTHER_HEADER: Final = regex(rb"[A-Za-z][A-Za-z-]*[ \t]*:[^{}]*")
_WINDOW: Final = 128 << 10
"""Bytes of a long line examined at a time."""
_REST_OF_TEXT: Final = regex(rb'[^"\\]*(?:\\.[^"\\]*)*"', re.S)
_TEXTS: Final = regex(rb'"[^"]*"')
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"{}[]"))
_STEPS: Final = {ord("{"): 1, ord("["): 1, ord("}"): -1, ord("]"): -1}
_NAMES: Final = frozenset({"jsonrpc", "id", "method", "params", "result", "error"})
_BEGINNING: Final = regex(r'\{\s*"')
_CONTINUED: Final = regex(rb'["{}\[\],:0-9tfn-]')
"""Start of a line inside a value."""
_OPENING: Final = regex(r'(?:\{\s*(?:"|\Z)|\[\s*(?:\{|\Z))')
_SEQUENCES: Final = regex(
    r"\x1b\][^\x07\x1b{]*(?:\x07|\x1b\\)"
    r"|\x1b[PX^_][^\x1b{]*\x1b\\"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[ -/]*[0-~]"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff]"
)
"""Terminal control sequences and byte order marks."""


class DecodedLine(NamedTuple):
    """A value and the line of JSON it came from."""

    value: Any
    line: bytes


class StrayLine(NamedTuple):
    """A line, or a part of one, that is no message; it is kept for the log."""

    line: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class Oversized:
    """A line too large to decode."""

    head: bytes
    """First bytes."""
    tail: bytes
    """Last bytes not in `head`."""
    reason: str


Piece = DecodedLine | StrayLine | Oversized


class LineDecoder:
    """An incremental decoder from bytes to JSON values."""

    def __init__(self, line_limit: int) -> None:
        self._limit = line_limit
        self._small = min(_SMALL, line_limit)

        # The unfinished line, or both ends of an oversized one.
        self._parts: list[bytes] = []
        """Pieces of the unfinished line."""
        self._size = 0
        self._tail: bytes | None = None
        """Last bytes of an oversized line, or None."""

        # A value over several lines, with the number of its open brackets.
        self._open = bytearray()
        """Lines of a value that continues on the next line."""
        self._depth = 0

        # Content-Length framing: headers, a blank line, then a body of known length.
        self._announced: int | None = None
        """Content length from a header, until the blank line after the headers."""
        self._due = 0
        """Bytes left in the body announced by headers."""

        # The fast path. `_is_exact` becomes false on NaN or infinity, which must not be passed on in the
        # original line.
        self._is_exact = True
        decoder = json.JSONDecoder(parse_int=whole, parse_float=finite, parse_constant=self._no_number)
        self._decode = decoder.decode

    def feed(self, data: bytes) -> Iterator[Piece | None]:
        """Yield the pieces completed by `data`, in order.

        Yields None between slices of work on a long line.
        """
        # Nearly all input is small objects on lines of their own: they are decoded here, and everything else
        # goes through `_end_line`. A body announced by headers is cut off by its length, newlines included.
        while data:
            due, self._due = self._due, 0
            piece, behind = (data[:due], data[due:]) if due else (data, b"")
            lines = piece.split(b"\n")
            rest = lines.pop()
            for number, line in enumerate(lines):
                if len(line) <= self._small and self._is_clear:
                    try:
                        value = self._decode(line.decode())
                    except (ValueError, RecursionError):
                        value = None
                    if type(value) is dict and self._is_exact:
                        yield DecodedLine(value, line)
                        continue
                yield from self._end_line(line)
                if self._due:  # here a body begins
                    rest = b"\n".join((*lines[number + 1 :], rest))
                    break
            if self._due:
                data = rest + behind
                continue
            if rest:
                self._keep(rest)
            if due == len(piece):
                yield from self._end_body()
            else:
                self._due = max(0, due - len(piece))
            data = behind

    def end(self) -> Iterator[Piece | None]:
        """Yield the pieces left at the end of the stream.

        A last line without a newline is decoded, too.
        """
        if self._parts or self._tail is not None:
            yield from self._end_line(b"")
        yield from self._give_up()

    def pause(self) -> Iterator[Piece | None]:
        """Yield a complete value that lacks its newline.

        To be called when the stream has been silent for a while: some agents forget the newline.
        """
        if self._parts and self._tail is None and self._parts[-1].rstrip().endswith(b"}"):
            yield from self._end_body()

    @property
    def is_within(self) -> bool:
        """True while a line is unfinished."""
        return bool(self._parts)

    @property
    def unfinished(self) -> bytes:
        """First bytes of the unfinished value or line, for display."""
        return bytes(self._open[-ENDS:]) + b"".join(self._parts[:1])[:ENDS]

    @property
    def _is_clear(self) -> bool:
        return not (self._parts or self._open or self._tail is not None or self._announced is not None)

    def _no_number(self, _: str) -> None:
        self._is_exact = False

    # ------------------------------------------------------------------ lines

    def _keep(self, part: bytes) -> None:
        if self._tail is not None:
            self._size += len(part)
            self._tail = (self._tail + part)[-ENDS:]
            return
        self._parts.append(part)
        self._size += len(part)
        if self._size > self._limit:
            whole = b"".join(self._parts)
            self._parts, self._tail = [whole[:ENDS]], whole[ENDS:][-ENDS:]

    def _end_line(self, last: bytes) -> Iterator[Piece | None]:
        if last and (self._parts or len(last) > self._limit):
            self._keep(last)
            last = b""
        if self._tail is not None:
            yield from self._give_up()
            yield Oversized(self._parts[0], self._tail, f"{self._size:,} bytes")
            self._parts, self._size, self._tail = [], 0, None
            return
        line = b"".join(self._parts) if self._parts else last
        self._parts, self._size = [], 0
        line = line.removeprefix(_BOM).strip()  # a byte order mark may follow the banner of a launcher
        if self._announced is not None:
            announced, self._announced = self._announced, None
            if not line:
                self._due = min(announced, self._limit)
                return
            if _OTHER_HEADER.fullmatch(line):
                self._announced = announced
                return
        if header := _HEADER.fullmatch(line):
            yield from self._give_up()
            self._announced = int(header[1])
        elif line:
            yield from self._line(line)

    def _end_body(self) -> Iterator[Piece | None]:
        """End the line here if a complete value ends here.

        If not, the announced length was wrong and the line continues.
        """
        whole = bytes(self._open) + b"".join(self._parts).removeprefix(_BOM)
        if not (yield from oversize_reason(whole)):
            text = whole.decode("utf-8", "replace").rstrip()
            try:
                LENIENT.decode(text)
            except (ValueError, RecursionError):
                if len(text) not in (end for _, _, end in _objects(text)):
                    return
        yield from self._end_line(b"")

    def _line(self, line: bytes) -> Iterator[Piece | None]:
        """Yield the contents of a line that is not blank."""
        if self._open:
            yield from self._continued(line)
            return
        if too_much := (yield from oversize_reason(line)):
            yield Oversized(line[:ENDS], line[ENDS:][-ENDS:], too_much)
            return
        self._is_exact = True
        try:
            value = self._decode(line.decode())
        except (ValueError, RecursionError):
            pass
        else:
            if type(value) is dict or type(value) is list:
                yield DecodedLine(value, line if self._is_exact else ascii_line(value))
            else:
                yield StrayLine(line, "not a message")
            self._is_exact = True
            return
        try:
            value = LENIENT.decode(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            yield from self._odd_line(line, may_go_on=True)
        else:
            is_object = isinstance(value, dict | list)
            yield DecodedLine(value, ascii_line(value)) if is_object else StrayLine(line, "not JSON")
        finally:
            self._is_exact = True

    def _odd_line(self, line: bytes, *, may_go_on: bool) -> Iterator[Piece | None]:
        """Yield the objects in a line of mixed content, and the text around them."""
        text = line.decode("utf-8", "replace")
        found = list(_objects(text))
        if not found and (bare := _SEQUENCES.sub("", text)) != text:
            found = list(_objects(bare))
            if found or (may_go_on and _OPENING.match(bare)):
                yield StrayLine("".join(_SEQUENCES.findall(text)).encode(), BESIDE)
                text = bare
        at = 0
        for value, start, end in found:
            if beside := text[at:start].strip():
                yield StrayLine(beside.encode(), BESIDE)
            yield DecodedLine(value, ascii_line(value))
            at = end
        rest = text[at:].strip()
        if not rest:
            return
        behind = rest.encode()
        if header := _HEADER.fullmatch(behind):
            self._announced = int(header[1])
        elif may_go_on and _OPENING.match(rest) and self._opened(behind):
            return
        elif may_go_on and rest.endswith((" {", "\t{", "\r{")):
            yield StrayLine(rest[:-1].strip().encode(), "not JSON")
            self._opened(b"{")
        else:
            yield StrayLine(behind if found else line, BESIDE if found else "not JSON")

    # ------------------------------------------------------------------ values over several lines

    def _opened(self, line: bytes) -> bool:
        """Start a value over several lines; return False if the line cannot begin one."""
        depth = _depth(line)
        if depth is None or not 0 < depth <= DEPTH:
            return False
        self._open += line + b"\n"
        self._depth = depth
        return True

    def _continued(self, line: bytes) -> Iterator[Piece | None]:
        """Add a line to the open value, or abandon that value."""
        if self._is_ended_by(line):
            yield from self._give_up()
            yield from self._line(line)
            return
        if b"\x1b" in line:
            line = _SEQUENCES.sub("", line.decode("utf-8", "replace")).encode().strip()
        if not _CONTINUED.match(line):  # a log line in between
            yield StrayLine(line, "not JSON")
            return
        depth = _depth(line)
        self._open += line + b"\n"
        self._depth += depth or 0
        if len(self._open) > self._limit:
            whole = bytes(self._open)
            self._open.clear()
            yield Oversized(whole[:ENDS], whole[-ENDS:], f"{len(whole):,} bytes")
        elif depth is None or not 0 <= self._depth <= DEPTH:
            yield from self._give_up()
        elif self._depth == 0:
            yield from self._closed()

    def _is_ended_by(self, line: bytes) -> bool:
        """Return whether a line is, or begins, a message that cannot be part of the open value."""
        if not line.startswith(b"{") and b'"jsonrpc"' not in line:
            return False
        expects_value = self._open.rstrip().endswith((b"[", b",", b":"))
        if line.startswith(b"{") and not expects_value:
            return True
        return any("jsonrpc" in value for value, _, _ in _objects(line.decode("utf-8", "replace")))

    def _closed(self) -> Iterator[Piece | None]:
        whole = bytes(self._open)
        if too_much := (yield from oversize_reason(whole)):
            self._open.clear()
            yield Oversized(whole[:ENDS], whole[-ENDS:], too_much)
            return
        try:
            value = LENIENT.decode(whole.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            yield from self._give_up()
            return
        self._open.clear()
        yield DecodedLine(value, ascii_line(value))

    def _give_up(self) -> Iterator[Piece | None]:
        """Yield the messages inside an abandoned value, and the rest as strays."""
        whole = bytes(self._open).rstrip()
        self._open.clear()
        if whole:
            yield from self._odd_line(whole, may_go_on=False)


BESIDE: Final = "beside a message"
"""Reason for bytes on the same line as a message."""


def is_message(value: Any) -> bool:
    """Return whether an object is a JSON-RPC message and not, for example, a similar log record."""
    return "jsonrpc" in value or (
        value.keys() <= _NAMES and bool(value.keys() & {"method", "result", "error", "id"})
    )


def oversize_reason(line: bytes) -> Generator[None, None, str]:
    """Estimate the decoded size of a line; return the reason for refusing it, or "".

    Yields between slices of work.
    """
    openings = line.count(b"{") + line.count(b"[")
    if openings < DEPTH and line.count(b",") * _VALUE < MEMORY:
        return ""
    memory = depth = at = 0
    in_text = False
    while at < len(line):
        window = line[at : at + _WINDOW]
        at += len(window)
        if (len(window) - len(window.rstrip(b"\\"))) % 2 and at < len(line):
            window, at = window[:-1], at - 1  # an escape is not cut
        if in_text:
            end = _REST_OF_TEXT.match(window)
            if end is None:
                yield None
                continue
            window, in_text = window[end.end() :], False
        bare = _without_texts(window)
        if b'"' in bare:
            bare, in_text = bare[: bare.index(b'"')], True
        memory += bare.count(b"{") * _OBJECT + bare.count(b"[") * _LIST + bare.count(b",") * _VALUE
        if memory > MEMORY:
            return f"more than {MEMORY >> 20} MB of values"
        if brackets := bare.translate(None, _NO_BRACKETS):
            levels = list(accumulate(map(_STEPS.__getitem__, brackets), initial=depth))
            depth = levels[-1]
            if (deepest := max(levels)) > DEPTH:
                return f"{deepest:,} and more lists and objects within each other"
        yield None
    return ""


def _without_texts(line: bytes) -> bytes:
    """Return JSON without its strings, in linear time; an unterminated one leaves its quote."""
    return _TEXTS.sub(b"", line.replace(b"\\\\", b"").replace(b'\\"', b""))


def _depth(line: bytes) -> int | None:
    """Return the net count of opened brackets, or None for an unterminated string."""
    bare = _without_texts(line)
    if b'"' in bare:
        return None
    return bare.count(b"{") + bare.count(b"[") - bare.count(b"}") - bare.count(b"]")


def _objects(text: str) -> Iterator[tuple[dict[str, Any], int, int]]:
    """Yield each message in a text with its start and end.

    The work is bounded by a few passes over the text.
    """
    at, work = 0, 4 * len(text) + 65_536
    while work > 0 and (found := _BEGINNING.search(text, at)):
        start = found.start()
        try:
            value, end = LENIENT.raw_decode(text, start)
        except json.JSONDecodeError as error:
            at = start + 1
            work -= error.pos - start
        except (ValueError, RecursionError):
            at = start + 1
            work -= len(text)
        else:
            # Inside a terminal title or a log line, only an object with "jsonrpc" is a message.
            stands_alone = not _SEQUENCES.sub("", text[at:start]).strip()
            at = end
            if "jsonrpc" in value or (stands_alone and is_message(value)):
                yield value, start, end
