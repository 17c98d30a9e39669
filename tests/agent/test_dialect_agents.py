"""A whole turn with agents that follow each of the documents about the protocol to the letter."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from acp_tui.agent.capabilities import CallFailed, LoginRequired
from acp_tui.rules.model import Rule
from acp_tui.session.entries import AgentMessage, Text, Thought, UnknownNews, text_of
from acp_tui.session.session import Session
from tests.agent.dialect_agents import AGENTS, OVERVIEW, DialectAgent
from tests.agent.puppet import Conversation, chosen, conversation


async def introduced(talk: Conversation, agent: DialectAgent, cwd: str) -> Session:
    starting = asyncio.create_task(talk.agent.initialize())
    talk.puppet.answers(await talk.puppet.hears("initialize"), agent.initialize)
    await starting
    making = asyncio.create_task(talk.agent.setup.new_session(cwd))
    talk.puppet.answers(await talk.puppet.hears("session/new"), agent.new)
    return await making


def asks(talk: Conversation, agent: DialectAgent, key: str, method: str, **params: Any) -> None:
    named = {"sessionId": "s1"} if agent.names_session else {}
    talk.puppet.says({"id": key, "method": method, "params": {**named, **params}})


def said(session: Session) -> str:
    return "|".join(text_of(entry) for entry in session.entries if isinstance(entry, AgentMessage))


@pytest.mark.parametrize("name", AGENTS)
async def test_d13_d20_d55_a_whole_turn_is_held(name: str, tmp_path: Path) -> None:
    agent = AGENTS[name]
    rules = (Rule("allow", command="echo"), Rule("allow", tool_kind="edit", path=f"{tmp_path}/**"))
    async with conversation(begun=False, rules=rules) as talk:
        session = await introduced(talk, agent, str(tmp_path))
        assert talk.agent.can.load_session == agent.loads
        call, turn = await talk.prompted()
        for update in agent.updates:
            params = {"sessionId": "s1", "update": update}
            talk.puppet.says({"method": "session/update", "params": params})
        await talk.until(lambda: session.plan)

        known = session.tool_call("c1")
        assert known is not None
        assert (known.title or known.name, known.status) == (agent.title, "completed")
        assert [item.text for item in known.content if isinstance(item, Text)] == ["the text"]
        assert [entry.content for entry in session.plan] == agent.plan
        assert [text_of(entry) for entry in session.entries if isinstance(entry, Thought)] == ["hm"]

        asks(talk, agent, "q", "session/request_permission", **agent.permission)
        await talk.until(lambda: session.questions)
        talk.agent.answer("s1", '"q"', agent.allow)
        assert (await talk.puppet.answer_to("q"))["result"] == chosen(agent.allow)
        asks(talk, agent, "w", "fs/write_text_file", path=str(tmp_path / "a"), content="new")
        assert "result" in await talk.puppet.answer_to("w")
        asks(talk, agent, "r", "fs/read_text_file", path=str(tmp_path / "a"))
        assert (await talk.puppet.answer_to("r"))["result"] == {"content": "new"}
        asks(talk, agent, "t", "terminal/create", command="echo", args=["hi"])
        terminal = (await talk.puppet.answer_to("t"))["result"]["terminalId"]
        asks(talk, agent, "e", "terminal/wait_for_exit", terminalId=terminal)
        assert (await talk.puppet.answer_to("e"))["result"]["exitCode"] == 0

        talk.puppet.answers(call, agent.end)
        await turn
        assert said(session) == agent.said
        assert (session.turns[-1].stop_reason, session.turn_state) == ("end_turn", "idle")
        assert not any(isinstance(entry, UnknownNews) for entry in session.entries)


async def test_d6_d9_a_login_in_the_words_of_the_overview() -> None:
    methods = [{"id": "api_key", "name": "API key"}]
    async with conversation(begun=False) as talk:
        starting = asyncio.create_task(talk.agent.initialize())
        answer = {**OVERVIEW.initialize, "authenticationMethods": methods}
        talk.puppet.answers(await talk.puppet.hears("initialize"), answer)
        await starting
        refused = {"code": -32001, "message": "Authentication failed"}
        making = asyncio.create_task(talk.agent.setup.new_session("/w"))
        talk.puppet.answers(await talk.puppet.hears("session/new"), error=refused)
        with pytest.raises(LoginRequired):
            await making

        login = asyncio.create_task(talk.agent.logins.authenticate("api_key"))
        request = await talk.puppet.hears("authenticate")
        assert request["params"] == {"methodId": "api_key"}
        talk.puppet.answers(request, error={"code": -32001, "message": "Invalid API key"})
        with pytest.raises(CallFailed, match="Invalid API key"):
            await login


@pytest.mark.parametrize("name", AGENTS)
async def test_d14_d35_a_turn_is_stopped(name: str) -> None:
    agent = AGENTS[name]
    async with conversation(begun=False) as talk:
        session = await introduced(talk, agent, "/w")
        call, turn = await talk.prompted()
        talk.agent.cancel("s1")
        await talk.puppet.hears("session/cancel")
        talk.puppet.answers(call, {**agent.end, "stopReason": "cancelled"})

        await turn
        assert session.turns[-1].stop_reason == "cancelled"


@pytest.mark.parametrize("name", [name for name, agent in AGENTS.items() if agent.loads])
async def test_d4_a_session_is_loaded(name: str) -> None:
    agent = AGENTS[name]
    async with conversation(begun=False) as talk:
        await introduced(talk, agent, "/w")
        loading = asyncio.create_task(talk.agent.setup.load_session("s2", "/w"))
        call = await talk.puppet.hears("session/load")
        for update in agent.replay:
            talk.puppet.says({"method": "session/update", "params": {"sessionId": "s2", "update": update}})
        talk.puppet.answers(call, None)

        assert said(await loading) == "earlier"
