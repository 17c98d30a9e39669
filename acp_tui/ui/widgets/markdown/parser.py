"""The Markdown parser: CommonMark without HTML, with tables, strikethrough and footnotes."""

from __future__ import annotations

from collections.abc import MutableMapping
from functools import lru_cache
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore, text_join
from markdown_it.token import Token

from acp_tui.lazy_regex import regex

_STOPS: Final = regex(r"[\n&*<\[\\\]_`~]|!(?=\[)")
"""First characters of inline rules, and the end of a link's text. The parser's own pattern stops at many more
characters, and tries all rules at each.
"""

_IS_PARAGRAPH: Final = regex(r"(?:[^\W\d_][^\n]*(?:\n|\Z))+\Z")
"""A text whose lines all begin with a letter: only paragraphs do."""

_UNLINKED: Final = ("javascript:", "vbscript:", "data:")


def parse(text: str, references: MutableMapping[str, Any]) -> list[Token]:
    """Parse safe Markdown; link references are added to `references`."""
    env = {"references": references}
    return _paragraph(text, env) if _IS_PARAGRAPH.match(text) is not None else _parser().parse(text, env)


def _paragraph(text: str, env: dict[str, Any]) -> list[Token]:
    """Return the tokens of a text that is one paragraph, without testing each line for other blocks."""
    begin, inline, end = (
        Token("paragraph_open", "p", 1),
        Token("inline", "", 0),
        Token("paragraph_close", "p", -1),
    )
    begin.block = inline.block = end.block = True
    begin.map = inline.map = [0, text.removesuffix("\n").count("\n") + 1]
    inline.level, inline.content = 1, text.strip()
    tokens = [begin, inline, end]
    parser = _parser()
    _read_inline(StateCore(text, parser, env, tokens))
    return tokens


def parse_inline(text: str) -> list[Token]:
    """Return the inline tokens of a paragraph."""
    return _parser().parseInline(text)[0].children or []


@lru_cache(1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.validateLink = lambda url: not url.strip().lower().startswith(_UNLINKED)  # type: ignore[method-assign]
    add_footnotes(parser)
    parser.disable(["html_block", "html_inline"])  # they would test each line and character, and do nothing
    parser.inline.terminator_re = _STOPS
    parser.core.ruler.at("inline", _read_inline)
    parser.core.ruler.disable("text_join")
    return parser


def _read_inline(state: StateCore) -> None:
    """Parse inline content; a text without marks becomes one token, without the parser."""
    escapes = False
    for token in state.tokens:
        if token.type != "inline":
            continue
        token.children, content = [], token.content
        if _STOPS.search(content) is not None:
            state.md.inline.parse(content, state.md, state.env, token.children)
            escapes = escapes or "\\" in content or "&" in content
        elif content:
            token.children.append(Token("text", "", 0, content=content))
    if escapes:  # only these leave texts to join
        text_join(state)


_NOTE: Final = regex(r"(\[\^[\w-]{1,40}\]:)(?:[ \t]+|$)")


def add_footnotes(parser: MarkdownIt) -> None:
    """Add footnotes to a parser: tokens `footnote_open` and `footnote_close` around a paragraph.

    They stay in place, so that a stream can be parsed block by block.
    """
    parser.block.ruler.before("reference", "footnote", _footnote, {"alt": ["paragraph", "reference"]})


def _footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    begin = state.bMarks[start] + state.tShift[start]
    if not state.src.startswith("[^", begin) or state.is_code_block(start):
        return False
    found = _NOTE.match(state.src[begin : state.eMarks[start]])
    if found is None or silent:
        return found is not None
    state.line = _next_block(state, start, end)
    text = state.getLines(start, state.line, state.blkIndent, False).strip()
    place = [start, state.line]
    note = state.push("footnote_open", "", 1)
    note.map, note.markup = place, found[1]
    state.push("paragraph_open", "p", 1).map = place
    inline = state.push("inline", "", 0)
    inline.map, inline.content, inline.children = place, text[len(found[0]) :].strip(), []
    state.push("paragraph_close", "p", -1)
    state.push("footnote_close", "", -1)
    return True


def _next_block(state: StateBlock, start: int, end: int) -> int:
    """Return the line that ends a footnote: an empty one, or one that would end a paragraph."""
    before, state.parentType = state.parentType, "paragraph"
    rules = state.md.block.ruler.getRules("paragraph")
    line = start + 1
    while line < end and not state.isEmpty(line):
        begins = not state.is_code_block(line) and state.sCount[line] >= 0
        if begins and any(rule(state, line, end, True) for rule in rules):
            break
        line += 1
    state.parentType = before
    return line
