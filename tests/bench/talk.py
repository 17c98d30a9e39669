"""The installed program in a talk with the agent of the benchmark."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.bench import agent
from tests.bench.installed import ACP_TUI
from tests.bench.program import Program


@contextmanager
def talk(env: Mapping[str, str]) -> Iterator[Program]:
    """Give the program, ready for a prompt."""
    with Program((*ACP_TUI, "--agent", sys.executable, "-m", "tests.bench.agent"), env) as program:
        program.wait_for(agent.READY)
        program.look_on(0.5)  # what is imported after the start
        yield program


def order(program: Program, text: str) -> None:
    """Send a prompt."""
    program.type(text)
    program.look_on(0.2)
    program.type("\r")
