"""Text that comes at the pace of a model: a few words at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median
from typing import Final

from tests.bench.client import AGENT, OURS, Client, connected
from tests.bench.installed import PYTHON
from tests.bench.keys import LETTERS, echoes, middle, most
from tests.bench.prose import markdown
from tests.bench.table import Row, at_most, at_most_times
from tests.bench.talk import order

RATES = (20, 50, 100)
"""Pieces of three words a second."""
LEAST: Final = Client((PYTHON, "-m", "tests.bench.apps.pace", AGENT))
"""The least application that shows the same text at the same number of frames."""


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    yield from texts(OURS, env, quick)
    yield from _beside_the_least(env, 50, *((1, 5) if quick else (3, 15)))


def _beside_the_least(env: Mapping[str, str], rate: int, runs: int, seconds: int) -> Iterator[Row]:
    """Yield what growing text costs us and the least application, measured in turns."""
    pairs = [[_cost(client, env, rate, seconds) for client in (OURS, LEAST)] for _ in range(runs)]
    ours, least = (tuple(map(median, zip(*runs, strict=True))) for runs in zip(*pairs, strict=True))
    name = f"text, {rate} pieces a second"
    yield Row(f"{name}, CPU (floor: plain text)", "ms/KB", ours[0], least[0], at_most_times(1.2))
    yield Row(f"{name}, frames (the same)", "1/s", ours[1], least[1])


def _cost(client: Client, env: Mapping[str, str], rate: int, seconds: int) -> tuple[float, float]:
    """Return milliseconds of processor time for each KB, and frames a second."""
    with connected(client, env) as program:
        order(program, f"words {rate} {rate * 2}")  # what is loaded at the first answer
        program.look_on(4)
        order(program, f"words {rate} {rate * (seconds + 3)}")
        program.look_on(1)
        cpu, frames = program.cpu(), program.frames
        program.look_on(seconds)
        cpu, frames = program.cpu() - cpu, program.frames - frames
    return cpu * 1e3 / (_characters_of(rate * seconds) / 1e3), frames / seconds


def texts(client: Client, env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    """Yield what growing text costs a client, and how keys fare meanwhile."""
    for rate in (50,) if quick else RATES:
        yield from _text(client, env, rate, 5 if quick else 15)


def _text(client: Client, env: Mapping[str, str], rate: int, seconds: int) -> Iterator[Row]:
    letters = LETTERS[: 20 if seconds < 10 else 60]
    characters = _characters_of(rate * seconds)
    with connected(client, env) as program:
        order(program, f"words {rate} {rate * 2}")  # what is loaded at the first answer
        program.look_on(4)
        order(program, f"words {rate} {rate * (seconds + 1 + len(letters) // 10)}")
        program.look_on(1)
        cpu, frames = program.cpu(), program.frames
        program.look_on(seconds)
        cpu, frames = program.cpu() - cpu, program.frames - frames
        echoed = echoes(program, letters, pause=0.06)
    name = f"text, {rate} pieces a second"
    goal = at_most(30) if rate == 50 else None
    yield Row(f"{name}, CPU", "ms/KB", cpu * 1e3 / (characters / 1e3), None, goal)
    yield Row(f"{name}, frames", "1/s", frames / seconds, None, at_most(20))
    yield Row(f"{name}, key to echo, p50", "ms", middle(echoed))
    yield Row(f"{name}, key to echo, p90", "ms", most(echoed), None, at_most(10))


def _characters_of(pieces: int) -> float:
    """Return about how many characters so many pieces of three words have."""
    text = markdown(100_000, seed=4)
    return len(text) / len(text.split()) * 3 * pieces
