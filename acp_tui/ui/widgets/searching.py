"""Which blocks hold a text that is searched for, and where in the rows of a block it is seen."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Final, TypeAlias

from acp_tui.ui.widgets.blocks import Block
from acp_tui.ui.widgets.packed_rows import PackedRows
from acp_tui.ui.widgets.stack import Stack
from acp_tui.ui.widgets.wrap import row_text

_HEAD: Final = 2
"""Rows at the start of a block in which its first line is, below the empty ones."""

_SLICE: Final = 0.006
"""Seconds of looking through blocks before other work gets its turn."""

Hit: TypeAlias = tuple[Block, int]
"""A block, and which of the hits in it."""


class Hits:
    """All hits in their order; what is kept of them is a number for each block."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        """The blocks that have hits."""
        self._starts = [0]
        """How many hits are before each of them, and how many in all."""

    def __len__(self) -> int:
        return self._starts[-1]

    def __getitem__(self, place: int) -> Hit:
        number = bisect_right(self._starts, place) - 1
        return self.blocks[number], place - self._starts[number]

    def add(self, block: Block, hits: int) -> None:
        """Add the hits in the next block."""
        if hits:
            self.blocks.append(block)
            self._starts.append(self._starts[-1] + hits)

    def place(self, hit: Hit | None) -> int:
        """Return which one a hit is, from 0, or -1 when it is none any more."""
        if hit is None or hit[0] not in self.blocks:
            return -1
        number = self.blocks.index(hit[0])
        place = self._starts[number] + hit[1]
        return place if place < self._starts[number + 1] else -1

    def first_from(self, index: int, of: Callable[[Block], int]) -> int:
        """Return the place of the first hit at or after block `index`, else of the last; -1 for none."""
        number = bisect_left(self.blocks, index, key=of)
        return self._starts[number] if number < len(self.blocks) else len(self) - 1


async def look_through(blocks: Iterable[Block], text: str, goes_on: Callable[[], bool]) -> Hits | None:
    """Return the hits in blocks, also in what is folded; in slices, so that keys get their turn.

    After each slice `goes_on` says whether they are still wanted; None if not.
    """
    hits, until = Hits(), perf_counter() + _SLICE
    for block in blocks if text else ():
        hits.add(block, hits_in(block.searched(), text))
        if perf_counter() > until:
            await asyncio.sleep(0)
            if not goes_on():
                return None
            until = perf_counter() + _SLICE
    return hits


def hits_in(text: str, needle: str) -> int:
    """Return how often a text holds what is searched for, in whichever case."""
    return text.casefold().count(needle.casefold()) if needle else 0


def row_of_hit(stack: Stack, index: int, needle: str, number: int, until: float) -> int:
    """Return the row of a block that its hit `number` (from 0) is in.

    Text may be out of sight: folded, or written otherwise than it is drawn. Then it is the row of the hit
    before it, or the first row with text.
    """
    stack.lay_out(index, until)
    laid_out = stack.rows(index) or ()
    texts = list(laid_out.texts() if isinstance(laid_out, PackedRows) else map(row_text, laid_out))
    rows = [row for row, text in enumerate(texts) for _ in range(hits_in(text, needle))]
    if rows:
        return rows[min(number, len(rows) - 1)]
    return next((row for row, text in enumerate(texts[:_HEAD]) if text.strip()), 0)
