"""Pieces of a line: their roles, and which addresses become links."""

from __future__ import annotations

import pytest
from rich.style import Style

from acp_tui.ui.widgets.markdown_block import MarkdownBlock
from acp_tui.ui.widgets.wrap import row_text
from tests.ui.widgets.shown import LOOK, roles


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
