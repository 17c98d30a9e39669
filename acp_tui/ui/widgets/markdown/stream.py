"""Growing Markdown: only its last block is parsed and laid out again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import inf
from time import perf_counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from rich.segment import Segment
from typing_extensions import override

from acp_tui.lazy_regex import regex
from acp_tui.session.text_buffer import TextBuffer
from acp_tui.ui.widgets.markdown import one_line
from acp_tui.ui.widgets.markdown import parser as markdown_parser
from acp_tui.ui.widgets.markdown.markdown import FreezePoint, MarkdownPage
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Row, open_end, safe
from acp_tui.ui.widgets.transcript.blocks import Block

if TYPE_CHECKING:  # for annotations only: a line without marks needs no parser
    from markdown_it.token import Token

PIECE: Final = 4_096
"""Characters parsed at once: about two milliseconds of work."""

LONGEST: Final = 16_384
"""Characters of an open block from which on it is cut at a line or word, so that keys are handled."""

PARAGRAPH: Final = 4_096
"""The same for a paragraph; long ones without an empty line are the output of a program."""

_HELD: Final = regex(r"[-=#>*+_`~|:.)\d\s]*\Z")
"""An unfinished line of marks, which may become anything and is not shown yet."""

_HEAD: Final = regex(r" {0,3}\|[^\n]*(?:\n[ |:-]*)?\Z")
"""The head of a table before its delimiter line, which is not shown yet either."""

_ENDED: Final = regex(r"\n[ \t]*\n\Z")
"""An empty line, which ends a paragraph."""

_LETTER: Final = regex(r".*[ \n](?=[^\W\d_])", re.DOTALL)
"""Text up to the last word that begins with a letter; another one might begin a list."""

_MARKS: Final = regex(r"\\.|`+|\*\*|\*|~~", re.DOTALL)
_TARGET: Final = regex(r"\]\([^()\s]*\Z")


# A stream is parsed block by block: each piece is appended to the open end of the text, which is parsed and
# laid out again. Then all blocks except the last are final, and so are the first items, rows or lines of a
# last block that is a list, table or fence: their rows are frozen, and the open end starts after them. An
# open block of 16 KB is cut at a line or word. So a piece costs as much as the open block (0.8 ms per KB,
# measured), not the whole text (Textual's Markdown widget: 146), and any division into pieces gives the
# same rows.
class MarkdownStream:
    """The rows of a growing text at one width and in one theme; the text is safe and without CR."""

    def __init__(self, page: MarkdownPage, references: Mapping[str, Any] | None = None) -> None:
        self._page = page
        self.rows = page.rows
        self.frozen = len(page.rows)
        """Number of leading rows that are final."""
        self.references: dict[str, Any] = dict(references or {})
        """Link references defined so far."""
        self._open = ""
        self._cut: FreezePoint | None = None
        self._kind = ""
        """Token type of the open block."""
        self._gap = False

    def highlighted(self, number: int) -> tuple[Row, bool]:
        """Return a row with code highlighted, and True if its colours are final."""
        code = self._page.code.at(number)
        if code is None:
            return self.rows[number], True
        row, settled = self._page.code.highlighted(number, code)
        goes_on = self._cut is not None and self._cut.listing is code.listing
        return row, settled or (number < self.frozen and not goes_on)

    @property
    def ended_code(self) -> tuple[int, int]:
        """The code that colours depend on."""
        return self._page.code.ended_lines

    @property
    def room(self) -> int:
        """Characters that can be fed at once."""
        length = len(self._open)
        return min(PIECE, (PARAGRAPH if length < PARAGRAPH else LONGEST) - length)

    def feed(self, text: str) -> None:
        """Append at most `room` characters and update the rows."""
        self._open += text
        self._lay_out(_shown(self._open, self._cut), growing=True)
        is_paragraph = self._kind == "paragraph_open"
        if len(self._open) >= LONGEST or (is_paragraph and len(self._open) == PARAGRAPH):
            self._break()

    def finish(self, text: str = "") -> None:
        """Append less than `room` characters and parse the rest as the end of the text."""
        self._open += text
        self._lay_out(self._open, growing=False)
        self.frozen, self._open = len(self.rows), ""
        self.rows.pack(self.frozen)

    def _lay_out(self, shown: str, growing: bool) -> None:
        lead = self._cut.lead if self._cut else ""
        text = lead + shown
        references = dict(self.references)
        tokens = one_line.tokens_of(text) or markdown_parser.parse(text, references)
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

    def _add_blocks(self, tokens: Sequence[Token], lines: Sequence[str]) -> FreezePoint | None:
        """Lay out the open blocks and return the freeze point, if there is one."""
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
                    growth, self._gap = FreezePoint(page.begin(index), before, ""), True
        return growth

    def _break(self) -> None:
        """Cut an open block that is too long; the rest is parsed as a block of the same kind."""
        end = _place_to_cut(self._open, self._kind)
        rest, self._open = self._open[end:], self._open[:end]
        lead = self._cut.lead if self._cut else ""
        is_fence, is_over = self._kind == "fence", _ENDED.search(self._open) is not None
        opening = (lead + self._open).split("\n", 1)[0] + "\n" if is_fence else ""
        self.finish()
        listing = self._page.code.last.listing if is_fence else None
        lines = len(listing.lines) if listing else 0
        self._cut = FreezePoint(0, len(self.rows), opening, listing=listing, lines=lines)
        self._gap, self._open = is_over and not is_fence, rest


def _place_to_cut(text: str, kind: str) -> int:
    """Return the offset at which to cut a block that is too long; the rest shows whether it continues."""
    last = len(text.rstrip())
    if kind == "paragraph_open" and (found := _LETTER.match(text, 0, last)):
        return found.end()
    return max(text.rfind("\n", 0, last), text.rfind(" ", 0, last)) + 1 or len(text)


def _shown(text: str, cut: FreezePoint | None) -> str:
    """Return the part of an unfinished text that can be shown without changing its meaning soon."""
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
    """Close emphasis, code and links that are open at the end of an unfinished paragraph."""
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


_GULP: Final = 65_536
"""Characters cleaned at once."""

_ALL: Final = 1 << 60
"""More rows than there are."""

_NONE: Final[Mapping[str, Any]] = MappingProxyType({})


def rows_of(text: str, width: int) -> int:
    """Estimate the rows of a text that has no block yet."""
    return text.count("\n") + 1 + len(text) // max(1, width) if text else 0


class MarkdownBlock(Block):
    """Markdown that may stream; any division into pieces gives the same rows.

    A new width or theme lays the text out again, in slices if it is long.
    """

    __slots__ = (
        *("_above", "_at", "_clean", "_coloured", "_ended", "_finished", "_half", "_indent"),
        *("_last", "_length", "_line_ends", "_read", "_references", "_role"),
        *("_stream", "_taken", "_text", "_unsettled", "landmark"),
        *("stable_rows", "waiting"),
    )

    def __init__(
        self,
        text: str | TextBuffer = "",
        *,
        role: str = "text",
        indent: int = 0,
        above: int = 0,
        landmark: bool = False,
    ) -> None:
        """Start with `text` in the style of `role`, indented by `indent` cells, after `above` empty rows."""
        self.stable_rows = 0
        self.landmark = landmark
        self._role = role
        self._indent = indent
        self._above = above
        self._ended = False
        """True if the stream knows that the text is complete."""
        self._line_ends = self._length = 0
        self._unsettled = _ALL
        """First row that was painted in colours that may change."""
        self._coloured = (0, 0)
        """The ended code at the last layout."""
        self.replace(text)

    def shows(self, text: object) -> bool:
        """Return whether this is the text that is shown."""
        return text is self._text

    def append(self, text: str) -> None:
        """Append a piece of text; call `Transcript.changed` afterwards."""
        self._text.append(text)
        self.grown()

    def grown(self) -> None:
        """Show text that was appended to the buffer elsewhere; call `Transcript.changed` afterwards."""
        new = self._text.since(self._length)
        if new:
            if self._ended:
                self._restart()
            self.waiting += len(new)
            self._line_ends += new.count("\n")
            self._length = self._text.length  # not a number of its own beside that
            self._finished = False

    def finish(self) -> None:
        """Mark the text as complete, so that its end is parsed as such."""
        self._text.finish()
        self.grown()
        self._finished = True

    def replace(self, text: str | TextBuffer) -> None:
        """Show another text, which may grow too."""
        self._text = text if isinstance(text, TextBuffer) else TextBuffer(text)
        self._line_ends = self._length = 0
        self._finished = False
        self._references: Mapping[str, Any] = _NONE
        self._restart()
        self.grown()

    @override
    def rows(self, width: int, styles: Styles) -> Sequence[Row]:
        return self.some_rows(width, styles, inf)

    @override
    def some_rows(self, width: int, styles: Styles, until: float) -> Sequence[Row]:
        before = self._stream if self._at == (width, styles) else None
        stream = before or self._start(width, styles)
        frozen = stream.frozen
        tail = stream.rows[frozen:]
        while self.waiting or (self._finished and not self._ended):
            room = stream.room
            piece = self._take(room) if self.waiting else ""
            if not self._finished or self.waiting or len(piece) == room:
                stream.feed(piece)
            else:
                stream = self._end(stream, piece, width, styles)
            if perf_counter() > until:
                break
        self.stable_rows = frozen + _common(tail, stream.rows[frozen:]) if stream is before else 0
        if self._coloured != (coloured := stream.ended_code):
            self._coloured = coloured
            self.stable_rows, self._unsettled = min(self.stable_rows, self._unsettled), _ALL
        return stream.rows

    @override
    def height_hint(self, width: int) -> int:
        room = max(1, width - self._indent)
        return self._above + (self._line_ends + 1 + self._length // room if self._length else 0)

    @override
    def source(self) -> str:
        return str(self._text)

    @override
    def highlighted(self, number: int, row: Row) -> Row:
        if self._stream is None:
            return row
        highlighted, settled = self._stream.highlighted(number)
        if not settled:
            self._unsettled = min(self._unsettled, number)
        return highlighted

    @override
    def forget_rows(self) -> None:
        if self._finished:
            self._restart()

    def _restart(self) -> None:
        """Drop the layout."""
        self._stream: MarkdownStream | None = None
        self._at: tuple[int, Styles] | None = None
        self._read = 0
        """Characters of the text that were cleaned."""
        self._clean = ""
        self._taken = 0
        self._half = self._last = ""
        self._ended = False
        self.waiting: int = self._length

    def _start(self, width: int, styles: Styles) -> MarkdownStream:
        self._restart()
        prefix = [Segment(" " * self._indent)] if self._indent else []
        self._stream = MarkdownStream(
            MarkdownPage(width, styles, self._role, prefix, self._above), self._references
        )
        self._at = (width, styles)
        return self._stream

    def _take(self, most: int) -> str:
        """Return at most `most` characters of safe text."""
        if self._taken == len(self._clean):
            self._clean, self._taken = self._gulp(), 0
        piece = self._clean[self._taken : self._taken + most]
        self._taken += len(piece)
        if self._taken == len(self._clean):
            self._clean, self._taken = "", 0
        self.waiting = self._length - self._read + len(self._clean) - self._taken
        return piece

    def _gulp(self) -> str:
        """Clean new text, except an end that may be an incomplete sequence."""
        new = self._text.since(self._read, min(_GULP, self._length - self._read))
        self._read += len(new)
        text = self._half + new
        end = open_end(text)
        text, self._half = text[:end], text[end:]
        before, self._last = self._last, text[-1:] or self._last
        return safe(text.replace("\r\n", "\n"), before)

    def _end(self, stream: MarkdownStream, piece: str, width: int, styles: Styles) -> MarkdownStream:
        """End the stream with its last piece; start again for links that were defined after their use."""
        if self._half:
            stream.feed(piece + safe(self._half, self._last))
            self._half = piece = ""
        stream.finish(piece)
        self._ended = True
        if stream.references.keys() == self._references.keys():
            return stream
        self._references = stream.references
        return self._start(width, styles)


def _common(old: Sequence[Row], new: Sequence[Row]) -> int:
    """Return the number of equal leading rows."""
    return next(
        (k for k, (one, two) in enumerate(zip(old, new, strict=False)) if one != two), min(len(old), len(new))
    )
