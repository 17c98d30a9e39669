"""Blocks one below the other, without a screen."""

from __future__ import annotations

import random
from math import inf

import pytest

from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.transcript import layout as module
from acp_tui.ui.widgets.transcript.blocks import TextBlock
from acp_tui.ui.widgets.transcript.layout import BlockLayout, Heights


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
