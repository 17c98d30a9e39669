"""Syntax highlighting with Pygments, a few lines at a time, and rows of code that are highlighted lazily."""

from __future__ import annotations

import marshal
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final, NamedTuple, SupportsIndex, overload

import pygments.lexer
import pygments.lexers
import pygments.util
from rich.segment import Segment
from rich.style import Style

from acp_tui.lazy_regex import regex
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Continued, Row, row_cells, row_text, wrap

_LONGEST: Final = 500
"""Characters from which on a line counts as data rather than code, and stays plain."""

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


class HighlightedLines(NamedTuple):
    """Some lines of code, highlighted together."""

    lines: tuple[tuple[tuple[str, str], ...], ...]
    """The lines, each as pairs (text, role); an empty role is plain code."""
    inside: bool
    """True if the group ends inside a string or a comment."""


class _FileNames(NamedTuple):
    """The lexers of Pygments by the names of files, in the order of Pygments."""

    exact: dict[str, list[str]]
    """By whole names, such as `Makefile`."""
    endings: dict[str, list[str]]
    """By endings, such as `.py`."""
    patterns: list[tuple[str, str]]
    """By other patterns, which are few."""


@lru_cache(1)
def _file_names() -> _FileNames:
    found = _FileNames({}, {}, [])
    for lexer, _, names, _ in pygments.lexers.get_all_lexers(plugins=False):
        for name in names:
            ending = name.removeprefix("*")
            if not _WILD.search(name):
                found.exact.setdefault(name, []).append(lexer)
            elif ending.startswith(".") and not _WILD.search(ending):
                found.endings.setdefault(ending, []).append(lexer)
            else:
                found.patterns.append((name, lexer))
    return found


_WILD: Final = regex(r"[*?\[]")


def language_of_file(name: str) -> str:
    """Return the language of a file by its name, as `highlight` takes it; empty if unknown.

    Pygments would first compile each of its 850 patterns, which blocks everything else.
    """
    name, known = name.rpartition("/")[2], _file_names()
    lexers = [lexer for pattern, lexer in known.patterns if fnmatchcase(name, pattern)]
    for place in (place for place, letter in enumerate(name) if letter == "."):
        lexers += known.endings.get(name[place:], ())
    rated = [(0.0, lexer) for lexer in lexers] + [(0.5, lexer) for lexer in known.exact.get(name, ())]
    best: tuple[float, str, str] = (0.0, "", "")
    for bonus, lexer in rated:
        kind = pygments.lexers.find_lexer_class(lexer)
        if kind is not None and kind.aliases:
            best = max(best, (kind.priority + bonus, kind.__name__, kind.aliases[0]))
    return best[2]


@lru_cache(128)
def highlight(language: str, code: str) -> HighlightedLines:
    """Highlight a group of safe lines of code; cached for the next frame, width or theme."""
    lexer = _lexer(language) if language else None
    if lexer is None or max(map(len, code.split("\n"))) > _LONGEST:
        return HighlightedLines(tuple(((line, ""),) if line else () for line in code.split("\n")), False)
    lines: list[list[tuple[str, str]]] = [[]]
    kind: Any = None
    for _, kind, text in lexer.get_tokens_unprocessed(code + "\n"):
        role = _role(kind)
        for number, part in enumerate(text.split("\n")):
            if number:
                lines.append([])
            line = lines[-1]
            if line and line[-1][1] == role:  # one piece, even if a lexer splits a character
                line[-1] = (line[-1][0] + part, role)
            elif part:
                line.append((part, role))
    return HighlightedLines(tuple(tuple(line) for line in lines[:-1]), _goes_on(kind))


@lru_cache(64)
def _lexer(language: str) -> pygments.lexer.Lexer | None:
    try:
        return (
            pygments.lexers.get_lexer_by_name(language, startinline=True)
            if language == "php"
            else pygments.lexers.get_lexer_by_name(language)
        )
    except pygments.util.ClassNotFound:
        return None


