"""What a command printed, as rows."""

from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.output_block import LINES, OutputBlock
from acp_tui.ui.widgets.wrap import row_text


def shown(block: OutputBlock, width: int) -> list[str]:
    return [row_text(row).rstrip() for row in block.rows(width, Look())]


def test_long_lines_are_wrapped_anywhere_and_a_progress_bar_is_its_last_state() -> None:
    assert shown(OutputBlock("abcdefgh\n10%\r99%\n"), 5) == ["abcde", "fgh", "99%"]


def test_only_the_newest_lines_are_shown_and_all_are_copied() -> None:
    block = OutputBlock("".join(f"{number}\n" for number in range(LINES + 10)))

    rows = shown(block, 20)
    assert (rows[-1], len(rows) <= LINES, "0" in rows) == (str(LINES + 9), True, False)
    assert block.source().startswith("0\n1\n")
    assert block.height_hint(20) == LINES


def test_rows_are_kept_for_one_width_until_they_are_given_back() -> None:
    block = OutputBlock("abcdefgh\n")
    first = block.rows(5, Look())
    assert block.kept == 0

    assert block.rows(5, Look()) is first
    assert block.kept == len(first)
    block.forget_rows()
    assert block.rows(5, Look()) is not first
