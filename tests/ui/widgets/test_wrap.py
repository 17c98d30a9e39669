"""Words into rows, by cells."""

from __future__ import annotations

import random

import pytest
from rich.segment import Segment
from rich.style import Style

from acp_tui.ui.widgets.wrap import joined, row_cells, row_text, wrap

PLAIN = Style()
BOLD = Style(bold=True)


def wrapped(text: str, width: int, words: bool = True) -> list[str]:
    return [row_text(row) for row in wrap([(text, PLAIN)], width, words=words)]


@pytest.mark.parametrize(
    ("text", "width", "rows"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("one two   three", 8, ["one two", "three"]),
        ("exactly", 7, ["exactly"]),
        ("abcdefghij kl", 4, ["abcd", "efgh", "ij", "kl"]),
        ("a\n\nb", 9, ["a", "", "b"]),
        ("    indented word", 12, ["    indented", "word"]),
        ("        longword", 6, ["      ", "  long", "word"]),
        ("a\tb", 9, ["a    b"]),
        ("", 9, [""]),
        ("漢字漢字 ab", 5, ["漢字", "漢字", "ab"]),
        ("ab 漢字漢字", 6, ["ab 漢", "字漢字"]),
        ("é" * 5, 3, ["é" * 3, "é" * 2]),
        ("👩‍👩‍👧👩‍👩‍👧x", 4, ["👩‍👩‍👧👩‍👩‍👧", "x"]),
        ("naïve words go on", 11, ["naïve words", "go on"]),
    ],
)
def test_text_is_wrapped_by_cells(text: str, width: int, rows: list[str]) -> None:
    assert wrapped(text, width) == rows


def test_code_is_cut_at_the_edge() -> None:
    assert wrapped("ab cd ef", 4, words=False) == ["ab c", "d ef"]
    assert wrapped("漢 字x", 4, words=False) == ["漢 ", "字x"]


def test_styles_go_with_their_characters() -> None:
    rows = wrap([("one t", PLAIN), ("wo th", BOLD), ("ree", PLAIN)], 7)

    assert rows == [
        [Segment("one t", PLAIN), Segment("wo", BOLD)],
        [Segment("th", BOLD), Segment("ree", PLAIN)],
    ]


def test_prefixes_stand_before_the_first_and_the_other_rows() -> None:
    rows = wrap([("one two\nthree", PLAIN)], 5, [Segment("> ")], [Segment(". ")])

    assert [row_text(row) for row in rows] == ["> one", ". two", ". thr", ". ee"]


def test_wrapped_rows_join_to_the_text_they_came_from() -> None:
    text = "one two three\nfour fivesixseven 漢字漢字漢字\nend"
    rows = wrap([(text, PLAIN)], 7, [Segment("> ")], [Segment(". ")])

    assert joined(rows, start=2) == text.replace("\n", "\n. ")


@pytest.mark.parametrize("words", [True, False])
def test_nothing_is_lost_and_no_row_too_wide(words: bool) -> None:
    dice = random.Random(1)
    pieces = ("a", "word", " ", "  ", "漢字", "é", "👍🏽", "❤️", "🇩🇪", "longlonglongword", "\n", "-")
    for _ in range(300):
        spans = [(dice.choice(pieces), dice.choice((PLAIN, BOLD))) for _ in range(dice.randint(1, 40))]
        width = dice.randint(2, 20)
        rows = wrap(spans, width, words=words)
        text = "".join(text for text, _ in spans)
        assert max(map(row_cells, rows)) <= width
        assert "".join(map(row_text, rows)).replace(" ", "") == text.replace(" ", "").replace("\n", "")
