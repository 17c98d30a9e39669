"""Our side of the protocol: what is sent, and what a turn makes of the answers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from acp_tui.agent.capabilities import AgentError, AgentGone, Busy, CallFailed, NotOffered, WrongVersion
from acp_tui.protocol.schema import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceContents,
    ResourceLink,
    TextContent,
)
from acp_tui.session import events
from acp_tui.session.entries import (
    AgentMessage,
    AscribedMessage,
    Message,
    Notice,
    SteeredMessage,
    UserMessage,
    text_of,
)
from tests.agent.puppet import ABLE, SESSION, conversation, text, update

# ------------------------------------------------------------------ initialize


async def test_c32_c36_c118_initialize_comes_first_once_and_names_what_we_can_do() -> None:
    async with conversation() as talk:
        first, *others = talk.puppet.sent.frames

        assert (first["id"], first["method"]) == (0, "initialize")
        assert first["params"] == {
            "protocolVersion": 1,
            "clientCapabilities": {
                "fs": {"readTextFile": True, "writeTextFile": True},
                "terminal": True,
                "auth": {"terminal": True},
                "plan": {},
                "subagents": {},
                "session": {"configOptions": {"boolean": {}}, "notices": {}, "compaction": {}},
                "elicitation": {"form": {}, "url": {}},
            },
            "clientInfo": {"name": "acp-tui", "title": "acp-tui", "version": "0"},
        }
        assert all(frame["method"] != "initialize" for frame in others)


@pytest.mark.parametrize("offered", [2, 0, "2025", "0.0.9", None])
async def test_c33_another_version_ends_the_connection_and_names_both(offered: object) -> None:
    async with conversation(begun=False) as talk:
        starting = asyncio.create_task(talk.agent.initialize())
        talk.puppet.answers(await talk.puppet.hears("initialize"), {"protocolVersion": offered})

        with pytest.raises(WrongVersion, match="version 1") as raised:
            await starting

        assert repr(offered) in str(raised.value)
        assert talk.puppet.stopped
        assert len(talk.puppet.sent.frames) == 1


@pytest.mark.parametrize("version", [1, 1.0, "1", "1.0.0"])
async def test_d7_a_version_that_means_ours_is_ours(version: object) -> None:
    async with conversation(begun=False) as talk:
        starting = asyncio.create_task(talk.agent.initialize())
        talk.puppet.answers(await talk.puppet.hears("initialize"), {"protocolVersion": version})

        await starting


@pytest.mark.parametrize("result", [None, {}, [], "hello"])
async def test_an_answer_to_initialize_that_says_nothing_is_an_error_of_the_agent(result: Any) -> None:
    async with conversation(begun=False) as talk:
        starting = asyncio.create_task(talk.agent.initialize())
        talk.puppet.answers(await talk.puppet.hears("initialize"), result)

        with pytest.raises(AgentError, match="initialize cannot be read"):
            await starting


@pytest.mark.parametrize("capabilities", [None, "all", {}, {"loadSession": "yes", "sessionCapabilities": 5}])
async def test_c34_c35_nothing_is_called_that_was_not_offered(capabilities: Any) -> None:
    async with conversation(capabilities) as talk:
        before = len(talk.puppet.sent.frames)
        image: list[ContentBlock] = [ImageContent(data="", mime_type="image/png")]

        for attempt in (
            talk.agent.setup.load_session("old", "/w"),
            talk.agent.setup.load_session("old", "/w", replay=False),
            talk.agent.setup.fork_session(SESSION, "/w"),
            talk.agent.listing.whole(),
            talk.agent.delete_session(SESSION),
            talk.agent.logins.log_out(),
            talk.agent.prompt(SESSION, image),
        ):
            with pytest.raises(NotOffered):
                await attempt

        assert SESSION in talk.agent.sessions
        await talk.agent.close_session(SESSION)
        assert len(talk.puppet.sent.frames) == before


# ------------------------------------------------------------------ a turn


async def test_c23_c24_all_that_came_before_the_end_is_there_and_what_comes_later_too() -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        chunks = [update("agent_message_chunk", content=text(f"{number} ")) for number in range(500)]
        talk.puppet.says(*chunks, {"id": call["id"], "result": {"stopReason": "end_turn"}})

        assert (await turn).stop_reason == "end_turn"
        assert talk.said() == "".join(f"{number} " for number in range(500))
        assert talk.session.turn_state == "idle"

        talk.puppet.updates("agent_message_chunk", content=text("late"))
        await talk.until(lambda: talk.said().endswith("|late"))


async def test_c52_every_block_that_is_offered_is_sent_as_it_is() -> None:
    async with conversation() as talk:
        prompt: list[ContentBlock] = [
            TextContent(text="look \ud83d at\u2028this"),
            ResourceLink(uri="file:///w/a", name="a"),
            EmbeddedResource(resource=ResourceContents(uri="file:///w/b", text="b\n")),
            ImageContent(data="AAAA", mime_type="image/png"),
            AudioContent(data="AAAA", mime_type="audio/wav"),
        ]
        turn = asyncio.create_task(talk.agent.prompt(SESSION, prompt))
        call = await talk.puppet.hears("session/prompt")
        talk.puppet.answers(call, {"stopReason": "end_turn"})
        await turn

        assert call["params"]["prompt"] == [
            {"type": "text", "text": "look \ufffd at\u2028this"},
            {"type": "resource_link", "uri": "file:///w/a", "name": "a"},
            {"type": "resource", "resource": {"uri": "file:///w/b", "text": "b\n"}},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
        ]


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("end_turn", None),
        ("done", None),
        ("endTurn", None),
        (None, None),
        ("cancelled", "Cancelled."),
        ("max_tokens", "The token limit was reached: the answer may be cut."),
        ("maxTokens", "The token limit was reached: the answer may be cut."),
        ("refusal", "The agent refused. This prompt and everything after it are not in its context."),
        ("coffee_break", "The turn stopped: coffee_break"),
    ],
)
async def test_c53_each_way_to_stop_has_its_own_words(reason: object, shown: str | None) -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        talk.puppet.updates("agent_message_chunk", content=text("So far."))
        talk.puppet.answers(call, {"stopReason": reason})
        await turn

        notices = [entry.text for entry in talk.session.entries if isinstance(entry, Notice)]
        assert notices == ([shown] if shown else [])


@pytest.mark.parametrize("result", [{}, None])
async def test_d15_an_end_without_a_reason_is_an_end(result: Any) -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        talk.puppet.answers(call, result)

        assert (await turn).stop_reason == "end_turn"
        assert talk.session.turn_state == "idle"


async def test_c56_an_error_of_a_prompt_is_shown_and_the_session_goes_on() -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        error = {"code": -32603, "message": "Internal error", "data": {"details": "quota exceeded"}}
        talk.puppet.answers(call, error=error)

        with pytest.raises(CallFailed, match="quota exceeded"):
            await turn
        notice = talk.session.entries[-1]
        assert isinstance(notice, Notice)
        assert (notice.text, notice.detail) == ("Internal error (error -32603)", "quota exceeded")

        call, turn = await talk.prompted("again")
        talk.puppet.answers(call, {"stopReason": "end_turn"})
        assert (await turn).stop_reason == "end_turn"


async def test_c51_two_sessions_work_at_once_and_one_has_one_turn() -> None:
    async with conversation() as talk:
        await talk.made("s2", "/w2")
        one, first = await talk.prompted()
        two, second = await talk.prompted(session="s2")

        with pytest.raises(Busy):
            await talk.agent.prompt(SESSION, [TextContent(text="me too")])

        talk.puppet.answers(two, {"stopReason": "end_turn"})
        await second
        assert talk.session.turn_state == "running"
        talk.puppet.answers(one, {"stopReason": "end_turn"})
        await first
        assert len([entry for entry in talk.session.entries if isinstance(entry, UserMessage)]) == 1


async def test_c26_updates_of_two_sessions_do_not_mix() -> None:
    async with conversation() as talk:
        await talk.made("s2", "/w2")
        for number in range(50):
            talk.puppet.updates("agent_message_chunk", content=text(f"a{number}"))
            talk.puppet.updates("agent_message_chunk", "s2", content=text(f"b{number}"))
        await talk.until(lambda: talk.said("s2").endswith("b49"))

        assert talk.said() == "".join(f"a{number}" for number in range(50))
        assert talk.said("s2") == "".join(f"b{number}" for number in range(50))


async def test_d13_what_is_said_only_in_the_answer_is_shown_once() -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        talk.puppet.answers(call, {"stopReason": "done", "content": [text("only here"), "and here"]})
        await turn
        assert talk.said() == "only hereand here"

        call, turn = await talk.prompted()
        talk.puppet.updates("agent_message_chunk", content=text("streamed"))
        talk.puppet.answers(call, {"stopReason": "done", "content": "streamed"})
        await turn
        assert talk.said() == "only hereand here|streamed"


async def test_c55_r35_an_echo_of_the_prompt_is_not_shown_twice() -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted("hello there")
        for piece in ("hello", " there"):
            talk.puppet.updates("user_message_chunk", content=text(piece), messageId="m7")
        talk.puppet.updates("agent_message_chunk", content=text("hi"))
        talk.puppet.answers(call, {"stopReason": "end_turn"})
        await turn

        user, agent = talk.session.entries
        assert isinstance(user, UserMessage)
        assert isinstance(agent, AgentMessage)
        assert (text_of(user), user.message_id) == ("hello there", "m7")


async def test_a_report_of_the_prompt_in_words_of_version_2_neither_moves_nor_doubles_it() -> None:
    async with conversation() as talk:
        for number in range(2):  # ids may begin again in each turn
            call, turn = await talk.prompted("hello there")
            talk.puppet.updates("agent_message_chunk", content=text("hi"))
            talk.puppet.updates("user_message", messageId="m1")
            for _ in range(2):
                talk.puppet.updates("user_message", messageId="m1", content=[text("hello\n"), text(" there")])
            talk.puppet.updates("user_message", messageId="m2", content=[text(f"be quick {number}")])
            talk.puppet.updates("user_message", messageId="m2", content=[text(f"be quicker {number}")])
            talk.puppet.answers(call, {"stopReason": "end_turn"})
            await turn

        said = [(type(entry), text_of(entry)) for entry in talk.session.entries if isinstance(entry, Message)]
        assert said == [
            *((UserMessage, "hello there"), (AgentMessage, "hi"), (AscribedMessage, "be quicker 0")),
            *((UserMessage, "hello there"), (AgentMessage, "hi"), (AscribedMessage, "be quicker 1")),
        ]
        assert len(talk.session.entries) == len(said)
        assert [each.first for each in talk.session.turns] == [0, 3]


# ------------------------------------------------------------------ cancelling


async def test_c57_c63_r13_cancel_answers_the_questions_first_and_an_error_is_a_cancelled_turn() -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        talk.puppet.asks_permission(0)
        await talk.until(lambda: talk.session.questions)

        talk.agent.cancel(SESSION)

        answer, notice = talk.puppet.sent.frames[-2:]
        assert answer == {"jsonrpc": "2.0", "id": 0, "result": {"outcome": {"outcome": "cancelled"}}}
        assert notice == {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": SESSION}}
        assert talk.session.questions == {}

        talk.puppet.answers(call, error={"code": -32603, "message": "aborted"})
        assert (await turn).stop_reason == "cancelled"
        assert [entry.text for entry in talk.session.entries if isinstance(entry, Notice)] == ["Cancelled."]


async def test_a_turn_that_the_agent_calls_cancelled_by_an_error_is_no_failure() -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        talk.puppet.answers(call, error={"code": -32800, "message": "Request cancelled"})

        assert (await turn).stop_reason == "cancelled"


async def test_r14_no_cancel_goes_out_when_no_turn_is_open_and_the_next_turn_runs() -> None:
    async with conversation() as talk:
        talk.agent.cancel(SESSION)
        talk.agent.cancel("never heard of")
        call, turn = await talk.prompted()
        talk.puppet.answers(call, {"stopReason": "end_turn"})
        await turn
        talk.agent.cancel(SESSION)
        call, turn = await talk.prompted("next")

        assert talk.puppet.sent.requests("session/cancel") == []
        talk.agent.cancel(SESSION)
        talk.agent.cancel(SESSION)
        assert talk.puppet.sent.requests("session/cancel") == [{"sessionId": SESSION}]
        talk.puppet.answers(call, {"stopReason": "cancelled"})
        assert (await turn).stop_reason == "cancelled"


async def test_c155_a_cancel_without_a_turn_is_sent_for_what_the_agent_does_by_itself() -> None:
    async with conversation({"sessionCapabilities": {"close": {}}}) as talk:
        call, turn = await talk.prompted()
        talk.puppet.answers(call, {"stopReason": "end_turn"})
        await turn
        talk.agent.cancel(SESSION)
        assert talk.puppet.sent.requests("session/cancel") == []

        talk.puppet.updates("agent_message_chunk", content=text("one more thing"))
        await talk.until(lambda: talk.session.unprompted_at is not None)
        talk.agent.cancel(SESSION)
        assert talk.puppet.sent.requests("session/cancel") == [{"sessionId": SESSION}]

        closing = asyncio.create_task(talk.agent.close_session(SESSION))
        talk.puppet.answers(await talk.puppet.hears("session/close"), {})
        await closing
        assert len(talk.puppet.sent.requests("session/cancel")) == 1


async def test_r14_a_cancel_that_crosses_the_end_of_the_turn_does_not_reach_into_the_next_one() -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        talk.puppet.answers(call, {"stopReason": "end_turn"})  # in the pipe, and not read yet
        talk.agent.cancel(SESSION)
        assert (await turn).stop_reason == "end_turn"

        call, turn = await talk.prompted("next")
        assert talk.session.turn_state == "running"
        talk.puppet.asks_permission("p")
        await talk.until(lambda: talk.session.questions)
        talk.agent.answer(SESSION, '"p"', "yes")
        talk.puppet.answers(call, {"stopReason": "end_turn"})
        await turn
        assert talk.call().decision == "Allow (you)"


async def test_c61_r11_unfinished_calls_are_cancelled_at_once_and_the_agent_may_know_better() -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        for name in ("t1", "t2"):
            talk.puppet.updates("tool_call", toolCallId=name, title=name, status="in_progress")
        await talk.until(lambda: talk.session.tool_call("t2"))

        talk.agent.cancel(SESSION)
        assert [talk.call(name).status for name in ("t1", "t2")] == ["cancelled", "cancelled"]

        talk.puppet.updates("tool_call_update", toolCallId="t1", status="completed")
        talk.puppet.answers(call, {"stopReason": "cancelled"})
        await turn
        assert [talk.call(name).status for name in ("t1", "t2")] == ["completed", "cancelled"]


async def test_r10_a_call_left_open_by_its_turn_is_settled_and_a_late_result_corrects_it() -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()
        talk.puppet.updates("tool_call", toolCallId="t1", title="Run", status="in_progress")
        talk.puppet.answers(call, {"stopReason": "end_turn"})
        await turn
        assert talk.call().status == "interrupted"

        talk.puppet.updates("tool_call_update", toolCallId="t1", status="in_progress")
        call, turn = await talk.prompted()
        talk.puppet.answers(call, {"stopReason": "end_turn"})
        await turn
        assert talk.call().status == "interrupted", "a call of an earlier turn does not stay open either"

        talk.puppet.updates("tool_call_update", toolCallId="t1", status="failed")
        await talk.until(lambda: talk.call().status == "failed")


# ------------------------------------------------------------------ options


# ------------------------------------------------------------------ the end


async def test_a_new_session_gets_nothing_of_one_whose_id_the_agent_gives_it() -> None:
    async with conversation(cwd="/tmp") as talk:
        talk.access.set_policy(SESSION, "allow-everything")
        await talk.made("other", "/usr")
        for known in (SESSION, "other"):
            with pytest.raises(AgentError, match="id of an open session"):
                await talk.made(known, "/")
        assert talk.session.cwd == "/tmp"
        assert talk.access.files(SESSION).roots == ("/tmp",)
        assert talk.access.policy_of("other") == "ask"


async def test_a_closed_session_leaves_nothing_to_one_of_its_id() -> None:
    closed: list[str] = []
    async with conversation() as talk:
        talk.access.closed = closed.append
        await talk.made("other", "/usr")
        talk.access.set_policy("other", "allow-everything")
        closing = asyncio.create_task(talk.agent.close_session("other"))
        talk.puppet.answers(await talk.puppet.hears("session/close"), {})
        await closing

        assert closed == ["other"]
        assert talk.access.policy_of("other") == "ask"
        with pytest.raises(AgentError, match="id of an open session"):
            await talk.made("other", "/")


async def test_an_end_that_we_asked_for_is_no_news() -> None:
    async with conversation() as talk:
        talk.puppet.stderr_tail = "ready to serve"
        await talk.agent.stop()
        await talk.until(lambda: not talk.session.connected)

        assert [entry for entry in talk.session.entries if isinstance(entry, Notice)] == []


async def test_c10_r15_the_end_of_the_agent_fails_what_waits_and_ends_what_is_open() -> None:
    async with conversation() as talk:
        _, turn = await talk.prompted()
        talk.puppet.updates("tool_call", toolCallId="t1", title="Run", status="in_progress")
        talk.puppet.asks_permission("q", call="t2")
        await talk.until(lambda: talk.session.questions)
        talk.puppet.stderr_tail = "out of memory"

        talk.puppet.exits(None, "SIGKILL")

        with pytest.raises(AgentGone, match="SIGKILL"):
            await turn
        await talk.until(lambda: not talk.session.connected)
        session, notice = talk.session, talk.session.entries[-1]
        assert (session.turn_state, session.questions, talk.call().status) == ("idle", {}, "interrupted")
        assert isinstance(notice, Notice)
        assert (notice.severity, notice.detail) == ("error", "out of memory")

        with pytest.raises(AgentGone):
            await talk.agent.setup.new_session("/w")
        before = len(talk.puppet.sent.frames)
        talk.agent.answer(SESSION, '"q"', "yes")
        talk.agent.cancel(SESSION)
        assert len(talk.puppet.sent.frames) == before


@pytest.mark.slow
async def test_an_output_that_is_closed_ends_the_connection_even_if_the_process_stays() -> None:
    async with conversation() as talk:
        _, turn = await talk.prompted()

        talk.puppet.closes_its_output()

        with pytest.raises(AgentGone):
            await turn
        assert talk.puppet.stopped


async def test_an_event_of_our_own_can_be_noted_and_one_that_does_not_fit_harms_nothing() -> None:
    async with conversation() as talk:
        call, turn = await talk.prompted()

        talk.agent.note(SESSION, events.Prompted([TextContent(text="illegal now")]))
        talk.agent.note("no such session", events.TurnCancelled())
        talk.agent.note(SESSION, events.TurnEnded("end_turn"))
        talk.puppet.answers(call, {"stopReason": "end_turn"})

        assert (await turn).stop_reason == "end_turn"


MODES = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "go", "name": "Go"}]}


MODELS = {
    "currentModelId": "l",
    "availableModels": [{"modelId": "l", "name": "L"}, {"modelId": "s", "name": "S"}],
}


WEB = {"id": "web", "name": "Web", "type": "boolean", "currentValue": False}


FAST = {
    "id": "speed",
    "name": "Speed",
    "type": "select",
    "currentValue": "slow",
    "options": [{"group": "g", "name": "G", "options": [{"value": "slow", "name": "Slow"}]}],
}


async def test_c20_c110_modes_and_models_of_older_agents_are_set_by_their_own_methods() -> None:
    async with conversation() as talk:
        session = await talk.made("s2", modes=MODES, models=MODELS)
        mode, model = session.options

        setting = asyncio.create_task(talk.agent.set_option("s2", mode, "go"))
        call = await talk.puppet.hears("session/set_mode")
        assert session.pending == {"mode": "go"}
        talk.puppet.answers(call, None)
        await setting
        assert (session.pending, mode.config.current_value, call["params"]) == (
            {},
            "go",
            {"sessionId": "s2", "modeId": "go"},
        )

        setting = asyncio.create_task(talk.agent.set_option("s2", model, "s"))
        call = await talk.puppet.hears("session/set_model")
        talk.puppet.answers(call, error={"code": -32601, "message": "Method not found"})
        with pytest.raises(CallFailed):
            await setting
        assert (session.pending, model.config.current_value) == ({}, "l")
        assert isinstance(session.entries[-1], Notice)


async def test_c112_c113_a_boolean_says_its_type_and_the_answer_replaces_the_list() -> None:
    async with conversation() as talk:
        session = await talk.made("s2", configOptions=[WEB, FAST, {"id": "?", "type": "slider"}])
        web, speed = session.options

        setting = asyncio.create_task(talk.agent.set_option("s2", web, True))
        call = await talk.puppet.hears("session/set_config_option")
        assert call["params"] == {"sessionId": "s2", "configId": "web", "value": True, "type": "boolean"}
        talk.puppet.answers(call, {"configOptions": [{**WEB, "currentValue": True}]})
        await setting
        assert [(option.config.id, option.config.current_value) for option in session.options] == [
            ("web", True)
        ]

        setting = asyncio.create_task(talk.agent.set_option("s2", speed, "slow"))
        call = await talk.puppet.hears("session/set_config_option")
        assert call["params"] == {"sessionId": "s2", "configId": "speed", "value": "slow"}
        talk.puppet.answers(call, {"configOptions": "broken"})
        await setting
        assert [option.config.id for option in session.options] == ["web"]


@pytest.mark.parametrize(
    ("usage", "spent"),
    [
        ({"totalTokens": 50, "inputTokens": 43, "outputTokens": 7, "cachedReadTokens": 40}, (43, 7, 40)),
        ({"totalTokens": 0, "inputTokens": 0, "outputTokens": 0, "cachedReadTokens": 0}, (0, 0, 0)),
        ({"inputTokens": "many", "outputTokens": 7}, None),
        ({"inputTokens": 5}, None),
        ("junk", None),
        (None, None),
    ],
)
async def test_c147_the_usage_of_a_turn_is_kept_with_it_and_is_no_context(usage: Any, spent: Any) -> None:
    async with conversation() as talk:
        talk.puppet.updates("usage_update", used=100, size=1000)
        call, turn = await talk.prompted()
        talk.puppet.answers(call, {"stopReason": "cancelled", "usage": usage})
        await turn

        found = talk.session.turns[-1].spent
        told = found and (found.input_tokens, found.output_tokens, found.cached_read_tokens)
        assert told == spent
        assert talk.session.usage is not None
        assert (talk.session.usage.used, talk.session.usage.size) == (100, 1000)


@pytest.mark.parametrize("steering", [{}, {"supported": False}, {"supported": "yes"}, {"supported": 1}, True])
async def test_c148_only_true_says_that_the_agent_can_be_steered(steering: Any) -> None:
    async with conversation(meta={"steering": steering}) as talk:
        assert not talk.agent.can_steer


async def test_c148_steering_needs_the_agents_word_and_always_sends_the_marker() -> None:
    async with conversation() as talk:
        assert not talk.agent.can_steer
        with pytest.raises(NotOffered):
            await talk.agent.steer(SESSION, [TextContent(text="x")])
        assert talk.puppet.sent.requests("_session/steering") == []

    async with conversation(meta={"steering": {"supported": True}}) as talk:
        await talk.prompted()
        steering = asyncio.create_task(talk.agent.steer(SESSION, [TextContent(text="x")]))
        call = await talk.puppet.hears("_session/steering")
        assert call["params"] == {
            "sessionId": SESSION,
            "prompt": [{"type": "text", "text": "x"}],
            "_meta": {"steering": {"idleBehavior": "promptRequired"}},
        }
        talk.agent.cancel(SESSION)
        talk.puppet.answers(call, {"outcome": "injected"})
        assert await steering == "injected"

        (entry,) = (entry for entry in talk.session.entries if isinstance(entry, SteeredMessage))
        assert (text_of(entry), entry.before_stop) == ("x", True)


async def test_c149_an_echo_of_steered_words_is_not_shown() -> None:
    async with conversation(meta={"steering": {"supported": True}}) as talk:
        await talk.prompted()
        steering = asyncio.create_task(talk.agent.steer(SESSION, [TextContent(text="shorter")]))
        talk.puppet.answers(await talk.puppet.hears("_session/steering"), {"outcome": "injected"})
        await steering
        talk.puppet.updates("user_message_chunk", content=text("shorter"))
        talk.puppet.updates("agent_message_chunk", content=text("fine"))
        await talk.until(lambda: talk.said() == "fine")

        assert [type(entry) for entry in talk.session.entries] == [UserMessage, SteeredMessage, AgentMessage]


async def test_c152_an_agent_that_asks_for_queued_words_has_its_answer_at_once() -> None:
    async with conversation() as talk:
        talk.puppet.asks("d", "craft/drainMidTurnQueue")
        assert (await talk.puppet.answer_to("d"))["result"] == {"messages": [], "hasQueuedPrompt": False}
        assert talk.agent.accepts_text(SESSION)

        talk.agent.queues[SESSION] = lambda: (["more"], True)
        talk.puppet.asks("e", "craft/drainMidTurnQueue")
        assert (await talk.puppet.answer_to("e"))["result"] == {"messages": ["more"], "hasQueuedPrompt": True}
        assert [text_of(entry) for entry in talk.session.entries if isinstance(entry, SteeredMessage)] == [
            "more"
        ]


async def test_c157_the_title_that_the_agent_returns_is_the_one_shown() -> None:
    async with conversation({**ABLE, "sessionCapabilities": {"title": {}}}) as talk:
        setting = asyncio.create_task(talk.agent.set_title(SESSION, "  mine  "))
        call = await talk.puppet.hears("session/set_title")
        assert call["params"] == {"sessionId": SESSION, "title": "  mine  "}
        talk.puppet.answers(call, {"title": "mine"})

        assert await setting == "mine"
        assert talk.session.title == "mine"


async def test_c156_no_title_is_sent_to_an_agent_that_takes_none() -> None:
    async with conversation() as talk:
        with pytest.raises(NotOffered):
            await talk.agent.set_title(SESSION, "mine")
        assert talk.puppet.sent.requests("session/set_title") == []


async def test_c156_neither_archiving_nor_a_question_for_the_login_goes_to_an_agent_that_offers_none() -> (
    None
):
    async with conversation() as talk:
        with pytest.raises(NotOffered):
            await talk.agent.listing.set_archived(SESSION, archived=True)
        with pytest.raises(NotOffered):
            await talk.agent.logins.read_status()

        assert talk.puppet.sent.requests("session/archive") == []
        assert talk.puppet.sent.requests("auth/status") == []
