"""A Markdown text that grows: only its last block is parsed and laid out again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from acp_tui.ui.widgets import markdown_parser
from acp_tui.ui.widgets.markdown import Growth, Page
from acp_tui.ui.widgets.wrap import Row

if TYPE_CHECKING:
    from markdown_it.token import Token

PIECE: Final = 4_096
"""Characters taken in at once: about two milliseconds of work."""

LONGEST: Final = 16_384
"""An open block longer than this is cut at a line or word, so that no piece of work stalls the keys."""

PARAGRAPH: Final = 4_096
"""The same for a paragraph: many lines without an empty one between are what a program has printed."""

_HELD: Final = re.compile(r"[-=#>*+_`~|:.)\d\s]*\Z")
"""An unfinished line of nothing but marks may become anything: it waits."""

_HEAD: Final = re.compile(r" {0,3}\|[^\n]*(?:\n[ |:-]*)?\Z")
"""The head of a table before the line that makes it one: it waits as well."""

_ENDED: Final = re.compile(r"\n[ \t]*\n\Z")
"""An empty line, after which no paragraph goes on."""

_LETTER: Final = re.compile(r".*[ \n](?=[^\W\d_])", re.DOTALL)
"""Up to the last word that begins with a letter: anything else might begin a list or another block."""

_MARKS: Final = re.compile(r"\\.|`+|\*\*|\*|~~", re.DOTALL)
_TARGET: Final = re.compile(r"\]\([^()\s]*\Z")


class Stream:
    """The rows of a growing text at one width and look. The caller hands in safe text without CR."""

    def __init__(self, page: Page, references: Mapping[str, Any] | None = None) -> None:
        self._page = page
        self.rows = page.rows
        self.frozen = len(page.rows)
        """How many leading rows will not change any more."""
        self.references: dict[str, Any] = dict(references or {})
        """The link references defined so far."""
        self._open = ""
        self._cut: Growth | None = None
        self._kind = ""
        """Of the open block: its token."""
        self._gap = False

    def inked(self, number: int) -> tuple[Row, bool]:
        """Return a row as it is painted, and whether that is final as long as the row is."""
        code = self._page.code.at(number)
        if code is None:
            return self.rows[number], True
        row, settled = self._page.code.inked(number, code)
        goes_on = self._cut is not None and self._cut.listing is code.listing
        return row, settled or (number < self.frozen and not goes_on)

    @property
    def room(self) -> int:
        """How many characters can be fed at once."""
        length = len(self._open)
        return min(PIECE, (PARAGRAPH if length < PARAGRAPH else LONGEST) - length)

    def feed(self, text: str) -> None:
        """Take in at most `room` characters and bring the rows up to date."""
        self._open += text
        self._lay_out(_shown(self._open, self._cut), growing=True)
        is_paragraph = self._kind == "paragraph_open"
        if len(self._open) >= LONGEST or (is_paragraph and len(self._open) == PARAGRAPH):
            self._break()

    def finish(self, text: str = "") -> None:
        """Take in less than `room` characters and read what is left as the end of the text."""
        self._open += text
        self._lay_out(self._open, growing=False)
        self.frozen, self._open = len(self.rows), ""
        self.rows.pack(self.frozen)

    def _lay_out(self, shown: str, growing: bool) -> None:
        lead = self._cut.lead if self._cut else ""
        text = lead + shown
        references = dict(self.references)
        tokens = markdown_parser.parse(text, references)
        lines = text.split("\n")
        if growing:
            _mend(tokens, lines)
        self._forget_tail()
        self._kind = tokens[0].type if tokens else ""
        growth = self._add_blocks(tokens, lines)
        self._page.close()
        if not growing:
            self.references = references
        elif growth:
            known = {name: link for name, link in references.items() if link["map"][1] <= growth.line}
            self.references = known | self.references
            self.frozen, self._cut = growth.rows, growth
            self.rows.pack(self.frozen)
            self._open = _from_line(self._open, growth.line - lead.count("\n"))

    def _forget_tail(self) -> None:
        self.rows.cut(self.frozen)
        self._page.code.forget_from(self.frozen)

    def _add_blocks(self, tokens: Sequence[Token], lines: Sequence[str]) -> Growth | None:
        """Lay out what is open; return where the text can be cut, if it can."""
        page, complete = self._page, len(lines) - 1
        cut = self._cut
        goes_on = cut is not None and (bool(cut.lead) or cut.number is not None)
        starts = page.read(tokens, lines, complete, cut if goes_on else None)
        last = max((k for k, index in enumerate(starts) if page.begin(index) < complete), default=0)
        growth = None
        gap_first = self._gap
        for number, index in enumerate(starts):
            before = len(self.rows)
            if number or gap_first:
                page.gap()
            inner = page.add(index)
            if number == last:
                if inner:
                    growth, self._gap = inner, False
                elif number:
                    growth, self._gap = Growth(page.begin(index), before, ""), True
        return growth

    def _break(self) -> None:
        """Cut an open block that has become too long; the rest is read as a block of the same kind."""
        end = _place_to_cut(self._open, self._kind)
        rest, self._open = self._open[end:], self._open[:end]
        lead = self._cut.lead if self._cut else ""
        is_fence, is_over = self._kind == "fence", _ENDED.search(self._open) is not None
        opening = (lead + self._open).split("\n", 1)[0] + "\n" if is_fence else ""
        self.finish()
        listing = self._page.code.last.listing if is_fence else None
        lines = len(listing.lines) if listing else 0
        self._cut = Growth(0, len(self.rows), opening, listing=listing, lines=lines)
        self._gap, self._open = is_over and not is_fence, rest


def _place_to_cut(text: str, kind: str) -> int:
    """Return where a block that is too long is cut. Something is left, which tells whether it goes on."""
    last = len(text.rstrip())
    if kind == "paragraph_open" and (found := _LETTER.match(text, 0, last)):
        return found.end()
    return max(text.rfind("\n", 0, last), text.rfind(" ", 0, last)) + 1 or len(text)


def _shown(text: str, cut: Growth | None) -> str:
    """Return the part of an unfinished text of which the reading is clear enough to show it."""
    start = text.rfind("\n") + 1
    if _HELD.match(text, start):
        text = text[:start]
    block = text.rfind("\n\n") + 2 if "\n\n" in text else 0
    in_table = cut is not None and cut.columns is not None
    return text if in_table or not _HEAD.match(text, block) else text[:block]


def _from_line(text: str, line: int) -> str:
    start = 0
    for _ in range(line):
        start = text.index("\n", start) + 1
    return text[start:]


def _mend(tokens: Sequence[Token], lines: Sequence[str]) -> None:
    """Close the emphasis, code or link that the end of an unfinished paragraph leaves open."""
    last = next(
        (token for token in reversed(tokens) if token.type in ("inline", "fence", "code_block")), None
    )
    if last is None or last.type != "inline" or not last.map or last.map[1] < len(lines) - (not lines[-1]):
        return
    mended = _closed(last.content)
    if mended != last.content:
        last.children = markdown_parser.parse_inline(mended)


def _closed(text: str) -> str:
    text = text.rstrip("*~`_")
    marks: list[str] = []
    for found in _MARKS.finditer(text):
        mark = found.group()
        if marks and marks[-1] == mark:
            marks.pop()
        elif marks and marks[-1][0] == "`":
            continue  # within code nothing else counts
        elif mark in marks:
            marks.remove(mark)
        elif mark[0] != "\\" and not text[found.end() : found.end() + 1].isspace():
            marks.append(mark)
    closed = text + "".join(reversed(marks))
    return closed + ")" if _TARGET.search(text) else closed
