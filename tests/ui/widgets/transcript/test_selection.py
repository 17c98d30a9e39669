"""Text that the mouse has selected, without a screen."""

from __future__ import annotations

from textual.geometry import Offset
from textual.selection import Selection
from typing_extensions import override

from acp_tui.ui.widgets.markdown.stream import MarkdownBlock
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.transcript.blocks import TextBlock
from acp_tui.ui.widgets.transcript.layout import BlockLayout
from acp_tui.ui.widgets.transcript.selection import line_of, selected_text


def layout() -> BlockLayout:
    """Three blocks in ten columns: one row, two rows, Markdown."""
    made = BlockLayout(Styles(), lambda block, kept: None)
    made.resize(10, Styles())
    answer = MarkdownBlock("some **bold**")
    answer.finish()
    blocks = (TextBlock([("text", "first")]), TextBlock([("text", "one two three")]), answer)
    for index, block in enumerate(blocks):
        made.insert(index, block)
        made.lay_out(index, float("inf"))
    return made


def place(made: BlockLayout, row: int, column: int) -> Offset:
    return Offset(column, line_of(made, row))


def test_a_part_of_a_row_is_that_part() -> None:
    made = layout()

    assert selected_text(made, Selection(place(made, 0, 1), place(made, 0, 3))) == "ir"


def test_rows_that_were_wrapped_are_one_text_again() -> None:
    made = layout()

    assert selected_text(made, Selection(place(made, 1, 4), place(made, 2, 5))) == "two three"


def test_a_block_that_is_selected_as_a_whole_is_its_source() -> None:
    made = layout()

    assert selected_text(made, Selection(None, None)) == "first\none two three\nsome **bold**"
    assert selected_text(made, Selection(place(made, 3, 0), place(made, 3, 9))) == "some **bold**"


class OwnBlock(TextBlock):
    """A block that is copied as drawn when others are copied with it."""

    @override
    def source_among_others(self) -> None:
        return None


def test_a_block_among_others_is_copied_with_its_mark() -> None:
    made = BlockLayout(Styles(), lambda block, kept: None)
    made.resize(20, Styles())
    own = OwnBlock([("text", "allowed")], first=[("text", "· ")], above=1)
    for index, block in enumerate((own, TextBlock([("text", "said")]))):
        made.insert(index, block)
        made.lay_out(index, float("inf"))

    assert selected_text(made, Selection(None, None)) == "· allowed\nsaid"
    assert selected_text(made, Selection(None, place(made, 1, 9))) == "allowed"


def test_in_an_empty_stack_there_is_no_line() -> None:
    assert line_of(BlockLayout(Styles(), lambda block, kept: None), 0) == 0
