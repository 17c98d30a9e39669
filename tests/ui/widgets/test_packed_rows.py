"""The rows of a long text: small where nobody looks, and the same rows whenever somebody does."""

from __future__ import annotations

import random

import pytest
from rich.segment import Segment
from rich.style import Style

from acp_tui.ui.widgets import packed_rows
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.markdown_block import MarkdownBlock
from acp_tui.ui.widgets.packed_rows import PackedRows
from acp_tui.ui.widgets.wrap import Continued, Row, row_text
from tests.bench.prose import markdown

STYLES = (None, Style(bold=True), Style(link="https://example.org/a"), Style(color="red"))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that are packed as soon as there are a few."""
    monkeypatch.setattr(packed_rows, "TOGETHER", 4)
    monkeypatch.setattr(packed_rows, "LOOSE", 8)


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
    look, text = Look(styles={"code": Style(bold=True), "strong": Style(italic=True)}), markdown(12_000)
    whole = list(MarkdownBlock(text).rows(40, look))
    monkeypatch.setattr(packed_rows, "TOGETHER", 4)
    monkeypatch.setattr(packed_rows, "LOOSE", 8)

    block = MarkdownBlock()
    for start in range(0, len(text), 300):
        block.append(text[start : start + 300])
        rows = block.rows(40, look)

    assert isinstance(rows, PackedRows)
    assert list(rows) == whole
