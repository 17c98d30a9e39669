"""An open session in which nothing happens, and the way out of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median
from time import perf_counter

from tests.bench.client import OURS, Client, connected, leave
from tests.bench.table import Row, at_most
from tests.bench.talk import order

MIB = 1.048576


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    yield from at_rest(OURS, env, quick)


def rows_of_leaving(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    yield from leaving(OURS, env, quick)


def at_rest(client: Client, env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    """Yield what a client takes while nothing happens."""
    seconds = 10 if quick else 60
    with connected(client, env) as program:
        program.look_on(3)
        memory = program.memory()
        order(program, "words 50 50")
        program.look_on(15 if quick else 30)
        cpu, wake_ups, began = program.cpu(), program.wake_ups(), perf_counter()
        program.look_on(seconds)
        passed = perf_counter() - began
        share, each_second = (program.cpu() - cpu) / passed, (program.wake_ups() - wake_ups) / passed
    yield Row("at rest, memory after the start", "MiB", memory / MIB, None, at_most(60))
    yield Row("at rest, share of a processor after a turn", "%", share * 100, None, at_most(0.15))
    yield Row("at rest, wake-ups after a turn", "1/s", each_second, None, at_most(3))


def leaving(client: Client, env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    """Yield the time from the key that quits to the end of a client."""
    runs = 2 if quick else 5
    for name, more in (
        ("an agent", {}),
        ("an agent that ignores the end of its input", {"ACP_BENCH_STAYS": "1"}),
    ):
        found = [_left(client, {**env, **more}) for _ in range(runs)]
        yield Row(f"quit with {name}", "s", median(found), None, at_most(0.4))


def _left(client: Client, env: Mapping[str, str]) -> float:
    with connected(client, env) as program:
        program.look_on(1)
        seconds = leave(client, program)
        if seconds is None:
            raise TimeoutError("it does not end")
        return seconds
