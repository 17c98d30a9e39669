"""Where in the rows of a block a text that is searched for is seen."""

from __future__ import annotations

from typing import Final

from acp_tui.ui.widgets.stack import Stack
from acp_tui.ui.widgets.wrap import row_text

_HEAD: Final = 2
"""Rows at the start of a block in which its first line is, below the empty ones."""


def hits_in(text: str, needle: str) -> int:
    """Return how often a text holds what is searched for, in whichever case."""
    return text.casefold().count(needle.casefold()) if needle else 0


def row_of_hit(stack: Stack, index: int, needle: str, number: int, until: float) -> int:
    """Return the row of a block that its hit `number` (from 0) is in.

    Text may be out of sight: folded, or written otherwise than it is drawn. Then it is the row of the hit
    before it, or the first row with text.
    """
    stack.lay_out(index, until)
    texts = [row_text(row) for row in stack.rows(index) or ()]
    rows = [row for row, text in enumerate(texts) for _ in range(hits_in(text, needle))]
    if rows:
        return rows[min(number, len(rows) - 1)]
    return next((row for row, text in enumerate(texts[:_HEAD]) if text.strip()), 0)
