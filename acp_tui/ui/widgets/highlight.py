"""Colours of code: Pygments in small groups of lines, by the label of a fence or the name of a file."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from pygments.lexer import Lexer

_LONGEST: Final = 500
"""A longer line is data rather than code and stays plain."""

_ROLES: Final = {
    "Keyword": "syntax-keyword",
    "Keyword.Type": "syntax-type",
    "Name": "syntax-name",
    "Name.Function": "syntax-function",
    "Name.Builtin": "syntax-function",
    "Name.Decorator": "syntax-function",
    "Name.Class": "syntax-type",
    "Name.Tag": "syntax-keyword",
    "Name.Attribute": "syntax-name",
    "Literal.String": "syntax-string",
    "Literal.Number": "syntax-number",
    "Comment": "syntax-comment",
    "Operator": "syntax-operator",
    "Operator.Word": "syntax-keyword",
    "Generic.Deleted": "removed",
    "Generic.Inserted": "added",
    "Generic.Heading": "syntax-keyword",
    "Generic.Subheading": "hunk",
}


class Coloured(NamedTuple):
    """A group of code lines in colours."""

    lines: tuple[tuple[tuple[str, str], ...], ...]
    """The lines, each as pairs (text, role); an empty role is plain code."""
    inside: bool
    """Whether the group ends within a string or a comment that goes on."""


def language_of_file(name: str) -> str:
    """Return the language of a file by its name, as `colour` takes it; empty when unknown."""
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        return str(get_lexer_for_filename(name).aliases[0])
    except (ClassNotFound, IndexError):
        return ""


@lru_cache(128)
def colour(language: str, code: str) -> Coloured:
    """Colour a group of safe lines of code; kept for the next frame, width or theme."""
    lexer = _lexer(language) if language else None
    if lexer is None or max(map(len, code.split("\n"))) > _LONGEST:
        return Coloured(tuple(((line, ""),) if line else () for line in code.split("\n")), False)
    lines: list[list[tuple[str, str]]] = [[]]
    kind: Any = None
    for _, kind, text in lexer.get_tokens_unprocessed(code + "\n"):
        role = _role(kind)
        for number, part in enumerate(text.split("\n")):
            if number:
                lines.append([])
            line = lines[-1]
            if line and line[-1][1] == role:  # one piece, also when a lexer takes a character apart
                line[-1] = (line[-1][0] + part, role)
            elif part:
                line.append((part, role))
    return Coloured(tuple(tuple(line) for line in lines[:-1]), _goes_on(kind))


@lru_cache(64)
def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return (
            get_lexer_by_name(language, startinline=True)
            if language == "php"
            else get_lexer_by_name(language)
        )
    except ClassNotFound:
        return None


@lru_cache(512)
def _role(kind: Any) -> str:
    """Return the role of a kind of token: its own or that of the nearest kind above it."""
    while kind:
        role = _ROLES.get(".".join(kind))
        if role is not None:
            return role
        kind = kind.parent
    return ""


@lru_cache(512)
def _goes_on(kind: Any) -> bool:
    name = ".".join(kind or ())
    return name.startswith(("Literal.String", "Comment.Multiline"))