@lru_cache(512)
def _role(kind: Any) -> str:
    """Return the role of a kind of token, or of its nearest parent that has one."""
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


GROUPS: Final = (16, 32, 64)
"""Lines highlighted at once: the smallest of these that does not end in a string or comment."""

STRETCH: Final = 128
"""Lines after which highlighting restarts, so that any line of a long text is painted quickly."""


class CodeLines:
    """Lines of code that may grow, highlighted in groups.

    The colours depend on the lines alone, so a streamed text gets the same ones as a whole text. Each group
    starts with a fresh lexer: a string or comment of more than 64 lines loses its colour there.
    """

    __slots__ = ("_groups", "_newest", "_stretch", "complete", "language", "lines")

    def __init__(self, language: str) -> None:
        self.language = language
        self.lines: list[str] = []
        """The lines as they came, with tabs."""
        self.complete = 0
        """Number of lines that cannot grow any further."""
        self._stretch = 0
        self._groups: list[int] = []
        """First lines of the known groups, in the stretch that was last painted."""
        self._newest: tuple[int, int, HighlightedLines] | None = None

    @property
    def text(self) -> str:
        """The code, each line with its end."""
        return "".join([f"{line}\n" for line in self.lines])

    def take(self, kept: int, lines: Sequence[str], complete: int) -> None:
        """Replace all lines after the first `kept` ones; `complete` of the new ones cannot grow."""
        del self.lines[kept:]
        self.lines += lines
        self.complete = kept + complete
        if self._newest is not None and self._newest[1] > kept:
            self._newest = None

    def spans(self, number: int) -> tuple[Sequence[tuple[str, str]], bool]:
        """Return a line as pairs (text, role), and True if later lines cannot change it."""
        start, end, settled = self._group(number)
        if not settled and start < self.complete < end:
            # Do not highlight everything with each word: a growing line is coloured on its own until it ends.
            if number < self.complete:
                end = self.complete
            elif not self._highlighted(start, self.complete).inside:
                start = self.complete
        return self._highlighted(start, end).lines[number - start], settled

    def _group(self, number: int) -> tuple[int, int, bool]:
        """Return the group of a line as (first line, line after it, is final)."""
        stretch = number - number % STRETCH
        if stretch != self._stretch or not self._groups:
            self._stretch, self._groups = stretch, [stretch]
        place = bisect_right(self._groups, number) - 1
        if place + 1 < len(self._groups):
            return self._groups[place], self._groups[place + 1], True
        start = self._groups[-1]
        while size := self._size(start):
            self._groups.append(start + size)
            if number < start + size:
                return start, start + size, True
            start += size
        return start, min(len(self.lines), stretch + STRETCH), False

    def _size(self, start: int) -> int:
        """Return the number of lines highlighted together from `start` on; 0 while there are too few."""
        stop = min(self.complete, self._stretch + STRETCH)
        for size in GROUPS:
            end = min(start + size, self._stretch + STRETCH)
            if end > stop:
                return 0
            if (
                size == GROUPS[-1]
                or end == self._stretch + STRETCH
                or not self._highlighted(start, end).inside
            ):
                break
        return end - start

    def _highlighted(self, start: int, end: int) -> HighlightedLines:
        """Return lines, highlighted; the newest group is cached."""
        if self._newest is not None and self._newest[0] == start and self._newest[1] == end:
            return self._newest[2]
        code = "\n".join([line.expandtabs(4) for line in self.lines[start:end]])
        coloured = highlight(self.language, code)
        self._newest = (start, end, coloured)
        return coloured


class CodePiece(NamedTuple):
    """A piece of code among the rows of a text: a block, or part of a long one."""

    row: int
    """Its first row."""
    rows: int
    listing: CodeLines
    line: int
    """Its first line in the listing."""
    lines: int
    """Number of lines; even an empty piece has one row."""
    marks: int
    """Number of segments before the code in each row."""
    begins: Sequence[int]
    """First row of each line, counted from the first row of the piece."""
    before: Sequence[int]
    """For each row, the number of characters of its line in the rows above."""


