"""The parser that we set up reads what the parser of the library reads, only sooner."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from acp_tui.ui.widgets import markdown_parser
from acp_tui.ui.widgets.footnotes import add_footnotes

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
