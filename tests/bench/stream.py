"""A long talk at a steady pace: memory may grow by what is stored, and by nothing else."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import linear_regression
from typing import NamedTuple

from tests.bench import agent
from tests.bench.program import Program
from tests.bench.table import Row, at_most_times, number
from tests.bench.talk import order, talk

RATE = 500
"""Pieces a second, of 40 characters."""
TURN = 20
"""Seconds."""
WARM_UP = 0.2
"""The part of the run that does not count: what is loaded and filled at first."""


class Mark(NamedTuple):
    """The state at a moment of the run."""

    seconds: float
    memory: float
    """MB, resident."""
    cpu: float
    """Seconds of processor time."""
    text: float
    """MB of text that the agent has said, nearly all of it ASCII."""
    entries: int


def rows(env: Mapping[str, str], quick: bool, minutes: float) -> Iterator[Row]:
    with talk(env) as program:
        marks = list(_marks(program, Path(env["ACP_BENCH_SENT"]), minutes * 60))
    later = [mark for mark in marks if mark.seconds >= minutes * 60 * WARM_UP]
    grown, text, entries = (_an_hour(later, name) for name in ("memory", "text", "entries"))
    stored = text + entries / 1e3  # the text, and 1 KB for each entry
    name = f"{minutes:g} minutes of work"
    yield Row(f"{name}, memory grown an hour", "MB", grown, stored, at_most_times(1), "floor: what is stored")
    yield Row(f"{name}, text said an hour", "MB", text)
    yield Row(
        f"{name}, processor time",
        "%",
        (later[-1].cpu - later[0].cpu) * 100 / (later[-1].seconds - later[0].seconds),
    )


def _marks(program: Program, sent: Path, seconds: float) -> Iterator[Mark]:
    """Let the agent work turn by turn; print and yield how it stands after each minute."""
    began, next_mark = time.monotonic(), 0.0
    for turn in range(1, 1 + max(1, round(seconds / TURN))):
        order(program, f"work {TURN} {RATE}")
        program.wait_for(agent.end(turn))
        passed = time.monotonic() - began
        if passed >= next_mark:
            next_mark += 60
            text, entries = map(int, sent.read_text().split())
            mark = Mark(passed, program.memory(), program.cpu(), text / 1e6, entries + turn)
            print(
                f"{passed / 60:5.1f} min  {mark.memory:7.1f} MB resident  {number(mark.text):>7} MB said"
                f"  {mark.entries:>7,} entries  {mark.cpu:6.1f} s CPU",
                flush=True,
            )
            yield mark


def _an_hour(marks: list[Mark], figure: str) -> float:
    """Return by how much a figure grows in an hour, as a line through its marks."""
    seconds = [mark.seconds for mark in marks]
    return linear_regression(seconds, [getattr(mark, figure) for mark in marks]).slope * 3_600
