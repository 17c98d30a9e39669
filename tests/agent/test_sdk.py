"""The official SDK at the other end of real pipes."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from acp_tui.agent.agent import Agent
from acp_tui.agent.capabilities import CallFailed
from acp_tui.agent.permissions.access import AgentAccess
from acp_tui.agent.process import Process
from acp_tui.protocol.schema import TextContent
from acp_tui.session.entries import AgentMessage, Thought, ToolCall, text_of
from acp_tui.session.session import Session
from acp_tui.workspace.terminals import Terminals
from tests.journals import MemoryJournal
from tests.waiting import until

pytestmark = pytest.mark.slow

PROGRAM = Path(__file__).parent.parent / "sdk_agent.py"


@pytest.fixture
def access() -> AgentAccess:
    return AgentAccess(Terminals())


@pytest.fixture
async def agent(access: AgentAccess, tmp_path: Path) -> AsyncIterator[Agent]:
    """An agent of the SDK."""
    # -P: the folder of the tests has an `acp` of its own
    process = Process.spawn([sys.executable, "-P", str(PROGRAM)])
    agent = Agent(process, access, MemoryJournal(), lambda *_: None)
    running = asyncio.create_task(agent.run())
    yield agent
    await agent.stop()
    await running


async def said(agent: Agent, session: Session, act: str) -> str:
    before = len(session.entries)
    response = await agent.prompt(session.id, [TextContent(text=act)])
    assert response.stop_reason == "end_turn"
    return "".join(text_of(entry) for entry in session.entries[before:] if isinstance(entry, AgentMessage))


async def test_a_conversation_with_an_agent_of_the_sdk(
    agent: Agent, access: AgentAccess, tmp_path: Path
) -> None:
    info = await agent.initialize()
    assert info.is_supported
    session = await agent.setup.new_session(str(tmp_path))

    assert await said(agent, session, "updates") == "done"
    assert [entry.content for entry in session.plan] == ["look"]
    assert any(isinstance(entry, Thought) and text_of(entry) == "hm" for entry in session.entries)
    assert list(session.files) == [f"{tmp_path}/a.txt"]

    asking = asyncio.create_task(said(agent, session, "ask"))
    await until(lambda: session.questions)
    (key,) = session.questions
    agent.answer(session.id, key, "go")
    assert await asking == "'go'"
    call = session.tool_call("t2")
    assert isinstance(call, ToolCall)
    assert call.decision == "Go on (you)"

    access.policy = "allow-everything"  # it writes and runs without asking
    assert await said(agent, session, "files") == "two\n-32002 -32602 "
    assert (tmp_path / "made/by-sdk.txt").read_text() == "one\ntwo\nthree\n"
    assert f"{tmp_path}/made/by-sdk.txt" in session.files

    expected = f"3 False {['héllo', str(tmp_path)]} -32002"
    assert await said(agent, session, "terminal") == expected

    with pytest.raises(CallFailed):
        await said(agent, session, "nothing-of-that-name")


async def test_cancelling_and_loading_with_the_sdk(agent: Agent, tmp_path: Path) -> None:
    await agent.initialize()
    session = await agent.setup.new_session(str(tmp_path))

    turn = asyncio.create_task(agent.prompt(session.id, [TextContent(text="wait")]))
    await until(lambda: session.entries and isinstance(session.entries[-1], AgentMessage))
    agent.cancel(session.id)
    assert (await turn).stop_reason == "cancelled"

    asking = asyncio.create_task(agent.prompt(session.id, [TextContent(text="ask")]))
    await until(lambda: session.questions)
    agent.cancel(session.id)
    await asking
    assert session.questions == {}

    loaded = await agent.setup.load_session("sdk-1", str(tmp_path))
    assert [text_of(entry) for entry in loaded.entries if isinstance(entry, AgentMessage)] == ["replayed"]