class CodeRows:
    """The pieces of code among the rows of a text, at one width and in one theme."""

    def __init__(self, rows: Sequence[Row], width: int, styles: Styles) -> None:
        self._rows = rows
        self._width = width
        self._styles = _CodeStyles(styles)
        self._pieces: list[CodePiece] = []

    def laid_out(self, listing: CodeLines, start: int, end: int, first: Row, rest: Row) -> list[Row]:
        """Return the plain rows of lines of code, after prefixes for the first row and for the rest."""
        plain = self._styles[""]
        filled = plain.bgcolor is not None
        laid_out: list[Row] = []
        marks, begins, before = len(rest), array("I"), array("I")
        for line in listing.lines[start:end] or ("",):
            text = line.expandtabs(4)
            rows = wrap([(text, plain)] if text else [], self._width, first, rest, words=False)
            first = rest
            begins.append(len(laid_out))
            before.extend(accumulate((len(row[marks].text) for row in rows[:-1]), initial=0))
            if filled:
                for row in rows:
                    row.append(Segment(" " * (self._width - row_cells(row)), plain))
            laid_out += rows
        at, lines = len(self._rows), end - start
        self._pieces.append(CodePiece(at, len(laid_out), listing, start, lines, marks, begins, before))
        return laid_out

    def forget_from(self, row: int) -> None:
        """Forget the pieces that begin at a row or below it."""
        while self._pieces and self._pieces[-1].row >= row:
            self._pieces.pop()

    @property
    def last(self) -> CodePiece:
        """The piece that was last laid out."""
        return self._pieces[-1]

    @property
    def ended_lines(self) -> tuple[int, int]:
        """The number of pieces, and of the lines of the last one that cannot grow: they have colours."""
        return len(self._pieces), self._pieces[-1].listing.complete if self._pieces else 0

    def at(self, row: int) -> CodePiece | None:
        """Return the piece of code that a row is in."""
        place = bisect_right(self._pieces, row, key=_row) - 1
        code = self._pieces[place] if place >= 0 else None
        return code if code is not None and row < code.row + code.rows else None

    def highlighted(self, number: int, code: CodePiece) -> tuple[Row, bool]:
        """Return a row of a piece of code, highlighted, and True if its colours are final."""
        row = self._rows[number]
        if not code.lines:
            return row, True
        place = number - code.row
        line = bisect_right(code.begins, place) - 1
        spans, settled = code.listing.spans(code.line + line)
        if not spans:
            return row, settled
        skipped = code.before[place]
        if skipped or place + 1 < (code.begins[line + 1] if line + 1 < len(code.begins) else code.rows):
            spans = list(_between(spans, skipped, skipped + len(row[code.marks].text)))
        colours = [Segment(text, self._styles[role]) for text, role in spans]
        return [*row[: code.marks], *colours, *row[code.marks + 1 :]], settled


class _CodeStyles(dict[str, Style]):
    """The styles of code in one theme by role; the role of plain code is empty."""

    def __init__(self, styles: Styles) -> None:
        super().__init__()
        self._theme_styles = styles

    def __missing__(self, role: str) -> Style:
        style = self[role] = self._theme_styles.blend(("code-block", role) if role else ("code-block",))
        return style


def _between(spans: Iterable[tuple[str, str]], start: int, end: int) -> Iterator[tuple[str, str]]:
    """Yield the part of a line from character `start` to `end`."""
    position = 0
    for text, role in spans:
        if position >= end:
            break
        piece = text[max(0, start - position) : max(0, end - position)]
        if piece:
            yield piece, role
        position += len(text)


def _row(code: CodePiece) -> int:
    return code.row


TOGETHER: Final = 256
"""Rows packed and unpacked together: about a millisecond of work."""

LOOSE: Final = 4_096
"""Rows at the end that are never packed; few texts have more."""

_UNPACKED: Final = 8
"""Packs kept unpacked, the most recently used ones."""


