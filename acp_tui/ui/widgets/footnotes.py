"""Footnotes, which CommonMark does not have: `[^name]: text` is a block, `[^name]` points to it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock

_NOTE: Final = re.compile(r"(\[\^[\w-]{1,40}\]:)(?:[ \t]+|$)")
REFERENCE: Final = r"\[\^[\w-]{1,40}\]"
"""How a text points to a footnote. It stays as it is written: it may be a regular expression, too."""


def add_footnotes(parser: MarkdownIt) -> None:
    """Have a parser read footnotes: tokens `footnote_open` and `footnote_close` around one paragraph.

    Each stands where it was written, so that a text can be parsed block by block while it comes in.
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
    """Return the line after a footnote: an empty one, or one that would end a paragraph."""
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
