from __future__ import annotations

from math import inf

from acp_tui.ui.widgets.blocks import TextBlock
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.searching import hits_in, row_of_hit
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
