"""Each construct of Markdown, as plain rows."""

from __future__ import annotations

from acp_tui.ui.widgets.markdown.stream import MarkdownBlock
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import row_cells
from tests.ui.widgets.shown import STYLES, expected, shown


def test_paragraphs_are_wrapped_and_separated_by_an_empty_row() -> None:
    assert shown("one two three four five\nsix\n\nseven", 12) == expected(
        """
        one two
        three four
        five six

        seven
        """
    )


def test_prose_is_no_wider_than_can_be_read_and_code_and_tables_are_as_wide_as_there_is_room() -> None:
    words, line = "word " * 60, "x" * 150
    prose = shown(f"# {words}\n\n{words}\n\n- {words}\n\n> {words}\n\n---\n", 160)
    wide = shown(f"```\n{line}\n```\n\n| a | b |\n|---|---|\n| {'y' * 70} | {'z' * 70} |\n", 160)

    assert max(map(len, prose.splitlines())) <= 100
    assert max(len(row.rstrip()) for row in prose.splitlines()) > 90
    assert line in wide
    assert any("y" * 70 in row and "z" * 70 in row for row in wide.splitlines())


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


def test_html_and_markup_are_shown_as_written() -> None:
    assert (
        shown("<b>x</b>\n\n[/red] [bold] [@click=app.quit]") == "<b>x</b>\n\n[/red] [bold] [@click=app.quit]"
    )


def test_images_are_cards() -> None:
    assert shown("see ![a plan](https://x.org/p.png)") == "see [image: a plan]"


def test_rules_fill_the_width() -> None:
    assert shown("a\n\n***", 5) == "a\n\n─────"


def test_ascii_looks_have_ascii_marks() -> None:
    assert shown("- a\n\n> b\n\n---", 4, Styles(ascii=True)) == "* a\n\n| b\n\n----"


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
        assert max(map(row_cells, block.rows(width, STYLES))) <= width
