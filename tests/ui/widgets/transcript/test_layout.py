"""Blocks one below the other, and the viewport on them, without a screen."""

from __future__ import annotations

import random
from math import inf

import pytest

from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.transcript import layout as module
from acp_tui.ui.widgets.transcript.blocks import TextBlock
from acp_tui.ui.widgets.transcript.layout import BlockLayout, Heights, Viewport


@pytest.mark.slow
def test_sums_and_places_are_those_of_a_plain_list() -> None:
    dice = random.Random(2)
    heights, plain = Heights(), list[int]()
    for _ in range(400):
        act, height = dice.random(), dice.randint(0, 5)
        index = dice.randrange(len(plain)) if plain else 0
        if act < 0.5 or not plain:
            heights.append(height)
            plain.append(height)
        elif act < 0.6:
            heights.insert(index, height)
            plain.insert(index, height)
        elif act < 0.7:
            heights.remove(index)
            del plain[index]
        else:
            heights[index] = height
            plain[index] = height
        assert heights.total == sum(plain)
        assert [heights.before(k) for k in range(len(plain))] == [sum(plain[:k]) for k in range(len(plain))]
        places = [(k, row) for k, height in enumerate(plain) for row in range(height)]
        assert [heights.find(row) for row in range(len(places))] == places


def test_a_row_past_the_end_belongs_to_the_last_block() -> None:
    assert Heights([2, 3]).find(7) == (1, 5)


def text(rows: int) -> TextBlock:
    return TextBlock([("text", "\n".join(["row"] * rows))])


def layout(*blocks: TextBlock) -> BlockLayout:
    made = BlockLayout(Styles(), lambda block, kept: None)
    made.resize(20, Styles())
    for block in blocks:
        made.insert(len(made), block)
        made.lay_out(made.index(block), inf)
    return made


def test_a_row_is_found_in_its_block() -> None:
    made = layout(text(2), text(1), text(3))

    assert [made.at(row) for row in range(made.height)] == [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1), (2, 2)]
    assert [made.top(index) for index in range(3)] == [0, 2, 3]


def test_what_is_put_before_or_taken_out_moves_what_follows() -> None:
    first, last, between = text(1), text(1), text(4)
    made = layout(first, last)

    made.insert(1, between)
    made.lay_out(1, inf)
    assert (made.index(last), made.top(2), made.height) == (2, 5, 6)
    made.remove(first)

    assert (made.index(last), made.top(1), made.height) == (1, 4, 5)
    assert first not in made
    with pytest.raises(ValueError, match="not a block"):
        made.index(first)


def test_a_block_stands_in_it_once() -> None:
    block = text(1)
    made = layout(block)

    with pytest.raises(ValueError, match="already"):
        made.insert(0, block)


def test_another_width_forgets_the_rows() -> None:
    made = layout(text(2))
    assert made.rows(0) is not None

    made.resize(10, Styles())

    assert made.rows(0) is None


def test_rows_out_of_sight_are_given_back_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_ROWS", 4)
    made = layout(text(2), text(2), text(2))

    made.trim(range(2, 3))

    assert [made.rows(index) is not None for index in range(3)] == [False, True, True]
    assert made.height == 6, "what is known of the heights stays"


def test_a_block_that_changed_out_of_view_grows_by_estimate_and_never_shrinks() -> None:
    growing, shrinking = text(1), text(3)
    made = layout(growing, shrinking)
    growing.set_spans([("text", "one\ntwo")])
    shrinking.set_spans([("text", "one")])
    for block in (growing, shrinking):
        made.stale(block)

    made.estimate([growing, shrinking], range(0))

    assert [made.block_height(index) for index in range(2)] == [2, 3]


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
