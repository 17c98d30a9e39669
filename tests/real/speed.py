"""Measures agents under acp-tui and by themselves: `python -m tests.real.speed [agent …]`.

The model is the scripted one. For each: when the first words are shown, when a key is echoed, how long the
first answer takes; then text in 50 pieces of three words a second: processor time for each KB, and once more
with keys: their echo; memory after it, and the time to quit. Of acp-tui the figures are its own, without the
agent's; an agent's own program counts with all its processes.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

import psutil

from tests.bench.client import Client, leave
from tests.bench.keys import LETTERS, echoes, middle, most
from tests.bench.program import Program
from tests.bench.prose import markdown
from tests.real.agents import NotInstalled, RealAgent, known
from tests.real.model import Model, Say, Script

NAMES: Final = ("gemini", "codex", "claude", "opencode")
HEAD: Final = (
    *("agent", "program", "first words s", "key echoed s", "first answer s", "CPU ms/KB"),
    *("echo p50 ms", "p90 ms", "memory MiB", "quit s"),
)
_PAUSE, _WORDS = 0.02, 3
"""Seconds between two pieces, and their words."""
_SECONDS: Final = 10
_PATIENCE: Final = 60.0
_ANSWER: Final = "thefirstanswerishere"
_LAST: Final = "nothingfollows"
_PACED: Final = ("second", "third")
_OWN: Final = "its own"
_CLEAR, _ENTER = "\x15", "\r"


class Subject(NamedTuple):
    """A program that is measured."""

    name: str
    client: Client
    counts: Callable[[int], Sequence[psutil.Process]]
    """Returns the processes whose time and memory count, by the id of the first."""


def main(names: Sequence[str]) -> int:
    """Measure the named agents, by default those that are compared, and print a table."""
    rows: list[tuple[str, ...]] = [HEAD]
    for name in names or NAMES:
        agent = known()[name]
        try:
            programs = agent.install()
        except NotInstalled as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        for subject in _subjects(agent, programs):
            print(f"{name}: {subject.name} …", file=sys.stderr, flush=True)
            rows.append((name, subject.name, *_figures(agent, programs, subject)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    return 0


def _subjects(agent: RealAgent, programs: Path) -> Iterator[Subject]:
    ours = str(Path(sys.executable).with_name("acp-tui"))
    yield Subject("acp-tui", Client([ours, "--agent", *agent.command]), lambda pid: [psutil.Process(pid)])
    if agent.own:
        own = [os.path.normpath(programs / agent.own[0]), *agent.own[1:]]
        yield Subject(_OWN, Client(own, ("\x03", "\x03", "\x04", "\x11")), _with_all)


def _with_all(pid: int) -> list[psutil.Process]:
    first = psutil.Process(pid)
    return [first, *first.children(recursive=True)]


def _figures(agent: RealAgent, programs: Path, subject: Subject) -> tuple[str, ...]:
    """Return the cells of a program; one that was never reached is a dash, and so are those after it."""
    text = _text()
    script: Script = {"first question": [Say(_ANSWER)]}
    script |= {f"{which} question": [Say(f"{text}\n\n{_LAST}{which}", _PAUSE, _WORDS)] for which in _PACED}
    found: list[str] = []
    with tempfile.TemporaryDirectory(prefix="acp-tui-speed-") as name, Model(script) as model:
        folder = Path(name)
        (folder / "workspace").mkdir()
        (folder / "home").mkdir()
        env = agent.prepare(programs, folder / "home", model.url, own=subject.name == _OWN)
        env |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        with Program(subject.client.argv(), env, cwd=folder / "workspace") as program:
            try:
                found += map(_shown, _measured(program, subject, len(text) / 1e3))
            except (TimeoutError, OSError, psutil.Error) as error:
                print(f"  {error}", file=sys.stderr)
    return (*found, *("–",) * (len(HEAD) - 2 - len(found)))


def _measured(program: Program, subject: Subject, size: float) -> Iterator[float]:
    yield program.wait_for_text(_PATIENCE) - program.started
    yield _first_echo(program) - program.started
    program.look_on(2)
    asked = _ask(program, "first question")
    yield program.wait_for(_ANSWER, _PATIENCE) - asked
    program.look_on(2)
    before = _cpu(subject, program.pid)
    _ask(program, "second question")
    program.wait_for(f"{_LAST}second", _PATIENCE)
    yield (_cpu(subject, program.pid) - before) * 1e3 / size
    program.look_on(2)
    _ask(program, "third question")
    program.look_on(1)
    echoed = echoes(program, LETTERS[30:60], pause=0.1)
    yield middle(echoed)
    yield most(echoed)
    program.look_on(_SECONDS)
    yield sum(one.memory_info().rss for one in subject.counts(program.pid)) / (1 << 20)
    program.type(_CLEAR)
    program.look_on(1)
    seconds = leave(subject.client, program)
    if seconds is not None:
        yield seconds


def _first_echo(program: Program) -> float:
    """Return when a key was echoed first, typed again and again: some programs drop what comes early."""
    end = perf_counter() + _PATIENCE
    for letter in LETTERS[:30]:
        program.type(letter)
        try:
            return program.wait_for(letter, 0.5)
        except TimeoutError:
            if perf_counter() > end:
                break
    raise TimeoutError("no key is echoed")


def _ask(program: Program, prompt: str) -> float:
    """Ask something in place of what was typed, and return when."""
    program.type(_CLEAR)
    program.look_on(0.5)
    program.type(prompt)
    program.look_on(1)
    asked = perf_counter()
    program.type(_ENTER)
    return asked


def _cpu(subject: Subject, pid: int) -> float:
    times = [one.cpu_times() for one in subject.counts(pid)]
    return sum(one.user + one.system for one in times)


def _text() -> str:
    """Return what the model says for some seconds."""
    return " ".join(markdown(20_000, seed=9).split(" ")[: round(_SECONDS / _PAUSE) * _WORDS])


def _shown(figure: float) -> str:
    return f"{figure:.2f}" if figure < 10 else f"{figure:.0f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
