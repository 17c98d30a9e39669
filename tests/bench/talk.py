"""The installed program in a talk with the agent of the benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from time import perf_counter

from tests.bench.client import OURS, connected
from tests.bench.program import Program


def allow_everything(env: Mapping[str, str]) -> None:
    """Let the agents of this environment run commands unasked."""
    folder = Path(env["HOME"], ".config", "acp-tui")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.toml").write_text('policy = "allow-everything"\n')


def talk(env: Mapping[str, str]) -> AbstractContextManager[Program]:
    """Give the program, ready for a prompt."""
    return connected(OURS, env)


def order(program: Program, text: str) -> float:
    """Send a prompt and return when (perf_counter)."""
    program.type(text)
    program.look_on(0.2)
    began = perf_counter()
    program.type("\r")
    return began
