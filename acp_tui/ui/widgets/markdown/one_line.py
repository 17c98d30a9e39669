"""The tokens of a line without marks, made without the parser.

Loading the parser takes as long as a tenth of the start; so an agent's first word need not wait for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from acp_tui.lazy_regex import regex

if TYPE_CHECKING:  # for annotations only: that is what need not be loaded
    from markdown_it.token import Token

_IS_PLAIN: Final = regex(r"[^\W\d_][^\n&*<\[\\\]_`~]*\n?\Z")
"""A line that begins with a letter and has none of the characters at which the parser stops."""


class _PlainToken:
    """The parts of a token that are drawn."""

    def __init__(self, kind: str, nesting: int = 0, content: str = "", level: int = 0) -> None:
        self.type = kind
        self.nesting = nesting
        self.content = content
        self.level = level
        self.map = [0, 1]
        self.children: list[Any] = []


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a plain line; none for any other text."""
    if _IS_PLAIN.match(text) is None:
        return []
    inline = _PlainToken("inline", content=text.strip(), level=1)
    inline.children = [_PlainToken("text", content=inline.content)]
    made = [_PlainToken("paragraph_open", 1), inline, _PlainToken("paragraph_close", -1)]
    return cast("list[Token]", made)
