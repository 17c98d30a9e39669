"""Where a view of many blocks is, without a screen."""

from __future__ import annotations

from math import inf

from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.transcript.blocks import TextBlock
from acp_tui.ui.widgets.transcript.stack import Stack, Viewport

LOOK = Look()


def text(rows: int) -> TextBlock:
    return TextBlock([("text", "\n".join(["row"] * rows))])


def viewport(*rows: int, height: int = 4) -> tuple[Viewport, Stack]:
    """Return a view of blocks with so many rows, at their end."""
    stack = Stack(LOOK, lambda block, kept: None)
    view = Viewport(stack)
    view.resize(20, height, LOOK)
    for count in rows:
        stack.insert(len(stack), text(count))
    view.settle(inf)
    return view, stack


def add(stack: Stack, rows: int, index: int | None = None) -> None:
    stack.insert(len(stack) if index is None else index, text(rows))


def test_it_follows_the_end_until_it_is_moved() -> None:
    view, stack = viewport(3, 3)
    assert (view.top, view.follow, view.shows_end) == (2, True, True)

    add(stack, 2)
    view.settle(inf)
    assert view.top == 4

    view.move(-1, inf)
    add(stack, 2)
    view.settle(inf)
    assert (view.top, view.follow, view.shows_end) == (3, False, False)


def test_scrolling_back_to_the_end_follows_again() -> None:
    view, _ = viewport(3, 3)
    view.move(-2, inf)
    assert not view.follow

    view.move(9, inf)

    assert (view.top, view.follow) == (2, True)


def test_what_comes_above_moves_no_row_that_is_seen() -> None:
    view, stack = viewport(2, 9)
    view.go(stack.blocks[1], 3, inf)
    assert view.top == 5

    add(stack, 4, index=0)
    view.settle(inf)

    assert view.top == 9, "the same row of the same block"


def test_a_block_is_revealed_by_as_little_as_needed() -> None:
    view, stack = viewport(2, 2, 2, 2)
    view.go(stack.blocks[0], 0, inf)

    view.reveal(stack.blocks[1], inf)
    assert view.top == 0, "it is seen already"
    view.reveal(stack.blocks[2], inf)
    assert view.top == 2
    view.reveal(stack.blocks[0], inf)
    assert view.top == 0


def test_of_a_block_that_is_higher_than_the_view_the_start_is_shown() -> None:
    view, stack = viewport(1, 9, 1)

    view.reveal(stack.blocks[1], inf)

    assert view.top == 1


def test_when_the_block_at_the_top_is_taken_out_its_neighbour_is_there() -> None:
    view, stack = viewport(5, 5, 9)
    block = stack.blocks[1]
    view.go(block, 2, inf)

    stack.remove(block)
    view.removed(block, 1)
    view.settle(inf)

    assert view.top == 5
    assert not view.follow


def test_without_time_it_says_that_it_is_not_complete() -> None:
    stack = Stack(LOOK, lambda block, kept: None)
    view = Viewport(stack)
    view.resize(20, 8, LOOK)
    for _ in range(6):
        add(stack, 2)

    assert not view.settle(0.0)
    assert view.settle(inf)


def test_blocks_below_the_view_are_told_from_those_in_it() -> None:
    view, stack = viewport(2, 2, 2, 2)
    view.go(stack.blocks[0], 0, inf)

    assert [view.is_above_end_of(block) for block in stack.blocks] == [False, False, True, True]
    assert list(view.near()) == [0, 1]
