"""Version 2 of the protocol, as an agent speaks it to us: the same sessions come of it."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

import pytest

from acp_tui.agent.agent import Agent
from acp_tui.agent.capabilities import LoginRequired, NotOffered, OtherVersion, WrongVersion
from acp_tui.agent.permissions.access import AgentAccess
from acp_tui.protocol.schema import ContentBlock, ResourceLink, TextContent, UsageUpdate
from acp_tui.rules.model import Rule
from acp_tui.session.entries import (
    NOTE,
    AgentMessage,
    AscribedMessage,
    Diff,
    Entry,
    Message,
    Notice,
    Text,
    Thought,
    ToolCall,
    UnknownNews,
    UserMessage,
    text_of,
    words_of,
)
from acp_tui.session.questions import Permission
from acp_tui.store.agents import ProtocolChoice
from acp_tui.workspace.terminals import Terminals
from tests.agent.puppet import (
    OPTIONS,
    SESSION,
    Conversation,
    Puppet,
    chosen,
    conversation,
    text,
    update,
)
from tests.journals import MemoryJournal
from tests.sent import Frame
from tests.waiting import PATIENCE, settled

IDLE = {"state": "idle", "stopReason": "end_turn"}


def state(word: str, **fields: Any) -> Frame:
    return update("state_update", state=word, **fields)


def chunk(words: str, message_id: str = "a1") -> Frame:
    return update("agent_message_chunk", messageId=message_id, content=text(words))


def own(words: str, message_id: str = "u1") -> Frame:
    return update("user_message", messageId=message_id, content=[text(words)])


def call(**fields: Any) -> Frame:
    return update("tool_call_update", **{"toolCallId": "t1", **fields})


def shown(talk: Conversation, *kinds: type[Entry]) -> list[str]:
    """Return the kinds and texts of the messages."""
    found = [entry for entry in talk.session.entries if isinstance(entry, kinds or Message)]
    return [f"{type(entry).__name__} {text_of(entry)}" for entry in found if isinstance(entry, Message)]


async def turn(talk: Conversation, *frames: Frame, words: str = "go", message_id: str = "u1") -> None:
    """Hold one turn, in which the agent says something."""
    request, ended = await talk.prompted(words)
    talk.puppet.says(
        {"id": request["id"], "result": {"messageId": message_id}},
        state("running"),
        *frames,
        state("idle", stopReason="end_turn"),
    )
    await ended


# ------------------------------------------------------------------ the handshake


async def introduced(result: Frame, protocol: ProtocolChoice = "newest") -> tuple[Agent, Frame]:
    """Return an agent after its answer to `initialize`, and what it was asked."""
    puppet = Puppet()
    agent = Agent(puppet, AgentAccess(Terminals()), MemoryJournal(), lambda *_: None, protocol=protocol)
    running = asyncio.create_task(agent.run())
    starting = asyncio.create_task(agent.initialize())
    asked = await puppet.hears("initialize")
    puppet.says({"id": asked["id"], **result})
    try:
        await asyncio.wait_for(starting, PATIENCE)
    finally:
        await agent.stop()
        await running
    return agent, asked["params"]


NEW = {"protocolVersion": 2, "info": {"name": "a", "version": "1"}, "capabilities": {"session": {}}}


async def test_v1_v3_the_handshake_has_the_fields_of_both_versions() -> None:
    agent, asked = await introduced({"result": NEW})

    assert agent.connection.version == 2
    assert asked["protocolVersion"] == 2
    assert asked["info"] == asked["clientInfo"]
    assert asked["capabilities"] == {"auth": {"terminal": {}}, "elicitation": {"form": {}, "url": {}}}
    assert asked["clientCapabilities"]["terminal"]


@pytest.mark.parametrize(
    "result",
    [
        {"protocolVersion": 2, "agentCapabilities": {}},
        {"protocolVersion": 2, "info": {"name": "a", "version": "1"}, "agentCapabilities": {}},
        {"protocolVersion": 2},
        {"protocolVersion": 1, "agentCapabilities": {}},
    ],
)
async def test_v1_a_number_that_is_echoed_is_no_version_2(result: Frame) -> None:
    agent, _ = await introduced({"result": result})

    assert agent.connection.version == 1


@pytest.mark.parametrize(
    ("error", "version"),
    [
        ({"code": -32022, "message": "no", "data": {"supported": [0, 1]}}, 1),
        ({"code": -32602, "message": "Invalid params", "data": "info: expected"}, 1),
    ],
)
async def test_v1_an_agent_that_refuses_version_2_must_be_asked_again(error: Frame, version: int) -> None:
    with pytest.raises(OtherVersion) as raised:
        await introduced({"error": error})

    assert raised.value.version == version


async def test_v1_an_agent_of_version_2_alone_is_named_where_version_1_is_wanted() -> None:
    with pytest.raises(WrongVersion, match=r"version 2.*version 1.*protocol = 2"):
        await introduced({"error": {"code": -32022, "message": "no", "data": {"supported": [2]}}}, 1)


async def test_v1_a_version_1_that_is_wanted_is_asked_for_alone() -> None:
    agent, asked = await introduced({"result": {"protocolVersion": 1}}, 1)

    assert (agent.connection.version, asked["protocolVersion"]) == (1, 1)
    assert "capabilities" not in asked


async def test_v2_capabilities_are_those_of_version_1() -> None:
    async with conversation(version=2) as talk:
        can = talk.agent.can

        assert can.load_session
        assert can.prompt_capabilities.image
        assert not can.prompt_capabilities.audio
        assert can.mcp_capabilities.http
        assert can.session_capabilities.list == can.session_capabilities.close == {}
        assert can.session_capabilities.fork is None


async def test_v2_servers_have_a_type_and_commands_come_with_the_session() -> None:
    async with conversation(version=2) as talk:
        server = {"name": "docs", "command": "/bin/docs", "args": [], "env": []}
        making = asyncio.create_task(talk.agent.setup.new_session("/w", mcp_servers=[server]))
        asked = await talk.puppet.hears("session/new")
        commands = [
            {
                "type": "command",
                "name": "init",
                "description": "i",
                "input": {"type": "text", "hint": "what"},
            },
            {"type": "later", "name": "odd", "description": "o"},
        ]
        talk.puppet.answers(asked, {"sessionId": "s2", "availableCommands": commands})
        session = await making
        await talk.until(lambda: session.commands)

        assert asked["params"]["mcpServers"] == [{"type": "stdio", **server}]
        assert [(each.name, each.input and each.input.hint) for each in session.commands] == [
            ("init", "what")
        ]


@pytest.mark.parametrize("method", ["fs/read_text_file", "fs/write_text_file", "terminal/create"])
async def test_v3_nothing_of_the_host_is_served(method: str) -> None:
    async with conversation(version=2) as talk:
        talk.puppet.asks(9, method, path="/w/a", command="ls", content="")

        assert (await talk.puppet.answer_to(9))["error"]["code"] == -32601


# ------------------------------------------------------------------ prompts and turns


@pytest.mark.parametrize(
    "order",
    [
        ("answer", "own"),
        ("own", "answer"),
        ("answer", "cleared", "chunks"),
        ("chunks", "answer"),
        ("answer", "chunks"),
        ("changed", "answer"),
        ("answer", "changed"),
        ("answer",),
    ],
)
async def test_v4_a_prompt_stands_once_in_the_agents_words(order: tuple[str, ...]) -> None:
    async with conversation(version=2) as talk:
        request, ended = await talk.prompted("say hello")
        frames: dict[str, list[Frame]] = {
            "answer": [{"id": request["id"], "result": {"messageId": "u1"}}],
            "own": [own("say hello")],
            "cleared": [update("user_message", messageId="u1", content=[])],
            "chunks": [
                update("user_message_chunk", messageId="u1", content=text(part)) for part in ("say ", "hello")
            ],
            "changed": [own("say hello, please")],
        }
        talk.puppet.says(*(frame for name in order for frame in frames[name]))
        talk.puppet.says(state("running"), chunk("hello"), state("idle", stopReason="end_turn"))
        await ended

        said = "say hello, please" if "changed" in order else "say hello"
        prompt = talk.session.entries[0]
        assert isinstance(prompt, UserMessage)
        assert prompt.is_reworded is ("changed" in order)
        assert shown(talk) == [f"UserMessage {said}", "AgentMessage hello"]


async def test_v4_what_was_sent_beside_the_words_stays_where_the_agent_tells_them_alike() -> None:
    async with conversation(version=2) as talk:
        note = f"{NOTE}\na.txt"
        prompt: list[ContentBlock] = [
            TextContent(text="mend it"),
            ResourceLink(uri="file:///w/a.txt", name="a.txt"),
            TextContent(text=note),
        ]
        ended = asyncio.create_task(talk.agent.prompt(SESSION, prompt))
        request = await talk.puppet.hears("session/prompt")
        talk.puppet.says({"id": request["id"], "result": {"messageId": "u1"}}, own(f"mend it {note}"))
        talk.puppet.says(state("running"), state("idle", stopReason="end_turn"))
        await ended
        said = talk.session.entries[0]

        assert isinstance(said, UserMessage)
        assert not said.is_reworded
        assert words_of(said) == "mend it"
        assert any(isinstance(part, ResourceLink) for part in said.parts)


async def test_v4_a_prompt_that_waits_goes_where_the_agent_puts_it() -> None:
    async with conversation(version=2) as talk:
        await turn(talk, chunk("one"))
        talk.puppet.says(state("running"))
        await talk.until(lambda: talk.session.works_unprompted)
        request, ended = await talk.prompted("two")
        talk.puppet.says(
            chunk("by itself", "a2"),
            state("idle", stopReason="end_turn"),
            {"id": request["id"], "result": {"messageId": "u2"}},
            state("running"),
            chunk("told", "a3"),
        )
        await talk.until(lambda: talk.said().endswith("told"))
        assert talk.session.turn_state == "running"
        talk.puppet.says(state("idle", stopReason="end_turn"))
        await ended

        assert shown(talk) == [
            "UserMessage go",
            "AgentMessage one",
            "AgentMessage by itself",
            "UserMessage two",
            "AgentMessage told",
        ]
        assert talk.session.prompt_of(2) == "two"


@pytest.mark.parametrize("words", ["two", "two, as I read it"])
async def test_v4_a_late_answer_moves_no_prompt_below_what_it_has_brought(words: str) -> None:
    async with conversation(version=2) as talk:
        await turn(talk)
        talk.puppet.says(state("running"))
        await talk.until(lambda: talk.session.works_unprompted)
        request, ended = await talk.prompted("two")
        talk.puppet.says(
            chunk("by itself", "a2"),
            state("idle", stopReason="end_turn"),
            state("running"),
            own(words, "u2"),
            chunk("told", "a3"),
            {"id": request["id"], "result": {"messageId": "u2"}},
            state("idle", stopReason="end_turn"),
        )
        await ended

        said = shown(talk)[1:]
        assert said.index(f"UserMessage {words}") < said.index("AgentMessage told")
        assert len(said) == 3
        if words == "two":
            assert said[0] == "AgentMessage by itself"


async def test_v4_other_words_of_the_user_are_no_prompt() -> None:
    async with conversation(version=2) as talk:
        await turn(talk, update("user_message", messageId="x", content=[text("from elsewhere")]))

        assert shown(talk) == ["UserMessage go", "AscribedMessage from elsewhere"]
        assert shown(talk, AscribedMessage)


@pytest.mark.parametrize("how", ["whole", "in a chunk"])
async def test_v4_steered_words_stand_once_however_the_agent_repeats_them(how: str) -> None:
    async with conversation(version=2, meta={"steering": {"supported": True}}) as talk:
        request, ended = await talk.prompted()
        talk.puppet.says({"id": request["id"], "result": {"messageId": "u1"}}, own("go"), state("running"))
        await talk.until(lambda: talk.session.reported_state == "running")
        steering = asyncio.create_task(talk.agent.steer(SESSION, [TextContent(text="and stop")]))
        asked = await talk.puppet.hears("_session/steering")
        chunked = update("user_message_chunk", messageId="u2", content=text("and stop"))
        talk.puppet.answers(asked, {"outcome": "injected"})
        talk.puppet.says(own("and stop", "u2") if how == "whole" else chunked, chunk("stopped"))
        talk.puppet.says(state("idle", stopReason="end_turn"))
        await steering
        await ended

        assert shown(talk) == ["UserMessage go", "SteeredMessage and stop", "AgentMessage stopped"]


async def test_v5_the_answer_ends_no_turn_and_idle_with_a_reason_does() -> None:
    async with conversation(version=2) as talk:
        request, ended = await talk.prompted()
        usage = {"inputTokens": 7, "outputTokens": 2}
        talk.puppet.says(state("running"), {"id": request["id"], "result": {"messageId": "u1"}}, chunk("a"))
        await talk.until(lambda: talk.said() == "a")
        assert talk.session.turn_state == "running"

        talk.puppet.says(state("idle"), chunk("b"))
        await talk.until(lambda: talk.said() == "ab")
        assert talk.session.turn_state == "running"

        talk.puppet.says(*[state("idle", stopReason="max_tokens", usage=usage)] * 2)
        assert (await ended).stop_reason == "max_tokens"
        await settled()
        assert talk.session.turns[-1].spent is not None
        assert talk.session.turns[-1].spent.input_tokens == 7
        assert len(shown(talk, Notice)) == 0
        assert sum(isinstance(entry, Notice) for entry in talk.session.entries) == 1


async def test_v5_an_answer_behind_the_end_of_its_turn_is_late_and_not_lost() -> None:
    async with conversation(version=2) as talk:
        request, ended = await talk.prompted()
        talk.puppet.says(
            state("running"), own("go, as I read it"), chunk("a"), state("idle", stopReason="end_turn")
        )
        await settled()
        talk.puppet.answers(request, {"messageId": "u1"})

        assert (await ended).stop_reason == "end_turn"
        assert talk.session.turn_state == "idle"
        assert "UserMessage go, as I read it" in shown(talk)


async def test_v6_a_turn_without_a_prompt_is_marked_and_ends() -> None:
    async with conversation(version=2) as talk:
        await turn(talk)
        before = len(talk.session.entries)
        talk.puppet.says(state("running"))
        await talk.until(lambda: talk.session.unprompted_at is not None)
        assert isinstance(talk.session.entries[before], Notice)
        talk.puppet.says(chunk("the build is done", "a9"))
        await talk.until(lambda: talk.said() == "the build is done")
        assert talk.session.works_unprompted
        assert talk.session.unprompted_at is not None
        notice = talk.session.entries[before]
        assert isinstance(notice, Notice)
        assert notice.text == "The agent continues on its own."

        talk.puppet.says(state("idle", stopReason="end_turn"))
        await talk.until(lambda: talk.session.unprompted_at is None)
        assert not talk.session.works_unprompted
        assert talk.session.turn_state == "idle"
        assert len(talk.session.turns) == 1


@pytest.mark.parametrize("word", ["running", "requires_action", "unknown", "dreaming"])
async def test_v7_no_word_but_idle_reads_as_idle(word: str) -> None:
    async with conversation(version=2) as talk:
        request, ended = await talk.prompted()
        talk.puppet.says(
            {"id": request["id"], "result": {"messageId": "u1"}}, state(word, stopReason="end_turn")
        )
        await talk.until(lambda: talk.session.reported_state == word)
        assert talk.session.turn_state == "running"

        talk.puppet.says(state("idle", stopReason="end_turn"))
        await ended
        talk.puppet.says(state(word))
        await talk.until(lambda: talk.session.reported_state == word)
        assert talk.session.works_unprompted is (word in ("running", "requires_action"))


async def test_v8_a_prompt_that_was_never_taken_comes_back() -> None:
    async with conversation(version=2) as talk:
        await turn(talk)
        talk.puppet.says(state("running"))
        await talk.until(lambda: talk.session.works_unprompted)
        request, ended = await talk.prompted("never")
        talk.agent.cancel(SESSION)
        assert (await talk.puppet.hears("session/cancel"))["params"] == {"sessionId": SESSION}
        talk.puppet.answers(request, error={"code": -32800, "message": "Request cancelled"})
        talk.puppet.says(state("idle", stopReason="cancelled"))

        assert (await ended).stop_reason == "taken_back"
        await talk.until(lambda: talk.session.reported_state == "idle")
        assert talk.session.turn_state == "idle"
        prompt = talk.session.entries[talk.session.turns[-1].first]
        assert isinstance(prompt, UserMessage)
        assert prompt.dropped


async def test_v8_a_stopped_turn_ends_with_the_idle_that_says_so() -> None:
    async with conversation(version=2) as talk:
        request, ended = await talk.prompted()
        talk.puppet.says({"id": request["id"], "result": {"messageId": "u1"}}, state("running"), chunk("a"))
        await talk.until(lambda: talk.said() == "a")
        talk.agent.cancel(SESSION)
        await talk.puppet.hears("session/cancel")
        assert talk.session.turn_state == "cancelling"
        talk.puppet.says(state("idle", stopReason="cancelled"))

        assert (await ended).stop_reason == "cancelled"


async def test_v18_an_idle_that_asks_for_a_login_leads_to_one() -> None:
    async with conversation(version=2) as talk:
        request, ended = await talk.prompted()
        error = {"code": -32000, "message": "Authentication required"}
        talk.puppet.says(
            {"id": request["id"], "result": {"messageId": "u1"}},
            state("running"),
            state("idle", stopReason="error", error=error),
        )

        with pytest.raises(LoginRequired):
            await ended


# ------------------------------------------------------------------ messages and calls


async def test_v9_messages_are_replaced_cleared_and_continued() -> None:
    async with conversation(version=2) as talk:
        await turn(
            talk,
            update("agent_message", messageId="a1", content=[text("draft")]),
            update("agent_message", messageId="a1", content=[text("fin")]),
            chunk("al"),
            update("agent_message", messageId="a2", content=[text("gone")]),
            update("agent_message", messageId="a2", content=None),
            update("agent_message", messageId="a1"),
        )
        assert shown(talk, AgentMessage) == ["AgentMessage final", "AgentMessage "]

        await turn(talk, chunk(" word"), words="more", message_id="u2")
        assert shown(talk, AgentMessage) == ["AgentMessage final word", "AgentMessage "]


async def test_v10_a_message_and_a_thought_with_one_id_stay_two() -> None:
    async with conversation(version=2) as talk:
        await turn(
            talk,
            update("agent_thought_chunk", messageId="m", content=text("hm")),
            chunk("well", "m"),
            update("agent_thought_chunk", messageId="m", content=text("m")),
            update("agent_message", messageId="m", content=[text("Well.")]),
        )

        assert shown(talk, Thought, AgentMessage) == ["Thought hmm", "AgentMessage Well."]


async def test_v9_fields_of_a_call_stay_clear_and_grow() -> None:
    async with conversation(version=2) as talk:
        item = {"type": "content", "content": text("one")}
        await turn(
            talk,
            call(title="Read a", kind="read", status="in_progress", rawInput={"a": 1}, content=[item]),
            call(locations=[{"path": "/w/a"}], name="Read"),
            update("tool_call_content_chunk", toolCallId="t1", content={**item, "content": text("two")}),
            call(rawInput=None, kind=None, name=None),
            call(status="a later word"),
            call(rawOutput={"b": 2}),
            call(status="completed"),
        )
        read = talk.call()

        assert (read.title, read.kind, read.status, read.name) == ("Read a", "other", "completed", None)
        assert (read.raw_input, read.raw_output) == (None, {"b": 2})
        assert [item.text for item in read.content if isinstance(item, Text)] == ["one", "two"]
        assert [place.path for place in read.locations] == ["/w/a"]


async def test_v9_null_clears_every_field_of_a_call() -> None:
    async with conversation(version=2) as talk:
        item = {"type": "content", "content": text("one")}
        full = {"rawInput": {"a": 1}, "rawOutput": [2], "locations": [{"path": "/w/a"}], "content": [item]}
        await turn(
            talk,
            call(title="Read a", kind="read", name="Read", status="in_progress", **full),
            call(**dict.fromkeys(("title", "kind", "name", *full))),
        )
        read = talk.call()

        assert (read.title, read.kind, read.name) == ("", "other", None)
        assert (read.raw_input, read.raw_output) == (None, None)
        assert (len(read.content), len(read.locations)) == (0, 0)


async def test_v9_statuses_of_a_call() -> None:
    async with conversation(version=2) as talk:
        request, ended = await talk.prompted()
        talk.puppet.says({"id": request["id"], "result": {"messageId": "u1"}}, state("running"))
        for told, status in (
            ("in_progress", "in_progress"),
            ("paused", "paused"),
            ("dreaming", "in_progress"),
            (None, "pending"),
            ("cancelled", "cancelled"),
        ):
            talk.puppet.says(call(title="Run", status=told))
            await talk.until(lambda: talk.session.tool_call("t1") is not None)
            await talk.until(lambda status=status: talk.call().status == status, status)  # type: ignore[misc]
        talk.puppet.says(state("idle", stopReason="end_turn"))
        await ended
        assert talk.call().status == "cancelled"


async def test_v20_unknown_and_malformed_updates_are_dropped_alone() -> None:
    async with conversation(version=2) as talk:
        await turn(
            talk,
            update("agent_message_chunk", messageId="a1", content=7),
            update("tool_call_update", title="without an id"),
            update("terminal_output_chunk", terminalId="x", data="not base64!"),
            update("_later", what=1),
            update("later", what=1),
            state(7),  # type: ignore[arg-type]
            chunk("still here"),
        )

        assert talk.said() == "still here"
        unknown = [entry for entry in talk.session.entries if isinstance(entry, UnknownNews)]
        assert "tool_call_update" in [entry.name for entry in unknown]
        names = {entry.name for entry in unknown}
        assert {entry.raw["sessionUpdate"] for entry in unknown} == names


async def test_v20_metadata_of_a_call_is_patched_key_by_key() -> None:
    async with conversation(version=2) as talk:
        told = ({"a": 1, "b": 1}, {"b": 2})
        await turn(talk, *(call(title="x", _meta=meta) for meta in told), call(status="completed"))

        assert talk.call().meta == {"a": 1, "b": 2}


async def test_v20_a_batch_is_its_messages_in_order() -> None:
    async with conversation(version=2) as talk:
        request, ended = await talk.prompted()
        frames = [
            {"jsonrpc": "2.0", "id": request["id"], "result": {"messageId": "u1"}},
            *({"jsonrpc": "2.0", **frame} for frame in (state("running"), chunk("a"), chunk("b"))),
            {"jsonrpc": "2.0", **state("idle", stopReason="end_turn")},
        ]
        talk.puppet.prints(json.dumps(frames).encode() + b"\n")

        assert (await ended).stop_reason == "end_turn"
        assert talk.said() == "ab"


async def test_v9_a_cost_is_kept_and_cleared() -> None:
    async with conversation(version=2) as talk:
        cost = {"amount": 1.5, "currency": "USD"}
        await turn(
            talk, update("usage_update", used=1, size=9, cost=cost), update("usage_update", used=2, size=9)
        )
        kept = talk.session.usage
        assert isinstance(kept, UsageUpdate)
        assert kept.cost is not None

        await turn(talk, update("usage_update", used=3, size=9, cost=None), message_id="u2")
        assert talk.session.usage is not None
        assert talk.session.usage.cost is None


# ------------------------------------------------------------------ terminals and files


def terminal(**fields: Any) -> Frame:
    return update("terminal_update", **{"terminalId": "x1", **fields})


def base64_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


RUN = {"title": "make", "kind": "execute", "content": [{"type": "terminal", "terminalId": "x1"}]}


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize("is_told_first", [True, False])
async def test_v11_bytes_of_a_terminal_may_be_cut_anywhere(size: int, is_told_first: bool) -> None:
    printed = "grün ✓ 🎉\n".encode()
    pieces = [printed[at : at + size] for at in range(0, len(printed), size)]
    chunks = [update("terminal_output_chunk", terminalId="x1", data=base64_of(piece)) for piece in pieces]
    async with conversation(version=2) as talk:
        frames = [call(**RUN, status="in_progress"), terminal(command="make"), *chunks]
        await turn(
            talk,
            *(frames if is_told_first else [*frames[1:], frames[0]]),
            terminal(exitStatus={"exitCode": 2}),
            call(status="failed"),
        )

        assert str(talk.call().output) == "grün ✓ 🎉\n"
        assert talk.call().exit_code == 2


async def test_v11_a_snapshot_replaces_and_an_empty_status_ends() -> None:
    async with conversation(version=2) as talk:
        await turn(
            talk,
            call(**RUN, status="in_progress"),
            update("terminal_output_chunk", terminalId="x1", data=base64_of("half ü".encode()[:-1])),
            terminal(output={"data": base64_of(b"whole\n")}),
            update("terminal_output_chunk", terminalId="x1", data=base64_of("and ü".encode()[:-1])),
            terminal(exitStatus={}, capabilities=None),
        )
        one = talk.session.own_terminal("x1")

        assert one is not None
        assert (one.has_ended, one.exit_code) == (True, None)
        assert str(talk.call().output) == "whole\nand \ufffd"


@pytest.mark.parametrize("status", [{}, {"exitCode": 0}])
async def test_v11_a_terminal_that_ends_without_output_is_known_to_have_none(status: Frame) -> None:
    async with conversation(version=2) as talk:
        await turn(
            talk,
            call(**RUN, status="in_progress"),
            terminal(command="make"),
            terminal(output={"data": ""}),
            terminal(exitStatus=status),
            call(status="completed"),
        )

        assert talk.call().output is not None
        assert str(talk.call().output) == ""


async def test_v11_a_terminal_that_a_call_names_no_more_is_not_shown_in_it() -> None:
    async with conversation(version=2) as talk:
        item = {"type": "content", "content": text("all of it")}
        await turn(
            talk,
            call(**RUN, status="in_progress"),
            update("terminal_output_chunk", terminalId="x1", data=base64_of(b"part")),
            call(status="completed", content=[item]),
        )

        assert talk.call().output is None


PATCH = """diff --git a/one.txt b/one.txt
--- a/one.txt
+++ b/one.txt
@@ -1,3 +1,3 @@
 alpha
