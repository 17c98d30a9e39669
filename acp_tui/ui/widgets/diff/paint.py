"""Painting of differences: line numbers, changed words, highlighted code, wrapped lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from rich.color import Color, blend_rgb
from rich.segment import Segment
from rich.style import Style

from acp_tui.lazy_regex import regex
from acp_tui.ui.widgets.code import highlight, language_of_file
from acp_tui.ui.widgets.contrast import readable_on
from acp_tui.ui.widgets.diff.layout import DiffPart, lay_out
from acp_tui.ui.widgets.diff.line_diff import CharSpan, Difference, changed_words
from acp_tui.ui.widgets.painter import fit
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import TAB, Row, cut_at, safe, safe_line, wrap

Pieces: TypeAlias = tuple[tuple[str, str], ...]
"""A safe line as pairs (text, role)."""

WINDOW: Final = 32
"""Lines highlighted together if a string or comment in them may span lines."""
FEW: Final = 8
"""Lines highlighted together otherwise: only a few lines around scattered changes are seen."""
_KEPT: Final = 512
"""Highlighted groups kept."""
_LONGEST_COLOURED: Final = 2_000

_LINEWISE: Final = frozenset(
    {"c", "cpp", "csharp", "css", "dart", "go", "java", "javascript", "json", "kotlin", "python", "rust"}
    | {"scala", "swift", "toml", "typescript"}
)
"""Languages in which only strings and comments span lines; `_OPENS` finds their start."""
_OPENS: Final = regex(r"\"\"\"|'''|/\*|`|\\$", re.MULTILINE)


class DiffHighlighter:
    """Highlights the lines of two texts in the language of a path, a group at a time.

    A whole file takes 278 to 1,079 ms to highlight, a group less than one.
    """

    def __init__(self, old: Sequence[str], new: Sequence[str], path: str) -> None:
        self._sides = (new, old)
        self._path = path
        self._groups: dict[tuple[bool, int, int], tuple[Pieces, ...]] = {}

    def line(self, use_old: bool, index: int) -> Pieces:
        """Return a line (from 0) of the old or the new text; a very long one is cut."""
        start, stop = self._group(self._sides[use_old], index)
        key = (use_old, start, stop)
        group = self._groups.get(key)
        if group is None:
            group = _highlighted(self._path, self._sides[use_old][start:stop])
            if len(self._groups) >= _KEPT:
                del self._groups[next(iter(self._groups))]
            self._groups[key] = group
        return group[index - start]

    def _group(self, lines: Sequence[str], index: int) -> tuple[int, int]:
        """Return the group of a line: its window, or the few lines around it."""
        window, start = index - index % WINDOW, index - index % FEW
        if _language(self._path) in _LINEWISE and not reaches_over(lines[window : start + FEW]):
            return start, start + FEW
        return window, window + WINDOW


def reaches_over(lines: Sequence[str]) -> bool:
    """Return True if a string or comment may go on after these lines."""
    return any(line.count('"') % 2 or _OPENS.search(line) for line in lines)


@lru_cache(maxsize=256)
def _language(path: str) -> str:
    return language_of_file(path)


def _highlighted(path: str, lines: Sequence[str]) -> tuple[Pieces, ...]:
    code = "\n".join([safe(line[:_LONGEST_COLOURED]) for line in lines])
    return highlight(_language(path), code).lines


MOST_ROWS: Final = 500
"""Screens of text of one line, in rows; of a longer one the beginning and the end are shown."""
ALL_ROWS: Final = 20_000
"""The same when all lines are asked for."""
_END: Final = 5
"""The part of these rows that shows the end of a long line."""
_WIDE: Final = regex(
    "[\u1100-\u115f\u231a-\u23f3\u25fd-\u2b55\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\U00010000-\U0003ffff]"
)
"""Characters that take two cells, or may."""
CODE: Final = frozenset({"equal", "removed", "added", "changed"})

_NARROW: Final = regex(
    "[\x00-\x7e\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e]*"
)
"""Lines of one-cell characters, which are broken at words."""

Height = Callable[[DiffPart, int], int]
"""Returns the number of rows of a line of a part, counted from 0."""


class LongLine(NamedTuple):
    """The parts of a line that are shown, and the number of characters left out between them."""

    head: str
    left_out: int = 0
    tail: str = ""


def shown_of(line: str, room: int, most: int = MOST_ROWS) -> LongLine:
    """Return the shown part of a line in rows of `room` cells: all of it, if the rows are few."""
    if len(line) <= room * most:
        return LongLine(line)
    end = room * (most // _END)
    start = room * most - end
    return LongLine(line[:start], len(line) - start - end, line[len(line) - end :])


def height_of(line: str, room: int, most: int = MOST_ROWS) -> int:
    """Return how many rows of `room` cells a line takes; with wide characters perhaps one too many.

    Exact would be to lay such a line out, which takes seconds where very many lines are long.
    """
    if len(line) <= room and line.isascii() and "\t" not in line:
        return 1
    shown = shown_of(line, room, most)
    rows = _height_of_part(shown.head, room)
    return rows + 1 + _height_of_part(shown.tail, room) if shown.left_out else rows


def _height_of_part(line: str, room: int) -> int:
    if _NARROW.fullmatch(line):
        return len(_word_spans(line.replace("\t", TAB), room))
    cells = _cells(line)
    if _WIDE.search(line):
        room = max(1, room - 1)  # a wide character that finds one cell left takes the next row
    return max(1, -(-cells // room))


def _cells(line: str) -> int:
    """Return the cells of a line, or some more than these."""
    cells = len(line) + (len(TAB) - 1) * line.count("\t")
    return cells if line.isascii() else cells + len(_WIDE.findall(line))


def row_spans(line: str, room: int) -> list[tuple[int, int]] | None:
    """Return the rows of a (part of a) line, tabs laid out; None if it may have wide characters."""
    return _word_spans(line.replace("\t", TAB), room) if _NARROW.fullmatch(line) else None


def _word_spans(text: str, room: int) -> list[tuple[int, int]]:
    """Return rows of at most `room` characters, broken after a space if there is one.

    Blanks count in code: only a single one after a full row is left out.
    """
    spans, start, stop = [], 0, len(text)
    while stop - start > room:
        edge = start + room
        is_full = text[edge] == " " and text[edge - 1] != " " and text[edge + 1 : edge + 2] not in ("", " ")
        space = edge if text[edge] == " " else text.rfind(" ", start, edge) + 1
        if space <= start or text[start:space].isspace():  # no space, or only those that indent
            space, is_full = edge, False
        spans.append((start, space))
        start = space + is_full
    return [*spans, (start, stop)]


def wrapped(parts: Iterable[DiffPart], height: Height, room: int) -> Iterator[DiffPart]:
    """Yield parts with each line longer than a row as a part of its own."""
    for part in parts:
        if part.kind in CODE:
            yield from _split_row(part, height, room)
        else:
            yield part


def _split_row(part: DiffPart, height: Height, room: int) -> Iterator[DiffPart]:
    begun = 0
    for line in range(part.rows):
        rows = height(part, line)
        if rows > 1:
            if line > begun:
                yield from_line(part, begun, line - begun)
            yield from_line(part, line, rows, room)
            begun = line + 1
    if begun < part.rows:
        yield from_line(part, begun, part.rows - begun) if begun else part


def from_line(part: DiffPart, line: int, rows: int, room: int = 0) -> DiffPart:
    """Return the rows of a part from a line on."""
    old, new = part.old + line, part.new + line
    return DiffPart(part.kind, rows, part.block, old, new, part.old_lines - line, part.new_lines - line, room)


_LONG_LINES: Final = 64
"""Wrapped lines kept."""

_TWO_NUMBERS_FROM: Final = 60
"""Columns from which a unified row has both line numbers."""
_LINE_TINT: Final = 0.45
"""Strength of the background of a changed line, relative to a changed word."""
_SIDE: Final[Mapping[str, tuple[str, str]]] = {
    "removed": ("removed-word", "minus"),
    "added": ("added-word", ""),
}


def diff_rows(
    difference: Difference,
    path: str,
    width: int,
    styles: Styles,
    limit: int,
    remarks: Sequence[tuple[str, str]] = (),
) -> list[Row]:
    """Return the first rows of a unified difference, at most `limit`; the last one counts those left out.

    `path` determines the language of the code; `remarks` stand above, as (role, text).
    """
    painter = DiffPainter(difference, path, width, styles)
    above = [painter.sentence(text, role) for role, text in remarks[:limit]]
    limit -= len(above)
    parts = list(lay_out(difference, side_by_side=False, context=2))
    total = sum(part.rows for part in parts)
    shown = total if total <= limit else max(0, limit - 1)
    rows: list[Row] = []
    for part in parts:
        if len(rows) >= shown:
            break  # there may be thousands
        rows.extend(painter.row(part, number) for number in range(min(part.rows, shown - len(rows))))
    if shown < total and limit > 0:
        rows.append(painter.sentence(f"{styles.symbol('cut')} {total - shown} more rows", "muted"))
    return [*above, *rows]


class DiffColumns(NamedTuple):
    """The columns of the rows of a difference."""

    left: int
    """Cells of the left side, or of the only one."""
    two_numbers: bool
    """True if a row has both line numbers."""
    digits: int
    """Cells of a line number; 0 for none."""

    @property
    def gutter(self) -> int:
        """Cells before the code."""
        return (2 if self.two_numbers else 1) * (self.digits + 1) + 2 if self.digits else 2

    @property
    def room(self) -> int:
        """Cells for code in a row, or in the narrower of two sides."""
        return max(1, self.left - self.gutter)


def columns_of(difference: Difference, width: int, *, side_by_side: bool) -> DiffColumns:
    """Return the columns for rows of `width` cells."""
    last = max(len(difference.old), len(difference.new)) + (difference.first_line or 1)
    digits = 0 if difference.first_line is None else max(3, len(str(last)))
    left = (width - 1) // 2 if side_by_side else width
    return DiffColumns(left, not side_by_side and width >= _TWO_NUMBERS_FROM, digits)


def widest_change(difference: Difference) -> int:
    """Return the cells of the longest changed line, or some more than these."""
    return max(map(_cells, _changed_lines(difference)), default=0)


def changes_wider_than(difference: Difference, room: int) -> int:
    """Return the number of changed lines that take more cells."""
    return sum(_cells(line) > room for line in _changed_lines(difference))


def _changed_lines(difference: Difference) -> Iterator[str]:
    for block in difference.blocks:
        if not block.equal:
            yield from difference.old[block.old_start : block.old_stop]
            yield from difference.new[block.new_start : block.new_stop]


class DiffPainter:
    """Paints rows of one difference at one width and in one theme."""

    def __init__(
        self, difference: Difference, path: str, width: int, styles: Styles, *, side_by_side: bool = False
    ) -> None:
        self._difference = difference
        self._width = width
        self._theme_styles = styles
        self._facts = difference.facts()
        self._space, self._tab = styles.symbol("waiting"), styles.symbol("tab").ljust(len(TAB))
        self._column = Segment(styles.symbol("column"), styles.base + styles["faint"])
        self._columns = columns_of(difference, width, side_by_side=side_by_side)
        self._left, self._two_numbers, self._digits = self._columns
        self._grounds = {kind: _ground(styles, word) for kind, (word, _) in _SIDE.items()}
        self._styles: dict[tuple[str, str, bool], Style] = {}
        self._long_lines: dict[tuple[bool, int, int], list[Row]] = {}
        self._most, self._how = MOST_ROWS, ""
        self._colours = DiffHighlighter(difference.old, difference.new, path)

    def cut_at(self, most: int, how: str) -> None:
        """Cut lines that take more rows when they are wrapped; `how` says in the cut how to see all."""
        if most != self._most:
            self._long_lines.clear()
        self._most, self._how = most, how

    def row(self, part: DiffPart, number: int, pan: int = 0) -> Row:
        """Return row `number` of a part, its code scrolled left by `pan` cells."""
        if part.kind == "fact":
            return self.sentence(self._facts[part.block], "warning")
        if part.kind == "fold":
            return self.fold(part)
        if part.kind == "changed" or (part.kind == "equal" and self._left < self._width):
            return self._both_sides(part, number, pan)
        line, rest = (0, number) if part.room else (number, None)
        old = part.old + line if part.kind != "added" or line < part.old_lines else None
        new = part.new + line if part.kind != "removed" or line < part.new_lines else None
        return self._line(part.kind, part.kind == "removed", old, new, self._width, pan, rest)

    def fold(self, part: DiffPart, marked: bool = False) -> Row:
        """Return the row of a fold, `marked` if Enter would open it."""
        style = self._theme_styles.base + self._theme_styles["hunk"]
        if marked:
            style += self._theme_styles["cursor"]
        text = f" {self._theme_styles.symbol('folded')} {part.old_lines} unchanged lines"
        return fit([Segment(text, style)], 0, self._width, style, self._theme_styles)

    def sentence(self, text: str, role: str) -> Row:
        """Return a row with a remark."""
        base = self._theme_styles.base
        return fit(
            [Segment(f" {safe_line(text)}", base + self._theme_styles[role])],
            0,
            self._width,
            base,
            self._theme_styles,
        )

    def _both_sides(self, part: DiffPart, number: int, pan: int) -> Row:
        line, rest = (0, number) if part.room else (number, None)
        old = part.old + line if line < part.old_lines else None
        new = part.new + line if line < part.new_lines else None
        left, right = ("equal", "equal") if part.kind == "equal" else ("removed", "added")
        right_width = self._width - self._left - 1
        return [
            *(
                self._nothing(self._left)
                if old is None
                else self._line(left, True, old, new, self._left, pan, rest)
            ),
            self._column,
            *(
                self._nothing(right_width)
                if new is None
                else self._line(right, False, old, new, right_width, pan, rest)
            ),
        ]

    def _nothing(self, width: int) -> Row:
        return [Segment(" " * width, self._theme_styles.base + self._theme_styles["code-block"])]

    def _line(
        self,
        kind: str,
        use_old: bool,
        old: int | None,
        new: int | None,
        width: int,
        pan: int,
        rest: int | None,
    ) -> Row:
        """Return a row of a line of one side; `old` and `new` are the lines that are paired.

        `rest` is the row of a wrapped line, from 0, else None: then the line is scrolled left by `pan` cells.
        """
        gutter = self._gutter(kind, use_old, old, new)
        if kind == "equal" and new is not None:
            use_old = False  # its code is that of the other side, which is coloured once
        index = old if use_old else new
        assert index is not None, "a row shows a line of its side"
        room, ground = max(0, width - self._columns.gutter), self._style(kind, "", False)
        if rest is None:
            code = self._code(kind, use_old, index, (pan + room) * 4, self._marks(kind, old, new))
            return [*gutter, *self._panned(code, self._text(kind, use_old, index), pan, room, ground)]
        if rest:
            gutter = [Segment(" " * self._columns.gutter, ground)]
        rows = self._wrapped(kind, use_old, index, max(1, room), self._marks(kind, old, new))
        return [*gutter, *fit(rows[rest] if rest < len(rows) else [], 0, room, ground, self._theme_styles)]

    def _panned(self, code: list[Segment], line: str, pan: int, room: int, ground: Style) -> Row:
        """Return a part of a line in one row, with the number of cells beyond its right edge."""
        left = _cells(line) - pan - room
        left += len(f"{self._theme_styles.symbol('cut')}+{left:,}")  # which stands in the place of some more
        more = Segment(f"+{left:,}", ground + self._theme_styles["accent"])
        if _cells(line) <= pan + room or room <= 2 * len(more.text):
            return fit(code, pan, room, ground, self._theme_styles)
        return [*fit(code, pan, room - len(more.text), ground, self._theme_styles), more]

    def length(self, part: DiffPart, line: int) -> int:
        """Return the cells of a line of a part, or of the longer one of two sides."""
        lines: list[str] = []
        if part.kind != "added" and line < part.old_lines:
            lines.append(self._text(part.kind, True, part.old + line))
        if part.kind != "removed" and line < part.new_lines:
            lines.append(self._text(part.kind, False, part.new + line))
        return max(map(_cells, lines), default=0)

    def height(self, part: DiffPart, line: int) -> int:
        """Return the number of rows of a line of a part if long lines are wrapped."""
        rows = 1
        if part.kind in ("removed", "changed", "equal") and line < part.old_lines:
            rows = height_of(self._text(part.kind, True, part.old + line), self.room, self._most)
        if part.kind in ("added", "changed") and line < part.new_lines:
            rows = max(rows, height_of(self._text(part.kind, False, part.new + line), self.room, self._most))
        return rows

    @property
    def room(self) -> int:
        """Cells for code in a row, or in the narrower of two sides."""
        return self._columns.room

    def _wrapped(
        self, kind: str, use_old: bool, index: int, room: int, marks: tuple[CharSpan, ...]
    ) -> Sequence[Row]:
        """Return the rows of a long line; its middle may be left out."""
        key = (use_old, index, room)
        rows = self._long_lines.get(key)
        if rows is None:
            text = self._text(kind, use_old, index)
            shown = shown_of(text, self.room, self._most)
            rows = _broken(self._code(kind, use_old, index, len(shown.head), marks), shown.head, room)
            if shown.left_out:
                end = _broken(self._end(kind, shown.tail), shown.tail, room)
                # Wide characters may take fewer rows than were counted: the end stays at the end.
                spare = height_of(text, self.room, self._most) - len(rows) - 1 - len(end)
                rows = [*rows, *([[]] * spare), self._cut(shown.left_out), *end]
            if len(self._long_lines) >= _LONG_LINES:
                del self._long_lines[next(iter(self._long_lines))]
            self._long_lines[key] = rows
        return rows

    def _cut(self, left_out: int) -> Row:
        """Return the row that stands for the omitted middle of a line."""
        how = f": {self._how}" if self._how else ""
        text = f"{self._theme_styles.symbol('cut')} {left_out:,} characters are left out here{how}"
        return [Segment(text, self._theme_styles.base + self._theme_styles["warning"])]

    def _end(self, kind: str, text: str) -> list[Segment]:
        """Return the end of a very long line as segments, without colours."""
        body = text.rstrip(" \t") if kind != "equal" else text
        blanks = text[len(body) :].replace(" ", self._space).replace("\t", self._tab)
        style = self._style(kind, "", False)
        return [Segment(safe(body).replace("\t", TAB), style), Segment(blanks, style)]

    def _text(self, kind: str, use_old: bool, index: int) -> str:
        line = (self._difference.old if use_old else self._difference.new)[index]
        return line.removesuffix("\r") if kind == "equal" else line

    def _gutter(self, kind: str, use_old: bool, old: int | None, new: int | None) -> Row:
        mark = {"removed": self._theme_styles.symbol("minus"), "added": "+"}.get(kind, " ")
        mark_segment = Segment(f"{mark} ", self._style(kind, kind if kind != "equal" else "", False))
        if not self._digits:
            return [mark_segment]
        if self._two_numbers:
            shown = [old if kind != "added" else None, new if kind != "removed" else None]
        else:
            shown = [old if use_old else new]
        numbers = "".join(f"{self._number(index)} " for index in shown)
        return [Segment(numbers, self._style(kind, "line-number", False)), mark_segment]

    def _number(self, index: int | None) -> str:
        if index is None:
            return " " * self._digits
        return str(index + (self._difference.first_line or 1)).rjust(self._digits)

    def _marks(self, kind: str, old: int | None, new: int | None) -> tuple[CharSpan, ...]:
        if kind == "equal" or old is None or new is None:
            return ()
        removed, added = changed_words(self._difference.old[old], self._difference.new[new])
        return removed if kind == "removed" else added

    def _code(
        self, kind: str, use_old: bool, index: int, longest: int, marks: tuple[CharSpan, ...]
    ) -> list[Segment]:
        """Return a line as segments with highlighted code, changed words and visible blanks."""
        line = self._text(kind, use_old, index)
        pieces = self._highlighted(use_old, index, line, longest)
        blank = len(line.rstrip(" \t")) if kind != "equal" else len(line)
        blanks = [mark for mark in marks if line[slice(*mark)].isspace()]
        segments: list[Segment] = []
        at = 0
        for text, role in pieces:
            for start, stop, marked in _split(at, at + len(text), marks, blank):
                shown = text[start - at : stop - at]
                if kind != "equal" and (
                    start >= blank or any(first <= start < last for first, last in blanks)
                ):
                    shown = shown.replace(" ", self._space).replace("\t", self._tab)
                segments.append(Segment(shown.replace("\t", TAB), self._style(kind, role, marked)))
            at += len(text)
        return segments

    def _highlighted(self, use_old: bool, index: int, line: str, longest: int) -> list[tuple[str, str]]:
        """Return a line as safe (text, role) pieces, plain after the highlighted part."""
        line = line[:longest]
        pieces = list(self._colours.line(use_old, index))
        seen = sum(len(text) for text, _ in pieces)
        if seen > len(line):
            return _shortened(pieces, len(line))
        return [*pieces, (safe(line[seen:]), "")]

    def _style(self, kind: str, role: str, marked: bool) -> Style:
        key = (kind, role, marked)
        style = self._styles.get(key)
        if style is None:
            base, style = self._theme_styles.base, self._theme_styles[role or "text"]
            if kind in _SIDE:
                ground = self._theme_styles[_SIDE[kind][0]] if marked else self._grounds[kind]
                style = readable_on(style, ground, base)
            else:
                style = base + style
            self._styles[key] = style
        return style


def _broken(code: Sequence[Segment], text: str, room: int) -> list[Row]:
    """Return segments in rows of `room` cells; `text` is their text."""
    spans = [(segment.text, segment.style or Style.null()) for segment in code]
    places = row_spans(text, room)
    return wrap(spans, room, words=False) if places is None else cut_at(spans, places)


def _ground(styles: Styles, word_role: str) -> Style:
    """Return the style of a changed line: the background of a changed word, toned down."""
    word, base = styles[word_role].bgcolor, styles.base.bgcolor
    if word is None or base is None:
        return Style.null()
    mixed = blend_rgb(base.get_truecolor(foreground=False), word.get_truecolor(foreground=False), _LINE_TINT)
    return Style(bgcolor=Color.from_triplet(mixed))


def _split(start: int, stop: int, marks: tuple[CharSpan, ...], blank: int) -> list[tuple[int, int, bool]]:
    """Split a run at marks and at `blank`, where trailing blanks begin, into (start, stop, marked)."""
    if start < blank < stop:
        return [*_split(start, blank, marks, blank), *_split(blank, stop, marks, blank)]
    parts: list[tuple[int, int, bool]] = []
    for mark_start, mark_stop in marks:
        if mark_stop <= start or mark_start >= stop:
            continue
        if mark_start > start:
            parts.append((start, mark_start, False))
        parts.append((max(start, mark_start), min(stop, mark_stop), True))
        start = min(stop, mark_stop)
    if start < stop:
        parts.append((start, stop, False))
    return parts


def _shortened(pieces: list[tuple[str, str]], length: int) -> list[tuple[str, str]]:
    kept: list[tuple[str, str]] = []
    for text, role in pieces:
        if length <= 0:
            break
        kept.append((text[:length], role))
        length -= len(text)
    return kept
