"""From the command to the first frame, and the options that need none."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median

from tests.bench.apps.minimal import FIRST_FRAME
from tests.bench.installed import ACP_TUI, PYTHON
from tests.bench.program import Program
from tests.bench.table import Row, at_most_times

MINIMAL = (PYTHON, "-m", "tests.bench.apps.minimal")
OURS = (*ACP_TUI, "--agent", "sleep", "60")
Figures = tuple[float, ...]

OURS_DRAWN = "everything that can be done"


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    runs = 3 if quick else 9
    ours, floor = _interleaved(
        lambda: _first_frame(OURS, OURS_DRAWN, env), lambda: _first_frame(MINIMAL, FIRST_FRAME, env), runs
    )
    for place, name in enumerate(("wall", "CPU")):
        yield Row(f"first frame, {name}", "ms", ours[place], floor[place], (at_most_times(1.15),))
    for option in ("--version", "--help"):
        yield _without_interface(option, env, runs)


def _without_interface(option: str, env: Mapping[str, str], runs: int) -> Row:
    ours, floor = _interleaved(
        lambda: _whole_run((*ACP_TUI, option), env), lambda: _whole_run((PYTHON, "-c", "pass"), env), runs
    )
    return Row(f"{option}, CPU", "ms", ours[0], floor[0], (at_most_times(3),))


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


def _whole_run(argv: Sequence[str], env: Mapping[str, str]) -> Figures:
    """Return milliseconds of processor time of a whole run."""
    process = subprocess.Popen(argv, env=dict(env), stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{argv} failed")
    return ((usage.ru_utime + usage.ru_stime) * 1e3,)
