"""More than can be drawn: nothing is lost, and the agent waits instead of our memory growing."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from acp_tui.agent.agent import Agent
from acp_tui.agent.permissions.access import AgentAccess
from acp_tui.agent.process import Process
from acp_tui.protocol.schema import TextContent
from acp_tui.session.entries import AgentMessage
from acp_tui.store.journal import Journal
from acp_tui.workspace.terminals import Terminals
from tests.bench.program import Program
from tests.bench.table import Row, at_least, at_most
from tests.bench.talk import order, talk
from tests.waiting import until

BURST = 10_000
FLOOD = 60_000_000


def rows(env: Mapping[str, str], quick: bool) -> Iterator[Row]:
    kept, seconds = asyncio.run(_burst(env))
    yield Row("burst of 10,000 updates, in order", "updates", kept, BURST, at_least(BURST))
    yield Row("burst of 10,000 updates, rate", "1000/s", kept / seconds / 1e3)
    with talk(env) as program:
        before = program.memory()
        order(program, f"flood {FLOOD}")
        yield from _flooded(program, Path(env["ACP_BENCH_SENT"]), before, 10 if quick else 20)


def _flooded(program: Program, sent: Path, before: float, seconds: float) -> Iterator[Row]:
    """Look on for some seconds; every tenth of one, see how far the agent came and whether it could go on."""
    marks: list[int] = []
    grown: list[float] = []
    for _ in range(round(seconds * 10)):
        program.look_on(0.1)
        marks.append(int(sent.read_bytes() or b"0") if sent.exists() else 0)
        grown.append(program.memory() - before)
    steps = [later - earlier for earlier, later in pairwise(marks)]
    stands = [k for k, step in enumerate(steps) if not step and 0 < marks[k] < FLOOD]
    first = next((k for k in stands if k + 5 in stands), len(steps))
    yield Row("flood, MB taken in when the agent has to wait", "MB", marks[first] / 1e6, None, at_most(30))
    yield Row("flood, memory grown when the agent has to wait", "MB", grown[first], None, at_most(80))
    yield Row(
        "flood, time for which the agent waits", "%", len(stands) * 100 / len(steps), None, at_least(10)
    )
    yield Row("flood, MB taken in at the end", "MB", marks[-1] / 1e6)
    yield Row("flood, memory grown at the end", "MB", grown[-1])


async def _burst(env: Mapping[str, str]) -> tuple[int, float]:
    """Return how many numbered updates stand in the session in their order, and the seconds it took."""
    process = Process.spawn((sys.executable, "-m", "tests.bench.agent"), env=env)
    agent = Agent(
        process, AgentAccess(Terminals()), Journal(None), lambda *_: None, name="bench", version="0"
    )
    reading = asyncio.create_task(agent.run())
    await agent.initialize()
    session = await agent.setup.new_session(env["HOME"], (), [])
    await until(lambda: session.entries, "the agent's greeting, which is no part of the answer")
    began = time.perf_counter()
    await agent.prompt(session.id, [TextContent(text=f"count {BURST}")])
    seconds = time.perf_counter() - began
    answer = session.entries[-1]
    assert isinstance(answer, AgentMessage)
    lines = str(answer.parts[-1]).splitlines()
    await agent.stop()
    await reading
    return sum(line == str(place) for place, line in enumerate(lines[:BURST])), seconds
