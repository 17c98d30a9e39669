"""How many rows a long line takes."""

from __future__ import annotations

import time

import pytest

from acp_tui.ui.theme import choose, look_of
from acp_tui.ui.widgets.diff_page import FileDiff, Page
from acp_tui.ui.widgets.diff_wrap import MOST_ROWS, height_of
from acp_tui.ui.widgets.text import safe
from acp_tui.ui.widgets.wrap import TAB, cuts, row_cells, row_text


@pytest.mark.parametrize("room", [1, 2, 7, 40])
@pytest.mark.parametrize(
    "line",
    ["", "x" * 41, "\ta\t" * 9, "日本" * 30, "Приве́т, мир " * 9, "a\x1b[2J" * 20, "👨‍👩‍👧e\u0301 " * 12],
)
def test_a_line_takes_as_many_rows_as_are_painted_and_none_is_lost(line: str, room: int) -> None:
    page = Page(FileDiff("a", None, f"{line}\n"))
    page.difference = page.compare()
    painter = page.painter(room + 6, look_of(choose("acp-dark")[0]), False)
    assert painter.room == room
    (part,) = [part for part in page.parts(False, False, painter) if part.kind == "added"]

    assert part.rows == height_of(line, room)
    laid_out = len(cuts(safe(line).replace("\t", TAB), room, words=False))
    assert part.rows >= laid_out
    if " " not in line and line.isascii():
        assert part.rows == laid_out
    elif " " not in line and room >= 7 and "\u200d" not in line:  # joined characters count one by one
        assert part.rows <= laid_out + 1
    assert all(row_cells(painter.row(part, number)) == room + 6 for number in range(part.rows))
    if room >= 2 and "\x1b" not in line and "\t" not in line:
        painted = "".join(row_text(painter.row(part, number))[6:].rstrip() for number in range(part.rows))
        assert painted.replace(" ", "").replace("·", "") == line.replace(" ", "")


def rows_of(line: str, room: int) -> list[str]:
    page = Page(FileDiff("a", None, f"{line}\n"))
    page.difference = page.compare()
    painter = page.painter(room + 6, look_of(choose("acp-dark")[0]), False)
    (part,) = [part for part in page.parts(False, False, painter) if part.kind == "added"]
    return [row_text(painter.row(part, number))[6:] for number in range(part.rows)]


def test_a_long_line_is_broken_between_words_and_keeps_its_blanks() -> None:
    assert rows_of("one two  three four", 10) == ["one two  ".ljust(10), "three four"]
    assert rows_of("    indented_and_long and more", 12) == [
        "    indented",
        "_and_long   ",
        "and more".ljust(12),
    ]
    assert rows_of("one two three", 7) == ["one two", "three".ljust(7)]
    assert rows_of("one two  three", 7) == ["one two", "  three"]
    assert rows_of("one two-more", 7) == ["one    ", "two-mor", "e".ljust(7)]
    assert rows_of("für später “mehr”", 11) == ["für später ", "“mehr”".ljust(11)]
    assert rows_of("\tif a:\tb", 9) == ["    if a:", "    b".ljust(9)]


def test_an_endless_line_is_wrapped_in_time_and_its_end_left_out() -> None:
    began = time.process_time()

    assert height_of("日" * 1_000_000, 80) == MOST_ROWS
    assert height_of("x" * 10_000_000, 80) == MOST_ROWS
    assert time.process_time() - began < 2
