"""The sessions of a real agent, as they come back after a new start."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from acp_tui.agent.agent import Agent
from acp_tui.agent.permissions.access import AgentAccess
from acp_tui.agent.process import Process
from acp_tui.protocol.schema import has
from acp_tui.session.entries import UserMessage
from acp_tui.session.session import Session
from acp_tui.store.journal import Journal
from acp_tui.workspace.terminals import Terminals
from tests.real.run import Run

_SECONDS = 60


@dataclass
class Found:
    """The outcome of a session."""

    can_list: bool = False
    can_load: bool = False
    is_listed: bool = False
    said: str = ""
    """The user's words in it, as the agent tells them; empty unless the expected ones are there."""


async def sessions_of(run: Run, prompt: str) -> Found:
    """Start the agent of a run again, and look for its session, in which something was said."""
    session_id = run.session_id()
    program, *arguments = run.agent.command
    argv = [str(_program(program, run.env["PATH"])), *arguments]
    process = Process.spawn(argv, cwd=str(run.workspace), env=run.env)
    journal = Journal(run.home / "attaching.ndjson", [])
    agent = Agent(
        process,
        AgentAccess(Terminals()),
        journal,
        lambda _session_id, _change: None,
        protocol=run.agent.protocol,
    )
    listening = asyncio.create_task(agent.run())
    try:
        async with asyncio.timeout(_SECONDS):
            return await _find(agent, session_id, str(run.workspace), prompt)
    finally:
        await agent.stop()
        await listening
        journal.close()


async def _find(agent: Agent, session_id: str, cwd: str, prompt: str) -> Found:
    can = (await agent.initialize()).agent_capabilities
    found = Found(can_list=has(can.session_capabilities.list), can_load=bool(can.load_session))
    if found.can_list:
        found.is_listed = session_id in [session.session_id for session in await agent.listing.whole(cwd)]
    if found.can_load:
        session = await agent.setup.load_session(session_id, cwd)
        async with asyncio.timeout(10):
            while prompt not in (said := _said(session)):
                await asyncio.sleep(0.05)  # some send it only after they have said that it is loaded
        found.said = said
    return found


def _said(session: Session) -> str:
    messages = [entry for entry in session.entries if isinstance(entry, UserMessage)]
    return "\n".join(str(part) for message in messages for part in message.parts)


def _program(name: str, path: str) -> Path:
    return next(file for folder in path.split(":") if (file := Path(folder) / name).exists())
