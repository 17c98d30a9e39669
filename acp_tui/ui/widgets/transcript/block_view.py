"""A scroll view of any number of blocks: pacing, layout, scrolling and drawing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import inf
from time import perf_counter
from typing import ClassVar, Final, Literal

from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget
from typing_extensions import override

from acp_tui.ui.widgets.delay import after
from acp_tui.ui.widgets.painter import Painter
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.textual_internals import draw_now, mark_rows
from acp_tui.ui.widgets.transcript.blocks import Block
from acp_tui.ui.widgets.transcript.layout import BlockLayout
from acp_tui.ui.widgets.transcript.paint import ViewportPainter
from acp_tui.ui.widgets.transcript.viewport import Viewport

OVERLOADED: Final = 4_000_000
CAUGHT_UP: Final = 1_000_000
"""Characters waiting for layout at which the view is overloaded, and at which it has caught up."""


class Backlog:
    """The blocks of a view that have changed and are not completely laid out yet."""

    def __init__(self, layout: BlockLayout, view: Viewport) -> None:
        self.has_news = False
        """True if something was added below the view since its end was in view."""
        self._layout = layout
        self._view = view
        self._waiting: set[Block] = set()
        self._told: set[Block] = set()
        """Blocks changed since the last layout; their rows below the view are news."""
        self._is_overloaded = False

    @property
    def is_empty(self) -> bool:
        """True if everything in view is laid out."""
        return not self._waiting

    def changed(self, block: Block) -> bool:
        """Note a changed block; return True if it alone overloads the view."""
        self._layout.stale(block)
        self._waiting.add(block)
        self._told.add(block)
        return block.waiting > OVERLOADED

    def inserted(self, block: Block) -> bool:
        """Note a new block; return as `changed` does."""
        self._told.add(block)
        return block.waiting > OVERLOADED and self.changed(block)

    def refolded(self, block: Block) -> None:
        """Note a block that is drawn as something else, which is no news."""
        self._layout.refold(block)
        self._waiting.add(block)

    def removed(self, block: Block) -> None:
        """Forget a block."""
        self._waiting.discard(block)
        self._told.discard(block)

    def clear(self) -> None:
        """Forget all blocks."""
        self._waiting.clear()
        self._told.clear()

    def is_known(self) -> None:
        """Forget the news so far."""
        self._told.clear()

    def settle(self, until: float) -> bool:
        """Lay out the blocks in view; return False if the time was too short."""
        changed, self._waiting = self._waiting, set()
        self._layout.estimate(changed, but=self._view.near())
        finished = self._view.settle(until)
        if not self._view.shows_end and not self.has_news:
            self.has_news = any(self._view.is_above_end_of(block) for block in self._told)
        self._told.clear()
        near = map(self._layout.blocks.__getitem__, self._view.near())
        self._waiting = {block for block in near if block.waiting}
        return finished

    def weigh(self, *, is_seen: bool) -> Literal["overloaded", "caught up"] | None:
        """Return the change of the load, if any; a hidden view has no load."""
        waiting = sum([block.waiting for block in self._waiting]) if is_seen else 0
        if not self._is_overloaded and waiting > OVERLOADED:
            self._is_overloaded = True
            return "overloaded"
        if self._is_overloaded and waiting < CAUGHT_UP:
            self._is_overloaded = False
            return "caught up"
        return None


# Textual would send a whole widget again for one changed word. A painted row is kept as one strip for as long
# as its text stays. So the strips on the screen are compared with new ones by identity, and only rows with
# another strip are asked for: text that grows in its row costs a few hundred bytes, not fifteen thousand. A
# row of which it is not certain what the terminal shows counts as unknown, and is drawn again.


class Redraw:
    """The strips that were drawn last, to redraw only rows that differ.

    Strips are compared by identity. Textual asks for more rows than it draws, namely all between those that
    changed: only a row that `differing` returned counts as drawn by the next `drawn`; others are drawn again.
    """

    def __init__(self) -> None:
        self._drawn: list[Strip | None] = []
        self._wanted: set[int] = set()

    def forget(self) -> None:
        """Forget what the terminal shows."""
        self._drawn = []

    def differing(self, strips: Sequence[Strip], width: int) -> list[Region]:
        """Return the regions of rows to redraw; `strips` are all rows of the view."""
        if len(self._drawn) != len(strips):
            self._drawn = [None] * len(strips)
        rows = [y for y, (old, new) in enumerate(zip(self._drawn, strips, strict=True)) if old is not new]
        self._wanted.update(rows)
        return [Region(0, first, width, last + 1 - first) for first, last in _runs(rows)]

    def drawn(self, start: int, strips: Sequence[Strip]) -> None:
        """Note the rows that Textual has asked for, from row `start` of the view on."""
        for y, strip in enumerate(strips, start):
            if y >= len(self._drawn):
                break
            if y in self._wanted:
                self._wanted.discard(y)
                self._drawn[y] = strip
            elif self._drawn[y] is not strip:
                self._drawn[y] = None


def _runs(rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield runs of consecutive numbers as (first, last)."""
    first = last = -1
    for row in rows:
        if first >= 0 and row != last + 1:
            yield first, last
            first = row
        elif first < 0:
            first = row
        last = row
    if first >= 0:
        yield first, last


