"""From the command to the first frame, to the first key and to the agent; and the options that need none."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from time import perf_counter

from tests.bench import agent
from tests.bench.apps.minimal import FIRST_FRAME
from tests.bench.client import BENCH_AGENT, OURS, Client
from tests.bench.installed import ACP_TUI, PYTHON
from tests.bench.keys import LETTERS
from tests.bench.program import Program
from tests.bench.table import Row, at_most, at_most_times

MINIMAL = (PYTHON, "-m", "tests.bench.apps.minimal")
LEAST_CLIENT = (PYTHON, "-m", "tests.bench.apps.least_client", *BENCH_AGENT)
ASLEEP = ("sleep", "60")
MIB = 1.048576
Figures = tuple[float, ...]

OURS_DRAWN = "command palette"

TYPED_EVERY = 0.03
"""Seconds between two keys, from the first frame on."""
TYPED_AFTER = 0.3
"""Seconds for which keys go on after the agent is connected."""


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    runs = 3 if quick else 9
    ours, floor = _interleaved(
        lambda: _first_frame(OURS.argv(ASLEEP), OURS_DRAWN, env),
        lambda: _first_frame(MINIMAL, FIRST_FRAME, env),
        runs,
    )
    for place, name in enumerate(("wall", "CPU")):
        yield Row(f"first frame, {name}", "ms", ours[place], floor[place], at_most_times(1.15))
    ours, floor = _interleaved(
        lambda: _connected(OURS.argv(), env), lambda: _connected(LEAST_CLIENT, env), runs
    )
    for place, name in enumerate(("wall", "CPU")):
        yield Row(f"agent connected, {name}", "ms", ours[place], floor[place], at_most_times(1.2))
    yield Row("agent connected, memory", "MiB", ours[2], floor[2], at_most_times(1.2))
    yield from first_keys(OURS, env, quick)
    for option in ("--version", "--help"):
        yield _without_interface(option, env, runs)


def first_keys(client: Client, env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    """Yield when a client shows anything, the key that was typed at once, and what its agent says."""
    runs = [_first_keys(client, env) for _ in range(4 if quick else 10)][1:]
    shown, echoed, connected, cpu, longest = _medians(runs)
    yield Row("start: first words", "ms", shown)
    yield Row("start: key typed at once, echoed", "ms", echoed, None, at_most(260))
    yield Row("start: agent connected", "ms", connected, None, at_most(420))
    yield Row("start: agent connected, CPU", "ms", cpu)
    yield Row("start: longest wait of a key", "ms", longest, None, at_most(60))


def _first_keys(client: Client, env: Mapping[str, str]) -> Figures:
    """Return milliseconds to words, first echo and agent; of CPU up to that; of the longest echo."""
    first, *letters = LETTERS
    with Program(client.argv(), env) as program:
        program.type(first)
        program.note(first)
        program.note(agent.READY)
        shown = program.wait_for_text()
        program.look_on_until(lambda: program.noted[first] is not None)
        typed: dict[str, float] = {}
        until, cpu = float("inf"), 0.0
        for letter in letters:
            if perf_counter() > until:
                break
            if until == float("inf") and (connected := program.noted[agent.READY]) is not None:
                until, cpu = connected + TYPED_AFTER, program.cpu()
            program.note(letter)
            typed[letter] = perf_counter()
            program.type(letter)
            program.look_on(TYPED_EVERY)
        program.look_on_until(lambda: program.noted[agent.READY] is not None)
        cpu = cpu or program.cpu()  # where the letters were too few for a slow start
        program.look_on_until(lambda: None not in program.noted.values())
        seen = {text: at or 0.0 for text, at in program.noted.items()}
        moments = (shown, seen[first], seen[agent.READY])
        longest = max(seen[letter] - at for letter, at in typed.items())
        return (*((moment - program.started) * 1e3 for moment in moments), cpu * 1e3, longest * 1e3)


def _without_interface(option: str, env: Mapping[str, str], runs: int) -> Row:
    ours, floor = _interleaved(
        lambda: _whole_run((*ACP_TUI, option), env), lambda: _whole_run((PYTHON, "-c", "pass"), env), runs
    )
    return Row(f"{option}, CPU", "ms", ours[0], floor[0], at_most_times(3))


def _interleaved(
    ours: Callable[[], Figures], floor: Callable[[], Figures], runs: int
) -> tuple[Figures, Figures]:
    """Run the two in turn, after a warm-up; return the median of each figure, for both."""
    pairs = [(ours(), floor()) for _ in range(runs + 1)][1:]
    return _medians([one for one, _ in pairs]), _medians([other for _, other in pairs])


def _medians(runs: list[Figures]) -> Figures:
    return tuple(median(figures) for figures in zip(*runs, strict=True))


def _first_frame(argv: Sequence[str], drawn: str, env: Mapping[str, str]) -> Figures:
    """Return milliseconds until a text is drawn: of the clock, and of the processor."""
    with Program(argv, env) as program:
        seen = program.wait_for(drawn)
        return (seen - program.started) * 1e3, program.cpu() * 1e3


def _connected(argv: Sequence[str], env: Mapping[str, str]) -> Figures:
    """Return milliseconds until the agent's first words, of the clock and of the processor; MiB then."""
    with Program(argv, env) as program:
        seen = program.wait_for(agent.READY)
        return (seen - program.started) * 1e3, program.cpu() * 1e3, program.memory() / MIB


def _whole_run(argv: Sequence[str], env: Mapping[str, str]) -> Figures:
    """Return milliseconds of processor time of a whole run."""
    process = subprocess.Popen(argv, env=dict(env), stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{argv} failed")
    return ((usage.ru_utime + usage.ru_stime) * 1e3,)
