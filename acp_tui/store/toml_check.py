"""Validation of a user's TOML table, with messages in the user's terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from acp_tui.lazy_regex import regex

Place = Sequence[str | int]
"""Path to a value: keys, and indices (from 0) of arrays of tables: `("rules", 0, "path")`."""


class Problem(NamedTuple):
    """A mistake in a file of the user, for display."""

    path: Path
    line: int | None
    """Line from 1, or None for the whole file."""
    message: str
    about: str = ""
    """Name of the MCP server left out because of it."""

    def __str__(self) -> str:
        """Return the problem in a compiler's format: `path:line: message`."""
        place = str(self.path) if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.message}"


_HEADER = regex(r"\s*(\[\[?)([^\[\]]+)\]\]?\s*(?:#.*)?$")
_KEY = regex(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = regex(r"""[\w-]+|"[^"]*"|'[^']*'""")


def line_of(text: str, place: Place) -> int | None:
    """Return the line (from 1) of a value, or of the nearest table or key around it."""
    lines = _places(text)
    for length in range(len(place), 0, -1):
        if line := lines.get(tuple(place[:length])):
            return line
    return None


@lru_cache(maxsize=4)
def _places(text: str) -> dict[tuple[str | int, ...], int]:
    """Return the line of every place, except keys inside inline tables; each rule of a file needs it."""
    lines: dict[tuple[str | int, ...], int] = {}
    table: tuple[str | int, ...] = ()
    met: Counter[tuple[str | int, ...]] = Counter()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _parts(header[2].strip())
            if header[1] == "[[":
                met[table] += 1
                table = (*table, met[table] - 1)
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            lines.setdefault((*table, *_parts(key[1])), number)
    return lines


def _parts(dotted: str) -> tuple[str | int, ...]:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))


class ShapeError(ValueError):
    """An invalid value; the message says what was expected."""


@dataclass
class Findings:
    """The mistakes found so far, with their places."""

    items: list[tuple[Place, str]] = field(default_factory=list)

    def add(self, place: Place, message: str) -> None:
        """Add a mistake."""
        self.items.append((place, message))


Kind = Callable[[Any, Place, Findings], Any]
"""Reads a value; raises `ShapeError` if it is unusable, or adds findings and returns the rest."""


def read_table(value: Any, kinds: Mapping[str, Kind], place: Place, findings: Findings) -> dict[str, Any]:
    """Return the usable values of a table by name; mistakes are added to the findings."""
    if not isinstance(value, dict):
        raise ShapeError("a table")
    usable: dict[str, Any] = {}
    for name, raw in value.items():
        here = (*place, name)
        if name not in kinds:
            findings.add(here, f"unknown setting '{name}'{nearest(name, kinds)}")
            continue
        try:
            usable[name] = kinds[name](raw, here, findings)
        except ShapeError as wrong:
            findings.add(here, f"'{name}' must be {wrong}, not {_shown(raw)}")
    return usable


def nearest(name: str, names: Iterable[str]) -> str:
    """Return `; did you mean …?` for the closest known name, or ""."""
    import difflib  # needed only for mistakes

    close = difflib.get_close_matches(name, list(names), n=1, cutoff=0.6)
    return f"; did you mean '{close[0]}'?" if close else ""


def text(value: Any, place: Place, findings: Findings) -> str:
    """Read a string."""
    if not isinstance(value, str):
        raise ShapeError("a string")
    return value


def switch(value: Any, place: Place, findings: Findings) -> bool:
    """Read a boolean."""
    if not isinstance(value, bool):
        raise ShapeError("true or false")
    return value