# The session view changes its panes in batches, 15 a second: it pauses a view for a batch, and the view lays
# out as soon as the pause ends. With a second pacer here a chunk took 24 ms (p50; p90 43 to 52) to the
# screen, without it 19 (33). Single changes, such as those of a terminal, are paced here.
FLUSH_EVERY: Final = 0.05
"""Seconds between two layouts while blocks change one by one."""

SLICE: Final = 0.006
"""Seconds of layout before other work gets its turn; the piece under way may take some more."""

SLICES_DRAWN: Final = 5
"""Slices per frame while the view catches up; a frame costs as much as a slice."""


class BlockView(ScrollView, can_focus=True):
    """A scroll view of blocks that follows the end, or stays where the user scrolled to."""

    FROM_END: ClassVar[bool] = True
    """False to show the start of new content, and to follow the end only on request."""

    class ViewMessage(Message):
        """A message of a view of blocks."""

        def __init__(self, view: BlockView) -> None:
            super().__init__()
            self.view = view

        @property
        def control(self) -> BlockView:
            """The sender."""
            return self.view

    class Overloaded(ViewMessage):
        """Text comes faster than it can be laid out: its source should pause."""

    class CaughtUp(ViewMessage):
        """The view has caught up after `Overloaded`."""

    def __init__(
        self,
        styles: Styles | None = None,
        *,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._painter = Painter()
        self._layout = BlockLayout(styles or Styles(), self._painter.forget)
        self._view = Viewport(self._layout, from_end=self.FROM_END)
        self._view_painter = ViewportPainter(self._layout, self._view, self._painter)
        self._cursor: Block | None = None
        self._backlog = Backlog(self._layout, self._view)
        self._hidden = False
        self._paused = False
        self._is_batch = False
        """True while the end of a pause is laid out."""
        self._flush_due = inf
        """When the next layout is due: inf if nothing changed, 0 if something did during a pause."""
        self._requests = 0
        """Layouts that were requested or made so far."""
        self._flushed_at = 0.0
        self._redraw = Redraw()
        self._undrawn = 0
        """Slices of layout since the last frame."""

    # what the owner does with it

    @property
    def blocks(self) -> Sequence[Block]:
        """The blocks in order, not to be changed."""
        return self._layout.blocks

    @property
    def theme_styles(self) -> Styles:
        """The styles in use."""
        return self._layout.theme_styles

    @property
    def follow(self) -> bool:
        """True while the view follows the end."""
        return self._view.follow

    @property
    def cursor(self) -> Block | None:
        """The block under the cursor; None until its keys are used."""
        return self._cursor

    @property
    def paused(self) -> bool:
        """True while changes are only collected; they are laid out when the pause ends.

        Then its owner draws them by `draw_now`, together with those of other views.
        """
        return self._paused

    @paused.setter
    def paused(self, paused: bool) -> None:
        ended, self._paused = self._paused and not paused, paused
        if ended and self._flush_due < inf:
            self._is_batch = True
            try:
                self._flush()
            finally:
                self._is_batch = False

    @property
    def is_settled(self) -> bool:
        """True if all changes are laid out."""
        return self._flush_due == inf and self._backlog.is_empty

    @property
    def is_hidden(self) -> bool:
        """True while the view is not on the screen, and lays nothing out."""
        return self._hidden

    @property
    def first_in_view(self) -> int:
        """Index of the first block in view."""
        return self._view.near().start

    def laid_out(self) -> None:
        """Note that blocks were laid out; `virtual_size` has the rows of all."""

    def append(self, block: Block) -> None:
        """Add a block at the end."""
        self.insert(len(self._layout), block)

    def insert(self, index: int, block: Block) -> None:
        """Add a block before the one at `index`; rows in view do not move."""
        self._layout.insert(index, block)
        if self._backlog.inserted(block):
            self._weigh()  # a flush would find out too late
        self._request_flush()

    def remove_block(self, block: Block) -> None:
        """Remove a block; ValueError if it is not here."""
        index = self._layout.index(block)
        self._layout.remove(block)
        self._view.removed(block, index)
        self._backlog.removed(block)
        if self._cursor is block:
            self._cursor = None
        self._request_flush()

    def changed(self, block: Block) -> None:
        """Note that the rows of a block may have changed; the view is updated soon."""
        if block in self._layout:
            if self._backlog.changed(block):
                self._weigh()  # a flush would find out too late
            self._request_flush()

    def refolded(self, block: Block) -> None:
        """Note that a block is drawn as something else, or not at all; rows in view do not move."""
        if block in self._layout:
            self._backlog.refolded(block)
            self._request_flush()

    def clear(self) -> None:
        """Remove all blocks, and show the end or the start of those that come."""
        self._layout.clear()
        self._painter.clear()
        self._backlog.clear()
        self._cursor = None
        self._view.reset()
        self._moved(True)
        self._request_flush()

    def set_theme_styles(self, styles: Styles) -> None:
        """Set the styles and redraw."""
        self._restyle(styles)

    def show_block(self, block: Block) -> None:
        """Scroll as little as needed to see a block, or its start."""
        if self._lays_out:
            self._moved(self._view.reveal(block, perf_counter() + SLICE))

    def show_amid(self, block: Block) -> None:
        """Show a block clear of the last row, which the mark of new text may cover."""
        self.show_block(block)
        if self._lays_out:
            last = self._layout.block_height(self._layout.index(block)) - 1
            row = last if last < self._view.height // 2 else 0
            self._moved(self._view.reveal_row(block, row, perf_counter() + SLICE))

    # where the view is

    def _move(self, rows: int) -> None:
        if self._lays_out and rows:
            self._moved(self._view.move(rows, perf_counter() + SLICE))

    def _scroll_to_row(self, row: int) -> None:
        if self._lays_out:
            index, within = self._layout.at(max(0, row))
            self._moved(self._view.go(self._layout.blocks[index], within, perf_counter() + SLICE))

    def _moved(self, finished: bool, draw: bool = True) -> None:
        """Publish the scroll position, draw, and request the rest of the layout."""
        # set without watchers: none of this changes the layout of the screen
        self.set_reactive(Widget.virtual_size, Size(self.size.width, self._layout.height))
        self.laid_out()
        self.set_reactive(Widget.scroll_y, float(self._view.top))
        self.set_reactive(Widget.scroll_target_y, float(self._view.top))
        self._backlog.has_news = self._marks_news
        if not finished:
            self._request_flush(0.001)
        self._undrawn = 0 if draw else self._undrawn + 1
        if draw:
            self._refresh_rows()

    def _refresh_rows(self) -> None:
        """Redraw the rows that differ from the screen, or all if something covers them."""
        is_covered = self._marks_news or self.text_selection is not None
        if is_covered or self._is_other_size or not self.screen.is_current:
            self._redraw.forget()
            self.refresh()
            return
        cursor = self._cursor if self.has_focus else None
        strips = list(self._view_painter.strips(0, self._view.height, cursor))
        regions = self._redraw.differing(strips, self._painter.width)
        if regions:
            mark_rows(self, regions)
            if not self._is_batch:
                draw_now(self.screen)

    @property
    def _is_other_size(self) -> bool:
        """True if it was laid out for another size."""
        return (self._painter.width, self._view.height) != self.size

    @override
    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self.size.height != self._view.height:
            return  # Textual keeps it in the bounds of another height: `on_resize` places the view
        if self._lays_out and round(new_value) != self._view.top:
            self._scroll_to_row(round(new_value))

    # bringing it up to date

    @property
    def _lays_out(self) -> bool:
        return self._layout.width > 0 and len(self._layout) > 0

    def _request_flush(self, wait: float | None = None) -> None:
        """Lay out in `wait` seconds, in which keys and frames get their turn, or at the view's own pace."""
        now = perf_counter()
        due = self._flushed_at + FLUSH_EVERY if wait is None else now + wait
        if self._paused:
            due = 0
        if due >= self._flush_due or not self.is_attached:
            return
        self._flush_due, self._requests = due, self._requests + 1
        if not self._paused:
            after(self, due - now, partial(self._flush_requested, self._requests))

    def _flush_requested(self, request: int) -> None:
        """Lay out for the newest request only."""
        if request == self._requests and not self._paused:
            self._flush()

    def _flush(self) -> None:
        """Lay out changes in view for a slice of time; request the rest."""
        self._flush_due, self._requests = inf, self._requests + 1
        if not self._layout.width or self._hidden:
            return
        finished = self._backlog.settle(perf_counter() + SLICE)
        self._weigh()
        self._flushed_at = perf_counter()
        self._moved(finished, draw=finished or self._undrawn + 1 >= SLICES_DRAWN)

    def _weigh(self) -> None:
        load = self._backlog.weigh(is_seen=self._layout.width > 0 and not self._hidden)
        if load is not None:
            self.post_message((self.Overloaded if load == "overloaded" else self.CaughtUp)(self))

    def _restyle(self, styles: Styles) -> None:
        """Apply styles and size, and forget strips painted with others."""
        width, height = self.size if self.is_attached else (0, 0)
        if not width:
            self._layout.theme_styles, self._layout.width = styles, 0  # laid out when there is a size again
            return
        self._view.resize(max(1, width - 2), height, styles)  # the thumb, and a free column before it
        filters, ground = self.app.get_line_filters(), self.background_colors[1]
        self._painter.configure(styles, self.rich_style + styles.base, width, filters, ground)
        self._flush()

    def on_resize(self) -> None:
        """Lay out for the new size, rows in view first."""
        self._restyle(self.theme_styles)

    def on_hide(self) -> None:
        """Stop the layout while hidden."""
        if not self.is_on_screen:
            self._hidden = True
            self._weigh()

    def on_show(self) -> None:
        """Lay out what changed while hidden."""
        self._hidden = False
        self._request_flush()

    @override
    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._restyle(self.theme_styles)

    def on_focus(self) -> None:
        """Draw the cursor."""
        self._put_cursor_style()

    def on_blur(self) -> None:
        """Draw no cursor."""
        self._put_cursor_style()

    def _put_cursor_style(self) -> None:
        if self.cursor is not None:
            self._painter.forget(self.cursor)
            self.refresh()

    # drawing

    @property
    def _marks_news(self) -> bool:
        return self.FROM_END and self._backlog.has_news and not self._view.shows_end

    @override
    def render_lines(self, crop: Region) -> list[Strip]:
        if self._is_other_size:
            self._restyle(self.theme_styles)  # drawn before the news of another size came
        if self._hidden:  # no Show comes if anybody asked where things are before the layout was made anew
            self.on_show()
        painter, cursor = self._view_painter, self.cursor if self.has_focus else None
        strips = list(painter.strips(crop.y, crop.bottom, cursor))
        self._redraw.drawn(crop.y, strips)
        selection = self.text_selection if self.is_attached else None
        if selection is not None:
            style = self.screen.get_component_rich_style("screen--selection")
            strips = [painter.selected(y, strip, selection, style) for y, strip in enumerate(strips, crop.y)]
        if self._marks_news and crop.bottom >= self.size.height:
            strips[self.size.height - 1 - crop.y] = painter.news(self.size.width)
        if crop.x or crop.width != self.size.width:
            strips = [strip.crop(crop.x, crop.right) for strip in strips]
        return strips
