"""Inline Markdown (emphasis, code, links, images) as styled spans, and table columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from markdown_it.token import Token
from rich.segment import Segment
from rich.style import Style
from textual.message import Message

from acp_tui.ui.widgets.markdown.parser import REFERENCE
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Row, Span, cells, row_cells, safe, wrap

_OPENS: Final = {"strong_open": "strong", "em_open": "emphasis", "s_open": "strike", "link_open": "link"}
_CLOSES: Final = {"strong_close", "em_close", "s_close", "link_close"}
_MARKED: Final = re.compile(rf"(https?://[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]}}]|{REFERENCE})")
"""A bare web address, or a footnote reference."""
_CLICKABLE: Final = re.compile(r"(?:https?|file|mailto):[!-~]+", re.IGNORECASE)


@lru_cache(256)
def _linked(style: Style, target: str) -> Style:
    """Return a style that links to a target; cached, so that rows of a growing text stay equal."""
    return style + Style(link=target)


def inline_spans(children: Sequence[Token], styles: Styles, roles: tuple[str, ...]) -> list[Span]:
    """Return the children of an inline token as spans, in the `roles` of their surroundings."""
    spans: list[Span] = []
    stack = [(roles, "")]
    for token in children:
        kind = token.type
        roles, target = stack[-1]
        if kind == "text":
            if token.content:
                _add_text(safe(token.content), styles, roles, target, spans)
        elif kind == "softbreak":
            spans.append((" ", _style(styles, roles, target)))
        elif kind == "hardbreak":
            spans.append(("\n", _style(styles, roles, target)))
        elif kind == "code_inline":
            spans.append((safe(token.content), _style(styles, (*roles, "code"), target)))
        elif kind in _OPENS:
            stack.append(((*roles, _OPENS[kind]), str(token.attrs.get("href") or target)))
        elif kind in _CLOSES:
            stack.pop()
        elif kind == "image":
            card = f"[image: {safe(token.content) or safe(str(token.attrs.get('src', '')))}]"
            spans.append((card, _style(styles, (*roles, "link"), target or str(token.attrs.get("src", "")))))
        else:
            spans.append((safe(token.content), _style(styles, roles, target)))
    return spans


def bare_links(text: str) -> list[str]:
    """Return the bare web addresses in a text."""
    return [part for part in _MARKED.findall(text) if part.startswith("http")] if "://" in text else []


def _add_text(text: str, styles: Styles, roles: tuple[str, ...], target: str, spans: list[Span]) -> None:
    """Add text with links for bare web addresses and marks for footnote references."""
    if target or ("://" not in text and "[^" not in text):
        spans.append((text, _style(styles, roles, target)))
        return
    for number, part in enumerate(_MARKED.split(text)):
        if not part:
            continue
        is_link = part.startswith("http")
        if number % 2:
            marked = (*roles, "link" if is_link else "list-marker")
            spans.append((part, _style(styles, marked, part if is_link else "")))
        else:
            spans.append((part, _style(styles, roles, "")))


def _style(styles: Styles, roles: tuple[str, ...], target: str) -> Style:
    style = styles.blend(roles)
    if target and _CLICKABLE.fullmatch(target):
        return _linked(style, target)
    return style


Cell: TypeAlias = list[Span]
Align: TypeAlias = Literal["left", "right", "center"]

FIXED: Final = 20
"""Rows that determine the width of the columns; later rows wrap into them."""

_NARROWEST: Final = 4
"""Cells per column below which a row is drawn as a list of its cells."""


class TableColumns:
    """The columns of a table, with widths fixed by its first rows."""

    def __init__(
        self,
        head: Sequence[Cell],
        aligns: Sequence[Align],
        rows: Sequence[Sequence[Cell]],
        width: int,
        styles: Styles,
    ) -> None:
        self._head = head
        self._aligns = aligns
        self._width = width
        self._theme_styles = styles
        natural = [max(1, *(_cells(row[k]) for row in (head, *rows[:FIXED]))) for k in range(len(head))]
        between = 3 * (len(head) - 1)
        self._stacked = sum(natural) + between > width and width - between < _NARROWEST * len(head)
        self.widths = _shrink(natural, width - between)
        if len(rows) > FIXED:
            self.widths = _widened(self.widths, width - between)

    def head_rows(self) -> list[Row]:
        """Return the rows of the head and the rule below it."""
        if self._stacked:
            return []
        styles = self._theme_styles
        rule, cross = styles.symbol("rule"), styles.symbol("cross")
        line = f"{rule}{cross}{rule}".join(rule * width for width in self.widths)
        return [*self._columns(self._head), [Segment(line, styles["table-border"])]]

    def body_rows(self, row: Sequence[Cell], first: bool) -> list[Row]:
        """Return the screen rows of a table row; `first` for the one below the head."""
        if not self._stacked:
            return self._columns(row)
        rows: list[Row] = (
            []
            if first
            else [[Segment(self._theme_styles.symbol("rule") * 3, self._theme_styles["table-border"])]]
        )
        for head, cell in zip(self._head, row, strict=True):
            rows.extend(wrap([*head, (": ", self._theme_styles["table-border"]), *cell], self._width))
        return rows

    def _columns(self, cells: Sequence[Cell]) -> list[Row]:
        columns = [wrap(cell, width) for cell, width in zip(cells, self.widths, strict=True)]
        border = Segment(f" {self._theme_styles.symbol('column')} ", self._theme_styles["table-border"])
        rows: list[Row] = []
        for number in range(max(map(len, columns))):
            row: Row = []
            for place, (column, width, align) in enumerate(
                zip(columns, self.widths, self._aligns, strict=True)
            ):
                if place:
                    row.append(border)
                row.extend(_aligned(column[number] if number < len(column) else [], width, align))
            rows.append(row)
        return rows


def _cells(cell: Cell) -> int:
    return sum([cells(text) for text, _ in cell])


def _shrink(natural: Sequence[int], room: int) -> list[int]:
    """Return widths of at most `room` cells: narrow columns keep theirs, wide ones share the rest."""
    widths = list(natural)
    left = max(room, _NARROWEST * len(widths))
    order = sorted(range(len(widths)), key=widths.__getitem__)
    for done, column in enumerate(order):
        widths[column] = min(widths[column], left // (len(order) - done))
        left -= widths[column]
    return widths


def _widened(widths: Sequence[int], room: int) -> list[int]:
    """Return widths with up to half as much again, as room for longer rows to come."""
    wanted = [max(2, width // 2) for width in widths]
    spare = room - sum(widths)
    share = min(1.0, max(0, spare) / sum(wanted))
    return [width + int(more * share) for width, more in zip(widths, wanted, strict=True)]


def _aligned(row: Row, width: int, align: Align) -> Row:
    gap = width - row_cells(row)
    if gap <= 0:
        return row
    before = {"left": 0, "right": gap, "center": gap // 2}[align]
    padded = [Segment(" " * before), *row] if before else list(row)
    if gap > before:
        padded.append(Segment(" " * (gap - before)))
    return padded


_LINK: Final = re.compile(r"\x1b\]8;[^;\x07\x1b]*;([^\x07\x1b]*)(?:\x07|\x1b\\)")
"""The start of an OSC 8 link, or its end, which has no address."""
_SEQUENCE: Final = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\|\Z)"  # to the terminal itself, such as a title
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|\x1b[ -/]*[0-~]"
    r"|\r(?=\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
)


class LinksWanted(Message):
    """The user wants to see links: their names by address."""

    def __init__(self, links: dict[str, str]) -> None:
        super().__init__()
        self.links = links


def plain(text: str) -> str:
    """Return printed text without escape sequences, with the address of a link after its name."""
    linked = _LINK.sub(lambda found: f" {found[1]} " if found[1] else "", text)
    return _SEQUENCE.sub("", linked)


def addresses(text: str) -> list[str]:
    """Return the distinct web addresses in printed text, in order."""
    return list(dict.fromkeys(bare_links(plain(text))))
