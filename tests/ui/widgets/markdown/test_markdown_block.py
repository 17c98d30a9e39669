"""A block of Markdown while it grows, and when it is finished."""

from __future__ import annotations

import pytest

from acp_tui.ui.widgets.markdown import parser as markdown_parser
from acp_tui.ui.widgets.markdown.stream import MarkdownBlock
from acp_tui.ui.widgets.text import row_text
from tests.ui.widgets.shown import STYLES


def growing(text: str) -> list[str]:
    """Return what is shown after each character."""
    block = MarkdownBlock()
    shown = []
    for character in text:
        block.append(character)
        shown.append("|".join(row_text(row) for row in block.rows(80, STYLES)))
    return shown


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the number of characters of each call of the parser."""
    lengths: list[int] = []
    real = markdown_parser.parse

    def count(text: str, references: dict[str, object]) -> object:
        lengths.append(len(text))
        return real(text, references)

    monkeypatch.setattr(markdown_parser, "parse", count)
    return lengths


def test_unfinished_emphasis_and_links_do_not_show_their_marks() -> None:
    for text in ("a **bold** b", "a `code` b", "a ~~gone~~ b"):
        assert not any(mark in row for row in growing(text) for mark in "*`~")
    assert not any("](" in row or "http" in row for row in growing("a [b](https://x.org) c"))


def test_an_unfinished_block_is_not_taken_for_another() -> None:
    assert "a|─" not in "".join(growing("a\n\n--- x"))
    assert not any("|---" in row or "| h" in row for row in growing("| h | i |\n|---|---|\n| x | y |\n"))
    assert not any("`" in row for row in growing("```py\nx\n```\n"))


@pytest.mark.slow
def test_only_the_open_block_is_parsed_again(parsed: list[int]) -> None:
    for text in (
        "A paragraph of some words.\n\n" * 300,
        "- an item\n" * 800,
        "```python\n" + "x = f(1)\n" * 900,
        "| a | b |\n|---|---|\n" + "| cell | cell |\n" * 500,
    ):
        block, longest = MarkdownBlock(), 0
        for start in range(0, len(text), 40):
            parsed.clear()
            block.append(text[start : start + 40])
            block.rows(40, STYLES)
            longest = max(longest, sum(parsed))
        assert longest < 1_000


@pytest.mark.slow
def test_a_block_stops_in_time_and_goes_on_where_it_was() -> None:
    block = MarkdownBlock("Some words.\n\n" * 20_000)

    some = len(block.some_rows(40, STYLES, until=0.0))

    assert 0 < some < 2_000
    assert block.waiting > 200_000
    assert len(block.rows(40, STYLES)) == 39_999
    assert block.waiting == 0


def test_a_finished_block_gives_its_memory_back_and_looks_the_same_again() -> None:
    block = MarkdownBlock("a\n\n[b]\n\n[b]: https://b.org")
    block.finish()
    before = list(block.rows(40, STYLES))

    block.forget_rows()

    assert list(block.rows(40, STYLES)) == before
    assert block.stable_rows == 0


def test_a_finished_text_can_be_continued_or_replaced() -> None:
    block = MarkdownBlock("one")
    block.finish()
    block.rows(40, STYLES)
    block.append(" two")

    assert row_text(block.rows(40, STYLES)[0]) == "one two"
    block.replace("three")
    assert [row_text(row) for row in block.rows(40, STYLES)] == ["three"]
    assert block.source() == "three"


@pytest.mark.slow
def test_lines_without_end_are_not_read_again_and_again(parsed: list[int]) -> None:
    text = "".join(f"line {number} of what a program has printed\n" for number in range(2_000))
    block, longest = MarkdownBlock(), 0
    for start in range(0, len(text), 1_000):
        before = len(parsed)
        block.append(text[start : start + 1_000])
        block.rows(80, STYLES)
        longest = max(longest, *parsed[before:])
    assert longest <= 4_096

    parsed.clear()
    whole = MarkdownBlock(text)
    whole.finish()
    whole.rows(80, STYLES)
    assert sum(parsed) <= 2.5 * len(text)


@pytest.mark.parametrize("length", range(4_090, 4_100))
def test_what_follows_a_long_paragraph_is_parted_from_it_wherever_that_is_cut(length: int) -> None:
    paragraph = ("many words " * 400)[: length - 4] + " end"
    block = MarkdownBlock(f"{paragraph}\n\nNext.\n")
    block.finish()

    rows = [row_text(row) for row in block.rows(80, STYLES)]

    assert rows[-2:] == ["", "Next."]
    assert " ".join(rows[:-2]).split() == paragraph.split()


@pytest.mark.parametrize("shift", range(1, 60, 7))
def test_an_indented_line_of_a_long_paragraph_is_no_code(shift: int) -> None:
    block = MarkdownBlock("x" * shift + "\n" + "    at a place in some file (line 1)\n" * 300)
    block.finish()

    rows = [row_text(row) for row in block.rows(80, STYLES)]

    assert len(rows) > 100
    assert not any(row.startswith(" ") for row in rows)
