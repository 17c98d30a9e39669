"""The columns of Markdown tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from rich.segment import Segment

from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Row, Span, cells, row_cells, wrap

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
