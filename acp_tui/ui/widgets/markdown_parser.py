"""The Markdown that is read here: CommonMark without HTML, with tables, strikethrough and footnotes."""

from __future__ import annotations

from collections.abc import MutableMapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_UNLINKED: Final = ("javascript:", "vbscript:", "data:")


def parse(text: str, references: MutableMapping[str, Any]) -> list[Token]:
    """Parse safe Markdown; link references found are added to `references`."""
    return _parser().parse(text, {"references": references})


def parse_inline(text: str) -> list[Token]:
    """Parse the text of one paragraph for its inline tokens."""
    return _parser().parseInline(text)[0].children or []


@lru_cache(1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    from acp_tui.ui.widgets.footnotes import add_footnotes

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.validateLink = lambda url: not url.strip().lower().startswith(_UNLINKED)  # type: ignore[method-assign]
    add_footnotes(parser)
    return parser
