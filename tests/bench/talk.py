"""The installed program in a talk with the agent of the benchmark."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from tests.bench import agent
from tests.bench.installed import ACP_TUI
from tests.bench.program import Program


def allow_everything(env: Mapping[str, str]) -> None:
    """Let the agents of this environment run commands unasked."""
    folder = Path(env["HOME"], ".config", "acp-tui")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.toml").write_text('policy = "allow-everything"\n')


@contextmanager
def talk(env: Mapping[str, str]) -> Iterator[Program]:
    """Give the program, ready for a prompt."""
    with Program((*ACP_TUI, "--agent", sys.executable, "-m", "tests.bench.agent"), env) as program:
        program.wait_for(agent.READY)
        program.look_on(0.5)  # what is imported after the start
        yield program


def order(program: Program, text: str) -> float:
    """Send a prompt and return when (perf_counter)."""
    program.type(text)
    program.look_on(0.2)
    began = perf_counter()
    program.type("\r")
    return began
