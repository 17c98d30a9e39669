"""Keys with Alt as most terminals send them, escape before the key, where Textual takes them for others."""

from __future__ import annotations

from enum import Enum
from typing import Any, cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS

_SEQUENCES = Enum(  # type: ignore[misc]  # the parser wants members of an enum, whose values name keys
    "_SEQUENCES", {f"\x1b{digit}": f"alt+{digit}" for digit in range(10)} | {"\x1b\r": "alt+enter"}
)


def teach_alt_keys() -> None:
    """Have Alt with a digit and with Enter read as that: to Textual, Alt+1 is `¡`, and Alt+Enter is Enter.

    Terminals with the Kitty keyboard protocol send something else, and need none of this. Alt+B and Alt+F
    stay what they are to Textual, a word to the left and right: Option with the arrows is sent so.
    """
    table = cast("dict[str, Any]", ANSI_SEQUENCES_KEYS)
    for sequence, key in _SEQUENCES.__members__.items():
        table[sequence] = (key,)