# Final rows far from the end are kept in packs of 256: compressed tuples of texts and of numbers of styles,
# of which there are few. A pack is unpacked when one of its rows comes into view. The newest 4,096 rows
# stay lists, since the end of a text is replaced while it streams. The rows of a text of 7 MB took 101 MB,
# and now take 14.
class PackedRows(Sequence[Row]):
    """A list of rows that grows and is cut at its end; `pack` compresses rows that are final."""

    __slots__ = ("_loose", "_numbers", "_packs", "_styles", "_unpacked")

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._packs: list[bytes] = []
        self._loose: list[Row] = list(rows)
        self._styles: list[Style | None] = []
        self._numbers: dict[Style | None, int] = {}
        self._unpacked: dict[int, list[Row]] = {}

    def __len__(self) -> int:
        return len(self._packs) * TOGETHER + len(self._loose)

    @overload
    def __getitem__(self, place: SupportsIndex) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Row | list[Row]:
        """Return a row, or a slice as a list."""
        packed = len(self._packs) * TOGETHER
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            if start >= packed and step == 1:
                return self._loose[start - packed : max(0, stop - packed)]
            return [self[number] for number in range(start, stop, step)]
        number = place.__index__()
        if number < 0:
            number += len(self)
        if number >= packed:
            return self._loose[number - packed]
        if number < 0:
            raise IndexError(place)
        return self._rows_of(number // TOGETHER)[number % TOGETHER]

    def append(self, row: Row) -> None:
        """Add a row at the end."""
        self._loose.append(row)

    def extend(self, rows: Iterable[Row]) -> None:
        """Add rows at the end."""
        self._loose.extend(rows)

    def cut(self, length: int) -> None:
        """Remove all rows after the first `length`."""
        while length < len(self._packs) * TOGETHER:
            last = len(self._packs) - 1
            self._loose[:0] = self._rows_of(last)
            self._unpacked.pop(last, None)
            del self._packs[last]
        del self._loose[length - len(self._packs) * TOGETHER :]

    def pack(self, settled: int) -> None:
        """Pack the first `settled` rows, which are final, except those near the end."""
        while settled - len(self._packs) * TOGETHER >= LOOSE + TOGETHER:
            packed = [self._packed(row) for row in self._loose[:TOGETHER]]
            self._packs.append(zlib.compress(marshal.dumps(packed), 1))
            del self._loose[:TOGETHER]

    def texts(self) -> Iterator[str]:
        """Yield the text of each row, which is faster than the rows themselves."""
        for pack in self._packs:
            for _, *parts in marshal.loads(zlib.decompress(pack)):
                yield "".join(parts[::2])
        yield from map(row_text, self._loose)

    def _packed(self, row: Row) -> tuple[object, ...]:
        """Return a row as (continuation or None, text, number of its style, text, …)."""
        parts: list[object] = []
        for text, style, _ in row:
            number = self._numbers.get(style)
            if number is None:
                number = self._numbers[style] = len(self._styles)
                self._styles.append(style)
            parts += (text, number)
        return ((row.prefix, row.glue) if isinstance(row, Continued) else None, *parts)

    def _rows_of(self, pack: int) -> list[Row]:
        rows = self._unpacked.pop(pack, None)
        if rows is None:
            rows = [self._row(*packed) for packed in marshal.loads(zlib.decompress(self._packs[pack]))]
            if len(self._unpacked) >= _UNPACKED:
                del self._unpacked[next(iter(self._unpacked))]
        self._unpacked[pack] = rows  # looked at the latest
        return rows

    def _row(self, continued: tuple[int, str] | None, *parts: str | int) -> Row:
        texts, numbers = parts[::2], parts[1::2]
        row: Row = []
        if continued is not None:
            row = Continued([], continued[1])
            row.prefix = continued[0]
        row.extend([Segment(text, self._styles[number]) for text, number in zip(texts, numbers, strict=True)])  # type: ignore[arg-type,index]  # in turn
        return row