-beta
+BETA
 gamma
@@ -9,1 +9,2 @@
 omega
+end
"""


def changed(*changes: Frame, patch: str | None = None) -> Frame:
    diff: Frame = {"type": "diff", "changes": list(changes)}
    if patch is not None:
        diff["patch"] = {"format": "git_patch", "text": patch}
    return call(title="Edit", kind="edit", status="completed", content=[diff])


def diffs(talk: Conversation) -> list[Diff]:
    return [item for item in talk.call().content if isinstance(item, Diff)]


async def test_v12_a_patch_tells_lines_and_the_changes_tell_paths() -> None:
    async with conversation(version=2) as talk:
        await turn(talk, changed({"operation": "modify", "path": "/w/one.txt"}, patch=PATCH))

        assert diffs(talk) == [
            Diff("/w/one.txt", "alpha\nBETA\ngamma\n", "alpha\nbeta\ngamma\n", "modify"),
            Diff("/w/one.txt", "omega\nend\n", "omega\n", "modify"),
        ]
        assert list(talk.session.all_files) == ["/w/one.txt"]


@pytest.mark.parametrize("operation", ["add", "delete", "modify", "move", "copy", "later"])
async def test_v12_an_operation_without_a_patch_names_its_files_and_no_text(operation: str) -> None:
    async with conversation(version=2) as talk:
        pair = {"oldPath": "/w/old.txt"} if operation in ("move", "copy") else {}
        await turn(talk, changed({"operation": operation, "path": "/w/new.txt", **pair}))
        (diff,) = diffs(talk)

        assert diff.has_no_text
        assert (diff.operation, diff.path, diff.old_path) == (
            operation,
            "/w/new.txt",
            pair.get("oldPath", ""),
        )
        assert talk.call().named_paths == [*pair.values(), "/w/new.txt"]
        assert talk.session.all_files == {}


# ------------------------------------------------------------------ questions


async def asked(talk: Conversation, **params: Any) -> Permission:
    talk.puppet.asks(5, "session/request_permission", **{"title": "May I?", "options": OPTIONS, **params})
    await talk.until(lambda: talk.session.questions)
    (question,) = talk.session.questions.values()
    assert isinstance(question, Permission)
    return question


RM = {"title": "rm", "kind": "execute", "rawInput": {"command": "rm -rf x"}}
LS = {"title": "List files", "kind": "execute", "rawInput": {"command": "ls"}}


@pytest.mark.parametrize("status", ["in_progress", "completed"])
async def test_a_question_about_an_id_of_an_earlier_turn_shows_its_own_request(status: str) -> None:
    async with conversation(version=2) as talk:
        await turn(talk, call(**LS, status=status))
        request, _ = await talk.prompted("again")
        talk.puppet.says({"id": request["id"], "result": {"messageId": "u2"}}, state("running"))

        question = await asked(talk, subject={"type": "tool_call", "toolCall": {"toolCallId": "t1", **RM}})

        assert (question.call.title, question.call.command) == ("rm", "rm -rf x")
        assert [one.title for one in talk.session.entries if isinstance(one, ToolCall)] == [
            "List files",
            "rm",
        ]


async def test_a_question_about_a_decided_call_that_is_final_shows_its_own_request() -> None:
    async with conversation(version=2) as talk:
        request, _ = await talk.prompted()
        talk.puppet.says({"id": request["id"], "result": {"messageId": "u1"}}, state("running"))
        first = await asked(talk, subject={"type": "tool_call", "toolCall": {"toolCallId": "t1", **LS}})
        talk.agent.answer(SESSION, first.key, "yes")

        again = {"type": "tool_call", "toolCall": {"toolCallId": "t1", "status": "completed", **RM}}
        question = await asked(talk, subject=again)

        assert question.call.command == "rm -rf x"


async def test_a_question_while_a_session_is_replayed_shows_its_own_request() -> None:
    async with conversation(version=2, cwd="/w") as talk:
        loading = asyncio.create_task(talk.agent.setup.load_session(SESSION, "/w", before=talk.session))
        loaded = await talk.puppet.hears("session/resume")

        question = await asked(
            talk, sessionId=SESSION, subject={"type": "tool_call", "toolCall": {"toolCallId": "t8", **RM}}
        )

        assert question.call.command == "rm -rf x"
        talk.puppet.answers(loaded, {})
        await loading


@pytest.mark.parametrize(
    "params",
    [
        {"subject": {"type": "tool_call", "toolCall": {"toolCallId": 5, **RM}}},
        {
            "subject": {
                "type": "tool_call",
                "toolCall": {"toolCallId": "t1", "content": [{"type": "diff"}] * 250},
            }
        },
    ],
)
async def test_a_request_that_cannot_be_read_is_refused_and_not_asked_about_an_older_call(
    params: dict[str, Any],
) -> None:
    async with conversation(version=2, rules=(Rule("allow", command="ls"),)) as talk:
        request, _ = await talk.prompted()
        talk.puppet.says(
            {"id": request["id"], "result": {"messageId": "u1"}},
            state("running"),
            call(**LS, toolCallId="5"),
            call(**LS),
        )

        talk.puppet.asks(5, "session/request_permission", **{"title": "May I?", "options": OPTIONS, **params})

        await talk.until(lambda: talk.puppet.sent.answers(5))
        assert "error" in talk.puppet.sent.answers(5)[0]


async def test_what_stands_beside_the_subject_of_a_question_is_named() -> None:
    async with conversation(version=2) as talk:
        await talk.prompted()
        subject = {"type": "tool_call", "toolCall": {"toolCallId": "t1", **LS}}

        question = await asked(talk, subject=subject, toolCall={"rm": "-rf"}, hasNoCall=True)

        assert question.call.unread == {"request own toolCall": {"rm": "-rf"}, "request own hasNoCall": True}
        assert not question.has_no_call


async def test_what_is_not_understood_of_one_piece_of_content_is_kept_beside_that_of_the_next() -> None:
    async with conversation(version=2) as talk:
        await talk.prompted()
        pieces = [{"type": "content", "content": {**text("hi"), name: "rm"}} for name in ("hidden", "note")]
        talk.puppet.says(
            call(**LS),
            *(update("tool_call_content_chunk", toolCallId="t1", content=piece) for piece in pieces),
        )
        await talk.until(lambda: talk.session.tool_call("t1") and len(talk.call().content) == 2)

        assert talk.call().unread == {"content": pieces}


async def test_v13_a_call_that_is_allowed_runs_and_may_outlive_its_turn() -> None:
    async with conversation(version=2) as talk:
        request, ended = await talk.prompted()
        talk.puppet.says(
            {"id": request["id"], "result": {"messageId": "u1"}},
            state("running"),
            call(title="make", kind="execute", status="in_progress"),
        )
        subject = {"type": "tool_call", "toolCall": {"toolCallId": "t1", "status": "pending"}}
        question = await asked(talk, subject=subject)
        assert talk.call().status == "pending"

        talk.agent.answer(SESSION, question.key, "yes")
        talk.puppet.says(state("idle", stopReason="end_turn"))
        await ended

        assert (talk.call().status, talk.call().in_background) == ("in_progress", True)


async def test_v13_a_question_about_a_call_tells_the_call_first() -> None:
    async with conversation(version=2) as talk:
        request, ended = await talk.prompted()
        item = {"type": "diff", "changes": [{"operation": "modify", "path": "/w/one.txt"}]}
        talk.puppet.says(
            {"id": request["id"], "result": {"messageId": "u1"}},
            state("running"),
            call(title="Editing", kind="edit", rawInput={"a": 1}),
            state("requires_action"),
        )
        subject = {"type": "tool_call", "toolCall": {"toolCallId": "t1", "rawInput": None, "content": [item]}}
        question = await asked(talk, subject=subject, description="Because")

        assert (question.title, question.description) == ("May I?", "Because")
        assert (question.call.title, question.call.raw_input) == ("Editing", None)
        assert question.call.named_paths == ["/w/one.txt"]
        talk.agent.answer(SESSION, question.key, "yes")
        assert (await talk.puppet.answer_to(5))["result"] == chosen("yes")
        talk.puppet.says(call(status="completed"), state("running"), state("idle", stopReason="end_turn"))
        await ended
        assert talk.call().decision == "Allow (you)"


@pytest.mark.parametrize(
    ("subject", "kind", "command"),
    [
        (None, "other", None),
        ({"type": "later", "what": 1}, "other", None),
        ({"type": "command", "command": "rm -r build", "cwd": "/w"}, "execute", "rm -r build"),
        ({"type": "command", "command": "make", "cwd": "/w", "toolCallId": "t9"}, "execute", "make"),
        ({"type": "tool_call"}, "other", None),
        (7, "other", None),
    ],
)
@pytest.mark.parametrize("option", ["yes", "no"])
async def test_v13_questions_about_anything_are_answered(
    subject: Any, kind: str, command: str | None, option: str
) -> None:
    async with conversation(version=2) as talk:
        params = {} if subject is None else {"subject": subject}
        question = await asked(talk, **params)

        assert (question.title, question.call.kind, question.call.command) == ("May I?", kind, command)
        talk.agent.answer(SESSION, question.key, option)
        assert (await talk.puppet.answer_to(5))["result"] == chosen(option)
        stands = talk.session.entries[question.place or 0]
        assert isinstance(stands, ToolCall)
        names_a_call = isinstance(subject, dict) and "toolCallId" in subject
        assert question.has_no_call is not names_a_call
        answered = "pending" if names_a_call else "completed"
        assert stands.status == (answered if option == "yes" else "rejected")


async def test_v13_a_question_behind_the_end_of_the_turn_is_an_ordinary_one() -> None:
    async with conversation(version=2) as talk:
        await turn(talk, call(title="Watch", status="in_progress"))
        question = await asked(talk)
        assert talk.session.turn_state == "idle"
        talk.agent.answer(SESSION, question.key, None)
        assert (await talk.puppet.answer_to(5))["result"] == {"outcome": {"outcome": "cancelled"}}


# ------------------------------------------------------------------ beside the turn


async def test_v14_calls_and_terminals_are_cancelled_where_that_is_offered() -> None:
    async with conversation(version=2) as talk:
        can: Frame = {"cancel": {}}
        await turn(
            talk,
            call(title="Watch", status="in_progress", capabilities=can),
            terminal(command="make", capabilities=can),
            state("running", background=[{"type": "tool_call", "toolCallId": "t1"}]),
            state(
                "running",
                background=[
                    {"type": "tool_call", "toolCallId": "t1"},
                    {"type": "terminal", "terminalId": "x1"},
                ],
            ),
        )
        talk.puppet.says(call(capabilities=None), terminal(capabilities=None))
        await talk.until(lambda: not talk.call().can_cancel)
        await settled()
        for attempt in (talk.agent.cancel_call(SESSION, "t1"), talk.agent.cancel_terminal(SESSION, "x1")):
            with pytest.raises(NotOffered):
                await attempt

        talk.puppet.says(call(capabilities=can), terminal(capabilities=can))
        await talk.until(lambda: talk.call().can_cancel)
        await settled()
        stopping = asyncio.create_task(talk.agent.cancel_call(SESSION, "t1"))
        request = await talk.puppet.hears("tool_call/cancel")
        assert request["params"] == {"sessionId": SESSION, "toolCallId": "t1"}
        talk.puppet.answers(request, {})
        await stopping
        assert (talk.call().status, talk.call().in_background) == ("in_progress", True)

        stopping = asyncio.create_task(talk.agent.cancel_terminal(SESSION, "x1"))
        request = await talk.puppet.hears("terminal/cancel")
        assert request["params"] == {"sessionId": SESSION, "terminalId": "x1"}
        talk.puppet.answers(request, {})
        await stopping
        assert [one.terminal_id for one in talk.session.background_terminals] == ["x1"]

        talk.puppet.says(
            call(status="cancelled", capabilities=None),
            terminal(exitStatus={}, capabilities=None),
            state("idle", background=[]),
        )
        await talk.until(lambda: talk.session.background == [])
        assert talk.call().status == "cancelled"
        assert (talk.session.background_calls, talk.session.background_terminals) == ([], [])
        for attempt in (
            talk.agent.cancel_call(SESSION, "t1"),
            talk.agent.cancel_terminal(SESSION, "x1"),
            talk.agent.cancel_call(SESSION, "nobody's"),
        ):
            with pytest.raises(NotOffered):
                await attempt


async def test_v15_a_call_that_is_over_shows_that_its_terminal_goes_on() -> None:
    async with conversation(version=2) as talk:
        beside = [{"type": "terminal", "terminalId": "x1"}]
        shown: Frame = {"type": "terminal", "terminalId": "x1"}
        await turn(
            talk,
            call(title="make", kind="execute", status="completed", content=[shown]),
            terminal(command="make"),
            state("running", background=beside),
        )
        assert (talk.call().status, talk.call().has_left) == ("completed", True)
        assert [one.terminal_id for one in talk.session.background_terminals] == ["x1"]
        assert talk.session.background_calls == []

        talk.puppet.says(terminal(exitStatus={"exitCode": 0}))
        await talk.until(lambda: not talk.call().has_left)
        talk.puppet.says(terminal(exitStatus=None), state("idle", background=beside))
        await talk.until(lambda: talk.call().has_left)
        talk.puppet.says(state("idle", background=[]))
        await talk.until(lambda: not talk.call().has_left)


async def test_v15_what_works_beside_is_told_whole_or_not_at_all() -> None:
    async with conversation(version=2) as talk:
        both = [{"type": "terminal", "terminalId": name} for name in ("x1", "x2")]
        await turn(talk, terminal(command="make"), state("running", background=both))
        assert not talk.session.is_background_current
        assert [one.terminal_id for one in talk.session.background_terminals] == ["x1", "x2"]

        talk.puppet.says(terminal(exitStatus={}))
        await talk.until(lambda: [one.terminal_id for one in talk.session.background_terminals] == ["x2"])
        talk.puppet.says(state("idle", background=[{"type": "later"}, both[1]]))
        await talk.until(lambda: talk.session.is_background_current)
        assert [one.terminal_id for one in talk.session.background_terminals] == ["x2"]
        assert [one.type for one in talk.session.background_others] == ["later"]

        talk.puppet.says(state("idle", background=[]))
        await talk.until(lambda: not talk.session.background_terminals)


# ------------------------------------------------------------------ sessions


async def test_v16_a_resume_with_a_replay_rebuilds_all_and_calls_nobody() -> None:
    async with conversation(version=2) as talk:
        loading = asyncio.create_task(talk.agent.setup.load_session("old", "/w"))
        request = await talk.puppet.hears("session/resume")
        assert request["params"]["replayFrom"] == {"type": "start"}
        talk.puppet.says(
            update("user_message", "old", messageId="u1", content=[]),
            update("user_message_chunk", "old", messageId="u1", content=text("go")),
            update("agent_thought", "old", messageId="m", content=[]),
            update("agent_thought_chunk", "old", messageId="m", content=text("hm")),
            update("agent_message", "old", messageId="m", content=[]),
            update("agent_message_chunk", "old", messageId="m", content=text("done")),
            update("terminal_update", "old", terminalId="x1", command="make"),
            update("tool_call_update", "old", toolCallId="t1", **RUN, status="pending", rawOutput=None),
            update("terminal_update", "old", terminalId="x1", output={"data": base64_of(b"ok\n")}),
            update("terminal_update", "old", terminalId="x1", exitStatus={"exitCode": 0}),
            update("tool_call_update", "old", toolCallId="t1", status="completed"),
            update("user_message", "old", messageId="u2", content=[text("more")]),
            update("state_update", "old", state="running"),
            update("state_update", "old", state="idle", stopReason="end_turn", background=[]),
            {"id": request["id"], "result": {}},
        )
        session = await loading

        kinds = [type(entry).__name__ for entry in session.entries]
        assert kinds == ["UserMessage", "Thought", "AgentMessage", "ToolCall", "UserMessage"]
        found = session.tool_call("t1")
        assert found is not None
        assert (str(found.output), found.exit_code, found.status) == ("ok\n", 0, "completed")
        await talk.until(lambda: session.reported_state == "idle")
        assert (session.turn_state, session.turns, session.unprompted_at) == ("idle", [], None)


async def test_v16_a_session_that_works_when_it_is_resumed_works_by_itself() -> None:
    async with conversation(version=2) as talk:
        loading = asyncio.create_task(talk.agent.setup.load_session("old", "/w", replay=False))
        request = await talk.puppet.hears("session/resume")
        assert "replayFrom" not in request["params"]
        talk.puppet.says(update("state_update", "old", state="running"), {"id": request["id"], "result": {}})
        session = await loading
        await talk.until(lambda: session.works_unprompted)

        talk.agent.cancel("old")
        assert (await talk.puppet.hears("session/cancel"))["params"] == {"sessionId": "old"}


OPTION = {
    "configId": "mode",
    "name": "Mode",
    "category": "mode",
    "type": "select",
    "currentValue": "ask",
    "options": [{"groupId": "g", "name": "All", "options": [{"value": "ask", "name": "Ask"}]}],
}


async def test_v17_selects_are_set_by_id_and_the_lists_agree() -> None:
    async with conversation(version=2) as talk:
        switch = {"configId": "fast", "name": "Fast", "type": "boolean", "currentValue": False}
        talk.puppet.updates("config_option_update", configOptions=[OPTION, switch])
        await talk.until(lambda: len(talk.session.options) == 2)
        mode, fast = talk.session.options
        assert [each.config.id for each in (mode, fast)] == ["mode", "fast"]

        for option, value, kind in ((mode, "ask", "id"), (fast, True, "boolean")):
            setting = asyncio.create_task(talk.agent.set_option(SESSION, option, value))
            request = await talk.puppet.hears("session/set_config_option")
            assert request["params"] == {
                "sessionId": SESSION,
                "configId": option.config.id,
                "type": kind,
                "value": value,
            }
            told = [OPTION, {**switch, "currentValue": True}]
            talk.puppet.updates("config_option_update", configOptions=told)
            talk.puppet.answers(request, {"configOptions": told})
            await setting
        assert talk.session.pending == {}
        assert talk.session.options[1].config.current_value is True


async def test_v18_logins_have_names_of_their_own() -> None:
    method = {
        "methodId": "key",
        "type": "terminal",
        "name": "Key",
        "env": [{"name": "A", "value": "1"}],
    }
    result = {**NEW, "authMethods": [method, {"methodId": "web", "type": "agent", "name": "Web"}]}
    agent, _ = await introduced({"result": result})

    assert agent.info is not None
    assert [(each.id, each.type, each.env) for each in agent.info.auth_methods] == [
        ("key", "terminal", {"A": "1"}),
        ("web", "agent", {}),
    ]
    assert agent.can.auth.logout == {}

    agent, _ = await introduced({"result": NEW})
    assert agent.can.auth.logout is None


async def test_v2_v18_no_method_of_version_1_goes_out() -> None:
    async with conversation(version=2) as talk:
        login = asyncio.create_task(talk.agent.logins.authenticate("web"))
        request = await talk.puppet.hears("auth/login")
        assert request["params"] == {"methodId": "web"}
        talk.puppet.answers(request, {})
        await login
        talk.agent.can.auth.logout = {}
        leaving = asyncio.create_task(talk.agent.logins.log_out())
        talk.puppet.answers(await talk.puppet.hears("auth/logout"), {})
        await leaving
        closing = asyncio.create_task(talk.agent.close_session(SESSION))
        talk.puppet.answers(await talk.puppet.hears("session/close"), {})
        await closing


async def test_v19_the_state_of_a_subagent_counts_once() -> None:
    async with conversation(version=2) as talk:
        usage = {"inputTokens": 3, "outputTokens": 1}
        await turn(
            talk,
            update("subagent_update", sessionId="k1", title="Explorer", state={"state": "running"}),
            update("state_update", "k1", state="running"),
            update("agent_message_chunk", "k1", messageId="m", content=text("found")),
        )
        one = talk.session.subagent("k1")
        assert one is not None
        assert (one.is_working, len(talk.session.working), talk.session.reported_state) == (True, 1, "idle")

        told = {"state": "idle", "stopReason": "end_turn"}
        talk.puppet.says(
            update("subagent_update", sessionId="k1", state={**told, "usage": usage}),
            update("state_update", "k1", **told),
        )
        await talk.until(lambda: not one.is_working)
        await settled()
        assert one.spent is not None
        assert one.stop_reason == "end_turn"

        talk.puppet.says(update("state_update", "k1", state="running"))
        await talk.until(lambda: one.is_working)
