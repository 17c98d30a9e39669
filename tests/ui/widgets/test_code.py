"""Rows of code: found by their place, coloured when they are painted."""

from __future__ import annotations

import random
import re
from typing import Any, ClassVar

import pytest
from pygments.lexers import get_all_lexers, get_lexer_for_filename
from rich.segment import Segment
from rich.style import Style

from acp_tui.ui.widgets import code as code_module
from acp_tui.ui.widgets.code import (
    GROUPS,
    STRETCH,
    CodeLines,
    CodeRows,
    PackedRows,
    highlight,
    language_of_file,
)
from acp_tui.ui.widgets.markdown.stream import MarkdownBlock
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Continued, Row, row_text
from tests.bench.prose import markdown
from tests.ui.widgets.shown import MARKED


def listing(*lines: str, language: str = "py") -> CodeLines:
    made = CodeLines(language)
    made.take(0, list(lines), len(lines))
    return made


def roles(row: Row) -> list[tuple[str, str]]:
    return [(part.text, str(part.style.meta["role"])) for part in row if part.style]


def test_a_piece_is_found_at_each_of_its_rows_and_nowhere_else() -> None:
    rows: list[Row] = [[]]
    code = CodeRows(rows, 8, MARKED)

    rows += code.laid_out(listing("short", "longer than 8"), 0, 2, [], [])
    rows += [[]]

    assert [row_text(row) for row in rows] == ["", "short", "longer t", "han 8", ""]
    assert [code.at(number) == code.last for number in range(5)] == [False, True, True, True, False]


def test_marks_stand_before_each_row_and_a_wrapped_line_is_coloured_through() -> None:
    rows: list[Row] = []
    code = CodeRows(rows, 10, MARKED)
    first, rest = [Segment("1. ")], [Segment("   ")]

    rows += code.laid_out(listing("return None"), 0, 1, first, rest)
    highlighted = [code.highlighted(number, code.last)[0] for number in range(len(rows))]

    assert [row_text(row) for row in highlighted] == ["1. return ", "   None"]
    assert ("return", "syntax-keyword") in roles(highlighted[0])
    assert [text for text, _ in roles(highlighted[1])] == ["None"]


def test_a_block_without_a_line_has_a_row_all_the_same() -> None:
    rows: list[Row] = []
    code = CodeRows(rows, 10, MARKED)

    rows += code.laid_out(listing(), 0, 0, [], [])

    assert len(rows) == 1
    assert code.highlighted(0, code.last) == (rows[0], True)


def test_what_is_laid_out_anew_is_forgotten() -> None:
    rows: list[Row] = []
    code = CodeRows(rows, 10, MARKED)
    made = listing("a", "b")
    rows += code.laid_out(made, 0, 1, [], [])
    rows += code.laid_out(made, 1, 2, [], [])

    code.forget_from(1)

    assert (code.last.row, code.at(1)) == (0, None)


class Looked(list[Row]):
    """Rows that tell which of them were looked at."""

    seen: ClassVar[list[object]] = []

    def __getitem__(self, place: Any) -> Any:
        self.seen.append(place)
        return super().__getitem__(place)


def test_a_row_far_down_in_a_long_line_is_painted_without_a_look_at_those_above() -> None:
    rows = Looked()
    code = CodeRows(rows, 10, MARKED)
    rows += code.laid_out(listing("short", "return " + "x" * 93, "last"), 0, 3, [], [])
    rows.seen.clear()

    highlighted = [code.highlighted(number, code.last)[0] for number in (1, 2, 10, 11)]

    assert [row_text(row) for row in highlighted] == ["return xxx", "x" * 10, "x" * 10, "last"]
    assert [roles(row)[0] for row in highlighted[:2]] == [
        ("return", "syntax-keyword"),
        ("x" * 10, "syntax-name"),
    ]
    assert rows.seen == [1, 2, 10, 11]


def role_of(language: str, code: str, text: str) -> str:
    return next(role for line in highlight(language, code).lines for part, role in line if part == text)


def test_code_is_coloured_by_the_label_of_its_language() -> None:
    assert role_of("python", "def f(): return 1", "def") == "syntax-keyword"
    assert role_of("python", "def f(): return 1", "1") == "syntax-number"
    assert role_of("js", "// hi", "// hi") == "syntax-comment"
    assert role_of("php", "echo 'x';", "echo") == "syntax-keyword"


def test_an_unknown_language_and_overlong_lines_stay_plain() -> None:
    assert highlight("no-such", "def x").lines == ((("def x", ""),),)
    assert highlight("", "a\n\nb").lines == ((("a", ""),), (), (("b", ""),))
    assert highlight("python", "x = 1" * 200).lines == ((("x = 1" * 200, ""),),)


def test_every_line_stays_a_line() -> None:
    code = "a = '''\n\nb\n'''\n\n\nc"
    assert ["".join(text for text, _ in line) for line in highlight("python", code).lines] == code.split("\n")


def test_languages_are_known_by_the_names_of_files() -> None:
    assert language_of_file("a/b.py") == "python"
    assert language_of_file("Makefile") == "make"
    assert language_of_file("what.is-this") == ""


@pytest.mark.slow
def test_languages_are_those_of_pygments() -> None:
    patterns = sorted({name for _, _, names, _ in get_all_lexers(plugins=False) for name in names})
    for pattern in patterns[::12]:
        name = re.sub(r"\[(.)[^]]*\]", r"\1", pattern).replace("*", "thing")
        aliases = get_lexer_for_filename(name).aliases

        assert language_of_file(f"folder/{name}") == (aliases[0] if aliases else "")


