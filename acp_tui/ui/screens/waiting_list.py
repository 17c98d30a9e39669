"""The questions that wait, in a few rows over the one that is asked."""

from __future__ import annotations

from collections.abc import Sequence

from acp_tui.ui.widgets.blocks import TextBlock
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import safe_line, shortened

_TEXT = 60
"""Cells of a question that are shown: each has to fit one row."""


def waiting_list(waiting: Sequence[str], place: int, most: int, look: Look) -> list[TextBlock]:
    """Return a row for each question, at most `most`, the one at `place` (from 0) marked and among them."""
    if len(waiting) < 2:
        return []
    first = max(0, min(place - most // 2, len(waiting) - most))
    last = min(len(waiting), first + most)
    rows = [_row(number, waiting[number], number == place, look) for number in range(first, last)]
    left = len(waiting) - len(rows)
    more = [TextBlock([("muted", f"  and {left} more")])] if left else []
    return [*rows, *more, TextBlock([("text", " ")])]


def _row(number: int, what: str, is_here: bool, look: Look) -> TextBlock:
    text = safe_line(what)
    text = shortened(text, _TEXT)
    mark = look.glyph("current") if is_here else " "
    return TextBlock([("accent", f"{mark} "), ("strong" if is_here else "muted", f"{number + 1} {text}")])
