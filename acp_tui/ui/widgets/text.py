"""Text from outside made safe to draw: no escape sequence, no control character, no half of a character."""

from __future__ import annotations

import re
from typing import Final

from rich.cells import cell_len, set_cell_size

_PER_CELL: Final = 8
"""Characters that a cell may hold: a letter with its marks, a family of emoji."""
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, but for tab and newline
    "\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that turn the direction of text around them
    "\ud800-\udfff]"  # half a character
)


def safe(text: str) -> str:
    """Return `text` with everything a terminal might obey made visible, for any string of an agent.

    C0 controls become their control pictures (ESC is `␛`), the other unsafe characters U+FFFD. Tabs and
    newlines stay: whoever draws the text lays them out.
    """
    if _UNSAFE.search(text) is None:
        return text
    return _UNSAFE.sub(_visible, text)


def start_of(text: str, width: int) -> str:
    """Return what `width` cells can show of a text, and some more: whoever cuts it sees that it is longer.

    An agent may send a megabyte where a title belongs: what is drawn often must not read all of it.
    """
    return text[: _PER_CELL * (width + 1)]


def safe_line(text: str) -> str:
    """Return `text` safe and on one line: line ends and tabs become single spaces."""
    return safe(text).replace("\n", " ").replace("\t", " ")


def cells(text: str) -> int:
    """Return how many cells a safe text without tabs and newlines takes: one a letter when it is ASCII."""
    return len(text) if text.isascii() else cell_len(text)


def shortened(text: str, width: int, mark: str = "…") -> str:
    """Return `text` in at most `width` cells, with `mark` where it is cut; quick however long it is."""
    start = text[: _PER_CELL * width]
    if len(start) == len(text) and cell_len(text) <= width:
        return text
    return (set_cell_size(start, width - 1) if cell_len(start) >= width else start) + mark


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"
