"""Time from a key to its echo: idle, while text streams, in a flood and with a huge line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from statistics import quantiles
from time import perf_counter

from tests.bench import agent
from tests.bench.apps.echo import READY
from tests.bench.installed import PYTHON
from tests.bench.program import Program
from tests.bench.table import Row, at_most, at_most_times
from tests.bench.talk import order, talk

LETTERS = [chr(code) for code in (*range(0x3B1, 0x3C2), *range(0x430, 0x450), *range(0x561, 0x587))]
"""Of other alphabets: each is typed once, and nothing else draws it."""

HUGE = 10 << 20


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    letters = LETTERS[:30] if quick else LETTERS
    with Program((PYTHON, "-m", "tests.bench.apps.echo"), env) as program:
        program.wait_for(READY)
        program.look_on(0.5)
        floor = echoes(program, letters)
    with talk(env) as program:
        idle = echoes(program, letters)
    with talk(env) as program:
        order(program, f"stream {80_000 if quick else 800_000} 0")
        program.wait_for(agent.end(1))
        program.look_on(0.5)
        order(program, "pace 1000 30000")
        program.look_on(1)
        streaming = echoes(program, letters)
    with talk(env) as program:
        order(program, f"line {HUGE}")
        stalled = max(echoes(program, letters, pause=0.005))
    with talk(env) as program:
        order(program, "flood 60000000")
        flooded = echoes(program, letters)
    yield Row("key to echo, idle, p50", "ms", middle(idle), middle(floor), at_most_times(3))
    yield Row("key to echo, streaming, p50", "ms", middle(streaming), middle(floor), at_most_times(3))
    yield Row("key to echo, streaming, p95", "ms", late(streaming), late(floor), at_most_times(5))
    yield Row("key to echo, flood of 60 MB, p95", "ms", late(flooded), late(floor))
    yield Row("key to echo, a line of 10 MiB, longest", "ms", stalled, None, at_most(100))


def echoes(program: Program, letters: list[str], pause: float = 0.04) -> list[float]:
    """Type letters one by one and return the milliseconds until each was drawn."""
    chance = Random(5)
    found: list[float] = []
    for letter in letters:
        program.look_on(pause * (0.5 + chance.random()))
        typed = perf_counter()
        program.type(letter)
        found.append((program.wait_for(letter) - typed) * 1e3)
    return found


def middle(figures: list[float]) -> float:
    return sorted(figures)[len(figures) // 2]


def late(figures: list[float]) -> float:
    return quantiles(figures, n=20)[-1]


def most(figures: list[float]) -> float:
    """Return the figure below which nine of ten are."""
    return quantiles(figures, n=10)[-1]
