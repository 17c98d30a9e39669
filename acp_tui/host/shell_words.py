"""The words of a shell command line, as far as its text says what the program gets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True)
class Word:
    """One word of a command line."""

    source: str
    """As it is written, with its quotes."""
    text: str | None
    """As the program gets it; None: the shell makes it when it runs."""
    pattern: bool = False
    """Whether it is made of file names, alternatives or the home folder only (`*.py`, `{a,b}`, `~`)."""
    start: int = field(default=0, compare=False)


_SPECIAL: Final = re.compile(r"[*?\[\]{}~]")
_EXPANSION: Final = re.compile(r"[$`]")
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED_IN_QUOTES: Final = re.compile(r'\\(["\\$`])')


def read_word(node: Node) -> Word:
    """Read one word, whatever its quotes."""
    source = source_of(node)
    pieces = list(_pieces(node))
    expands = any(text is None and not pattern for text, pattern in pieces)
    pattern = not expands and any(pattern for _, pattern in pieces)
    text = None if expands or pattern else "".join(text or "" for text, _ in pieces)
    return Word(source, text, pattern, node.start_byte)


def _pieces(node: Node) -> Iterator[tuple[str | None, bool]]:
    """Yield (text, whether it is a pattern) of each piece of a word; no text where the shell makes it."""
    source = source_of(node)
    match node.type:
        case "command_name" | "concatenation" if node.children:
            for child in node.children:
                yield from _pieces(child)
        case "raw_string":
            yield source[1:-1], False
        case "string":
            inside = source[1:-1]
            makes = _EXPANSION.search(_ESCAPED.sub("", inside)) is not None
            yield None if makes else _ESCAPED_IN_QUOTES.sub(r"\1", inside), False
        case "word" | "number" | "file_descriptor" | "variable_name" | "{" | "}" | "[" | "]":
            bare = _ESCAPED.sub("", source)
            if _EXPANSION.search(bare):
                yield None, False
            else:
                special = _SPECIAL.search(bare) is not None
                yield None if special else _ESCAPED.sub(r"\1", source), special
        case _ if not node.is_named and not _EXPANSION.search(source):
            yield source, False
        case _:
            yield None, False


def source_of(node: Node) -> str:
    """Return the text of a node as it is written."""
    return (node.text or b"").decode("utf-8", "replace")
