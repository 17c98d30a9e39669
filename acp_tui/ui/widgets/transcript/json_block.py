"""The block for a JSON value, and a reader of cut JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from rich.segment import Segment
from typing_extensions import override

from acp_tui.lazy_regex import regex
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Row, safe, wrap
from acp_tui.ui.widgets.transcript.blocks import Block

JSON_LINES: Final = 1_000
"""Lines shown of a value."""
STRING: Final = 2_000
"""Characters shown of a string."""
CHARACTERS: Final = 100_000
"""Characters shown of a value."""
_DEEPEST: Final = 60
_INDENT: Final = 2

JsonPiece = tuple[str, str]
"""A role and a text that may be unsafe."""


class JsonLine(NamedTuple):
    """A line of a JSON value."""

    level: int
    pieces: list[JsonPiece]


class JsonBlock(Block):
    """A JSON value; long strings and values are cut, with a remark."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self._lines: list[JsonLine] | None = None
        self._laid_out: tuple[int, Styles, list[Row]] | None = None

    @override
    def rows(self, width: int, styles: Styles) -> Sequence[Row]:
        if self._laid_out and self._laid_out[0] == width and self._laid_out[1] is styles:
            self.stable_rows = len(self._laid_out[2])
            return self._laid_out[2]
        rows: list[Row] = []
        for level, pieces in self._all_lines():
            indent = [Segment(" " * min(level * _INDENT, width // 2))]
            spans = [(safe(text), styles[role]) for role, text in pieces]
            rows.extend(wrap(spans, width, indent, indent, words=False))
        self._laid_out = (width, styles, rows)
        self.stable_rows = 0
        return rows

    @override
    def height_hint(self, width: int) -> int:
        return len(self._all_lines())

    @override
    def source(self) -> str:
        return json.dumps(self._value, ensure_ascii=False, indent=_INDENT)

    @override
    def forget_rows(self) -> None:
        self._laid_out = None

    def _all_lines(self) -> list[JsonLine]:
        if self._lines is None:
            self._lines = list(json_lines(self._value))
        return self._lines


def json_lines(value: Any) -> Iterator[JsonLine]:
    """Yield a value as lines, up to `JSON_LINES` and `CHARACTERS`, then a remark if it was cut."""
    characters = 0
    lines = _lines(value, 0, [], "")
    for line in islice(lines, JSON_LINES):
        yield line
        characters += sum([len(text) for _, text in line.pieces])
        if characters > CHARACTERS:
            break
    if next(lines, None) is not None:
        yield JsonLine(0, [("notice", "… the rest is not shown")])


def _lines(value: Any, level: int, lead: list[JsonPiece], end: str) -> Iterator[JsonLine]:
    """Yield the lines of a value between `lead` and `end`."""
    if isinstance(value, dict | list | tuple) and value:
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        if level >= _DEEPEST:
            yield JsonLine(level, [*lead, ("muted", f"{opening}…{closing}{end}")])
            return
        yield JsonLine(level, [*lead, ("muted", opening)])
        last = len(value) - 1
        for number, (key, item) in enumerate(_items(value)):
            yield from _lines(item, level + 1, key, "," if number < last else "")
        yield JsonLine(level, [("muted", closing + end)])
    else:
        yield JsonLine(level, [*lead, *_scalar(value), ("muted", end)])


def _items(value: dict[Any, Any] | list[Any] | tuple[Any, ...]) -> Iterator[tuple[list[JsonPiece], Any]]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield [("syntax-type", _quoted(str(name)[:STRING])), ("muted", ": ")], item
    else:
        for item in value:
            yield [], item


def _scalar(value: Any) -> list[JsonPiece]:
    if isinstance(value, str):
        if len(value) <= STRING:
            return [("syntax-string", _quoted(value))]
        more = len(value) - STRING
        return [("syntax-string", _quoted(value[:STRING])), ("notice", f" … {more:,} more characters")]
    if value is None or isinstance(value, bool):
        return [("syntax-keyword", json.dumps(value))]
    if isinstance(value, int | float):
        return [("syntax-number", json.dumps(value))]
    return [("muted", json.dumps(value, default=str))]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


CUT: Final = "…"
"""Mark of the place where the text was cut."""

_DECODER: Final = json.JSONDecoder(strict=False)
_SPACE: Final = regex(r"[\s,]*")
_COLON: Final = regex(r"\s*:\s*")
_CUT_DEEPEST: Final = 12
"""Levels down to which a cut value is read; each reads the text once more."""


def beginning(text: str) -> Any:
    """Return a JSON value, or the part of it in a text that was cut; never raises.

    A string that was cut ends with `CUT`; text that is not JSON becomes `CUT`.
    """
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return _value(text, _skip(text, 0), _CUT_DEEPEST)[0]


def _value(text: str, at: int, deeper: int) -> tuple[Any, int | None]:
    """Return the value at `at` and its end, None if the text was cut inside it."""
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        pass
    opening = text[at : at + 1]
    if opening == '"':
        return _string(text[at + 1 :]) + CUT, None
    if opening == "{" and deeper:
        return _object(text, at + 1, deeper - 1)
    if opening == "[" and deeper:
        return _list(text, at + 1, deeper - 1)
    return CUT, None


def _object(text: str, at: int, deeper: int) -> tuple[dict[str, Any], int | None]:
    found: dict[str, Any] = {}
    while True:
        at = _skip(text, at)
        if text[at : at + 1] == "}":
            return found, at + 1
        try:
            name, at = _DECODER.raw_decode(text, at)
        except ValueError:
            return found, None
        colon = _COLON.match(text, at)
        if colon is None or colon.end() == len(text):
            return found, None
        found[str(name)], end = _value(text, colon.end(), deeper)
        if end is None:
            return found, None
        at = end


def _list(text: str, at: int, deeper: int) -> tuple[list[Any], int | None]:
    found: list[Any] = []
    while True:
        at = _skip(text, at)
        if text[at : at + 1] == "]":
            return found, at + 1
        if at == len(text):
            return found, None
        value, end = _value(text, at, deeper)
        found.append(value)
        if end is None:
            return found, None
        at = end


def _string(text: str) -> str:
    """Decode a string without its end; the last escape may be cut."""
    for cut in range(6):
        try:
            return str(json.loads(f'"{text[: len(text) - cut]}"', strict=False))
        except ValueError:
            continue
    return text


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
