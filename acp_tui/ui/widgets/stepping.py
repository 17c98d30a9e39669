"""Where the keys go from block to block in a view, or from landmark to landmark."""

from __future__ import annotations

from acp_tui.ui.widgets.blocks import Block
from acp_tui.ui.widgets.stack import Stack


def beside(stack: Stack, start: int, step: int, *, landmarks: bool) -> Block | None:
    """Return the first block that has rows, or the first landmark, from a place on; None if there is none.

    Args:
        stack: the blocks.
        start: the place that is looked at first.
        step: 1 for those below, -1 for those above.
        landmarks: whether only these count.
    """
    blocks, index = stack.blocks, start
    while 0 <= index < len(blocks):
        if blocks[index].landmark or (not landmarks and stack.block_height(index)):
            return blocks[index]
        index += step
    return None
