"""The transcript: a view of blocks with a cursor, search, and selection."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import ClassVar, Final, TypeAlias

from textual import events
from textual.binding import Binding, BindingType
from textual.selection import Selection
from textual.strip import Strip
from typing_extensions import override

from acp_tui.ui.widgets.code import PackedRows
from acp_tui.ui.widgets.text import row_text
from acp_tui.ui.widgets.transcript.block_view import BlockView
from acp_tui.ui.widgets.transcript.blocks import Block
from acp_tui.ui.widgets.transcript.layout import BlockLayout
from acp_tui.ui.widgets.transcript.paint import link_at
from acp_tui.ui.widgets.transcript.selection import line_of, selected_text

LAYS_OUT_FOR_HIT: Final = 0.2
"""Seconds of layout at most to find the row of a hit in a long block."""


class Transcript(BlockView, can_focus=True):
    """A view of blocks with a cursor, search marks, and mouse selection."""

    ALLOW_SELECT = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_rows(-1)", "Scroll up", show=False, id="transcript.up"),
        Binding("down,j", "scroll_rows(1)", "Scroll down", show=False, id="transcript.down"),
        Binding("pageup", "scroll_pages(-1)", "Page up", show=False, id="transcript.page-up"),
        Binding("pagedown", "scroll_pages(1)", "Page down", show=False, id="transcript.page-down"),
        Binding("home", "scroll_start", "Start", show=False, id="transcript.start"),
        Binding("end", "follow_end", "End", show=False, id="transcript.end"),
        Binding(
            "shift+up,left_square_bracket", "step(-1)", "Previous block", show=False, id="transcript.previous"
        ),
        Binding("shift+down,right_square_bracket", "step(1)", "Next block", show=False, id="transcript.next"),
        Binding(
            "left_curly_bracket",
            "landmark(-1)",
            "Previous prompt",
            show=False,
            id="transcript.previous-prompt",
        ),
        Binding("right_curly_bracket", "landmark(1)", "Next prompt", show=False, id="transcript.next-prompt"),
        Binding("enter", "choose", "Open", show=False, id="transcript.choose"),
    ]

    class Chosen(BlockView.ViewMessage):
        """Enter or a click on a block that is an action, or a click on a link."""

        def __init__(
            self, transcript: Transcript, block: Block, row: int = 0, column: int = 0, link: str = ""
        ) -> None:
            super().__init__(transcript)
            self.block = block
            self.row = row
            self.column = column
            self.link = link

    def mark(self, text: str) -> None:
        """Mark a text in every row; an empty one removes the marks."""
        self._painter.mark(text)
        self._view_painter.show_hit(None)
        self._refresh_rows()

    def show_hit(self, block: Block, number: int) -> None:
        """Go to hit `number` (from 0) of the marked text in a block, and mark its row."""
        if self._lays_out and block in self._layout:
            until = perf_counter() + LAYS_OUT_FOR_HIT
            row = row_of_hit(self._layout, self._layout.index(block), self._painter.needle, number, until)
            self._view_painter.show_hit((block, row))
            self._moved(self._view.reveal_row(block, row, until))

    # keys and mouse

    def action_scroll_rows(self, rows: int) -> None:
        """Scroll by rows."""
        self._move(rows)

    def action_scroll_pages(self, pages: int) -> None:
        """Scroll by screens, with one row in common."""
        self._move(pages * max(1, self.size.height - 1))

    def action_scroll_start(self) -> None:
        """Show the first row; text so far is no news."""
        self._backlog.is_known()
        self._scroll_to_row(0)

    def action_follow_end(self) -> None:
        """Show the end and follow it."""
        self._view.follow = True
        self._flush()

    def action_step(self, step: int) -> None:
        """Move the cursor to the previous or next block."""
        self._step(step, landmarks=False)

    def cursor_goes_on(self, step: int) -> bool:
        """Return whether the block under the cursor is in view and goes on below it, or above it for -1."""
        if self.cursor is None:
            return False
        index = self._layout.index(self.cursor)
        start = self._layout.top(index) - self._view.top
        end = start + self._layout.block_height(index)
        is_in_view = start < self._view.height and end > 0
        return is_in_view and (end > self._view.height if step > 0 else start < 0)

    def action_landmark(self, step: int) -> None:
        """Move the cursor to the previous or next landmark."""
        self._step(step, landmarks=True)

    def action_choose(self) -> None:
        """Act on the block under the cursor."""
        if self.cursor is not None and self.cursor.is_action:
            self.post_message(self.Chosen(self, self.cursor))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up with the wheel."""
        self._wheel(event, -1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down with the wheel."""
        self._wheel(event, 1)

    def on_click(self, event: events.Click) -> None:
        """Act on the clicked action, link, mark of new text, or place in the scroll bar."""
        if self.text_selection is not None:
            return
        if event.x == self.size.width - 1 and self._layout.height > self.size.height:
            self._scroll_to_row(event.y * self._layout.height // self.size.height)
        elif self._marks_news and event.y == self.size.height - 1:
            self.action_follow_end()
        elif self._view.top + event.y < self._layout.height:
            self._choose_at(event.x, event.y)

    def _choose_at(self, column: int, y: int) -> None:
        index, number = self._layout.at(self._view.top + y)
        block, rows = self._layout.blocks[index], self._layout.rows(index)
        link = link_at(rows[number], column) if rows and number < len(rows) else ""
        if link or block.is_action:
            self._put_cursor(block)
            self.post_message(self.Chosen(self, block, number, column, link))

    def _wheel(self, event: events.MouseEvent, direction: int) -> None:
        event.stop()
        event.prevent_default()
        self._move(direction * max(1, round(self.app.scroll_sensitivity_y)))

    def _step(self, step: int, *, landmarks: bool) -> None:
        """Move the cursor; without one, start from the first block in view, or from a followed end."""
        blocks = self._layout.blocks
        if self._cursor is not None:
            start = self._layout.index(self._cursor) + step
        elif step < 0 and self._view.follow:
            start = len(blocks) - 1
        else:
            start = self._layout.at(self._view.top)[0] if blocks else 0
        self._put_cursor(beside(self._layout, start, step, landmarks=landmarks) or self._cursor)

    def _put_cursor(self, block: Block | None) -> None:
        for touched in {self.cursor, block} - {None}:
            assert touched is not None
            self._painter.forget(touched)
        self._cursor = block
        if block is not None:
            self.show_block(block)
        self.refresh()

    @override
    def render_line(self, y: int) -> Strip:
        strip = next(self._view_painter.strips(y, y + 1, self.cursor if self.has_focus else None))
        return strip.apply_offsets(0, line_of(self._layout, self._view.top + y))

    # selecting

    @override
    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()

    @override
    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        if not self._lays_out:
            return None
        return selected_text(self._layout, selection), "\n"


def beside(layout: BlockLayout, start: int, step: int, *, landmarks: bool) -> Block | None:
    """Return the first block with rows, or the first landmark, from an index on; None without one.

    Args:
        layout: the blocks.
        start: the first index.
        step: 1 for those below, -1 for those above.
        landmarks: True to search landmarks only.
    """
    blocks, index = layout.blocks, start
    while 0 <= index < len(blocks):
        if blocks[index].landmark or (not landmarks and layout.block_height(index)):
            return blocks[index]
        index += step
    return None


_HEAD: Final = 2
"""Rows at the start of a block that contain its first line, after empty ones."""

SLICE: Final = 0.006
"""Seconds of searching before other tasks run."""

Hit: TypeAlias = tuple[Block, int]
"""A block, and the number of the hit in it."""


class Hits:
    """All hits in order, stored as one number per block."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        """The blocks that have hits."""
        self._starts = [0]
        """Number of hits before each of them, and in all."""

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
        """Return the number of a hit, from 0, or -1 if it is gone."""
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
    """Return the hits in blocks, folded text included; in slices, so that keys get their turn.

    After each slice `goes_on` says whether they are still wanted; None if not.
    """
    hits, until = Hits(), perf_counter() + SLICE
    for block in blocks if text else ():
        hits.add(block, hits_in(block.searched(), text))
        if perf_counter() > until:
            await asyncio.sleep(0)
            if not goes_on():
                return None
            until = perf_counter() + SLICE
    return hits


def hits_in(text: str, needle: str) -> int:
    """Return the number of hits in a text, in any case."""
    return text.casefold().count(needle.casefold()) if needle else 0


def row_of_hit(layout: BlockLayout, index: int, needle: str, number: int, until: float) -> int:
    """Return the row of a block that its hit `number` (from 0) is in.

    The text may be invisible: folded, or drawn differently from its source. Then it is the row of the hit
    before it, or the first row with text.
    """
    layout.lay_out(index, until)
    laid_out = layout.rows(index) or ()
    texts = list(laid_out.texts() if isinstance(laid_out, PackedRows) else map(row_text, laid_out))
    rows = [row for row, text in enumerate(texts) for _ in range(hits_in(text, needle))]
    if rows:
        return rows[min(number, len(rows) - 1)]
    return next((row for row, text in enumerate(texts[:_HEAD]) if text.strip()), 0)
