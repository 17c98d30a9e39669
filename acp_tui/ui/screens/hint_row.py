"""What the keys of a dialog do, in one row: as much of it as there is room for, the way out in any case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.content import Content

_GAPS: Final = (3, 2)
"""Cells between two hints, the wide gap first."""

Hint = tuple[str, str]
"""A key, and what it does."""


def hint_row(hints: Sequence[Hint], width: int, cut: str) -> Content:
    """Return hints in a row of `width` cells; where there are too many, `cut` stands before the last."""
    for gap in _GAPS:
        if _cells(hints, gap) <= width:
            return _row(hints, gap)
    *others, last = hints
    while others and _cells([*others, (cut, ""), last], _GAPS[-1]) > width:
        others.pop()
    return _row([*others, (cut, ""), last], _GAPS[-1])


def _cells(hints: Sequence[Hint], gap: int) -> int:
    return _row(hints, gap).cell_length


def _row(hints: Sequence[Hint], gap: int) -> Content:
    between = " " * gap
    shown = [Content.assemble((key, "bold"), f" {action}" if action else "") for key, action in hints]
    return Content(between).join(shown)
