"""Short texts as blocks."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style

from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import row_text
from acp_tui.ui.widgets.transcript.blocks import TextBlock

RED = Style(color="red")
LOOK = Look(styles={"error": RED})


def test_a_text_has_styles_by_role_and_prefixes() -> None:
    block = TextBlock(
        [("error", "one two "), (RED, "three")], first=[("error", "> ")], rest=[("text", "  ")], above=1
    )

    rows = block.rows(9, LOOK)

    assert [row_text(row) for row in rows] == ["", "> one two", "  three"]
    assert rows[1] == [Segment("> ", RED), Segment("one two", RED)]
    assert block.source() == "one two three"


def test_rows_are_kept_until_the_text_or_the_look_changes() -> None:
    block = TextBlock([("error", "one")])
    first = block.rows(9, LOOK)
    assert (block.stable_rows, block.rows(9, LOOK) is first, block.stable_rows) == (0, True, 1)

    block.set_spans([("error", "two")])
    assert row_text(block.rows(9, LOOK)[0]) == "two"
    assert block.stable_rows == 0
    assert block.rows(9, Look())[0][0].style == Style()


def test_the_height_is_estimated_from_lines_and_length() -> None:
    assert TextBlock([("text", "one\ntwo")]).height_hint(10) == 2
    assert TextBlock([("text", "x" * 95)], above=1).height_hint(10) == 11


def test_text_of_an_agent_is_made_safe() -> None:
    assert row_text(TextBlock([("text", "a\x1b[2J\r\nb")]).rows(20, LOOK)[0]) == "a␛[2J"
