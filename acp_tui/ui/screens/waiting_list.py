"""The questions that wait, in a few rows over the one that is asked."""

from __future__ import annotations

from collections.abc import Sequence

from acp_tui.ui.widgets.blocks import TextBlock
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import safe_line, shortened

_TEXT = 60
"""Cells of a question that are shown: each has to fit one row."""
_READ = 1_000
"""Characters of a question that are read for that: it may have megabytes."""


def waiting_list(waiting: Sequence[str], place: int, most: int, look: Look) -> list[TextBlock]:
    """Return a row for each question, at most `most`, the one at `place` (from 0) marked and among them."""
    if len(waiting) < 2:
        return []
    rows = [
        _row(number, waiting[number], number == place, look) for number in _range(len(waiting), place, most)
    ]
    left = len(waiting) - len(rows)
    more = [TextBlock([("muted", f"  and {left} more")])] if left else []
    return [*rows, *more, TextBlock([("text", " ")])]


def listed(waiting: Sequence[str], place: int, most: int) -> list[tuple[str, bool]]:
    """Return what these rows say: each question, and whether it is the one at `place`; last how many more."""
    rows = [(waiting[number], number == place) for number in _range(len(waiting), place, most)]
    left = len(waiting) - len(rows)
    return [*rows, (f"{left} more", False)] if left else rows


def _range(count: int, place: int, most: int) -> range:
    first = max(0, min(place - most // 2, count - most))
    return range(first, min(count, first + most))


def _row(number: int, what: str, is_here: bool, look: Look) -> TextBlock:
    text = shortened(safe_line(what[:_READ]), _TEXT)
    mark = look.glyph("current") if is_here else " "
    return TextBlock([("accent", f"{mark} "), ("strong" if is_here else "muted", f"{number + 1} {text}")])
