"""Rows of code: found by their place, coloured when they are painted."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.segment import Segment

from acp_tui.ui.widgets.code_rows import CodeRows
from acp_tui.ui.widgets.listing import Listing
from acp_tui.ui.widgets.wrap import Row, row_text
from tests.ui.widgets.shown import MARKED


def listing(*lines: str, language: str = "py") -> Listing:
    made = Listing(language)
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
    inked = [code.inked(number, code.last)[0] for number in range(len(rows))]

    assert [row_text(row) for row in inked] == ["1. return ", "   None"]
    assert ("return", "syntax-keyword") in roles(inked[0])
    assert [text for text, _ in roles(inked[1])] == ["None"]


def test_a_block_without_a_line_has_a_row_all_the_same() -> None:
    rows: list[Row] = []
    code = CodeRows(rows, 10, MARKED)

    rows += code.laid_out(listing(), 0, 0, [], [])

    assert len(rows) == 1
    assert code.inked(0, code.last) == (rows[0], True)


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

    inked = [code.inked(number, code.last)[0] for number in (1, 2, 10, 11)]

    assert [row_text(row) for row in inked] == ["return xxx", "x" * 10, "x" * 10, "last"]
    assert [roles(row)[0] for row in inked[:2]] == [
        ("return", "syntax-keyword"),
        ("x" * 10, "syntax-name"),
    ]
    assert rows.seen == [1, 2, 10, 11]
