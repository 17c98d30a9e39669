"""A terminal client, ours or another, as a command line that starts an agent."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

from tests.bench import agent
from tests.bench.installed import ACP_TUI
from tests.bench.program import Program
from tests.bench.table import Row

AGENT: Final = "{agent}"
"""The place of the agent's command in the words of a client; a part of a word gets it as one word, quoted."""

BENCH_AGENT: Final = (sys.executable, "-m", "tests.bench.agent")


class Client(NamedTuple):
    """A terminal client."""

    words: Sequence[str]
    quits: Sequence[str] = ("\x11",)
    """Keys that end it, each tried for a second."""

    def argv(self, command: Sequence[str] = BENCH_AGENT) -> tuple[str, ...]:
        """Return the words of a start with an agent; a client without a place for it starts what it will."""
        argv: list[str] = []
        for word in self.words:
            argv += command if word == AGENT else [word.replace(AGENT, shlex.join(command))]
        return tuple(argv)


OURS: Final = Client((*ACP_TUI, "--agent", AGENT))


def other(command_line: str) -> Client:
    """Return another client; most of them end by Ctrl+Q, Ctrl+C once or twice, or Ctrl+D."""
    return Client(shlex.split(command_line), ("\x11", "\x03", "\x03", "\x04"))


Part = Callable[[Client, Mapping[str, str], bool], Iterator[Row]]
"""Rows that need nothing of a client but its terminal."""


@contextmanager
def connected(client: Client, env: Mapping[str, str]) -> Iterator[Program]:
    """Give a client, ready for a prompt, in which nothing is typed yet."""
    shutil.rmtree(Path(env["HOME"], ".local/share/acp-tui/drafts"), ignore_errors=True)
    with Program(client.argv(), env) as program:
        program.wait_for(agent.READY)
        program.look_on(0.5)  # what is imported after the start
        yield program


def leave(client: Client, program: Program) -> float | None:
    """Return the seconds from the key that ended a client to its end; None if it goes on."""
    for key in client.quits:
        typed = perf_counter()
        program.type(key)
        if (ended := program.wait_for_end(3 if key == client.quits[0] else 1)) is not None:
            return ended - typed
    return None


def beside(part: Part, others: Client, env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    """Yield the rows of a part with the figures of another client as their floors."""
    theirs: dict[str, Row] = {}
    remark = ""
    try:
        for row in part(others, env, quick):
            theirs[row.name] = row
    except (TimeoutError, OSError) as error:  # OSError: it has ended
        remark = f"the other: {error}"
    for row in part(OURS, env, quick):
        same = theirs.get(row.name)
        yield Row(row.name, row.unit, row.ours, same.ours if same else None, None, "" if same else remark)
