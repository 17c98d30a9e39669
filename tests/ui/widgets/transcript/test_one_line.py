"""Tests of one line."""

from __future__ import annotations

import pytest

from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.transcript.blocks import OneRowBlock, one_row

LOOK = Look()


def text(left: str, right: str, width: int) -> str:
    pieces = [("text", right)] if right else []
    return "".join(segment.text for segment in one_row([("text", left)], pieces, width, LOOK))


@pytest.mark.parametrize(
    ("left", "right", "width", "shown"),
    [
        ("name", "", 10, "name"),
        ("name", "+3", 10, "name    +3"),
        ("a long name", "+3", 10, "a long… +3"),
        ("日本語の名前", "1", 8, "日本 … 1"),
    ],
)
def test_the_left_is_cut_so_that_the_facts_on_the_right_are_seen(
    left: str, right: str, width: int, shown: str
) -> None:
    assert text(left, right, width) == shown


def test_what_does_not_fit_at_all_is_never_wider_than_the_view() -> None:
    for width in range(12):
        assert len(text("name", "many facts", width)) <= width


def test_an_empty_line_takes_no_row_and_another_text_is_news() -> None:
    line = OneRowBlock()
    assert line.rows(10, LOOK) == []
    assert line.height_hint(10) == 0
    assert line.set_pieces([("text", "a")])
    assert not line.set_pieces([("text", "a")])
    assert line.height_hint(10) == 1


def test_control_sequences_of_an_agent_are_no_control_sequences_here() -> None:
    assert "\x1b" not in text("a\x1b[31mb\nc", "", 40)
