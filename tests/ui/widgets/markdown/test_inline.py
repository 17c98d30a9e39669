"""Pieces of a line: their roles, and which addresses become links."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from rich.style import Style

from acp_tui.ui.widgets.markdown.stream import MarkdownBlock
from acp_tui.ui.widgets.text import row_text
from tests.tables import each
from tests.ui.widgets.shown import STYLES, expected, roles, shown


@pytest.mark.parametrize(
    ("text", "piece", "role"),
    [
        ("**x**", "x", "strong"),
        ("*x*", "x", "emphasis"),
        ("~~x~~", "x", "strike"),
        ("`x`", "x", "code"),
        ("# x", "x", "heading"),
        ("> x", "x", "quote"),
        ("[x](/y)", "x", "link"),
        ("- x", "• ", "list-marker"),
        ("```py\ndef f(): pass\n```", "def", "syntax-keyword"),
        ("```unheard-of\ndef f()\n```", "def f()", "code-block"),
        ("|h|\n|-|\n|x|", "h", "table-head"),
    ],
)
def test_pieces_are_drawn_in_their_roles(text: str, piece: str, role: str) -> None:
    assert roles(text)[piece] == role


def links(text: str) -> dict[str, str | None]:
    block = MarkdownBlock(text)
    block.finish()
    return {
        segment.text: segment.style.link if segment.style else None
        for row in block.rows(80, STYLES)
        for segment in row
    }


def test_only_addresses_that_are_safe_to_open_become_links() -> None:
    found = links(
        "[a](https://a.org/x) [b](mailto:b@b.org) [c](file:///c) [d](src/d.py) [e](javascript:e) see https://f.org/x."
    )

    assert found["a"] == "https://a.org/x"
    assert found["b"] == "mailto:b@b.org"
    assert found["c"] == "file:///c"
    assert found["d"] is None
    assert found["https://f.org/x"] == "https://f.org/x"
    assert "javascript" not in str([link for link in found.values() if link])


def test_links_defined_at_the_end_are_found_when_the_text_is_complete() -> None:
    block = MarkdownBlock("[a]\n\ntext\n\n")
    block.rows(40, STYLES)
    block.append("[a]: https://a.org\n")
    block.finish()

    assert block.rows(40, STYLES)[0][0].style == Style(link="https://a.org")
    assert row_text(block.rows(40, STYLES)[0]) == "a"


def test_tables_line_up() -> None:
    assert shown(
        "| name | n | mid |\n|:--|--:|:-:|\n| a | 1 | x |\n| long name | 1000 | wide |\n| 漢字 | 2 |"
    ) == expected(
        """
        name      │    n │ mid
        ──────────┼──────┼─────
        a         │    1 │  x
        long name │ 1000 │ wide
        漢字      │    2 │
        """
    )


@each("cell", ["👨‍👩‍👧", "🇩🇪", "☁️", "漢字", "e\u0301", "नी", "👍🏽 ok", "a\u0308o\u0308"])
@each("width", [40, 18])
def test_r36_the_borders_of_a_table_line_up_whatever_is_in_its_cells(cell: str, width: int) -> None:
    rows = shown(f"| a | b | c |\n|---|---|---|\n| {cell} | {cell} | x |\n| y | z | {cell} |", width).split(
        "\n"
    )

    borders = {tuple(cell_len(row[:at]) for at, sign in enumerate(row) if sign in "│┼") for row in rows}
    assert len(borders) == 1
    assert len(borders.pop()) == 2


def test_a_table_that_is_too_wide_shares_the_width_and_wraps_its_cells() -> None:
    assert shown("| a | b |\n|---|---|\n| x | one two three four five six |\n| y | z |", 16) == expected(
        """
        a │ b
        ──┼─────────────
        x │ one two
          │ three four
          │ five six
        y │ z
        """
    )


def test_a_table_with_no_room_for_columns_becomes_a_list_of_cells() -> None:
    assert shown("| key | val | more |\n|---|---|---|\n| one | two | three |\n| a | b | c |", 14) == expected(
        """
        key: one
        val: two
        more: three
        ───
        key: a
        val: b
        more: c
        """
    )


def test_later_rows_of_a_long_table_wrap_into_the_columns_of_the_first() -> None:
    rows = shown("| a | b |\n|---|---|\n" + "| x | yy |\n" * 20 + "| x | one two |\n").split("\n")

    assert rows[-3:] == ["x   │ yy", "x   │ one", "    │ two"]


def test_rows_of_a_long_table_that_are_longer_than_the_first_ones_find_room_while_there_is_some() -> None:
    rows = [f"| row {number} | {number * number} |" for number in range(120)]
    table = "\n".join(["| name | square |", "|---|--:|", *rows])
    lines = shown(table, width=40).splitlines()

    assert lines[-1] == "row 119   │     14161"
    assert len(lines) == 122
    assert max(map(cell_len, shown(table, width=16).splitlines())) <= 16
