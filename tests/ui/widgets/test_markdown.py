"""What each construct of Markdown looks like, as plain rows."""

from __future__ import annotations

import textwrap

import pytest
from rich.cells import cell_len
from rich.style import Style

from acp_tui.ui.widgets import markdown
from acp_tui.ui.widgets.look import ROLES, Look
from acp_tui.ui.widgets.markdown_block import MarkdownBlock
from acp_tui.ui.widgets.wrap import row_cells, row_text

LOOK = Look()
MARKED = Look(styles={role: Style(meta={"role": role}) for role in ROLES})


def shown(text: str, width: int = 40, look: Look = LOOK) -> str:
    block = MarkdownBlock(textwrap.dedent(text).strip("\n"))
    block.finish()
    return "\n".join(row_text(row).rstrip() for row in block.rows(width, look))


def expected(text: str) -> str:
    return textwrap.dedent(text).strip("\n")


def roles(text: str) -> dict[str, str]:
    """Return the role of each piece of text."""
    block = MarkdownBlock(text)
    block.finish()
    return {
        segment.text: str(segment.style.meta.get("role")) if segment.style else ""
        for number, row in enumerate(block.rows(80, MARKED))
        for segment in block.inked(number, row)
    }


def test_paragraphs_are_wrapped_and_separated_by_an_empty_row() -> None:
    assert shown("one two three four five\nsix\n\nseven", 12) == expected(
        """
        one two
        three four
        five six

        seven
        """
    )


def test_headings_have_no_marks() -> None:
    assert shown("# One\n## Two ##\nThree\n---\ntext") == "One\n\nTwo\n\nThree\n\ntext"


def test_lists_nest_and_keep_the_empty_lines_of_their_source() -> None:
    assert shown(
        """
        - a
        - b

          more of b
          - c
            1. d
            1. e
        - [ ] open
        - [x] done

        - far
        """
    ) == expected(
        """
        • a
        • b

          more of b
          • c
            1. d
            2. e
        ☐ open
        ☑ done

        • far
        """
    )


def test_ordered_lists_count_on_from_their_first_number() -> None:
    assert shown("9. nine\n9. ten\n1. eleven") == "9. nine\n10. ten\n11. eleven"
    assert shown("3) x") == "3) x"


def test_a_wrapped_item_stays_right_of_its_mark() -> None:
    assert shown("- one two three\n10. four five six", 10) == expected(
        """
        • one two
          three

        10. four
            five
            six
        """
    )


def test_an_empty_item_is_its_mark() -> None:
    assert shown("-\n- x") == "•\n• x"


def test_quotes_have_a_bar_on_every_row() -> None:
    assert shown("> one two three\n> - four\n>\n> > five", 10) == expected(
        """
        ▌ one two
        ▌ three
        ▌
        ▌ • four
        ▌
        ▌ ▌ five
        """
    )


def test_code_keeps_its_spaces_and_is_cut_where_the_row_ends() -> None:
    assert shown("```py\nif x:\n\n    y = 'a b c d e'\n```\n\n      indented\n", 12) == expected(
        """
        if x:

            y = 'a b
         c d e'

          indented
        """
    )


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


@pytest.mark.parametrize("cell", ["👨‍👩‍👧", "🇩🇪", "☁️", "漢字", "e\u0301", "नी", "👍🏽 ok", "a\u0308o\u0308"])
@pytest.mark.parametrize("width", [40, 18])
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


def test_html_and_markup_are_shown_as_written() -> None:
    assert (
        shown("<b>x</b>\n\n[/red] [bold] [@click=app.quit]") == "<b>x</b>\n\n[/red] [bold] [@click=app.quit]"
    )


def test_images_are_cards() -> None:
    assert shown("see ![a plan](https://x.org/p.png)") == "see [image: a plan]"


def test_rules_fill_the_width() -> None:
    assert shown("a\n\n***", 5) == "a\n\n─────"


def test_ascii_looks_have_ascii_marks() -> None:
    assert shown("- a\n\n> b\n\n---", 4, Look(ascii=True)) == "* a\n\n| b\n\n----"


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
        for row in block.rows(80, LOOK)
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
    block.rows(40, LOOK)
    block.append("[a]: https://a.org\n")
    block.finish()

    assert block.rows(40, LOOK)[0][0].style == Style(link="https://a.org")
    assert row_text(block.rows(40, LOOK)[0]) == "a"


def test_no_control_character_gets_into_a_row() -> None:
    bad = "\x1b]0;t\x07 \x9b2J \x7f \u202e \ud800 &#12; &#x202e; &#13;"
    for text in (
        bad,
        f"`{bad}`",
        f"```{bad}\n{bad}\n```",
        f"|{bad}|\n|-|\n|{bad}|",
        f"# {bad}",
        f"![{bad}](x)",
    ):
        for character in shown(text, 80):
            assert character.isprintable() or character == "\n", (text, character)


