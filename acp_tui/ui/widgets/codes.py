"""The blocks of code in a Markdown text, for copying."""

from __future__ import annotations


def codes(text: str) -> list[str]:
    """Return the code of every block, in order, without fences and indentation; also of an open fence."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").parse(text)
    return [token.content for token in tokens if token.type in ("fence", "code_block")]
