"""One table of measurements, each with its floor and its target."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Target:
    """A bound on the figure itself (`value`) or on its relation to the floor (`ratio`)."""

    of: Literal["value", "ratio"]
    sense: Literal["≤", "≥"]
    number: float

    def is_met(self, value: float, ratio: float | None, factor: float = 1) -> bool:
        """Return whether the bound holds, or one that is wider by a factor."""
        figure = value if self.of == "value" else ratio
        if figure is None:
            return False
        return figure <= self.number * factor if self.sense == "≤" else figure >= self.number / factor

    def __str__(self) -> str:
        return f"{self.sense} {self.number:g}{' ×' if self.of == 'ratio' else ''}"


def at_most(number: float) -> Target:
    return Target("value", "≤", number)


def at_least(number: float) -> Target:
    return Target("value", "≥", number)


def at_most_times(number: float) -> Target:
    return Target("ratio", "≤", number)


def at_least_times(number: float) -> Target:
    return Target("ratio", "≥", number)


@dataclass(frozen=True)
class Row:
    """One figure of ours, good if it meets its target; `floor` is what the task costs at least."""

    name: str
    unit: str
    ours: float
    floor: float | None = None
    target: Target | None = None
    remark: str = ""

    @property
    def ratio(self) -> float | None:
        return self.ours / self.floor if self.floor else None

    def is_within(self, factor: float) -> bool:
        """Return whether its target, if it has one, is missed by that factor at most."""
        return self.target is None or self.target.is_met(self.ours, self.ratio, factor)

    @property
    def verdict(self) -> str:
        if self.target is None:
            return ""
        return "ok" if self.target.is_met(self.ours, self.ratio) else "over"


def cells(row: Row) -> tuple[str, ...]:
    return (
        row.name,
        row.unit,
        number(row.ours),
        number(row.floor) if row.floor is not None else "",
        f"{row.ratio:.2f}" if row.ratio is not None else "",
        str(row.target or ""),
        f"{row.verdict}{'  ' if row.remark else ''}{row.remark}",
    )


def number(value: float) -> str:
    """Three digits that matter, and no exponent."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(rows: Iterable[Row], beside: str = "floor") -> str:
    """Return the rows as text; `beside` heads the column of what ours is compared with."""
    lines = [("", "unit", "ours", beside, "ratio", "target", ""), *map(cells, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column in (0, 1, 5, 6) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
