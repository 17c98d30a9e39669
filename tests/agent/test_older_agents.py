"""Agents that speak older or private dialects, on a connection: what they hear is today's protocol."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from acp_tui.agent.capabilities import CallFailed, LoginRequired
from acp_tui.protocol.schema import TextContent
from acp_tui.session.entries import AgentMessage, Notice
from tests.agent.puppet import Conversation, conversation, text, update

MODELS = {
    "currentModelId": "l",
    "availableModels": [{"modelId": "l", "name": "Large"}, {"modelId": "s", "name": "Small"}],
}
MODEL_OPTION = {
    "id": "m",
    "name": "Model",
    "type": "select",
    "category": "model",
    "currentValue": "a",
    "options": [{"value": "a", "name": "A"}],
}


async def test_d1_d2_d40_d42_we_introduce_ourselves_in_todays_words_only() -> None:
    async with conversation(begun=False) as talk:
        starting = asyncio.create_task(talk.agent.initialize())
        call = await talk.puppet.hears("initialize")

        assert set(call["params"]) == {"protocolVersion", "clientCapabilities", "clientInfo"}
        offered = call["params"]["clientCapabilities"]
        assert offered["fs"] == {"readTextFile": True, "writeTextFile": True}
        assert offered["terminal"] is True
        assert "_meta" not in offered, "an agent may not name a command for us to log in with"
        talk.puppet.answers(call, {"protocolVersion": 1})
        await starting


async def test_d8_d9_a_login_carries_no_secret_and_any_error_of_it_is_a_failed_login() -> None:
    async with conversation() as talk:
        for code in (-32001, -32603, -32000):
            login = asyncio.create_task(talk.agent.logins.authenticate("key"))
            call = await talk.puppet.hears("authenticate")
            assert call["params"] == {"methodId": "key"}

            talk.puppet.answers(call, error={"code": code, "message": "Authentication failed"})

            with pytest.raises(CallFailed, match="Authentication failed"):
                await login


async def test_d11_d12_a_session_and_a_prompt_are_asked_for_in_todays_words() -> None:
    async with conversation() as talk:
        making = asyncio.create_task(talk.agent.setup.new_session("/w"))
        call = await talk.puppet.hears("session/new")
        assert set(call["params"]) == {"cwd", "mcpServers", "additionalDirectories"}
        talk.puppet.answers(call, {"session": {"id": "s2"}})
        assert (await making).id == "s2"

        prompt, _ = await talk.prompted("/web query", "s2")

        assert prompt["params"] == {"sessionId": "s2", "prompt": [text("/web query")]}


@pytest.mark.parametrize(("reason", "said"), [("endTurn", None), ("done", None), ("error", "error")])
async def test_d14_an_older_reason_to_stop_is_understood_or_shown(reason: str, said: str | None) -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()

        talk.puppet.updates("agent_message_chunk", content=text("So far."))
        talk.puppet.answers(call, {"stopReason": reason})
        await turn

        notices = [entry.text for entry in talk.session.entries if isinstance(entry, Notice)]
        assert [said in notice for notice in notices] == [True] if said else notices == []
        assert talk.session.turn_state == "idle"


async def test_d19_d44_a_list_of_blocks_after_the_end_of_a_turn_is_shown_whole() -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        talk.puppet.answers(call, {"stopReason": "end_turn"})
        await turn
        image = {"type": "image", "data": "AA==", "mimeType": "image/png"}

        talk.puppet.updates("agent_message_chunk", content=[text("a"), image, text("b")])

        await talk.until(lambda: talk.said() == "ab")
        last = talk.session.entries[-1]
        assert isinstance(last, AgentMessage)
        assert len(last.parts) == 3


async def test_d44_news_of_a_session_may_come_before_its_name() -> None:
    async with conversation() as talk:
        making = asyncio.create_task(talk.agent.setup.new_session("/w"))
        call = await talk.puppet.hears("session/new")

        talk.puppet.updates("agent_message_chunk", "s2", content=text("early"))
        talk.puppet.answers(call, {"sessionId": "s2"})

        await making
        assert talk.said("s2") == "early"


async def test_d29_an_answer_is_nested_and_carries_the_id_that_was_offered() -> None:
    async with conversation() as talk:
        talk.puppet.asks("p", "session/request_permission", toolCallId="t", options=[{"action": "go"}])
        await talk.until(lambda: talk.session.questions)

        talk.agent.answer(talk.session.id, '"p"', "go")

        answer = await talk.puppet.answer_to("p")
        assert answer["result"] == {"outcome": {"outcome": "selected", "optionId": "go"}}


async def test_d33_d43_a_shell_line_runs_and_its_end_is_told_in_todays_words(tmp_path: Path) -> None:
    async with conversation(policy="allow-everything") as talk:
        await talk.made("s2", str(tmp_path))
        talk.puppet.asks("c", "terminal/create", sessionId="s2", command="echo one && exit 3")
        terminal = (await talk.puppet.answer_to("c"))["result"]

        talk.puppet.asks("w", "terminal/wait_for_exit", sessionId="s2", **terminal)
        assert (await talk.puppet.answer_to("w"))["result"] == {"exitCode": 3, "signal": None}

        talk.puppet.asks("o", "terminal/output", sessionId="s2", **terminal)
        assert (await talk.puppet.answer_to("o"))["result"] == {
            "output": "one\n",
            "truncated": False,
            "exitStatus": {"exitCode": 3, "signal": None},
        }


@pytest.mark.parametrize("code", [-32001, -32002, -32003, -32004, 7])
async def test_d34_a_code_of_another_list_is_shown_and_nothing_more(code: int) -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        talk.puppet.answers(call, error={"code": code, "message": "permission denied"})

        with pytest.raises(CallFailed) as failed:
            await turn

        assert not isinstance(failed.value, LoginRequired)
        notice = talk.session.entries[-1]
        assert isinstance(notice, Notice)
        assert "permission denied" in notice.text
        assert str(code) in notice.text
        assert talk.session.turn_state == "idle"


async def test_d35_a_notification_that_is_answered_harms_nothing() -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        talk.agent.cancel(talk.session.id)
        await talk.puppet.hears("session/cancel")

        talk.puppet.says({"id": None, "result": {}}, {"id": 999, "result": {}})
        talk.puppet.answers(call, {"stopReason": "cancelled"})

        assert (await turn).stop_reason == "cancelled"
        assert talk.agent.connection.stray_count == 2


async def test_d39_models_are_an_option_unless_there_is_one_already() -> None:
    async with conversation() as talk:
        old = await talk.made("s2", models=MODELS)
        new = await talk.made("s3", models=MODELS, configOptions=[MODEL_OPTION])

        assert [(option.config.id, option.set_by) for option in old.options] == [("model", "set_model")]
        assert [(option.config.id, option.set_by) for option in new.options] == [("m", "set_config_option")]


@pytest.mark.parametrize(("code", "fixed"), [(-32601, True), (-32602, False)])
async def test_d39_a_model_that_nobody_can_set_is_only_shown(code: int, fixed: bool) -> None:
    async with conversation() as talk:
        session = await talk.made("s2", models=MODELS)
        (model,) = session.options
        setting = asyncio.create_task(talk.agent.set_option("s2", model, "s"))

        talk.puppet.answers(
            await talk.puppet.hears("session/set_model"), error={"code": code, "message": "?"}
        )

        with pytest.raises(CallFailed):
            await setting
        assert session.options[0].fixed == fixed
        assert session.options[0].value_name == "Large"


async def test_d45_d46_d47_noise_windows_line_ends_a_mark_and_half_characters() -> None:
    async with conversation() as talk:
        half = str(update("agent_message_chunk", content=text("@")))
        half = half.replace("'", '"').replace("@", "\\ud83d")
        talk.puppet.prints(b"\xef\xbb\xbfstarting up...\r\n\x1b[2J\r\n\r\n42\r\n")
        talk.puppet.prints(b"\xef\xbb\xbf" + half.encode() + b"\r\n")
        talk.puppet.updates("agent_message_chunk", content=text("!"))
        await talk.until(lambda: talk.said() == "\ufffd!")
        assert talk.agent.connection.stray_count == 3

        talk.puppet.prints(half.replace("\\ud83d", "end").encode())
        talk.puppet.exits(0)

        await talk.until(lambda: not talk.session.connected)
        assert talk.said() == "\ufffd!end"


@pytest.mark.parametrize("more", [{"result": {}}, {"result": None}, {"result": "ok"}, {"result": []}])
async def test_d49_nothing_is_nothing_in_any_form(more: Any) -> None:
    async with conversation() as talk:
        await said_nothing(talk, talk.agent.logins.authenticate("key"), "authenticate", more)
        await said_nothing(talk, talk.agent.logins.log_out(), "logout", more)
        await said_nothing(talk, talk.agent.delete_session("s9"), "session/delete", more)
        await said_nothing(talk, talk.agent.close_session("s1"), "session/close", more)
        await said_nothing(talk, talk.agent.setup.load_session("s1", "/w"), "session/load", more)


async def said_nothing(talk: Conversation, doing: Any, method: str, more: Any) -> None:
    task = asyncio.ensure_future(doing)
    talk.puppet.answers(await talk.puppet.hears(method), **more)
    await task


@pytest.mark.parametrize("shape", [str, float, lambda number: f" {number}"])
async def test_d50_our_number_in_another_type_is_still_ours(shape: Any) -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        answered = {**call, "id": shape(call["id"])}

        talk.puppet.answers(answered, {"stopReason": "end_turn"})
        talk.puppet.answers(call, {"stopReason": "refusal"})  # one of the two counts

        assert (await turn).stop_reason == ("refusal" if shape(1) == " 1" else "end_turn")


async def test_d52_forms_under_their_old_name_are_unknown() -> None:
    async with conversation() as talk:
        talk.puppet.asks("e", "session/elicitation", mode="form", message="?", requestedSchema={})
        talk.puppet.says({"method": "session/elicitation/complete", "params": {"elicitationId": "x"}})

        assert (await talk.puppet.answer_to("e"))["error"]["code"] == -32601
        assert talk.session.questions == {}


@pytest.mark.parametrize("method", ["$/cancel_request", "$/cancelRequest"])
@pytest.mark.parametrize("key", ["requestId", "id"])
async def test_d53_a_request_is_taken_back_in_either_spelling(method: str, key: str) -> None:
    async with conversation() as talk:
        talk.puppet.asks_permission("p")
        await talk.until(lambda: talk.session.questions)

        talk.puppet.says({"method": method, "params": {key: "p"}})

        assert (await talk.puppet.answer_to("p"))["result"] == {"outcome": {"outcome": "cancelled"}}
        assert talk.session.questions == {}


async def test_d54_an_agent_from_before_version_one_is_told_apart() -> None:
    async with conversation(begun=False) as talk:
        starting = asyncio.create_task(talk.agent.initialize())
        talk.puppet.answers(await talk.puppet.hears("initialize"), {"protocolVersion": "0.0.9"})

        with pytest.raises(Exception, match=r"'0\.0\.9'.*version 1"):
            await starting


async def test_d55_an_agent_that_mixes_all_of_it_is_understood() -> None:
    async with conversation() as talk:
        turn = asyncio.create_task(talk.agent.prompt("s1", [TextContent(text="go")]))
        call = await talk.puppet.hears("session/prompt")
        params = {"session_id": "s1", "update": {"type": "thought", "content": {"thought": "hm"}}}
        talk.puppet.says({"method": "session/update", "params": params})
        nested = {"type": "toolCall", "toolCall": {"id": "t", "name": "ls", "status": "success"}}
        talk.puppet.says({"method": "session/update", "params": {"session_id": "s1", "update": nested}})
        talk.puppet.says({"id": str(call["id"]), "result": {"content": ["done"]}})

        await turn

        assert talk.said() == "done"
        assert talk.call("t").status == "completed"
