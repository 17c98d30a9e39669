"""Layout of a transcript: heights of blocks, rows laid out, and the viewport."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
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


# The view is anchored to a row of a block, not to a row number: blocks above it are estimated until they
# come into view, and their true heights must not move what the user reads. Layout goes from the anchor down
# (or from the end up, while the view follows it) until the view is full or the time is over; then the
# anchor's row number is looked up in the heights. So a chat of 10,000 entries opens by laying out one
# screen.
class Viewport:
    """The rows in view; changes above the anchor do not move them."""

    def __init__(self, layout: BlockLayout, *, from_end: bool = True) -> None:
        """Show the end of the blocks and follow it, or show their start until it is moved."""
        self._layout = layout
        self._from_end = from_end
        self.height = 0
        """Rows in view."""
        self.top = 0
        """The first row in view."""
        self.follow = from_end
        """True while the view follows the end."""
        self._anchor: Block | None = None
        self._anchor_row = 0
        self._share: tuple[int, int] | None = None
        """Position (row, rows) of the anchor in its block before the width changed, until it is restored."""

    @property
    def shows_end(self) -> bool:
        """True if the last row is in view."""
        return self.top + self.height >= self._layout.height

    def settle(self, until: float) -> bool:
        """Lay out the blocks in view and place the view; return False if there was not enough time."""
        near, finished = range(0), True
        if self._layout.blocks:
            if self._anchor is None and not self._from_end:
                self._anchor = self._layout.blocks[0]
            near, finished = self._lay_out_from_anchor(until)
        self._place()
        self._layout.trim(near)
        return finished

    def is_above_end_of(self, block: Block) -> bool:
        """Return True if a block goes on below the view."""
        index = self._layout.index(block)
        return self._layout.top(index) + self._layout.block_height(index) > self.top + self.height

    def near(self) -> range:
        """Return the blocks in view."""
        if not len(self._layout):
            return range(0)
        first, last = (self._layout.at(row)[0] for row in (self.top, self.top + max(0, self.height - 1)))
        return range(first, last + 1)

    def go(self, block: Block, row: int, until: float) -> bool:
        """Move a row of a block to the top, and follow if that shows the end; return as `settle` does."""
        self.follow, self._anchor, self._anchor_row, self._share = False, block, row, None
        finished = self.settle(until)
        begins = bool(block.waiting) and not row  # nobody knows yet what comes below its first row
        self.follow = self._from_end and self.shows_end and not begins
        return finished

    def move(self, rows: int, until: float) -> bool:
        """Move by exact rows; blocks are laid out before their rows are counted."""
        layout = self._layout
        index, row = layout.at(self.top)
        row += rows
        while row < 0 and index > 0:
            index -= 1
            layout.lay_out(index, until)
            row += layout.block_height(index)
        while index < len(layout) - 1:
            layout.lay_out(index, until)
            if row < layout.block_height(index):
                break
            row -= layout.block_height(index)
            index += 1
        return self.go(layout.blocks[index], max(0, row), until)

    def reveal(self, block: Block, until: float) -> bool:
        """Move as little as possible to show a block, or its start if it is higher than the view."""
        index = self._layout.index(block)
        self._layout.lay_out(index, until)
        height = self._layout.block_height(index)
        start = self._layout.top(index)
        if start < self.top or height >= self.height:
            return self.go(block, 0, until)
        if start + height > self.top + self.height:
            self.go(block, 0, until)
            return self.move(self._layout.top(index) + height - self.height - self.top, until)
        return True

    def reveal_row(self, block: Block, row: int, until: float) -> bool:
        """Show a row of a block: stay if it is in view, else move it to a third of the view."""
        place = self._layout.top(self._layout.index(block)) + row
        if self.top <= place < self.top + self.height - 1:  # the last row may be covered by a mark
            return True
        finished = self.go(block, row, until)
        return self.move(-(self.height // 3), until) if self.top == place else finished

    def resize(self, width: int, height: int, styles: Styles) -> None:
        """Lay out for another size or theme, keeping the anchor at the same part of its block."""
        anchor, row = self._anchor, self._anchor_row
        old = self._layout.block_height(self._layout.index(anchor)) if anchor else 0
        self.height = height
        if (width, styles) == (self._layout.width, self._layout.theme_styles):
            return
        self._layout.resize(width, styles)
        if anchor and old and not self.follow:
            self._share = self._share or (row, old)
            self._layout.lay_out(self._layout.index(anchor), perf_counter())

    def removed(self, block: Block, index: int) -> None:
        """Note that the block at `index` was removed."""
        if self._anchor is block:
            left = self._layout.blocks
            self._anchor, self._anchor_row = (left[min(index, len(left) - 1)] if left else None), 0
            self._share = None

    def reset(self) -> None:
        """Begin anew, after all blocks were removed."""
        self.follow, self._anchor, self._anchor_row, self._share = self._from_end, None, 0, None

    def _lay_out_from_anchor(self, until: float) -> tuple[range, bool]:
        """Lay out the blocks in view; return their range, and True if all are complete."""
        layout, end, finished = self._layout, len(self._layout), True
        if not self.follow and self._anchor is not None:
            start = index = layout.index(self._anchor)
            finished &= layout.lay_out(index, until)
            self._find_share()
            rows = layout.block_height(index) - self._anchor_row
            index += 1
            if self._share is not None and self._anchor.waiting:
                return range(start, index), False
            while index < end and rows < self.height and perf_counter() < until:
                finished &= layout.lay_out(index, until)
                rows += layout.block_height(index)
                index += 1
            if index < end or rows >= self.height:
                return range(start, index), finished and rows >= self.height
        start, rows = end, 0
        while start > 0 and rows < self.height and (start == end or perf_counter() < until):
            start -= 1
            finished &= layout.lay_out(start, until)
            rows += layout.block_height(start)
        return range(start, end), finished and (start == 0 or rows >= self.height)

    def _find_share(self) -> None:
        """Move the anchor to its position in the block before the width changed, by estimate at first."""
        if self._share is None or self._anchor is None:
            return
        height = self._layout.block_height(self._layout.index(self._anchor))
        if self._anchor.waiting:
            height = max(height, self._anchor.height_hint(self._layout.width))
        row, rows = self._share
        self._anchor_row = row * height // rows

    def _place(self) -> None:
        lowest = max(0, self._layout.height - self.height)
        if self.follow or self._anchor is None:
            self.top = lowest
            return
        index = self._layout.index(self._anchor)
        last = max(0, self._layout.block_height(index) - 1)
        if self._share is not None and self._anchor.waiting:
            self.top = min(lowest, self._layout.top(index) + min(self._anchor_row, last))
            return  # as near as what is laid out allows
        self._share, self._anchor_row = None, min(self._anchor_row, last)
        self.top = self._layout.top(index) + self._anchor_row
        if self.top > lowest:
            self.top = lowest
            index, self._anchor_row = self._layout.at(lowest)
            self._anchor = self._layout.blocks[index]
