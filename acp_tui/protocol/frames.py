"""The JSON in a stream of bytes, one value a line as a rule, and whatever else agents write beside it.

What is read all the same: several objects on a line, text and control sequences around an object, an object
over several lines, and objects behind `Content-Length` headers. A good message is never taken for a part of
something else: a line that is one ends whatever seemed to be open before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import accumulate
from math import isfinite
from typing import Any, Final, NamedTuple


def finite(text: str) -> float | None:
    """Read a number; one that is too large for us is none, for we could not write it again."""
    value = float(text)
    return value if isfinite(value) else None


# NaN and the infinities are no JSON; agents written in JavaScript or Python send them all the same.
_STRICT = json.JSONDecoder(parse_float=finite, parse_constant=lambda _: None)
LENIENT = json.JSONDecoder(strict=False, parse_float=finite, parse_constant=lambda _: None)
"""Takes control characters in a text as data."""


def read(line: bytes) -> Any:
    """Return what a line says. Bytes that are no UTF-8 become marks, control characters in texts are data.

    Raises:
        ValueError: it is no JSON, or nested too deeply.
    """
    try:
        try:
            return _STRICT.decode(line.decode())
        except ValueError:
            return LENIENT.decode(line.decode("utf-8", "replace"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def plain(value: Any) -> bytes:
    """Return a value as a line of ASCII, without its end: halves of characters stay what they are."""
    return json.dumps(value, separators=(",", ":")).encode()


ENDS: Final = 64 << 10
"""Bytes that are kept of the beginning and of the end of a line that is too large."""

MEMORY: Final = 128 << 20
"""Bytes that the values of one line may take, about, before they are made."""

DEPTH: Final = 400
"""Objects and lists within each other, at most."""

_SMALL: Final = 4 << 10
"""Bytes of a line that can hold neither too many nor too deep values to matter."""
_OBJECT, _LIST, _VALUE = 230, 64, 40  # bytes that Python takes for one, at least

_BOM: Final = b"\xef\xbb\xbf"
_HEADER: Final = re.compile(rb"(?i)content-length[ \t]*:[ \t]*([0-9]{1,12})[ \t\r]*")
_OTHER_HEADER: Final = re.compile(rb"[A-Za-z][A-Za-z-]*[ \t]*:[^{}]*")
_WINDOW: Final = 128 << 10
"""Bytes of a long line that are looked at in one go."""
_REST_OF_TEXT: Final = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*"', re.S)
_TEXTS: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.S)
_NO_BRACKETS: Final = bytes(set(range(256)) - set(b"{}[]"))
_STEPS: Final = {ord("{"): 1, ord("["): 1, ord("}"): -1, ord("]"): -1}
_NAMES: Final = frozenset({"jsonrpc", "id", "method", "params", "result", "error"})
_BEGINNING: Final = re.compile(r'\{\s*"')
_CONTINUED: Final = re.compile(rb'["{}\[\],:0-9tfn-]')
"""The beginning of a line within a value."""
_OPENING: Final = re.compile(r'(?:\{\s*(?:"|\Z)|\[\s*(?:\{|\Z))')
_SEQUENCES: Final = re.compile(
    r"\x1b\][^\x07\x1b{]*(?:\x07|\x1b\\)"
    r"|\x1b[PX^_][^\x1b{]*\x1b\\"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[ -/]*[0-~]"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff]"
)
"""What a terminal would obey, and marks of the byte order."""


class DecodedLine(NamedTuple):
    """One value, and the line of JSON that says it."""

    value: Any
    line: bytes


class Stray(NamedTuple):
    """Bytes that are no message."""

    line: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class Oversized:
    """A line whose values are not made."""

    head: bytes
    """Its beginning."""
    tail: bytes
    """Its end, where that lies behind the head."""
    size: int
    """Bytes."""
    reason: str


Piece = DecodedLine | Stray | Oversized


class LineDecoder:
    """Cuts bytes, in whatever pieces they come, into values."""

    def __init__(self, line_limit: int) -> None:
        self._limit = line_limit
        self._small = min(_SMALL, line_limit)
        self._parts: list[bytes] = []
        """Pieces of the line that has no end yet."""
        self._size = 0
        self._tail: bytes | None = None
        """The newest bytes of a line that is too long; None while it is not."""
        self._open = bytearray()
        """Lines of a value that goes on in the next one."""
        self._depth = 0
        self._announced: int | None = None
        """The length that a header has named, until the blank line behind the headers."""
        self._due = 0
        """Bytes to the end of the body that headers have announced."""
        self._is_exact = True
        decoder = json.JSONDecoder(parse_float=finite, parse_constant=self._no_number)
        self._decode = decoder.decode

    def feed(self, data: bytes) -> Iterator[Piece | None]:
        """Yield what is complete with these bytes, in order; None after a part of the work on a long line."""
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
                if self._due:  # a body begins here
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
        """Yield what there is at the end of the stream: a last line without its newline is still tried."""
        if self._parts or self._tail is not None:
            yield from self._end_line(b"")
        yield from self._give_up()

    def pause(self) -> Iterator[Piece | None]:
        """Yield what is complete when nothing has come for a while: some agents forget the end of a line."""
        if self._parts and self._tail is None and self._parts[-1].rstrip().endswith(b"}"):
            yield from self._end_body()

    @property
    def is_within(self) -> bool:
        """Whether a line has begun and has no end yet."""
        return bool(self._parts)

    @property
    def unfinished(self) -> bytes:
        """What has come of a value or a line that goes on, as far as it is worth to be shown."""
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
            yield Oversized(self._parts[0], self._tail, self._size, f"{self._size:,} bytes")
            self._parts, self._size, self._tail = [], 0, None
            return
        line = b"".join(self._parts) if self._parts else last
        self._parts, self._size = [], 0
        line = line.removeprefix(_BOM).strip()  # a mark may follow the banner of a launcher
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
        """End the line here if a value ends here; else it may go on, and the length was wrong."""
        whole = bytes(self._open) + b"".join(self._parts).removeprefix(_BOM)
        if not (yield from excess(whole)):
            text = whole.decode("utf-8", "replace").rstrip()
            try:
                LENIENT.decode(text)
            except (ValueError, RecursionError):
                if len(text) not in (end for _, _, end in _objects(text)):
                    return
        yield from self._end_line(b"")

    def _line(self, line: bytes) -> Iterator[Piece | None]:
        """Yield what a line holds that is not blank."""
        if self._open:
            yield from self._continued(line)
            return
        if too_much := (yield from excess(line)):
            yield Oversized(line[:ENDS], line[ENDS:][-ENDS:], len(line), too_much)
            return
        self._is_exact = True
        try:
            value = self._decode(line.decode())
        except (ValueError, RecursionError):
            pass
        else:
            if type(value) is dict or type(value) is list:
                yield DecodedLine(value, line if self._is_exact else plain(value))
            else:
                yield Stray(line, "not a message")
            self._is_exact = True
            return
        try:
            value = LENIENT.decode(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            yield from self._odd_line(line, may_go_on=True)
        else:
            is_object = isinstance(value, dict | list)
            yield DecodedLine(value, plain(value)) if is_object else Stray(line, "not JSON")
        finally:
            self._is_exact = True

    def _odd_line(self, line: bytes, *, may_go_on: bool) -> Iterator[Piece | None]:
        """Yield the objects of a line that is no JSON as a whole, and what stands around them."""
        text = line.decode("utf-8", "replace")
        found = list(_objects(text))
        if not found and (bare := _SEQUENCES.sub("", text)) != text:
            found = list(_objects(bare))
            if found or (may_go_on and _OPENING.match(bare)):
                yield Stray("".join(_SEQUENCES.findall(text)).encode(), BESIDE)
                text = bare
        at = 0
        for value, start, end in found:
            if beside := text[at:start].strip():
                yield Stray(beside.encode(), BESIDE)
            yield DecodedLine(value, plain(value))
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
            yield Stray(rest[:-1].strip().encode(), "not JSON")
            self._opened(b"{")
        else:
            yield Stray(behind if found else line, BESIDE if found else "not JSON")

    # ------------------------------------------------------------------ values over several lines

    def _opened(self, line: bytes) -> bool:
        """Take the first line of a value that goes on in the next; return whether it may be one."""
        depth = _depth(line)
        if depth is None or not 0 < depth <= DEPTH:
            return False
        self._open += line + b"\n"
        self._depth = depth
        return True

    def _continued(self, line: bytes) -> Iterator[Piece | None]:
        """Take a further line, unless it shows that the value has no end."""
        if self._is_ended_by(line):
            yield from self._give_up()
            yield from self._line(line)
            return
        if b"\x1b" in line:
            line = _SEQUENCES.sub("", line.decode("utf-8", "replace")).encode().strip()
        if not _CONTINUED.match(line):  # somebody logs meanwhile
            yield Stray(line, "not JSON")
            return
        depth = _depth(line)
        self._open += line + b"\n"
        self._depth += depth or 0
        if len(self._open) > self._limit:
            whole = bytes(self._open)
            self._open.clear()
            yield Oversized(whole[:ENDS], whole[-ENDS:], len(whole), f"{len(whole):,} bytes")
        elif depth is None or not 0 <= self._depth <= DEPTH:
            yield from self._give_up()
        elif self._depth == 0:
            yield from self._closed()

    def _is_ended_by(self, line: bytes) -> bool:
        """Whether a line is a message of its own, or begins one, which cannot be within what is open."""
        if not line.startswith(b"{") and b'"jsonrpc"' not in line:
            return False
        goes_on = self._open.rstrip().endswith((b"[", b",", b":"))
        if line.startswith(b"{") and not goes_on:
            return True
        return any("jsonrpc" in value for value, _, _ in _objects(line.decode("utf-8", "replace")))

    def _closed(self) -> Iterator[Piece | None]:
        whole = bytes(self._open)
        if too_much := (yield from excess(whole)):
            self._open.clear()
            yield Oversized(whole[:ENDS], whole[-ENDS:], len(whole), too_much)
            return
        try:
            value = LENIENT.decode(whole.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            yield from self._give_up()
            return
        self._open.clear()
        yield DecodedLine(value, plain(value))

    def _give_up(self) -> Iterator[Piece | None]:
        """Yield what seemed to be a value over several lines: the messages in it, and the rest as it is."""
        whole = bytes(self._open).rstrip()
        self._open.clear()
        if whole:
            yield from self._odd_line(whole, may_go_on=False)


BESIDE: Final = "beside a message"
"""Why a piece is no message that stood on the line of one."""


def is_message(value: Any) -> bool:
    """Whether an object is of JSON-RPC, and not one of a log that only has a name in common with it."""
    return "jsonrpc" in value or (
        value.keys() <= _NAMES and bool(value.keys() & {"method", "result", "error", "id"})
    )


def excess(line: bytes) -> Generator[None, None, str]:
    """Return of what a line has too much to be read, nothing if it can be; yields after parts of the work."""
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
        bare = _TEXTS.sub(b"", window)
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


def _depth(line: bytes) -> int | None:
    """Return by how many brackets a line opens more than it closes; None if a text in it has no end."""
    bare = _TEXTS.sub(b"", line)
    if b'"' in bare:
        return None
    return bare.count(b"{") + bare.count(b"[") - bare.count(b"}") - bare.count(b"]")


def _objects(text: str) -> Iterator[tuple[dict[str, Any], int, int]]:
    """Yield the messages in a text, each with its place. Not more work is done than for a few readings."""
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
            # In a title of the terminal or a line of a log, only what says that it is one is a message.
            stands_alone = not _SEQUENCES.sub("", text[at:start]).strip()
            at = end
            if "jsonrpc" in value or (stands_alone and is_message(value)):
                yield value, start, end
