"""Where a view of many blocks is: on their end, or anchored at a row of one of them."""

from __future__ import annotations

from time import perf_counter

from acp_tui.ui.widgets.blocks import Block
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.stack import Stack


class Viewport:
    """The rows of a stack that are in view; what happens above the anchor does not move them."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self.height = 0
        """Rows in view."""
        self.top = 0
        """The first row in view."""
        self.follow = True
        """Whether the view stays at the end."""
        self._anchor: Block | None = None
        self._anchor_row = 0
        self._share: tuple[int, int] | None = None
        """How far into its block the anchor was before the width changed, (row, rows), until it is there."""

    @property
    def shows_end(self) -> bool:
        """Whether the last row is in view."""
        return self.top + self.height >= self._stack.height

    def settle(self, until: float) -> bool:
        """Lay out what is in view and place the view; return False if there was not enough time for that."""
        near, finished = range(0), True
        if self._stack.blocks:
            near, finished = self._lay_out_from_anchor(until)
        self._place()
        self._stack.trim(near)
        return finished

    def is_above_end_of(self, block: Block) -> bool:
        """Whether a block goes on below the view."""
        index = self._stack.index(block)
        return self._stack.top(index) + self._stack.block_height(index) > self.top + self.height

    def near(self) -> range:
        """Return the blocks in view."""
        if not len(self._stack):
            return range(0)
        first, last = (self._stack.at(row)[0] for row in (self.top, self.top + max(0, self.height - 1)))
        return range(first, last + 1)

    def go(self, block: Block, row: int, until: float) -> bool:
        """Put a row of a block at the top and follow only if that shows the end; return as `settle` does."""
        self.follow, self._anchor, self._anchor_row, self._share = False, block, row, None
        finished = self.settle(until)
        begins = bool(block.waiting) and not row  # nobody knows yet what comes below its first row
        self.follow = self.shows_end and not begins
        return finished

    def move(self, rows: int, until: float) -> bool:
        """Move by exact rows: blocks are laid out before their rows are counted."""
        stack = self._stack
        index, row = stack.at(self.top)
        row += rows
        while row < 0 and index > 0:
            index -= 1
            stack.lay_out(index, until)
            row += stack.block_height(index)
        while index < len(stack) - 1:
            stack.lay_out(index, until)
            if row < stack.block_height(index):
                break
            row -= stack.block_height(index)
            index += 1
        return self.go(stack.blocks[index], max(0, row), until)

    def reveal(self, block: Block, until: float) -> bool:
        """Move as little as needed to show a block, or its start if it is higher than the view."""
        index = self._stack.index(block)
        self._stack.lay_out(index, until)
        height = self._stack.block_height(index)
        start = self._stack.top(index)
        if start < self.top or height >= self.height:
            return self.go(block, 0, until)
        if start + height > self.top + self.height:
            self.go(block, 0, until)
            return self.move(self._stack.top(index) + height - self.height - self.top, until)
        return True

    def reveal_row(self, block: Block, row: int, until: float) -> bool:
        """Show a row of a block: stay if it is in view, else put it a third of the view below the top."""
        place = self._stack.top(self._stack.index(block)) + row
        if self.top <= place < self.top + self.height - 1:  # the last row may be covered by a mark
            return True
        finished = self.go(block, row, until)
        return self.move(-(self.height // 3), until) if self.top == place else finished

    def resize(self, width: int, height: int, look: Look) -> None:
        """Lay out for another size or look, keeping the anchor at the same part of its block."""
        anchor, row = self._anchor, self._anchor_row
        old = self._stack.block_height(self._stack.index(anchor)) if anchor else 0
        self.height = height
        if (width, look) == (self._stack.width, self._stack.look):
            return
        self._stack.resize(width, look)
        if anchor and old and not self.follow:
            self._share = self._share or (row, old)
            self._stack.lay_out(self._stack.index(anchor), perf_counter())

    def removed(self, block: Block, index: int) -> None:
        """Note that a block was taken out of the stack, where it was at `index`."""
        if self._anchor is block:
            left = self._stack.blocks
            self._anchor, self._anchor_row = (left[min(index, len(left) - 1)] if left else None), 0
            self._share = None

    def reset(self) -> None:
        """Follow the end of a stack that was emptied."""
        self.follow, self._anchor, self._anchor_row, self._share = True, None, 0, None

    def _lay_out_from_anchor(self, until: float) -> tuple[range, bool]:
        """Lay out the blocks in view; return which these are and whether all of them are complete."""
        stack, end, finished = self._stack, len(self._stack), True
        if not self.follow and self._anchor is not None:
            start = index = stack.index(self._anchor)
            finished &= stack.lay_out(index, until)
            self._find_share()
            rows = stack.block_height(index) - self._anchor_row
            index += 1
            if self._share is not None and self._anchor.waiting:
                return range(start, index), False
            while index < end and rows < self.height and perf_counter() < until:
                finished &= stack.lay_out(index, until)
                rows += stack.block_height(index)
                index += 1
            if index < end or rows >= self.height:
                return range(start, index), finished and rows >= self.height
        start, rows = end, 0
        while start > 0 and rows < self.height and (start == end or perf_counter() < until):
            start -= 1
            finished &= stack.lay_out(start, until)
            rows += stack.block_height(start)
        return range(start, end), finished and (start == 0 or rows >= self.height)

    def _find_share(self) -> None:
        """Put the anchor as far into its block as it was before its width changed, by estimate at first."""
        if self._share is None or self._anchor is None:
            return
        height = self._stack.block_height(self._stack.index(self._anchor))
        if self._anchor.waiting:
            height = max(height, self._anchor.height_hint(self._stack.width))
        row, rows = self._share
        self._anchor_row = row * height // rows

    def _place(self) -> None:
        lowest = max(0, self._stack.height - self.height)
        if self.follow or self._anchor is None:
            self.top = lowest
            return
        index = self._stack.index(self._anchor)
        last = max(0, self._stack.block_height(index) - 1)
        if self._share is not None and self._anchor.waiting:
            self.top = min(lowest, self._stack.top(index) + min(self._anchor_row, last))
            return  # as near as what is laid out allows
        self._share, self._anchor_row = None, min(self._anchor_row, last)
        self.top = self._stack.top(index) + self._anchor_row
        if self.top > lowest:
            self.top = lowest
            index, self._anchor_row = self._stack.at(lowest)
            self._anchor = self._stack.blocks[index]
