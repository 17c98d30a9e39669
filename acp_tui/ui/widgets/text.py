"""Text as it is drawn: made safe, measured in cells, and cut."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size

from acp_tui.safe_text import (
    PER_CELL,
    exact,
    exact_line,
    is_exact,
    open_end,
    plain,
    safe,
    safe_line,
    seen,
    start_of,
)

__all__ = [
    "cells",
    "exact",
    "exact_line",
    "is_exact",
    "open_end",
    "plain",
    "safe",
    "safe_line",
    "seen",
    "shortened",
    "start_of",
]


def cells(text: str) -> int:
    """Return how many cells a safe text without tabs and newlines takes: one a letter when it is ASCII."""
    return len(text) if text.isascii() else cell_len(text)


def shortened(text: str, width: int, mark: str = "…") -> str:
    """Return `text` in at most `width` cells, with `mark` where it is cut; quick however long it is."""
    start = text[: PER_CELL * width]
    if len(start) == len(text) and cell_len(text) <= width:
        return text
    return (set_cell_size(start, width - 1) if cell_len(start) >= width else start) + mark
