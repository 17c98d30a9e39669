"""A JSON value as lines with colours: bounded, however large the value is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from rich.segment import Segment

from acp_tui.ui.widgets.blocks import Block
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import safe
from acp_tui.ui.widgets.wrap import Row, wrap

LINES: Final = 1_000
"""Lines that are shown of one value."""
STRING: Final = 2_000
"""Characters that are shown of one string."""
CHARACTERS: Final = 100_000
"""Characters that are shown of one value."""
_DEEPEST: Final = 60
_INDENT: Final = 2

Piece = tuple[str, str]
"""A role and a text, which need not be safe."""


class JsonLine(NamedTuple):
    """One line of a value."""

    level: int
    pieces: list[Piece]


class JsonBlock(Block):
    """Shows a JSON value; long strings and long values are cut, and say so."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self._lines: list[JsonLine] | None = None
        self._laid_out: tuple[int, Look, list[Row]] | None = None

    def rows(self, width: int, look: Look) -> Sequence[Row]:
        """Return the lines, wrapped under their indentation."""
        if self._laid_out and self._laid_out[0] == width and self._laid_out[1] is look:
            self.kept = len(self._laid_out[2])
            return self._laid_out[2]
        rows: list[Row] = []
        for level, pieces in self._all_lines():
            indent = [Segment(" " * min(level * _INDENT, width // 2))]
            spans = [(safe(text), look[role]) for role, text in pieces]
            rows.extend(wrap(spans, width, indent, indent, words=False))
        self._laid_out = (width, look, rows)
        self.kept = 0
        return rows

    def height_hint(self, width: int) -> int:
        """Return the number of lines."""
        return len(self._all_lines())

    def source(self) -> str:
        """Return the whole value as JSON."""
        return json.dumps(self._value, ensure_ascii=False, indent=_INDENT)

    def forget_rows(self) -> None:
        """Drop the rows."""
        self._laid_out = None

    def _all_lines(self) -> list[JsonLine]:
        if self._lines is None:
            self._lines = list(json_lines(self._value))
        return self._lines


def json_lines(value: Any) -> Iterator[JsonLine]:
    """Return a value as lines, at most `LINES` and `CHARACTERS` of them, and then how it was cut."""
    characters = 0
    lines = _lines(value, 0, [], "")
    for line in islice(lines, LINES):
        yield line
        characters += sum([len(text) for _, text in line.pieces])
        if characters > CHARACTERS:
            break
    if next(lines, None) is not None:
        yield JsonLine(0, [("notice", "… the rest is not shown")])


def _lines(value: Any, level: int, lead: list[Piece], end: str) -> Iterator[JsonLine]:
    """Return the lines of a value behind `lead` and before `end`."""
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


def _items(value: dict[Any, Any] | list[Any] | tuple[Any, ...]) -> Iterator[tuple[list[Piece], Any]]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield [("syntax-type", _quoted(str(name)[:STRING])), ("muted", ": ")], item
    else:
        for item in value:
            yield [], item


def _scalar(value: Any) -> list[Piece]:
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
