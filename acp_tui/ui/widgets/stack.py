"""The blocks of a transcript one below the other: their heights, and the rows that are laid out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from acp_tui.ui.widgets.blocks import Block
from acp_tui.ui.widgets.heights import Heights
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.wrap import Row

KEPT_ROWS: Final = 1_000
"""Rows kept in memory; beyond it, the blocks that were looked at the longest ago give theirs back."""


class Stack:
    """Blocks in order, laid out one by one when they are asked for."""

    def __init__(self, look: Look, on_rows: Callable[[Block, int], None]) -> None:
        """Use `look`; `on_rows(block, kept)` hears how many leading rows a new layout has kept."""
        self.look = look
        self.width = 0
        self.blocks: list[Block] = []
        self._index: dict[Block, int] = {}
        self._heights = Heights()
        self._rows: dict[Block, Sequence[Row]] = {}
        self._ready: set[Block] = set()
        self._on_rows = on_rows

    def __len__(self) -> int:
        return len(self.blocks)

    @property
    def height(self) -> int:
        """Rows of all blocks together, as far as known."""
        return self._heights.total

    def index(self, block: Block) -> int:
        """Return the place of a block; ValueError if it is not here."""
        try:
            return self._index[block]
        except KeyError:
            raise ValueError("not a block of this transcript") from None

    def __contains__(self, block: Block) -> bool:
        return block in self._index

    def top(self, index: int) -> int:
        """Return the row on which a block starts."""
        return self._heights.before(index)

    def block_height(self, index: int) -> int:
        """Return the rows of one block, estimated until it is laid out."""
        return self._heights[index]

    def at(self, row: int) -> tuple[int, int]:
        """Return the block that a row is in and the row within it."""
        return self._heights.find(row)

    def insert(self, index: int, block: Block) -> None:
        """Put a block before the one at `index`, or at the end."""
        if block in self._index:
            raise ValueError("the block is in the transcript already")
        hint = block.height_hint(self.width) if self.width else 1
        if index >= len(self.blocks):
            self._index[block] = len(self.blocks)
            self.blocks.append(block)
            self._heights.append(hint)
            return
        self.blocks.insert(index, block)
        self._heights.insert(index, hint)
        self._number(index)

    def remove(self, block: Block) -> None:
        """Take a block out."""
        index = self.index(block)
        self._drop(block)
        del self._index[block], self.blocks[index]
        self._heights.remove(index)
        self._number(index)

    def clear(self) -> None:
        """Take all blocks out."""
        self.blocks.clear()
        self._index.clear()
        self._heights = Heights()
        self._rows.clear()
        self._ready.clear()

    def resize(self, width: int, look: Look) -> None:
        """Forget all layout and estimate every block for another width or look."""
        self.width, self.look = width, look
        for block in list(self._rows):
            self._drop(block)
        self._heights = Heights([block.height_hint(width) for block in self.blocks])

    def stale(self, block: Block) -> None:
        """Note that the rows of a block may differ from those laid out."""
        self._ready.discard(block)

    def refold(self, block: Block) -> None:
        """Note that a block is drawn as something else: what was laid out tells nothing of its height."""
        self._drop(block)
        if self.width:
            self._heights[self._index[block]] = block.height_hint(self.width)

    def estimate(self, changed: Iterable[Block], but: range) -> None:
        """Let blocks that changed out of view grow by estimate; those in `but` are laid out anyway."""
        for block in changed:
            index = self._index[block]
            if index not in but and block not in self._ready:
                self._heights[index] = max(self._heights[index], block.height_hint(self.width))

    def rows(self, index: int) -> Sequence[Row] | None:
        """Return the rows of a block as laid out last, or None."""
        return self._rows.get(self.blocks[index])

    def lay_out(self, index: int, until: float) -> bool:
        """Lay out one block as far as time allows; return whether it is complete."""
        block = self.blocks[index]
        if block in self._ready:
            self._rows[block] = self._rows.pop(block)  # looked at the latest
            return True
        rows = block.some_rows(self.width, self.look, until)
        self._on_rows(block, block.kept if block in self._rows else 0)
        self._rows.pop(block, None)
        self._rows[block] = rows
        self._heights[index] = len(rows)
        if not block.waiting:
            self._ready.add(block)
        return not block.waiting

    def trim(self, near: range) -> None:
        """Give back rows of blocks outside `near` while more than `KEPT_ROWS` are kept."""
        kept = sum(map(len, self._rows.values()))
        for block in list(self._rows):
            if kept <= KEPT_ROWS:
                return
            if self._index[block] not in near:
                kept -= len(self._rows[block])
                self._drop(block)

    def _drop(self, block: Block) -> None:
        if self._rows.pop(block, None) is not None:
            self._on_rows(block, 0)
            block.forget_rows()
        self._ready.discard(block)

    def _number(self, start: int) -> None:
        for index in range(start, len(self.blocks)):
            self._index[self.blocks[index]] = index
