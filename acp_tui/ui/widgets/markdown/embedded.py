"""Markdown as a part of another document."""

from __future__ import annotations

import re
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from acp_tui.lazy_regex import regex

_DEEPER: Final = 2
"""Levels of headings that belong to the document around it."""
_HEADING_TAG = regex(r"<(/?h[1-6])", re.IGNORECASE)
_TICKS = regex(r"`{3,}")
_PASSES: Final = 20
"""Most times that a text is read for HTML: each may uncover more."""
_NEXT: Final = "Next"


def embedded(text: str) -> str:
    """Return Markdown that cannot look like a part of the document around it.

    Headings are two levels deeper, HTML is text, and a code block without an end gets one. So an answer can
    neither pretend to be a prompt of the user in an export nor swallow the next one. If it still could, it
    becomes a code block.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    parser = MarkdownIt("commonmark")
    for _ in range(_PASSES):
        blocks = [token.map for token in parser.parse("\n".join(lines)) if token.type == "html_block"]
        if not blocks:
            break
        for number in (number for block in blocks if block for number in range(*block)):
            lines[number] = lines[number].replace("<", "&lt;")
    for token in parser.parse("\n".join(lines)):
        if token.map is None:
            continue
        first, end = token.map
        if token.type == "heading_open":
            _deepen(lines, token, first, end)
        elif token.type == "inline":
            for number in range(first, end):
                lines[number] = _HEADING_TAG.sub(r"&lt;\1", lines[number])
        elif token.type == "fence" and token.level == 0 and _is_open(token, lines, first, end):
            lines.append(token.markup)
    found = "\n".join(lines)
    return found if _stands_alone(parser, found) else fenced(text)


def fenced(text: str, language: str = "") -> str:
    """Return a text as a block of code, with a fence longer than those in it."""
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _deepen(lines: list[str], token: Token, first: int, end: int) -> None:
    if token.markup.startswith("#"):
        deeper = "#" * min(len(token.markup) + _DEEPER, 6)
        lines[first] = lines[first].replace(token.markup, deeper, 1)
    else:  # a line below the text, which is text now
        lines[end - 1] = lines[end - 1].replace(token.markup, f"\\{token.markup}", 1)


def _is_open(token: Token, lines: list[str], first: int, end: int) -> bool:
    """Return whether a block of code has no closing line."""
    last = lines[end - 1].lstrip(" ")
    is_indented = len(lines[end - 1]) - len(last) > 3  # such a line ends no block
    last = last.rstrip()
    is_fence = last.startswith(token.markup) and not last.strip(token.markup[0])
    return end - 1 == first or is_indented or not is_fence


def _stands_alone(parser: MarkdownIt, text: str) -> bool:
    """Return whether the next heading of the document is its only one of the upper levels."""
    tokens = parser.parse(f"{text}\n\n# {_NEXT}\n")
    upper = [
        place for place, each in enumerate(tokens) if each.type == "heading_open" and each.tag in ("h1", "h2")
    ]
    return len(upper) == 1 and tokens[upper[0] + 1].content == _NEXT and tokens[upper[0]].level == 0
