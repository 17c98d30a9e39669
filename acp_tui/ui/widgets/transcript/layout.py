"""Layout of a transcript: heights of blocks, rows laid out, and the viewport."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Row
from acp_tui.ui.widgets.transcript.blocks import Block


class Heights:
    """Prefix sums of heights (a Fenwick tree); all but `insert` and `remove` take log(n) steps."""

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._heights = list(heights)
        self._rebuild()

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    def __setitem__(self, index: int, height: int) -> None:
        change = height - self._heights[index]
        if not change:
            return
        self._heights[index] = height
        self.total += change
        node = index + 1
        while node < len(self._sums):
            self._sums[node] += change
            node += node & -node

    def append(self, height: int) -> None:
        """Add a height at the end."""
        node = len(self._sums)
        self._heights.append(height)
        self._sums.append(self.total + height - self.before(node - (node & -node)))
        self.total += height

    def insert(self, index: int, height: int) -> None:
        """Add a height before another one."""
        self._heights.insert(index, height)
        self._rebuild()

    def remove(self, index: int) -> None:
        """Remove a height."""
        del self._heights[index]
        self._rebuild()

    def before(self, index: int) -> int:
        """Return the sum of the first `index` heights: the row on which that block starts."""
        total = 0
        while index:
            total += self._sums[index]
            index &= index - 1
        return total

    def find(self, row: int) -> tuple[int, int]:
        """Return the block that `row` is in and the row within it; past the end it is the last block."""
        index, step = 0, 1 << len(self._heights).bit_length()
        while step:
            if index + step < len(self._sums) and self._sums[index + step] <= row:
                index += step
                row -= self._sums[index]
            step >>= 1
        if index == len(self._heights):
            index -= 1
            row += self._heights[index]
        return index, row

    def _rebuild(self) -> None:
        self.total = sum(self._heights)
        """The sum of all heights."""
        self._sums = [0, *self._heights]
        for node in range(1, len(self._sums)):
            above = node + (node & -node)
            if above < len(self._sums):
                self._sums[above] += self._sums[node]


KEPT_ROWS: Final = 1_000
"""Rows kept in memory; the least recently used blocks free theirs beyond it."""


class BlockLayout:
    """Blocks in order, laid out one by one on demand."""

    def __init__(self, styles: Styles, on_rows: Callable[[Block, int], None]) -> None:
        """Use these styles; call `on_rows(block, kept)` with the number of first rows that a layout kept."""
        self.theme_styles = styles
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
        """Rows of all blocks, partly estimated."""
        return self._heights.total

    def index(self, block: Block) -> int:
        """Return the index of a block; ValueError if it is not here."""
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
        """Return the height of a block, estimated until it is laid out."""
        return self._heights[index]

    def at(self, row: int) -> tuple[int, int]:
        """Return the block of a row, and the row inside it."""
        return self._heights.find(row)

    def insert(self, index: int, block: Block) -> None:
        """Insert a block before the one at `index`, or at the end."""
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
        """Remove a block."""
        index = self.index(block)
        self._drop(block)
        del self._index[block], self.blocks[index]
        self._heights.remove(index)
        self._number(index)

    def clear(self) -> None:
        """Remove all blocks."""
        self.blocks.clear()
        self._index.clear()
        self._heights = Heights()
        self._rows.clear()
        self._ready.clear()

    def resize(self, width: int, styles: Styles) -> None:
        """Drop all rows and estimate every block for another width or theme."""
        self.width, self.theme_styles = width, styles
        for block in list(self._rows):
            self._drop(block)
        self._heights = Heights([block.height_hint(width) for block in self.blocks])

    def stale(self, block: Block) -> None:
        """Note that the rows of a block may have changed."""
        self._ready.discard(block)

    def refold(self, block: Block) -> None:
        """Drop the rows and height of a block that is drawn as something else."""
        self._drop(block)
        if self.width:
            self._heights[self._index[block]] = block.height_hint(self.width)

    def estimate(self, changed: Iterable[Block], but: range) -> None:
        """Estimate changed blocks out of view; those in `but` are laid out anyway."""
        for block in changed:
            index = self._index[block]
            if index not in but and block not in self._ready:
                self._heights[index] = max(self._heights[index], block.height_hint(self.width))

    def rows(self, index: int) -> Sequence[Row] | None:
        """Return the rows of the last layout of a block, or None."""
        return self._rows.get(self.blocks[index])

    def lay_out(self, index: int, until: float) -> bool:
        """Lay out a block until a time; return True if it is complete."""
        block = self.blocks[index]
        if block in self._ready:
            self._rows[block] = self._rows.pop(block)  # looked at the latest
            return True
        rows = block.some_rows(self.width, self.theme_styles, until)
        self._on_rows(block, block.stable_rows if block in self._rows else 0)
        self._rows.pop(block, None)
        self._rows[block] = rows
        self._heights[index] = len(rows)
        if not block.waiting:
            self._ready.add(block)
        return not block.waiting

    def trim(self, near: range) -> None:
        """Free rows of blocks outside `near` while more than `KEPT_ROWS` are kept."""
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
