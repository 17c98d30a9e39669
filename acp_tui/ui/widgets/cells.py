"""Rows of an exact width: cut and filled up by cells, not by characters."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from acp_tui.ui.widgets.look import Look


def fit(segments: list[Segment], pan: int, width: int, ground: Style, look: Look) -> list[Segment]:
    """Return segments moved left by `pan` cells and exactly `width` wide, marked where they are cut."""
    if width <= 0:
        return []
    length = sum([cell_len(text) for text, _, _ in segments])
    if pan == 0 and length <= width:
        return [*segments, Segment(" " * (width - length), ground)] if length < width else segments
    mark = Segment(look.glyph("cut"), ground + look["accent"])
    left = bool(pan and length)
    right = length > pan + width and width > left  # one cell has room for one mark
    inner = Strip(segments, length).crop(pan + left, pan + width - right)
    inner = inner.adjust_cell_length(width - left - right, ground)
    return [*([mark] if left else []), *inner, *([mark] if right else [])]
