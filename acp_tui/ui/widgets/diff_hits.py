"""Searching differences: lines of both sides, also those that are folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acp_tui.ui.widgets.diff import Difference
from acp_tui.ui.widgets.diff_layout import Part


class Hit(NamedTuple):
    """A line with what is searched for."""

    page: int
    """Which of the differences."""
    block: int
    use_old: bool
    line: int
    """From 0, of its side."""
    column: int
    """Characters before it."""


def hits_in(differences: Sequence[Difference | None], needle: str) -> list[Hit]:
    """Return the lines with a text in any case, from above; an unchanged line is found once."""
    needle = needle.casefold()
    return [
        hit
        for page, difference in enumerate(differences)
        if difference is not None and needle
        for hit in _in_page(page, difference, needle)
    ]


def place_of(hit: Hit) -> tuple[int, int, bool, int]:
    """Return what hits are ordered by: the removed lines of a block come before its added ones."""
    return hit.page, hit.block, not hit.use_old, hit.line


def row_of(hit: Hit, parts: Sequence[tuple[int, Part]], starts: Sequence[int]) -> int | None:
    """Return the row of a hit, None while it is folded; `starts` has the first row of each part."""
    for (page, part), start in zip(parts, starts, strict=False):
        if page != hit.page or part.block != hit.block or part.kind in ("fold", "fact"):
            continue
        is_side = part.kind in ("changed", "equal") or (part.kind == "removed") == hit.use_old
        line = hit.line - (part.old if hit.use_old else part.new)
        if is_side and 0 <= line < part.lines:
            return start + (min(hit.column // part.room, part.rows - 1) if part.room else line)
    return None


def _in_page(page: int, difference: Difference, needle: str) -> Iterator[Hit]:
    for index, block in enumerate(difference.blocks):
        if not block.equal:
            yield from _in_lines(page, index, True, difference.old, block.old_start, block.old_stop, needle)
        yield from _in_lines(page, index, False, difference.new, block.new_start, block.new_stop, needle)


def _in_lines(
    page: int, block: int, use_old: bool, lines: Sequence[str], start: int, stop: int, needle: str
) -> Iterator[Hit]:
    for line in range(start, stop):
        column = lines[line].casefold().find(needle)
        if column >= 0:
            yield Hit(page, block, use_old, line, column)
