"""Sums of heights against plain lists."""

from __future__ import annotations

import random

from acp_tui.ui.widgets.heights import Heights


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
