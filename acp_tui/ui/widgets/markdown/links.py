"""The links and code blocks of a Markdown text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from acp_tui.ui.widgets.links import bare_links
from acp_tui.ui.widgets.markdown.parser import parse

_LONGEST: Final = 200_000
"""Characters at the end of a text that are searched, so that the user need not wait."""


def may_have_links(text: str) -> bool:
    """Return True, quickly, if a text may contain a link."""
    return "://" in text or "](" in text or "][" in text or "]: " in text


def links_in(text: str) -> dict[str, str]:
    """Return the links of a text as names by address, in order."""
    found: dict[str, str] = {}
    for token in parse(text[-_LONGEST:], {}):
        for address, name in _of(token.children or ()):
            if address and not found.get(address):
                found[address] = name if name != address else ""
    return found


def _of(tokens: list[Token] | tuple[()]) -> Iterator[tuple[str, str]]:
    address, name = "", ""
    for token in tokens:
        match token.type:
            case "link_open":
                address, name = str(token.attrs.get("href") or ""), ""
            case "link_close":
                yield address, name
                address = ""
            case "image":
                yield address or str(token.attrs.get("src") or ""), token.content
            case "text" if not address:
                yield from ((bare, "") for bare in bare_links(token.content))
            case _:
                name += token.content


def codes(text: str) -> list[str]:
    """Return the code of all blocks without fences and indentation, also of an open fence."""
    tokens = MarkdownIt("commonmark").parse(text)
    return [token.content for token in tokens if token.type in ("fence", "code_block")]
