"""Framing of malformed, mixed and split input."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from acp_tui.protocol import frames
from acp_tui.protocol.frames import DecodedLine, LineDecoder, Oversized, Piece, StrayLine, read
from tests.tables import each

A: dict[str, Any] = {"jsonrpc": "2.0", "method": "a", "params": {"text": 'x{y}[z] "\\ é'}}
B: dict[str, Any] = {"jsonrpc": "2.0", "id": 7, "method": "b"}
LINE_A = json.dumps(A, ensure_ascii=False).encode()
LINE_B = json.dumps(B).encode()
PRETTY_A = json.dumps(A, indent=2).encode()


def headed(body: bytes) -> bytes:
    """Return a body with its Content-Length header."""
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def pieces(data: bytes, size: int, limit: int = 1 << 20) -> Iterable[Piece]:
    cutter = LineDecoder(limit)
    for start in range(0, len(data), size):
        yield from filter(None, cutter.feed(data[start : start + size]))
    yield from filter(None, cutter.end())


ODD: dict[str, tuple[bytes, list[Any]]] = {
    "a title of the terminal before it": (b"\x1b]0;busy {\x07" + LINE_A + b"\n", [A]),
    "a title that ends otherwise": (b"\x1b]0;busy\x1b\\" + LINE_A + b"\n", [A]),
    "colours around it": (b"\x1b[32m" + LINE_A + b"\x1b[0m\n", [A]),
    "a word before it": (b"loading... " + LINE_A + b"\n", [A]),
    "a word after it": (LINE_A + b" done\n", [A]),
    "words between two": (b"one " + LINE_A + b" two " + LINE_B + b" three\n", [A, B]),
    "a mark of the byte order": (b"\xef\xbb\xbf" + LINE_A + b"\n\xef\xbb\xbf" + LINE_B + b"\n", [A, B]),
    "a mark behind a word": (b"ready\xef\xbb\xbf" + LINE_A + b"\n", [A]),
    "a progress that returns": (b"10%\r20%\r" + LINE_A + b"\r\n", [A]),
    "carriage returns for line ends": (LINE_A + b"\r" + LINE_B + b"\r", [A, B]),
    "two on a line": (LINE_A + LINE_B + b"\n", [A, B]),
    "two on a line with a blank": (LINE_A + b" \t" + LINE_B + b"\n", [A, B]),
    "one over several lines": (PRETTY_A + b"\n" + LINE_B + b"\n", [A, B]),
    "two over several lines": (PRETTY_A + b"\n" + PRETTY_A + b"\n", [A, A]),
    "one and the beginning of the next": (LINE_B + PRETTY_A + b"\n", [B, A]),
    "objects in a list over several lines": (
        b'{"jsonrpc": "2.0", "method": "c", "params": [\n {"id": 1, "method": "x"},\n {"a": {}}\n]}\n',
        [{"jsonrpc": "2.0", "method": "c", "params": [{"id": 1, "method": "x"}, {"a": {}}]}],
    ),
    "a batch with a message a line": (
        b"[\n" + LINE_A + b",\n" + LINE_B + b"\n]\n" + LINE_A + b"\n",
        [A, B, A],
    ),
    "headers": (headed(LINE_A) + headed(LINE_B) + headed(PRETTY_A), [A, B, A]),
    "two headers": (
        b"Content-Length: %d\r\nContent-Type: application/x\r\n\r\n" % len(LINE_A) + LINE_A + headed(LINE_B),
        [A, B],
    ),
    "headers with another case and line end": (b"content-length:%d\n\n" % len(LINE_A) + LINE_A, [A]),
    "a line and then headers": (LINE_A + headed(LINE_B), [A, B]),
    "a length that is too short": (b"Content-Length: 9\r\n\r\n" + LINE_A + b"\n" + LINE_B + b"\n", [A, B]),
    "a length that is too long": (b"Content-Length: 9999\r\n\r\n" + LINE_A + b"\n" + LINE_B + b"\n", [A, B]),
    "a header that is only said": (b"Content-Length: 9999\nhello\n" + LINE_A + b"\n", [A]),
    "a brace that stays open": (b"{\n" + LINE_A + b"\n" + LINE_B + b"\n", [A, B]),
    "a list that stays open": (b'{"a": [\n' + LINE_A + b"\n" + LINE_B + b"\n", [A, B]),
    "an object that stays open": (b'{"a": {\n  "b": 1,\n' + LINE_A + b"\n", [A]),
    "a brace, and an object over several lines": (b"{\n" + PRETTY_A + b"\n" + LINE_B + b"\n", [A, B]),
    "an object of JavaScript": (b"{\n  name: 'x'\n}\n" + LINE_A + b"\n", [A]),
    "a text without an end": (b'{"a": "b\n' + LINE_A + b"\n", [A]),
    "colours over several lines": (
        b'{\n \x1b[32m"jsonrpc"\x1b[0m: "2.0",\n "x": 1\n}\n',
        [{"jsonrpc": "2.0", "x": 1}],
    ),
    "words before one over several lines": (b"Response: " + PRETTY_A + b"\n" + LINE_B + b"\n", [A, B]),
    "a log line within one over several lines": (
        PRETTY_A.replace(b",\n", b",\nINFO still here\n", 1) + b"\n" + LINE_B + b"\n",
        [A, B],
    ),
    "two over several lines with no line end between": (
        PRETTY_A + PRETTY_A + b"\n" + LINE_B + b"\n",
        [A, A, B],
    ),
    "a length in letters and not in bytes": (
        b"Content-Length: %d\r\n\r\n" % len(LINE_A.decode()) + LINE_A + headed(LINE_B),
        [A, B],
    ),
    "events of a server": (b"event: message\ndata: " + LINE_A + b"\n\ndata: " + LINE_B + b"\n\n", [A, B]),
    "a message in a title": (b'\x1b]0;{"method":"x","id":1}\x07' + LINE_A + b"\n", [A]),
    "another first member": (b'x {"_meta":{},"jsonrpc":"2.0"} y\n', [{"_meta": {}, "jsonrpc": "2.0"}]),
    "a message that breaks off": (LINE_A[:40] + LINE_A + b"\n" + LINE_B + b"\n", [A, B]),
    "a log line": (b'{"level":"info","id":0}\n' + LINE_A + b"\n", [{"level": "info", "id": 0}, A]),
    "a log line before it": (b'INFO {"level":"info","method":"x"} ' + LINE_A + b"\n", [A]),
    "colours within it": (
        b'\x1b[1m{\x1b[0m"jsonrpc":\x1b[32m"2.0"\x1b[0m,"method":"a"}\n',
        [{"jsonrpc": "2.0", "method": "a"}],
    ),
    "control characters in a text": (
        b'{"jsonrpc":"2.0","method":"\x1b[31mred\x07"}\n',
        [{"jsonrpc": "2.0", "method": "\x1b[31mred\x07"}],
    ),
    "bytes that are no text": (
        b'{"jsonrpc":"2.0","method":"\xff"}\n',
        [{"jsonrpc": "2.0", "method": "\ufffd"}],
    ),
    "what is no number": (b'{"jsonrpc":"2.0","x":NaN}\n', [{"jsonrpc": "2.0", "x": None}]),
}


@each("size", [1 << 20, 1, 7, 30])
@each(("data", "expected"), ODD.values())
def test_a_message_is_found_in_whatever_stands_around_it(data: bytes, expected: list[Any], size: int) -> None:
    found = [piece for piece in pieces(data, size) if not isinstance(piece, StrayLine)]

    assert [piece.value for piece in found if isinstance(piece, DecodedLine)] == expected
    assert [read(piece.line) for piece in found if isinstance(piece, DecodedLine)] == expected
    assert not any(b"\n" in piece.line for piece in found if isinstance(piece, DecodedLine))


@pytest.mark.parametrize(
    ("data", "strays"),
    [
        (b"\x1b]0;t\x07" + LINE_A + b"\x1b[0m\n", [b"\x1b]0;t\x07", b"\x1b[0m"]),
        (b"one " + LINE_A + b" two\n", [b"one", b"two"]),
        (b"{\n name: 'x'\n}\n" + LINE_A + b"\n", [b"{\nname: 'x'\n}"]),
        (b"{\n" + LINE_A + b"\n", [b"{"]),
        (b"Welcome!\n" + LINE_A + b"\n", [b"Welcome!"]),
        (b"\xff\xfe\n" + LINE_A + b"\n", [b"\xff\xfe"]),
        (LINE_A + b"\n" + LINE_B + b"\r\n\r\n", []),
    ],
)
def test_the_cut_is_reported(data: bytes, strays: list[bytes]) -> None:
    assert [piece.line for piece in pieces(data, 1 << 20) if isinstance(piece, StrayLine)] == strays


def test_a_message_without_a_line_end_is_taken_after_a_pause_and_one_that_goes_on_is_not() -> None:
    cutter = LineDecoder(1 << 20)

    assert list(cutter.feed(LINE_A[:30])) == []
    assert list(cutter.pause()) == []
    assert list(cutter.feed(LINE_A[30:])) == []
    (piece,) = cutter.pause()

    assert isinstance(piece, DecodedLine)
    assert piece.value == A
    assert [one.value for one in cutter.feed(LINE_B + b"\n") if isinstance(one, DecodedLine)] == [B]


def test_lines_that_open_for_ever_are_given_up_and_the_next_message_is_read() -> None:
    data = b"[\n" * 2000 + LINE_A + b"\n"

    assert [piece.value for piece in pieces(data, 4096) if isinstance(piece, DecodedLine)] == [A]


@pytest.mark.parametrize(
    "beginning", [b"{", b"[", b'{"id":', b'{"id":{', b'{"jsonrpc":"2.0",', b"}", b'"', b"\x1b]"]
)
def test_a_long_line_of_beginnings_costs_no_more_than_a_few_readings(beginning: bytes) -> None:
    data = b"x" + beginning * (400_000 // len(beginning)) + b"\n" + LINE_A + b"\n"

    assert [piece.value for piece in pieces(data, 1 << 18) if isinstance(piece, DecodedLine)] == [A]


def test_too_many_values_or_levels_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MEMORY", 1 << 20)
    bombs = (
        b'{"id":1,"x":[' + b"[]," * 20_000 + b"[]]}",
        b'{"id":1,"x":[' + b"0," * 40_000 + b"0]}",
        b'{"id":1,"x":' + b'{"a":' * 5_000 + b"0" + b"}" * 5_001,
        b'{"id":1,"x":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
    )
    for bomb in bombs:
        first, second = pieces(bomb + b"\n" + LINE_A + b"\n", 1 << 18)
        assert isinstance(first, Oversized)
        assert (first.head[:8], first.tail[-1:]) == (
            b'{"id":1,',
            b"}" if first.tail else b"",
        )
        assert isinstance(second, DecodedLine)


@pytest.mark.slow
def test_commas_and_brackets_in_a_text_are_no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MEMORY", 1 << 20)
    line = json.dumps({"jsonrpc": "2.0", "method": 'a,[{"\\' * 50_000}).encode()

    (piece,) = pieces(line + b"\n", 1 << 18)

    assert isinstance(piece, DecodedLine)
