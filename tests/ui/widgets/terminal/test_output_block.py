"""Output of a command, as rows."""

from __future__ import annotations

from time import perf_counter

import pytest

from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.terminal.log import Pen, TerminalLog, style_of
from acp_tui.ui.widgets.terminal.output_block import LINES, OutputBlock
from acp_tui.ui.widgets.text import Row, row_text


def shown(block: OutputBlock, width: int) -> list[str]:
    return [row_text(row).rstrip() for row in block.rows(width, Styles())]


def test_long_lines_are_wrapped_anywhere_and_a_progress_bar_is_its_last_state() -> None:
    assert shown(OutputBlock("abcdefgh\n10%\r99%\n"), 5) == ["abcde", "fgh", "99%"]


@pytest.mark.slow
def test_only_the_newest_lines_are_shown_and_all_are_copied() -> None:
    block = OutputBlock("".join(f"{number}\n" for number in range(LINES + 10)))

    rows = shown(block, 20)
    assert (rows[-1], len(rows) <= LINES, "0" in rows) == (str(LINES + 9), True, False)
    assert block.source().startswith("0\n1\n")
    assert block.height_hint(20) == LINES


def test_rows_are_kept_for_one_width_until_they_are_given_back() -> None:
    block = OutputBlock("abcdefgh\n")
    first = block.rows(5, Styles())
    assert block.stable_rows == 0

    assert block.rows(5, Styles()) is first
    assert block.stable_rows == len(first)
    block.forget_rows()
    assert block.rows(5, Styles()) is not first


def test_the_colours_of_the_program_are_kept_and_an_empty_end_is_not() -> None:
    rows = OutputBlock("\x1b[32mok\x1b[0m\nfailed\n").rows(20, Styles())

    assert [[segment.text for segment in row] for row in rows] == [["ok"], ["failed"]]
    assert rows[0][0].style == style_of(Pen(2))
    assert OutputBlock("").rows(20, Styles()) == []


@pytest.mark.slow
def test_of_very_much_output_only_the_end_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    fed = 0
    feed = TerminalLog.feed

    def counted(log: TerminalLog, data: bytes) -> None:
        nonlocal fed
        fed += data.count(b"\n")
        feed(log, data)

    monkeypatch.setattr(TerminalLog, "feed", counted)
    block = OutputBlock("".join(f"line {number} \x1b[31mred\x1b[0m\n" for number in range(20 * LINES)))

    assert shown(block, 40)[-1] == f"line {20 * LINES - 1} red"
    assert fed <= 2 * LINES


@pytest.mark.slow
def test_in_slices_it_gives_the_same_rows_and_says_what_stays() -> None:
    text = "".join(f"line {number} \x1b[3{number % 8}mcolour\x1b[0m and more\n" for number in range(2_000))
    whole, sliced = OutputBlock(text), OutputBlock(text)
    expected = list(whole.rows(20, Styles()))
    assert whole.waiting == 0

    slices, rows = 0, list[Row]()
    while not slices or sliced.waiting:
        before = list(rows)
        rows = list(sliced.some_rows(20, Styles(), perf_counter()))
        assert rows[: sliced.stable_rows] == before
        slices += 1

    assert rows == expected
    assert slices > 20
    assert list(sliced.rows(50, Styles())) == list(whole.rows(50, Styles()))