def test_no_row_is_wider_than_asked() -> None:
    text = "- a\n" + "".join("  " * depth + "- 漢字 word 👩‍👩‍👧 `code`\n" for depth in range(1, 12))
    text += "\n> > > > > > deep\n\n"
    text += "|a|b|c|d|\n|-|-|-|-|\n|漢字漢字|bbb|ccc ccc|d|\n\n```\n漢字漢字漢字漢字漢字\tx\n```\n"
    for width in (12, 17, 40, 120):
        block = MarkdownBlock(text)
        block.finish()
        assert max(map(row_cells, block.rows(width, LOOK))) <= width


def growing(text: str) -> list[str]:
    """Return what is shown after each character."""
    block = MarkdownBlock()
    shown = []
    for character in text:
        block.append(character)
        shown.append("|".join(row_text(row) for row in block.rows(80, LOOK)))
    return shown


def test_unfinished_emphasis_and_links_do_not_show_their_marks() -> None:
    for text in ("a **bold** b", "a `code` b", "a ~~gone~~ b"):
        assert not any(mark in row for row in growing(text) for mark in "*`~")
    assert not any("](" in row or "http" in row for row in growing("a [b](https://x.org) c"))


def test_an_unfinished_block_is_not_taken_for_another() -> None:
    assert "a|─" not in "".join(growing("a\n\n--- x"))
    assert not any("|---" in row or "| h" in row for row in growing("| h | i |\n|---|---|\n| x | y |\n"))
    assert not any("`" in row for row in growing("```py\nx\n```\n"))


def test_only_the_open_block_is_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[int] = []
    real = markdown.parse

    def count(text: str, references: dict[str, object]) -> object:
        parsed.append(len(text))
        return real(text, references)

    monkeypatch.setattr(markdown, "parse", count)
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
            block.rows(40, LOOK)
            longest = max(longest, sum(parsed))
        assert longest < 1_000


def test_a_block_stops_in_time_and_goes_on_where_it_was() -> None:
    block = MarkdownBlock("Some words.\n\n" * 20_000)

    some = len(block.some_rows(40, LOOK, until=0.0))

    assert 0 < some < 2_000
    assert block.waiting > 200_000
    assert len(block.rows(40, LOOK)) == 39_999
    assert block.waiting == 0


def test_the_code_at_a_row_is_the_whole_block_of_code() -> None:
    code = "".join(f"x{n} = {n}\n" for n in range(100))
    block = MarkdownBlock()
    for chunk in (
        "text\n\n```py\n",
        code[:300],
        code[300:],
        "```\n\n- item\n\n  ```\n  in item\n",
        "  ```\n",
    ):
        block.append(chunk)
        block.rows(40, LOOK)
    block.finish()
    rows = [row_text(row) for row in block.rows(40, LOOK)]

    assert block.code_at(0) is None
    assert block.code_at(rows.index("x0 = 0")) == code
    assert block.code_at(rows.index("x99 = 99")) == code
    assert block.code_at(rows.index("x99 = 99") + 1) is None
    assert block.code_at(next(k for k, row in enumerate(rows) if "in item" in row)) == "in item\n"


def test_a_finished_block_gives_its_memory_back_and_looks_the_same_again() -> None:
    block = MarkdownBlock("a\n\n[b]\n\n[b]: https://b.org")
    block.finish()
    before = list(block.rows(40, LOOK))

    block.forget_rows()

    assert list(block.rows(40, LOOK)) == before
    assert block.kept == 0


def test_a_finished_text_can_be_continued_or_replaced() -> None:
    block = MarkdownBlock("one")
    block.finish()
    block.rows(40, LOOK)
    block.append(" two")

    assert row_text(block.rows(40, LOOK)[0]) == "one two"
    block.replace("three")
    assert [row_text(row) for row in block.rows(40, LOOK)] == ["three"]
    assert block.source() == "three"


def test_footnotes_stand_where_they_are_written_each_under_its_mark() -> None:
    assert shown(
        """
        One[^1] and two[^b-2].

        [^1]: The first one, which is longer than a row has room for.
        [^b-2]: https://example.org
        - a list
        """
    ) == expected(
        """
        One[^1] and two[^b-2].

        [^1]: The first one, which is longer
              than a row has room for.

        [^b-2]: https://example.org

        • a list
        """
    )
    found = roles("a[^1] https://a.example\n\n[^1]: b\n")
    assert (found["[^1]"], found["[^1]: "], found["https://a.example"]) == (
        "list-marker",
        "list-marker",
        "link",
    )


def test_what_only_looks_like_a_footnote_is_text() -> None:
    assert shown("[^1] : no, and [^a b]: neither\n\n    [^1]: code\n\nmatches [^abc]* only") == (
        "[^1] : no, and [^a b]: neither\n\n[^1]: code\n\nmatches [^abc]* only"
    )


def test_rows_of_a_long_table_that_are_longer_than_the_first_ones_find_room_while_there_is_some() -> None:
    rows = [f"| row {number} | {number * number} |" for number in range(120)]
    table = "\n".join(["| name | square |", "|---|--:|", *rows])
    lines = shown(table, width=40).splitlines()

    assert lines[-1] == "row 119   │     14161"
    assert len(lines) == 122
    assert max(map(cell_len, shown(table, width=16).splitlines())) <= 16
