"""On which line of a TOML text a key stands, since the standard reader does not say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

Place = Sequence[str | int]
"""The way to a value: keys, and positions (from 0) in arrays of tables: `("rules", 0, "path")`."""

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")


def line_of(text: str, place: Place) -> int | None:
    """Return the line (from 1) that sets `place`, or else the nearest table or key around it."""
    lines = _places(text)
    for length in range(len(place), 0, -1):
        if line := lines.get(tuple(place[:length])):
            return line
    return None


def _places(text: str) -> dict[tuple[str | int, ...], int]:
    """Return every place the text sets, with its line; keys inside inline tables are not listed."""
    lines: dict[tuple[str | int, ...], int] = {}
    table: tuple[str | int, ...] = ()
    met: Counter[tuple[str | int, ...]] = Counter()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _parts(header[2])
            if header[1] == "[[":
                met[table] += 1
                table = (*table, met[table] - 1)
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            lines.setdefault((*table, *_parts(key[1])), number)
    return lines


def _parts(dotted: str) -> tuple[str | int, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))
