"""What waits to be laid out in a view of blocks: how much that is, and what of it is news below the view."""

from __future__ import annotations

from typing import Final, Literal

from acp_tui.ui.widgets.blocks import Block
from acp_tui.ui.widgets.stack import Stack
from acp_tui.ui.widgets.viewport import Viewport

OVERLOADED: Final = 4_000_000
CAUGHT_UP: Final = 1_000_000
"""Characters that wait for layout: the first is too much, the second is little again."""


class Backlog:
    """The blocks of one view that have changed, until they are laid out to their end."""

    def __init__(self, stack: Stack, view: Viewport) -> None:
        self.has_news = False
        """Whether something came below the view since its end was seen."""
        self._stack = stack
        self._view = view
        self._waiting: set[Block] = set()
        self._told: set[Block] = set()
        """Those that changed since the last layout: what of them is below the view is news."""
        self._is_overloaded = False

    @property
    def is_empty(self) -> bool:
        """Whether all that is in view is laid out."""
        return not self._waiting

    def changed(self, block: Block) -> bool:
        """The rows of a block may differ; return whether it alone is too much to wait for the next layout."""
        self._stack.stale(block)
        self._waiting.add(block)
        self._told.add(block)
        return block.waiting > OVERLOADED

    def inserted(self, block: Block) -> bool:
        """A block is new, and as high as it says; return as `changed` does."""
        self._told.add(block)
        return block.waiting > OVERLOADED and self.changed(block)

    def refolded(self, block: Block) -> None:
        """A block is drawn as something else, which is no news."""
        self._stack.refold(block)
        self._waiting.add(block)

    def removed(self, block: Block) -> None:
        """A block is gone."""
        self._waiting.discard(block)
        self._told.discard(block)

    def clear(self) -> None:
        """All blocks are gone."""
        self._waiting.clear()
        self._told.clear()

    def is_known(self) -> None:
        """What has come by now is no news."""
        self._told.clear()

    def settle(self, until: float) -> bool:
        """Lay out what is in view; return False if there was not enough time for that."""
        changed, self._waiting = self._waiting, set()
        self._stack.estimate(changed, but=self._view.near())
        finished = self._view.settle(until)
        if not self._view.shows_end and not self.has_news:
            self.has_news = any(self._view.is_above_end_of(block) for block in self._told)
        self._told.clear()
        near = map(self._stack.blocks.__getitem__, self._view.near())
        self._waiting = {block for block in near if block.waiting}
        return finished

    def weigh(self, *, is_seen: bool) -> Literal["overloaded", "caught up"] | None:
        """Return what has become of the load, None where it is as it was; what nobody sees can wait."""
        waiting = sum([block.waiting for block in self._waiting]) if is_seen else 0
        if not self._is_overloaded and waiting > OVERLOADED:
            self._is_overloaded = True
            return "overloaded"
        if self._is_overloaded and waiting < CAUGHT_UP:
            self._is_overloaded = False
            return "caught up"
        return None
