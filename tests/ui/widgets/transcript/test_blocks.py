"""Short texts as blocks, and blocks of one row."""

from __future__ import annotations

import pytest
from rich.segment import Segment
from rich.style import Style

from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import row_text
from acp_tui.ui.widgets.transcript.blocks import OneRowBlock, TextBlock, one_row

RED = Style(color="red")


STYLES = Styles(by_role={"error": RED})


def test_a_text_has_styles_by_role_and_prefixes() -> None:
    block = TextBlock(
        [("error", "one two "), (RED, "three")], first=[("error", "> ")], rest=[("text", "  ")], above=1
    )

    rows = block.rows(9, STYLES)

    assert [row_text(row) for row in rows] == ["", "> one two", "  three"]
    assert rows[1] == [Segment("> ", RED), Segment("one two", RED)]
    assert block.source() == "one two three"


def test_rows_are_kept_until_the_text_or_the_look_changes() -> None:
    block = TextBlock([("error", "one")])
    first = block.rows(9, STYLES)
    assert (block.stable_rows, block.rows(9, STYLES) is first, block.stable_rows) == (0, True, 1)

    block.set_spans([("error", "two")])
    assert row_text(block.rows(9, STYLES)[0]) == "two"
    assert block.stable_rows == 0
    assert block.rows(9, Styles())[0][0].style == Style()


def test_the_height_is_estimated_from_lines_and_length() -> None:
    assert TextBlock([("text", "one\ntwo")]).height_hint(10) == 2
    assert TextBlock([("text", "x" * 95)], above=1).height_hint(10) == 11


def test_text_of_an_agent_is_made_safe() -> None:
    assert row_text(TextBlock([("text", "a\x1b[2J\r\nb")]).rows(20, STYLES)[0]) == "a␛[2J"


PLAIN = Styles()


def text(left: str, right: str, width: int) -> str:
    pieces = [("text", right)] if right else []
    return "".join(segment.text for segment in one_row([("text", left)], pieces, width, PLAIN))


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
    assert line.rows(10, PLAIN) == []
    assert line.height_hint(10) == 0
    assert line.set_pieces([("text", "a")])
    assert not line.set_pieces([("text", "a")])
    assert line.height_hint(10) == 1


def test_control_sequences_of_an_agent_are_no_control_sequences_here() -> None:
    assert "\x1b" not in text("a\x1b[31mb\nc", "", 40)
