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
        self.follow, self._anchor, self._anchor_row = False, block, row
        finished = self.settle(until)
        self.follow = self.shows_end
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
            index = self._stack.index(anchor)
            self._stack.lay_out(index, perf_counter())
            self._anchor_row = row * self._stack.block_height(index) // old

    def removed(self, block: Block, index: int) -> None:
        """Note that a block was taken out of the stack, where it was at `index`."""
        if self._anchor is block:
            left = self._stack.blocks
            self._anchor, self._anchor_row = (left[min(index, len(left) - 1)] if left else None), 0

    def reset(self) -> None:
        """Follow the end of a stack that was emptied."""
        self.follow, self._anchor, self._anchor_row = True, None, 0

    def _lay_out_from_anchor(self, until: float) -> tuple[range, bool]:
        """Lay out the blocks in view; return which these are and whether all of them are complete."""
        stack, end, finished = self._stack, len(self._stack), True
        if not self.follow and self._anchor is not None:
            start = index = stack.index(self._anchor)
            rows = -self._anchor_row
            while index < end and rows < self.height and (index == start or perf_counter() < until):
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

    def _place(self) -> None:
        lowest = max(0, self._stack.height - self.height)
        if self.follow or self._anchor is None:
            self.top = lowest
            return
        index = self._stack.index(self._anchor)
        self._anchor_row = min(self._anchor_row, max(0, self._stack.block_height(index) - 1))
        self.top = self._stack.top(index) + self._anchor_row
        if self.top > lowest:
            self.top = lowest
            index, self._anchor_row = self._stack.at(lowest)
            self._anchor = self._stack.blocks[index]
