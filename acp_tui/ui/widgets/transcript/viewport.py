"""The viewport: the part of a transcript that is seen, and how it scrolls."""

from __future__ import annotations

from time import perf_counter

from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.transcript.blocks import Block
from acp_tui.ui.widgets.transcript.layout import BlockLayout


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
