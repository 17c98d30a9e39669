"""Tests of `ui/widgets/markdown/one_line.py`."""

from __future__ import annotations

from typing import Any

from acp_tui.ui.widgets.markdown import one_line, parser
from tests.tables import each


def told(tokens: Any) -> list[tuple[Any, ...]]:
    """Return what is drawn of tokens."""
    return [
        (token.type, token.nesting, token.level, token.content, told(token.children or ()))
        for token in tokens
        if token.type != "text" or token.content
    ]


PLAIN = (
    "Ready",
    "What shall we do today?",
    "Ünder 3 hats: yes! (really) - so; it is.\n",
    "may-I-begin  ",
    "https is no address",
    "see https://example.org/a|b for more # not a heading",
    "a $ 5 > 3 + 2 = 1 {x} \"quoted\" 'too' ^ % @me /home",
)


@each("text", PLAIN)
def test_a_line_without_marks_has_the_tokens_of_the_parser(text: str) -> None:
    found, parsed = one_line.tokens_of(text), parser.parse(text, {})

    assert told(found) == told(parsed)
    assert found[0].map == parsed[0].map


@each(
    "text",
    (
        "a *b*",
        "a_b",
        "a `b`",
        "[a]",
        "a\\b",
        "&amp;",
        "<b>",
        "~~a~~",
        "# a",
        "- a",
        "1. a",
        " a",
        "> a",
        "a\nb",
        "",
    ),
)
def test_any_other_text_is_for_the_parser(text: str) -> None:
    assert one_line.tokens_of(text) == []
