"""Tests of `ui/widgets/transcript/viewport.py`."""

from __future__ import annotations

from math import inf

from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.transcript.blocks import TextBlock
from acp_tui.ui.widgets.transcript.layout import BlockLayout
from acp_tui.ui.widgets.transcript.viewport import Viewport


def text(rows: int) -> TextBlock:
    return TextBlock([("text", "\n".join(["row"] * rows))])


STYLES = Styles()


def viewport(*rows: int, height: int = 4) -> tuple[Viewport, BlockLayout]:
    """Return a view of blocks with so many rows, at their end."""
    layout = BlockLayout(STYLES, lambda block, kept: None)
    view = Viewport(layout)
    view.resize(20, height, STYLES)
    for count in rows:
        layout.insert(len(layout), text(count))
    view.settle(inf)
    return view, layout


def add(layout: BlockLayout, rows: int, index: int | None = None) -> None:
    layout.insert(len(layout) if index is None else index, text(rows))


def test_it_follows_the_end_until_it_is_moved() -> None:
    view, layout = viewport(3, 3)
    assert (view.top, view.follow, view.shows_end) == (2, True, True)

    add(layout, 2)
    view.settle(inf)
    assert view.top == 4

    view.move(-1, inf)
    add(layout, 2)
    view.settle(inf)
    assert (view.top, view.follow, view.shows_end) == (3, False, False)


def test_scrolling_back_to_the_end_follows_again() -> None:
    view, _ = viewport(3, 3)
    view.move(-2, inf)
    assert not view.follow

    view.move(9, inf)

    assert (view.top, view.follow) == (2, True)


def test_what_comes_above_moves_no_row_that_is_seen() -> None:
    view, layout = viewport(2, 9)
    view.go(layout.blocks[1], 3, inf)
    assert view.top == 5

    add(layout, 4, index=0)
    view.settle(inf)

    assert view.top == 9, "the same row of the same block"


def test_a_block_is_revealed_by_as_little_as_needed() -> None:
    view, layout = viewport(2, 2, 2, 2)
    view.go(layout.blocks[0], 0, inf)

    view.reveal(layout.blocks[1], inf)
    assert view.top == 0, "it is seen already"
    view.reveal(layout.blocks[2], inf)
    assert view.top == 2
    view.reveal(layout.blocks[0], inf)
    assert view.top == 0


def test_of_a_block_that_is_higher_than_the_view_the_start_is_shown() -> None:
    view, layout = viewport(1, 9, 1)

    view.reveal(layout.blocks[1], inf)

    assert view.top == 1


def test_when_the_block_at_the_top_is_taken_out_its_neighbour_is_there() -> None:
    view, layout = viewport(5, 5, 9)
    block = layout.blocks[1]
    view.go(block, 2, inf)

    layout.remove(block)
    view.removed(block, 1)
    view.settle(inf)

    assert view.top == 5
    assert not view.follow


def test_without_time_it_says_that_it_is_not_complete() -> None:
    layout = BlockLayout(STYLES, lambda block, kept: None)
    view = Viewport(layout)
    view.resize(20, 8, STYLES)
    for _ in range(6):
        add(layout, 2)

    assert not view.settle(0.0)
    assert view.settle(inf)


def test_blocks_below_the_view_are_distinguished_from_those_in_it() -> None:
    view, layout = viewport(2, 2, 2, 2)
    view.go(layout.blocks[0], 0, inf)

    assert [view.is_above_end_of(block) for block in layout.blocks] == [False, False, True, True]
    assert list(view.near()) == [0, 1]
