"""A line of JSON, read in one way wherever it stands: on the wire, in a journal, in a copy of one."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any


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
