"""Reads the beginning of a JSON text: what of a value is there before the text was cut off."""

from __future__ import annotations

import json
import re
from typing import Any, Final

CUT: Final = "…"
"""Stands where the text was cut off."""

_DECODER: Final = json.JSONDecoder(strict=False)
_SPACE: Final = re.compile(r"[\s,]*")
_COLON: Final = re.compile(r"\s*:\s*")
_DEEPEST: Final = 12
"""Levels down to which a cut value is looked into; each reads the text once more."""


def beginning(text: str) -> Any:
    """Return a JSON value, or as much of it as the text holds; for views, never fails.

    A string that was cut ends with `CUT`; what is no JSON at all becomes `CUT`.
    """
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return _value(text, _skip(text, 0), _DEEPEST)[0]


def _value(text: str, at: int, deeper: int) -> tuple[Any, int | None]:
    """Return the value that starts at `at` and its end; the end is None if the text was cut in it."""
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
    """Read the escapes of a string without its end; the last one may be cut."""
    for cut in range(6):
        try:
            return str(json.loads(f'"{text[: len(text) - cut]}"', strict=False))
        except ValueError:
            continue
    return text


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
