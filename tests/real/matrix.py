"""Puts agents through the checks, and says what came of it."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal

from tests.real.agents import RealAgent, cache
from tests.real.checks import CHECKS, Cannot, Check
from tests.real.run import Run, running

_LIMIT: Final = 450.0
"""Seconds for all the checks of one agent; what is not done by then has failed."""


@dataclass(frozen=True)
class Cell:
    """The result of one check."""

    result: Literal["yes", "no", "fails"]
    why: str = ""
    """The lack or the failure of the agent."""


Report = Callable[[Check, Cell], None]


def put_through(agent: RealAgent, report: Report, options: Sequence[str] = ()) -> dict[str, Cell]:
    """Run all checks with an agent, in one conversation as long as nothing fails, and return the results.

    Args:
        agent: whom to start.
        report: hears of each result.
        options: further options of acp-tui.

    Raises:
        NotInstalled: the agent cannot be had.
    """
    programs = agent.install()
    deadline = time.monotonic() + _LIMIT
    cells: dict[str, Cell] = {}
    # Not in the system's folder for temporary files, in which some agents refuse to have their home.
    with (
        TemporaryDirectory(prefix="run-", dir=cache(), ignore_cleanup_errors=True) as folder,
        _Starts(agent, programs, Path(folder), options) as starts,
    ):
        for check in CHECKS:
            cells[check.name] = cell = _result(check, starts, deadline)
            report(check, cell)
    return cells


class _Starts:
    """The run that is going on, and a new one after a failure."""

    def __init__(self, agent: RealAgent, programs: Path, folder: Path, options: Sequence[str]) -> None:
        self.agent = agent
        self._options = options
        self._programs = programs
        self._folders: Iterator[Path] = (folder / str(number) for number in range(100))
        self._stack = ExitStack()
        self._run: Run | None = None

    def __enter__(self) -> _Starts:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def current(self) -> Run:
        if self._run is None:
            run = running(self.agent, self._programs, next(self._folders), options=self._options)
            self._run = self._stack.enter_context(run)
        return self._run

    def give_up(self) -> None:
        """End the run: what comes next starts afresh."""
        self._run = None
        self._stack.close()


def _result(check: Check, starts: _Starts, deadline: float) -> Cell:
    if time.monotonic() > deadline:
        return Cell("fails", "out of time")
    try:
        run = starts.current()
        check.run(run)
        return Cell("yes")
    except Cannot as lack:
        if check.name in starts.agent.cannot:
            starts.give_up()  # what is known of it may have harmed the conversation
        return Cell("no", starts.agent.cannot.get(check.name, str(lack)))
    except Exception as error:  # noqa: BLE001  # whatever it is, the other checks are still to be done
        starts.give_up()
        return Cell("fails", "".join(traceback.format_exception(error, limit=-2)))
