"""A row of the reliability bench, and its findings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Result:
    """The attempts of one row, and its failures."""

    tried: int = 0
    """Cases that were carried out."""
    unit: str = "cases"
    """The noun for `tried`: lines, openings, kills …"""
    wrong: list[str] = field(default_factory=list)
    """One line for each thing that went wrong, with what is needed to try it again."""
    notes: list[str] = field(default_factory=list)
    """Figures that are worth a line and are no fault."""


@dataclass(frozen=True, slots=True)
class Row:
    """One promise of the program, tried many times."""

    name: str
    promise: str
    """The sentence that must stay true."""
    small: int
    """The count in `.ci/run`: the row ends within about 15 seconds."""
    full: int
    """The count before a release."""
    run: Callable[[int, int], Result]
    """Try (count, seed); the same seed gives the same cases."""
