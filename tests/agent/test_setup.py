"""How an agent gets its sessions: made, taken up, forked."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest

from acp_tui.acp.content import TextContent
from acp_tui.agent.errors import AgentError, CallFailed
from acp_tui.session.events import Prompted
from acp_tui.session.session import Session
from tests.agent.puppet import OPTIONS, SESSION, conversation, text, update
from tests.sent import Frame
from tests.waiting import settled

NOT_FOUND = {"code": -32002, "message": "Resource not found"}


SERVER: Frame = {"name": "docs", "command": "/opt/mcp/docs", "args": [], "env": []}


async def test_c42_r40_mcp_servers_are_always_a_list_and_the_same_one() -> None:
    async with conversation() as talk:
        making = asyncio.create_task(talk.agent.setup.new_session("/w", mcp_servers=[SERVER]))
        talk.puppet.answers(await talk.puppet.hears("session/new"), {"sessionId": "s2"})
        await making
        for replay in (True, False):
            loading = asyncio.create_task(
                talk.agent.setup.load_session("s2", "/w", mcp_servers=[SERVER], replay=replay)
            )
            method = "session/load" if replay else "session/resume"
            talk.puppet.answers(await talk.puppet.hears(method), {})
            await loading

        sent = talk.puppet.sent
        first, second = sent.requests("session/new")
        assert first == {"cwd": "/w", "mcpServers": [], "additionalDirectories": []}
        assert [second, *sent.requests("session/load"), *sent.requests("session/resume")] == [
            {"cwd": "/w", "mcpServers": [SERVER], "additionalDirectories": []},
            {"sessionId": "s2", "cwd": "/w", "mcpServers": [SERVER], "additionalDirectories": []},
            {"sessionId": "s2", "cwd": "/w", "mcpServers": [SERVER], "additionalDirectories": []},
        ]


async def test_c44_further_roots_are_sent_without_doubles_and_only_where_they_are_taken() -> None:
    async with conversation() as talk:
        making = asyncio.create_task(talk.agent.setup.new_session("/w", ["/b", "/w", "/a", "/b", ""]))
        call = await talk.puppet.hears("session/new")
        talk.puppet.answers(call, {"sessionId": "s2"})
        await making
        assert call["params"]["additionalDirectories"] == ["/b", "/a"]
    async with conversation({}) as talk:
        making = asyncio.create_task(talk.agent.setup.new_session("/w", ["/b"]))
        call = await talk.puppet.hears("session/new")
        talk.puppet.answers(call, {"sessionId": "s2"})
        await making
        assert call["params"] == {"cwd": "/w", "mcpServers": []}


@pytest.mark.parametrize(
    "more", [{"error": {"code": -32603, "message": "no"}}, {"result": {}}, {"result": 5}]
)
async def test_a_session_that_does_not_come_about_leaves_nothing_and_no_open_question(more: Any) -> None:
    async with conversation() as talk:
        making = asyncio.create_task(talk.agent.setup.new_session("/w2"))
        call = await talk.puppet.hears("session/new")
        params = {"sessionId": "s2", "toolCall": {"toolCallId": "t"}, "options": OPTIONS}
        talk.puppet.says({"id": "q", "method": "session/request_permission", "params": params})

        talk.puppet.answers(call, **more)

        with pytest.raises(AgentError):
            await making
        answer = await talk.puppet.answer_to("q")
        assert answer["result"] == {"outcome": {"outcome": "cancelled"}}
        assert list(talk.agent.sessions) == [SESSION]
        talk.puppet.updates("agent_message_chunk", "s2", content=text("ghost"))
        await settled()
        assert list(talk.agent.sessions) == [SESSION]


@pytest.mark.parametrize("result", [None, {}, {"sessionId": "other"}, {"modes": None}, "oddity"])
async def test_c45_c46_r38_a_load_shows_its_replay_and_is_ready_at_the_answer(result: Any) -> None:
    async with conversation() as talk:
        loading = asyncio.create_task(talk.agent.setup.load_session("old", "/w2"))
        call = await talk.puppet.hears("session/load")
        talk.puppet.says(
            update("user_message_chunk", "old", content=text("Why?")),
            update("agent_message_chunk", "old", content=text("Because.")),
            update("tool_call", "old", toolCallId="t1", title="Read", status="completed"),
        )
        await settled()
        assert not loading.done()
        talk.puppet.answers(call, result)

        session = await loading

        assert (session.id, session.cwd, len(session.entries)) == ("old", "/w2", 3)
        assert list(talk.agent.sessions) == [SESSION, "old"]


async def test_c45_a_load_that_fails_leaves_no_half_transcript_and_lends_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("secret")
    async with conversation() as talk:
        loading = asyncio.create_task(talk.agent.setup.load_session("old", str(tmp_path)))
        call = await talk.puppet.hears("session/load")
        talk.puppet.updates("agent_message_chunk", "old", content=text("half"))
        talk.puppet.answers(call, error={"code": -32002, "message": "Resource not found"})

        with pytest.raises(CallFailed, match="not found"):
            await loading

        assert list(talk.agent.sessions) == [SESSION]
        params = {"sessionId": "old", "path": str(tmp_path / "a.txt")}
        talk.puppet.says({"id": "r", "method": "fs/read_text_file", "params": params})
        assert (await talk.puppet.answer_to("r"))["error"]["code"] == -32602


async def test_a_failed_load_of_a_session_that_is_open_keeps_it_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("mine")
    async with conversation() as talk:
        await talk.made("s2", str(tmp_path))
        talk.puppet.updates("agent_message_chunk", "s2", content=text("what was said"))
        loading = asyncio.create_task(talk.agent.setup.load_session("s2", "/elsewhere"))
        call = await talk.puppet.hears("session/load")
        talk.puppet.updates("agent_message_chunk", "s2", content=text("half"))
        talk.puppet.answers(call, error={"code": -32603, "message": "broken"})
        with pytest.raises(CallFailed):
            await loading

        assert talk.said("s2") == "what was said"
        params = {"sessionId": "s2", "path": str(tmp_path / "a.txt")}
        talk.puppet.says({"id": "r", "method": "fs/read_text_file", "params": params})
        assert (await talk.puppet.answer_to("r"))["result"] == {"content": "mine"}


async def test_c66_a_load_that_was_given_up_stays_away_when_its_answer_comes() -> None:
    async with conversation() as talk:
        loading = asyncio.create_task(talk.agent.setup.load_session("old", "/w2"))
        call = await talk.puppet.hears("session/load")

        loading.cancel()
        withdrawn = await talk.puppet.hears("$/cancel_request")
        talk.puppet.updates("agent_message_chunk", "old", content=text("late"))
        talk.puppet.answers(call, {})
        await talk.until(lambda: not talk.agent.connection.waiting_for)

        assert withdrawn["params"] == {"requestId": call["id"]}
        assert list(talk.agent.sessions) == [SESSION]


async def test_c47_a_resumed_session_keeps_what_is_known_and_expects_no_replay() -> None:
    async with conversation() as talk:
        talk.puppet.updates("agent_message_chunk", content=text("before"))
        await talk.until(talk.said)
        resuming = asyncio.create_task(talk.agent.setup.load_session(SESSION, "/w", replay=False))
        talk.puppet.answers(await talk.puppet.hears("session/resume"), {})

        session = await resuming

        assert (talk.said(), session.connected) == ("before", True)


@pytest.mark.parametrize(("answer", "goes_on"), [({"result": {}}, True), ({"error": NOT_FOUND}, False)])
async def test_c47_another_process_goes_on_with_a_session_unless_it_refuses(
    answer: dict[str, Any], goes_on: bool
) -> None:
    earlier = Session("earlier", "/w")
    earlier.apply(Prompted([TextContent(text="hello")]))
    async with conversation() as talk:
        resuming = asyncio.create_task(
            talk.agent.setup.load_session("earlier", "/w", replay=False, before=earlier)
        )
        talk.puppet.answers(await talk.puppet.hears("session/resume"), **answer)

        with contextlib.nullcontext() if goes_on else pytest.raises(CallFailed):
            assert await resuming is earlier

        assert ("earlier" in talk.agent.sessions) == goes_on
        assert earlier.turn_state == "idle", "its turn was that of another process"
        talk.agent.sessions.pop("earlier", None)  # what was said before is in another journal