STYLES = (None, Style(bold=True), Style(link="https://example.org/a"), Style(color="red"))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are packed as soon as there are a few."""
    monkeypatch.setattr(code_module, "TOGETHER", 4)
    monkeypatch.setattr(code_module, "LOOSE", 8)


def made(number: int) -> Row:
    style = STYLES[number % len(STYLES)]
    row: Row = [] if number % 3 else Continued([Segment("  ")], " ")
    return row if not number % 5 else [*row, Segment(f"row {number} é日", style), Segment("|")]


@pytest.mark.usefixtures("small")
def test_packed_rows_are_a_list_of_rows_whatever_is_done_to_them() -> None:
    chance, rows, known = random.Random(3), PackedRows(), list[Row]()
    settled = 0
    for step in range(2_000):
        match chance.randrange(4):
            case 0 | 1:
                more = [made(step + k) for k in range(chance.randrange(6))]
                rows.extend(more)
                known += more
            case 2:
                settled = chance.randrange(settled, len(known) + 1)
                rows.pack(settled)
            case 3 if chance.random() < 0.1:
                settled = max(0, settled - chance.randrange(20))
                rows.cut(settled)
                del known[settled:]
        place = chance.randrange(len(known) + 1)
        assert len(rows) == len(known)
        assert rows[place : place + 3] == known[place : place + 3]
        if place < len(known):
            assert rows[place] == known[place]
    assert list(rows) == known
    assert list(rows.texts()) == list(map(row_text, known))
    assert rows[-1] == known[-1]
    with pytest.raises(IndexError):
        rows[len(known)]


@pytest.mark.usefixtures("small")
def test_a_packed_row_that_goes_on_with_a_line_still_does() -> None:
    rows = PackedRows()
    for number in range(40):
        row = Continued([Segment("  ")], " ")
        row.append(Segment(f"word {number}"))
        rows.append(row)
    rows.pack(40)

    unpacked = rows[3]
    assert isinstance(unpacked, Continued)
    assert (unpacked.prefix, unpacked.glue, row_text(unpacked)) == (2, " ", "  word 3")


def test_a_streamed_text_has_the_rows_of_one_that_is_not_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    styles, text = Styles(by_role={"code": Style(bold=True), "strong": Style(italic=True)}), markdown(12_000)
    whole = list(MarkdownBlock(text).rows(40, styles))
    monkeypatch.setattr(code_module, "TOGETHER", 4)
    monkeypatch.setattr(code_module, "LOOSE", 8)

    block = MarkdownBlock()
    for start in range(0, len(text), 300):
        block.append(text[start : start + 300])
        rows = block.rows(40, styles)

    assert isinstance(rows, PackedRows)
    assert list(rows) == whole


PLAIN = [f"x{number} = 1" for number in range(3 * STRETCH)]


STRING = ["s = '''", *["text"] * 20, "'''", *PLAIN]


def listed(lines: list[str], complete: int | None = None) -> CodeLines:
    code = CodeLines("python")
    code.take(0, lines, len(lines) if complete is None else complete)
    return code


def line_roles(listing: CodeLines, number: int) -> list[str]:
    return [role for _, role in listing.spans(number)[0]]


def test_a_line_is_final_once_its_group_is_complete_and_no_string_goes_on() -> None:
    assert not listed(PLAIN[: GROUPS[0]], complete=GROUPS[0] - 1).spans(0)[1]
    assert listed(PLAIN[: GROUPS[0]]).spans(0)[1]
    assert not listed(STRING[: GROUPS[0]]).spans(0)[1]
    assert listed(STRING[: GROUPS[1]]).spans(0)[1]
    assert listed(["s = '''"] * GROUPS[2]).spans(0)[1]


def test_a_string_over_the_end_of_a_group_keeps_its_colour() -> None:
    assert line_roles(listed(STRING), GROUPS[0] + 2) == ["syntax-string"]
    assert "syntax-number" in line_roles(listed(STRING), 25)


def test_lines_are_the_same_in_whatever_order_they_are_painted() -> None:
    forward, backward = listed(STRING), listed(STRING)
    numbers = range(len(STRING))

    assert [forward.spans(n) for n in numbers] == [backward.spans(n) for n in reversed(numbers)][::-1]


def test_the_last_of_many_lines_needs_the_colours_of_its_stretch_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    coloured: list[int] = []
    real = code_module.highlight

    def count(language: str, code: str) -> object:
        coloured.append(code.count("\n") + 1)
        return real(language, code)

    monkeypatch.setattr(code_module, "highlight", count)
    listed(PLAIN * 20).spans(len(PLAIN) * 20 - 1)

    assert sum(coloured) <= STRETCH


def test_a_line_that_grows_is_coloured_alone_and_those_before_it_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    coloured: list[str] = []
    real = code_module.highlight

    def note(language: str, code: str) -> object:
        coloured.append(code)
        return real(language, code)

    monkeypatch.setattr(code_module, "highlight", note)
    code = listed(["a = 1", "b"], complete=1)
    for line in ("b =", "b = 2"):
        code.take(1, [line], 0)
        assert [code.spans(0)[1], code.spans(1)[1]] == [False, False]

    assert sorted(set(coloured)) == ["a = 1", "b =", "b = 2"]
    assert line_roles(code, 1) == line_roles(listed(["a = 1", "b = 2"]), 1)


def test_a_line_that_grows_in_a_string_is_coloured_with_it() -> None:
    assert line_roles(listed(["s = '''", "te"], complete=1), 1) == ["syntax-string"]


def test_what_is_taken_again_replaces_all_but_what_is_kept() -> None:
    code = listed(["one", "two", "th"], complete=2)
    code.take(2, ["three"], 1)

    assert code.text == "one\ntwo\nthree\n"
    assert line_roles(code, 2) == ["syntax-name"]
