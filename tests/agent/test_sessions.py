"""Sessions: made, loaded, resumed, closed, and what comes for them too early or too late."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from acp_tui.agent.capabilities import Closed
from acp_tui.rules.model import Rule
from acp_tui.session.entries import ToolCall
from tests.agent.puppet import ABLE, CANCELLED, OPTIONS, SESSION, conversation, text, update
from tests.waiting import settled


async def test_c25_r6_what_comes_before_the_answer_is_there_after_it() -> None:
    async with conversation() as talk:
        making = asyncio.create_task(talk.agent.setup.new_session("/w2"))
        call = await talk.puppet.hears("session/new")
        params = {"sessionId": "s2", "toolCall": {"toolCallId": "t"}, "options": OPTIONS}
        talk.puppet.says(
            update("available_commands_update", "s2", availableCommands=[{"name": "x", "description": ""}]),
            update("agent_message_chunk", "s2", content=text("welcome")),
            {"id": "q", "method": "session/request_permission", "params": params},
            update("agent_message_chunk", "stranger", content=text("?")),
        )
        await settled()
        assert "s2" not in talk.agent.sessions
        assert all(session_id != "s2" for session_id, _ in talk.changes)

        talk.puppet.says({"id": call["id"], "result": {"sessionId": "s2"}})
        session = await making

        assert [command.name for command in session.commands] == ["x"]
        assert (talk.said("s2"), session.cwd) == ("welcome", "/w2")
        talk.agent.answer("s2", '"q"', "yes")
        await talk.puppet.answer_to("q")
        assert "stranger" not in talk.agent.sessions
        talk.puppet.updates("agent_message_chunk", "stranger", content=text("?"))
        talk.puppet.updates("plan", "s2", entries=[])
        await settled()
        assert "stranger" not in talk.agent.sessions


async def test_r7_commands_may_come_long_after_the_answer() -> None:
    async with conversation() as talk:
        commands = [{"name": "/web", "description": "Search", "input": {"hint": "query"}}]
        talk.puppet.updates("available_commands_update", availableCommands=commands)
        await talk.until(lambda: talk.session.commands)

        assert [
            (command.name, command.input and command.input.hint) for command in talk.session.commands
        ] == [("web", "query")]


async def test_nothing_is_said_to_a_session_that_was_closed() -> None:
    async with conversation() as talk:
        closing = asyncio.create_task(talk.agent.close_session(SESSION))
        talk.puppet.answers(await talk.puppet.hears("session/close"), {})
        await closing

        with pytest.raises(Closed):
            await talk.agent.prompt(SESSION, [])
        assert talk.puppet.sent.requests("session/prompt") == []


async def test_a_session_that_comes_when_its_tab_is_gone_is_closed_and_its_questions_with_it() -> None:
    async with conversation() as talk:
        making = asyncio.create_task(talk.agent.setup.new_session("/w2"))
        call = await talk.puppet.hears("session/new")
        making.cancel()
        await talk.puppet.hears("$/cancel_request")

        params = {"sessionId": "late", "toolCall": {"toolCallId": "t"}, "options": OPTIONS}
        talk.puppet.says(
            {"id": call["id"], "result": {"sessionId": "late"}},
            {"id": "q", "method": "session/request_permission", "params": params},
        )
        closing = await talk.puppet.hears("session/close")
        assert closing["params"] == {"sessionId": "late"}
        assert (await talk.puppet.answer_to("q"))["result"] == CANCELLED
        talk.puppet.answers(closing, {})
        await talk.until(lambda: "late" not in talk.agent.sessions)


async def test_an_id_that_comes_late_and_is_of_another_session_closes_nothing() -> None:
    async with conversation() as talk:
        making = asyncio.create_task(talk.agent.setup.new_session("/w2"))
        call = await talk.puppet.hears("session/new")
        making.cancel()
        await talk.puppet.hears("$/cancel_request")

        talk.puppet.answers(call, {"sessionId": SESSION})
        await settled()
        assert talk.puppet.sent.requests("session/close") == []
        assert SESSION in talk.agent.sessions


async def test_what_is_asked_while_a_session_closes_has_its_answer_in_the_end() -> None:
    async with conversation() as talk:
        closing = asyncio.create_task(talk.agent.close_session(SESSION))
        call = await talk.puppet.hears("session/close")
        talk.puppet.asks_permission("q")
        talk.puppet.answers(call, {})
        await closing

        assert (await talk.puppet.answer_to("q"))["result"] == CANCELLED


async def test_c49_deleting_closes_first_and_may_be_done_twice() -> None:
    async with conversation() as talk:
        for _ in range(2):
            deleting = asyncio.create_task(talk.agent.delete_session(SESSION))
            if SESSION in talk.agent.sessions:
                talk.puppet.answers(await talk.puppet.hears("session/close"), {})
            talk.puppet.answers(await talk.puppet.hears("session/delete"), {})
            await deleting

        assert talk.agent.sessions == {}


async def test_c50_c101_closing_answers_the_questions_and_kills_the_terminals(tmp_path: Path) -> None:
    async with conversation(rules=(Rule("allow", command="sleep"),)) as talk:
        session = await talk.made("s2", str(tmp_path))
        params = {"sessionId": "s2", "command": "sleep", "args": ["60"]}
        talk.puppet.says({"id": "t", "method": "terminal/create", "params": params})
        terminal_id = (await talk.puppet.answer_to("t"))["result"]["terminalId"]
        terminal = talk.access.terminals.get("s2", terminal_id)
        waiting = {"sessionId": "s2", "terminalId": terminal_id}
        talk.puppet.says({"id": "w", "method": "terminal/wait_for_exit", "params": waiting})
        question = {"sessionId": "s2", "toolCall": {"toolCallId": "x"}, "options": OPTIONS}
        talk.puppet.says({"id": "q", "method": "session/request_permission", "params": question})
        await talk.until(lambda: session.questions)

        closing = asyncio.create_task(talk.agent.close_session("s2"))
        call = await talk.puppet.hears("session/close")
        talk.puppet.answers(call, error={"code": -32603, "message": "not active"})
        await closing

        assert (await talk.puppet.answer_to("q"))["result"] == {"outcome": {"outcome": "cancelled"}}
        assert "result" in await talk.puppet.answer_to("w")
        assert terminal.exit_status is not None
        assert list(talk.agent.sessions) == [SESSION]
        talk.puppet.updates("agent_message_chunk", "s2", content=text("late"))


async def test_without_the_capability_closing_is_a_matter_of_ours() -> None:
    async with conversation({**ABLE, "sessionCapabilities": {}}) as talk:
        call, turn = await talk.prompted()

        await talk.agent.close_session(SESSION)

        assert talk.puppet.sent.requests("session/close") == []
        assert talk.puppet.sent.requests("session/cancel") == [{"sessionId": SESSION}]
        assert talk.agent.sessions == {}
        talk.puppet.answers(call, {"stopReason": "cancelled"})
        await turn


@pytest.mark.slow
async def test_c22_ten_thousand_updates_are_applied_in_order_and_completely() -> None:
    async with conversation() as talk:
        words = [f"{number} " for number in range(10_000)]
        talk.puppet.says(*(update("agent_message_chunk", content=text(word)) for word in words))
        await talk.until(lambda: talk.said().endswith(words[-1]))

        assert talk.said() == "".join(words)


async def test_c31_what_stands_in_meta_is_never_a_parameter() -> None:
    meta = {"sessionId": "evil", "session_id": "evil", "path": "/evil", "update": {}, "toolCallId": "evil"}
    async with conversation() as talk:
        frame = update("tool_call", toolCallId="t1", title="Read", _meta=meta)
        frame["params"]["_meta"] = meta
        talk.puppet.says(frame)
        await talk.until(lambda: talk.session.entries)

        (call,) = talk.session.entries
        assert isinstance(call, ToolCall)
        assert (call.tool_call_id, call.title, call.locations) == ("t1", "Read", ())
        assert list(talk.agent.sessions) == [SESSION]
