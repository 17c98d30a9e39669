"""A long talk with tools, terminals, permissions and cancels: memory stays flat, and nothing is lost."""

from __future__ import annotations

import asyncio
import gc
import os
import random
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from acp_tui.agent.agent import Agent
from acp_tui.agent.permissions.access import AgentAccess
from acp_tui.agent.process import Process
from acp_tui.agent.replay import replay
from acp_tui.protocol.schema import TextContent
from acp_tui.session.entries import AgentMessage, text_of
from acp_tui.session.events import SessionChange
from acp_tui.session.session import Session
from acp_tui.store.journal import Journal, journal_path
from acp_tui.store.recordings import read
from acp_tui.workspace.guard import Guard
from acp_tui.workspace.terminals import Terminals
from tests.journals import told
from tests.offspring import descriptors, zombies
from tests.reliability.row import Result, Row

_AGENT: Final = Path(__file__).with_name("busy_agent.py")
_A_TURN: Final = 48 << 10
"""Bytes that a turn may leave in memory: its entries, which a session keeps."""
_PATIENCE: Final = 60.0


def run(count: int, seed: int) -> Result:
    """Have so many turns."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_run(count, random.Random(seed), Path(folder)))


async def _run(count: int, draw: random.Random, folder: Path) -> Result:
    result = Result(unit="turns")
    guard = Guard()
    guard.start()
    process = Process.spawn([sys.executable, "-P", "-S", str(_AGENT)], cwd=str(folder), guard=guard)
    journal = Journal(journal_path(folder / "journals", "busy", datetime.now(UTC)))
    access = AgentAccess(Terminals(guard=guard), policy="allow-everything")
    talk: list[Agent] = []

    def changed(session_id: str, change: SessionChange) -> None:
        """Answer each question as the turn says."""
        if "questions" in change.fields and session_id in talk[0].sessions:
            for key in list(talk[0].sessions[session_id].questions):
                loop.call_soon(talk[0].answer, session_id, key, draw.choice(["allow", "allow", "reject"]))

    loop = asyncio.get_running_loop()
    agent = Agent(process, access, journal, changed, name="busy")
    talk.append(agent)
    running = asyncio.create_task(agent.run())
    await agent.initialize()
    session = await agent.setup.new_session(str(folder))
    cancelled: set[int] = set()
    warm, opened = 0, set[str]()
    for number in range(count):
        if number == max(10, count // 5):
            warm, opened = _memory(), descriptors()
        turn = asyncio.create_task(agent.prompt(session.id, [TextContent(text=str(number))]))
        if draw.random() < 0.4:
            await asyncio.wait({turn}, timeout=draw.uniform(0, 0.03))
            if not turn.done():
                agent.cancel(session.id)
        ended = await asyncio.wait_for(turn, _PATIENCE)
        if ended.stop_reason == "cancelled":
            cancelled.add(number)
        result.tried += 1
    turns = count - max(10, count // 5)
    grown = (_memory() - warm) / turns if turns > 0 else 0.0
    result.notes.append(
        f"{grown / 1024:.1f} KiB a turn stay in memory; {len(cancelled)} turns were cancelled"
    )
    if turns >= 100 and grown > _A_TURN:
        result.wrong.append(f"{grown:,.0f} bytes a turn stay in memory")
    if turns > 0 and (more := len(descriptors()) - len(opened)) > 8:
        result.wrong.append(f"{more} descriptors more than at the beginning")
    result.wrong += _lost(session, count, cancelled)
    await agent.stop()
    await running
    journal.close()
    guard.close()
    result.wrong += [f"a zombie: {pid}" for pid in zombies()]
    assert journal.path is not None
    again = replay(read(journal.path)).sessions[session.id]
    if (live := told(session)) != (back := told(again)):
        result.wrong.append(
            f"the journal tells otherwise: {[name for name in live if live[name] != back[name]]}"
        )
    return result


def _lost(session: Session, count: int, cancelled: set[int]) -> list[str]:
    """Return which turns the session does not tell as they were."""
    words = {
        word
        for entry in session.entries
        if isinstance(entry, AgentMessage)
        for word in text_of(entry).split()
    }
    wrong: list[str] = []
    if len(session.turns) != count:
        wrong.append(f"{len(session.turns)} turns instead of {count}")
    for number in range(count):
        if f"begin-{number}" not in words:
            wrong.append(f"the beginning of turn {number} is lost")
        if number not in cancelled and f"end-{number}" not in words:
            wrong.append(f"the end of turn {number} is lost")
        if (call := session.tool_call(f"call-{number}")) is None:
            wrong.append(f"the tool call of turn {number} is lost")
        elif call.status in ("pending", "in_progress") and number not in cancelled:
            wrong.append(f"the tool call of turn {number} never ended: {call.status}")
    wrong += [
        f"{word}: not all lines of a command"
        for word in words
        if word.startswith("lines-") and not word.endswith("-50")
    ]
    if session.questions:
        wrong.append(f"questions stay open: {list(session.questions)}")
    return wrong


def _memory() -> int:
    """Return the bytes of memory that we take."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


ROW: Final = Row(
    "soak",
    "in a talk of any length memory stays flat, every turn is told whole, and its journal says the same",
    60,
    2000,
    run,
)
