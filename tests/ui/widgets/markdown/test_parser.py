"""Footnotes stand where they are written."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from acp_tui.ui.widgets.markdown import parser as markdown_parser
from acp_tui.ui.widgets.markdown.parser import add_footnotes
from tests.ui.widgets.shown import expected, roles, shown


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


PIECES = (
    *(
        "a",
        "word ",
        " ",
        "\t",
        "é",
        "\n",
        "\n\n",
        "  \n",
        "\\\n",
        "# ",
        "- ",
        "1. ",
        "> ",
        "    code\n",
        "```\n",
    ),
    *("*", "**", "_", "__", "~", "~~", "`", "``", "[", "]", "(", ")", "![", "!", "](http://x.y)", "](<a b>)"),
    *(
        "&amp;",
        "&",
        "\\",
        "\\*",
        "\\[",
        "<http://a.b>",
        "<b>",
        "<",
        "[^1]",
        "[^1]: note\n",
        "[x]: http://u.v\n",
    ),
    *("[x]", "| a | b |\n|---|---|\n| *c* | d |\n", *":=-+{}$%#@^"),
)


@pytest.mark.slow
def test_any_text_gives_the_tokens_that_the_library_gives() -> None:
    plain = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    add_footnotes(plain)
    chance = random.Random(11)
    for _ in range(1_500):
        text = "".join(chance.choice(PIECES) for _ in range(chance.randrange(1, 25)))
        assert _told(markdown_parser.parse(text, {})) == _told(plain.parse(text)), text
        inline = plain.parseInline(text)[0].children or []
        assert _told(markdown_parser.parse_inline(text)) == _told(inline), text


def test_a_text_without_marks_is_one_token() -> None:
    (child,) = markdown_parser.parse_inline("nothing: but - words, and {braces} = 1!")
    assert (child.type, child.content) == ("text", "nothing: but - words, and {braces} = 1!")


def _told(tokens: list[Token]) -> list[Mapping[str, Any]]:
    return [token.as_dict() for token in tokens]


def test_a_text_of_which_each_line_begins_with_a_letter_is_the_paragraph_that_the_parser_finds() -> None:
    chance = random.Random(7)
    beginnings, rests = (
        ("a", "É", "Word"),
        (" two", " | b", " *c*", "  ", ": [d](e)", " \\&amp;", " [x]: /u", ""),
    )
    # private: the whole parser, to compare with
    whole = markdown_parser._parser()
    for _ in range(300):
        lines = [chance.choice(beginnings) + chance.choice(rests) for _ in range(chance.randint(1, 4))]
        text = "\n".join(lines) + chance.choice(("", "\n"))
        assert _all_of(markdown_parser.parse(text, {})) == _all_of(whole.parse(text, {"references": {}}))


@pytest.mark.parametrize(
    "text", ["a\n- b", "a\n===", "a\n\nb", "a | b\n--|--\n", "a\n```\nb", "1. a", "> a\nb"]
)
def test_a_text_with_another_block_is_no_paragraph(text: str) -> None:
    kinds = [token.type for token in markdown_parser.parse(text, {})]
    assert kinds != ["paragraph_open", "inline", "paragraph_close"]


def _all_of(tokens: list[Token]) -> list[dict[str, Any]]:
    return [dict(token.as_dict()) for token in tokens]
