from __future__ import annotations

import asyncio
from math import inf

import pytest

from acp_tui.ui.widgets import searching
from acp_tui.ui.widgets.blocks import Block, TextBlock
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.searching import Hits, hits_in, look_through, row_of_hit
from acp_tui.ui.widgets.stack import Stack


def laid_out(text: str, width: int = 20) -> Stack:
    stack = Stack(Look(), lambda block, kept: None)
    stack.resize(width, stack.look)
    stack.insert(0, TextBlock([("text", text)], above=1))
    return stack


def test_hits_are_counted_in_whichever_case() -> None:
    assert hits_in("One ONE none", "one") == 3
    assert hits_in("anything", "") == 0


def test_a_hit_is_found_in_its_row() -> None:
    stack = laid_out("one\ntwo one\none one\nrest")

    assert [row_of_hit(stack, 0, "one", number, inf) for number in range(4)] == [1, 2, 3, 3]


def test_a_hit_that_is_not_seen_is_at_the_last_one_before_it_or_at_the_first_text() -> None:
    stack = laid_out("head\nneedle")

    assert row_of_hit(stack, 0, "needle", 5, inf) == 2
    assert row_of_hit(stack, 0, "folded away", 0, inf) == 1


def test_hits_are_counted_over_blocks_and_found_by_their_place() -> None:
    first, second, third = (TextBlock([("text", "x")]) for _ in range(3))
    order: dict[Block, int] = {first: 0, second: 1, third: 2}
    hits = Hits()
    for block, count in ((first, 2), (second, 0), (third, 3)):
        hits.add(block, count)

    assert len(hits) == 5
    assert [hits[place] for place in range(5)] == [
        (first, 0),
        (first, 1),
        (third, 0),
        (third, 1),
        (third, 2),
    ]
    assert [hits.place(hits[place]) for place in range(5)] == list(range(5))
    assert hits.place((second, 0)) == hits.place((first, 2)) == hits.place(None) == -1
    assert [hits.first_from(index, order.__getitem__) for index in range(4)] == [0, 2, 2, 4]
    assert Hits().first_from(0, order.__getitem__) == -1


async def test_others_have_their_turn_while_blocks_are_looked_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(searching, "_SLICE", -1.0)  # each block is a slice
    blocks = [TextBlock([("text", f"needle {number}")]) for number in range(50)]
    turns = 0
    looking = asyncio.create_task(look_through(blocks, "needle", lambda: True))
    while not looking.done():
        await asyncio.sleep(0)
        turns += 1

    hits = await looking
    assert hits is not None
    assert hits.blocks == blocks
    assert turns >= 50


async def test_what_is_not_wanted_any_more_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "_SLICE", -1.0)
    looked = 0

    class Counted(TextBlock):
        def searched(self) -> str:
            nonlocal looked
            looked += 1
            return "needle"

    blocks = [Counted() for _ in range(50)]

    assert await look_through(blocks, "needle", lambda: looked < 3) is None
    assert looked == 3
    assert await look_through(blocks, "", lambda: True) is not None
    assert looked == 3
