"""Markdown as a part of another document."""

from __future__ import annotations

import re
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from acp_tui.patterns import regex

_DEEPER: Final = 2
"""Levels of headings that belong to the document around it."""
_MAY_MATTER = regex(r"#|=|--|```|~~~|<h", re.IGNORECASE)
_HEADING_TAG = regex(r"<(/?h[1-6])", re.IGNORECASE)


def embedded(text: str) -> str:
    """Return Markdown that cannot look like a part of the document around it.

    Headings are two levels deeper, and a code block without an end gets one. So an answer can neither pretend
    to be a prompt of the user in an export nor swallow the next one.
    """
    if _MAY_MATTER.search(text) is None:
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    tokens = MarkdownIt("commonmark").parse(text)
    for token in tokens:
        if token.map is None:
            continue
        first, end = token.map
        if token.type == "heading_open":
            _deepen(lines, token, first, end)
        elif token.type in ("html_block", "inline"):
            for number in range(first, end):
                lines[number] = _HEADING_TAG.sub(r"&lt;\1", lines[number])
        elif token.type == "fence" and token.level == 0 and _is_open(token, lines, first, end):
            lines.append(token.markup)
    return "\n".join(lines)


def _deepen(lines: list[str], token: Token, first: int, end: int) -> None:
    if token.markup.startswith("#"):
        deeper = "#" * min(len(token.markup) + _DEEPER, 6)
        lines[first] = lines[first].replace(token.markup, deeper, 1)
    else:  # a line below the text, which is text now
        lines[end - 1] = lines[end - 1].replace(token.markup, f"\\{token.markup}", 1)


def _is_open(token: Token, lines: list[str], first: int, end: int) -> bool:
    """Return whether a block of code has no closing line."""
    last = lines[end - 1].strip()
    return end - 1 == first or not (last.startswith(token.markup) and not last.strip(token.markup[0]))