def texts(value: Any, place: Place, findings: Findings) -> tuple[str, ...]:
    """Read a list of strings."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ShapeError("a list of strings")
    return tuple(value)


def words(value: Any, place: Place, findings: Findings) -> tuple[str, ...]:
    """Read a command line: a non-empty list of strings."""
    if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
        raise ShapeError('a list of strings such as ["program", "--option"]')
    return tuple(value)


def choice_by_name(value: Any, place: Place, findings: Findings) -> Mapping[str, str | bool]:
    """Read a table of strings and booleans."""
    if not isinstance(value, dict) or not all(isinstance(item, str | bool) for item in value.values()):
        raise ShapeError("a table of strings and true or false")
    return dict(value)


def text_by_name(value: Any, place: Place, findings: Findings) -> Mapping[str, str]:
    """Read a table of strings."""
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise ShapeError("a table of strings")
    return dict(value)


def whole(least: int, most: int) -> Kind:
    """Return the kind of integers from `least` to `most`."""

    def read(value: Any, place: Place, findings: Findings) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise ShapeError(f"a whole number from {least} to {most}")
        return value

    return read


def number(least: float, most: float) -> Kind:
    """Return the kind of numbers from `least` to `most`."""

    def read(value: Any, place: Place, findings: Findings) -> float:
        if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value <= most:
            raise ShapeError(f"a number from {least:g} to {most:g}")
        return float(value)

    return read


_SIZE: Final = regex(r"(\d+(?:\.\d+)?)\s*([KMGT]?)I?B?")
_UNITS: Final = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_DAYS: Final = regex(r"(\d{1,6})\s*D(?:AYS?)?")


def byte_count(value: Any, place: Place, findings: Findings) -> int:
    """Read a size such as "2 GB", or 0."""
    found = _SIZE.fullmatch(value.strip().upper()) if isinstance(value, str) else None
    if value == 0 and not isinstance(value, bool):
        return 0
    if found is None:
        raise ShapeError('a size such as "2 GB"')
    return int(float(found[1]) * 1024 ** _UNITS[found[2]])


def days(value: Any, place: Place, findings: Findings) -> float:
    """Read a number of days such as "90d", or 0."""
    found = _DAYS.fullmatch(value.strip().upper()) if isinstance(value, str) else None
    if value == 0 and not isinstance(value, bool):
        return 0.0
    if found is None:
        raise ShapeError('a number of days such as "90d"')
    return float(found[1])


def one_of(*choices: str) -> Kind:
    """Return the kind of strings among `choices`."""

    def read(value: Any, place: Place, findings: Findings) -> str:
        if value not in choices:
            raise ShapeError(_either(choices))
        return str(value)

    return read


def some_of(*choices: str) -> Kind:
    """Return the kind of lists of `choices`."""

    def read(value: Any, place: Place, findings: Findings) -> tuple[str, ...]:
        if not isinstance(value, list) or any(item not in choices for item in value):
            raise ShapeError(f"a list of {_either(choices)}")
        return tuple(value)

    return read


def record(
    make: Callable[..., Any],
    kinds: Mapping[str, Kind],
    required: tuple[str, ...] = (),
    *,
    all_or_nothing: bool = False,
) -> Kind:
    """Return the kind of tables converted by `make(**values)`.

    With `all_or_nothing` one mistake rejects the whole table, for tables that would mean more without the
    unreadable part.
    """

    def read(value: Any, place: Place, findings: Findings) -> Any:
        found_before = len(findings.items)
        usable = read_table(value, kinds, place, findings)
        if all_or_nothing and len(findings.items) > found_before:
            raise ShapeError("a valid table")
        missing = [name for name in required if name not in usable]
        if missing:
            raise ShapeError(f"a table with a valid {_either(missing)}")
        return make(**usable)

    return read


def by_name(kind: Kind) -> Kind:
    """Return the kind of tables with values of `kind`; unusable ones are left out."""

    def read(value: Any, place: Place, findings: Findings) -> dict[str, Any]:
        return read_table(value, _Every(kind), place, findings)

    return read


class _Every(dict[str, Kind]):
    """A mapping with the same kind for every name."""

    def __init__(self, kind: Kind) -> None:
        super().__init__()
        self._kind = kind

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> Kind:
        return self._kind


_SHOWN_LENGTH: Final = 60


def _shown(value: Any) -> str:
    whole_text = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    return whole_text if len(whole_text) <= _SHOWN_LENGTH else whole_text[: _SHOWN_LENGTH - 1] + "…"


def _either(choices: Iterable[str]) -> str:
    quoted = [f'"{choice}"' for choice in choices]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " or " + quoted[-1]
