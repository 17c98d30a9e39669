"""Layout of Markdown tokens in rows, block by block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from rich.segment import Segment

from acp_tui.ui.widgets.code import CodeLines, CodeRows, PackedRows
from acp_tui.ui.widgets.markdown.inline import inline_spans
from acp_tui.ui.widgets.markdown.table import FIXED, Align, Cell, TableColumns
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import PROSE, Row, Span, row_cells, wrap

if TYPE_CHECKING:  # for annotations only: a line without marks needs no parser
    from markdown_it.token import Token

_NARROW: Final = 12
"""Cells that indentation leaves at least, or half of the width if that is less."""

_PIECE: Final = 16
"""Lines of a fence that are frozen together."""


class FreezePoint(NamedTuple):
    """The point in a growing block up to which its rows are final."""

    line: int
    """First line of the parsed text that must be parsed again."""
    rows: int
    """Number of final rows of the page."""
    lead: str
    """Text to put before the rest, so that it is parsed as the same block."""
    number: int | None = None
    """Number of the next item of an ordered list."""
    columns: TableColumns | None = None
    """Columns of a table, once they are fixed."""
    listing: CodeLines | None = None
    """Code of a fence."""
    lines: int = 0
    """Number of final lines of that code."""


class MarkdownPage:
    """The rows of a Markdown text at one width and in one theme; blocks are added in order."""

    def __init__(
        self, width: int, styles: Styles, role: str = "text", prefix: Row | None = None, above: int = 0
    ) -> None:
        self.rows = PackedRows([] for _ in range(above))
        self.code = CodeRows(self.rows, width, styles)
        """The code among them."""
        self._theme_styles = styles
        self._width = width
        self._roles: tuple[str, ...] = (role,)
        self._margin: Row = list(prefix or [])
        self._first = self._rest = self._margin
        self._tokens: Sequence[Token] = ()
        self._lines: Sequence[str] = ()
        self._complete = 0
        self._continued: FreezePoint | None = None

    def read(
        self, tokens: Sequence[Token], lines: Sequence[str], complete: int, continued: FreezePoint | None
    ) -> list[int]:
        """Start a parsed text and return the first tokens of its blocks, to `add` one by one.

        Args:
            tokens: the parsed text.
            lines: the text.
            complete: the number of lines that cannot grow; a freeze point is before that.
            continued: the freeze point that the text goes on from.
        """
        self._tokens, self._lines, self._complete, self._continued = tokens, lines, complete, continued
        return [k for k, token in enumerate(tokens) if not token.level and token.nesting >= 0]

    def close(self) -> None:
        """Drop the tokens, which take more memory than the rows."""
        self._tokens, self._lines = (), ()

    def begin(self, index: int) -> int:
        """Return the first line of the block at `index`."""
        return (self._tokens[index].map or [0])[0]

    def add(self, index: int) -> FreezePoint | None:
        """Lay out the top-level block at `index`; return its freeze point, for the last one."""
        token = self._tokens[index]
        continued, self._continued = self._continued, None
        if token.type == "fence":
            return self._fence(token, continued)
        if token.type == "table_open":
            return self._table(index, continued)
        if token.type.endswith("_list_open"):
            return self._list(index, continued)
        self._block(index)
        return None

    def gap(self) -> None:
        """Add an empty row between blocks."""
        self.rows.append(list(self._rest))

    # blocks of each kind

    def _block(self, index: int) -> None:
        token = self._tokens[index]
        kind = token.type
        if kind == "paragraph_open":
            self._wrap(self._spans(self._tokens[index + 1], self._roles))
        elif kind == "heading_open":
            self._wrap(self._spans(self._tokens[index + 1], (*self._roles, "heading")))
        elif kind == "code_block":
            listing, lines = CodeLines(""), token.content.removesuffix("\n").split("\n")
            listing.take(0, lines, len(lines))
            self._code(listing, 0, len(lines))
        elif kind == "hr":
            rule = self._theme_styles.symbol("rule") * min(self._room, PROSE)
            self._add([[*self._first, Segment(rule, self._theme_styles["faint"])]])
        elif kind == "blockquote_open":
            self._quote(index)
        elif kind == "footnote_open":
            self._footnote(index)
        elif kind == "fence":
            self._fence(token, None)
        elif kind == "table_open":
            self._table(index, None)
        else:
            self._list(index, None)

    def _quote(self, index: int) -> None:
        bar = Segment(f"{self._theme_styles.symbol('quote')} ", self._theme_styles["quote"])
        rest, roles = self._rest, self._roles
        self._indent(bar, bar)
        self._roles = (*roles, "quote")
        start = len(self.rows)
        self._siblings(index + 1, self._end(index), spaced=True)
        if len(self.rows) == start:
            self._add([list(self._first)])
        self._first = self._rest = rest
        self._roles = roles

    def _footnote(self, index: int) -> None:
        rest = self._rest
        mark = Segment(f"{self._tokens[index].markup} ", self._theme_styles["list-marker"])
        self._indent(mark, Segment(" " * row_cells([mark])))
        self._wrap(self._spans(self._tokens[index + 2], self._roles))
        self._first = self._rest = rest

    def _list(self, index: int, continued: FreezePoint | None) -> FreezePoint | None:
        """Lay out a list; each blank line before an item is an empty row, so items stay independent."""
        token = self._tokens[index]
        number = int(token.attrs.get("start", 1)) if token.type == "ordered_list_open" else None
        if continued and continued.number is not None and number is not None:
            number = continued.number
        growth = None
        for item in self._children(index):
            begin = self.begin(item)
            if begin and item != index + 1 and not self._lines[begin - 1].strip(" >"):
                self.gap()
            if item != index + 1 and begin < self._complete:
                growth = FreezePoint(begin, len(self.rows), "", number=number)
            self._item(item, "" if number is None else f"{number}{self._tokens[item].markup} ")
            number = None if number is None else number + 1
        return growth

    def _item(self, index: int, label: str) -> None:
        end = self._end(index)
        mark, spans = label or f"{self._theme_styles.symbol('bullet')} ", None
        if index + 2 < end and self._tokens[index + 1].type == "paragraph_open":
            content = self._tokens[index + 2].content
            if content[:4].lower() in ("[ ] ", "[x] "):
                mark = f"{label}{self._theme_styles.symbol('unticked' if content[1] == ' ' else 'ticked')} "
                spans = _without(self._spans(self._tokens[index + 2], self._roles), 4)
        rest = self._rest
        marked = Segment(mark, self._theme_styles["list-marker"])
        self._indent(marked, Segment(" " * row_cells([marked])))
        start = len(self.rows)
        if spans is not None:
            self._wrap(spans)
            self._siblings(index + 4, end, spaced=False, follows=True)
        else:
            self._siblings(index + 1, end, spaced=False)
        if len(self.rows) == start:
            self._add([list(self._first)])
        self._first = self._rest = rest

    def _siblings(self, index: int, end: int, spaced: bool, follows: bool = False) -> None:
        """Lay out nested blocks, with empty rows between them always (`spaced`) or as in the source."""
        while index < end:
            begin = self.begin(index)
            if follows and (spaced or not self._lines[begin - 1].strip(" >")):
                self.gap()
            self._block(index)
            follows = True
            index = self._end(index) + 1

    def _fence(self, token: Token, continued: FreezePoint | None) -> FreezePoint | None:
        """Lay out a fence in pieces; the last one may still grow."""
        begin = (token.map or [0])[0]
        lines = token.content.removesuffix("\n").split("\n") if token.content else []
        known = max(0, min(len(lines), self._complete - begin - 1))
        kept = continued.lines if continued else 0
        listing = continued.listing if continued else None
        if listing is None:
            language = token.info.split(maxsplit=1)[0].strip("{}.") if token.info.strip() else ""
            listing = CodeLines(language)
        listing.take(kept, lines, known)
        done = known - known % _PIECE
        if done:
            self._code(listing, kept, kept + done)
        rows = len(self.rows)
        if done < len(lines) or not (continued or done):
            self._code(listing, kept + done, kept + len(lines))
        if not done:
            return None
        lead = self._lines[begin] + "\n"
        return FreezePoint(begin + 1 + done, rows, lead, listing=listing, lines=kept + done)

    def _code(self, listing: CodeLines, start: int, end: int) -> None:
        """Add the rows of some lines of code."""
        self._add(self.code.laid_out(listing, start, end, self._first, self._rest))

    def _table(self, index: int, continued: FreezePoint | None) -> FreezePoint | None:
        head, aligns, body, begins = self._cells(index)
        columns = continued.columns if continued else None
        rows: list[Row] = []
        if columns is None:
            columns = TableColumns(head, aligns, body, self._room, self._theme_styles)
            rows = columns.head_rows()
        fresh = not (continued and continued.columns)
        growth = None
        base = len(self.rows)
        for number, (cells, begin) in enumerate(zip(body, begins, strict=True)):
            if begin < self._complete and (number >= FIXED or not fresh):
                growth = FreezePoint(begin, base + len(rows), self._lead(index), columns=columns)
            rows.extend(columns.body_rows(cells, first=fresh and not number))
        self._add([[*(self._rest if number else self._first), *row] for number, row in enumerate(rows)])
        return growth

    def _cells(self, index: int) -> tuple[list[Cell], list[Align], list[list[Cell]], list[int]]:
        """Return a table as (head, alignments, rows, first lines of the rows)."""
        table: list[list[Cell]] = []
        aligns: list[Align] = []
        begins: list[int] = []
        for token in self._tokens[index : self._end(index)]:
            if token.type == "tr_open":
                table.append([])
                begins.append((token.map or [0])[0])
            elif token.type == "th_open":
                aligns.append(_align(str(token.attrs.get("style", ""))))
            elif token.type == "inline":
                roles = self._roles if len(table) > 1 else (*self._roles, "table-head")
                table[-1].append(self._spans(token, roles))
        return table[0], aligns, table[1:], begins[1:]

    def _lead(self, index: int) -> str:
        begin = self.begin(index)
        return "".join(f"{line}\n" for line in self._lines[begin : begin + 2])

    # pieces

    @property
    def _room(self) -> int:
        return max(1, self._width - row_cells(self._rest))

    def _indent(self, first: Segment, rest: Segment) -> None:
        """Indent the rows that follow; nesting that is too deep starts at the margin again."""
        fits = self._room - row_cells([first]) >= min(_NARROW, self._width // 2)
        self._first = [*self._first, first] if fits else [*self._margin, first]
        self._rest = [*self._rest, rest] if fits else [*self._margin, rest]

    def _spans(self, token: Token, roles: tuple[str, ...]) -> list[Span]:
        return inline_spans(token.children or (), self._theme_styles, roles)

    def _wrap(self, spans: Sequence[Span]) -> None:
        self._add(wrap(spans, min(self._width, PROSE), self._first, self._rest))

    def _add(self, rows: Sequence[Row]) -> None:
        if rows:
            self.rows.extend(rows)
            self._first = self._rest

    def _children(self, index: int) -> list[int]:
        level = self._tokens[index].level + 1
        return [
            k
            for k in range(index + 1, self._end(index))
            if self._tokens[k].level == level and self._tokens[k].nesting == 1
        ]

    def _end(self, index: int) -> int:
        """Return the index of the closing token."""
        token = self._tokens[index]
        if token.nesting != 1:
            return index
        end = index + 1
        while self._tokens[end].level != token.level:
            end += 1
        return end


def _align(style: str) -> Align:
    if style.endswith("right"):
        return "right"
    return "center" if style.endswith("center") else "left"


def _without(spans: list[Span], characters: int) -> list[Span]:
    """Return spans without their first characters."""
    left = list(spans)
    while characters and left:
        text, style = left[0]
        left[0] = (text[characters:], style)
        characters -= min(characters, len(text))
        if not left[0][0]:
            del left[0]
    return left
