"""Requests that list, open and end an agent's sessions."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest

from acp_tui.agent.capabilities import AgentError, CallFailed, LoginRequired, NotOffered
from acp_tui.protocol.schema import TextContent
from acp_tui.session.events import Prompted
from acp_tui.session.session import Session
from tests.agent.puppet import OPTIONS, SESSION, conversation, text, update
from tests.sent import Frame
from tests.waiting import settled


async def test_c48_a_list_is_followed_to_its_end_and_never_in_circles() -> None:
    async with conversation() as talk:
        pages: list[Any] = [
            {"sessions": [{"sessionId": "a", "cwd": "/w"}, {"no": "id"}], "nextCursor": "c1"},
            {"sessions": [{"sessionId": "b", "cwd": "/w", "title": 5}], "nextCursor": "c2"},
            {"sessions": [{"sessionId": "c", "cwd": "/w"}], "nextCursor": "c1"},
        ]
        listing = asyncio.create_task(talk.agent.listing.whole("/w"))
        for page in pages:
            talk.puppet.answers(await talk.puppet.hears("session/list"), page)

        assert [info.session_id for info in await listing] == ["a", "b", "c"]
        assert talk.puppet.sent.requests("session/list") == [
            {"cwd": "/w"},
            {"cwd": "/w", "cursor": "c1"},
            {"cwd": "/w", "cursor": "c2"},
        ]

        listing = asyncio.create_task(talk.agent.listing.whole())
        talk.puppet.answers(await talk.puppet.hears("session/list"), None)
        assert await listing == []


async def test_c40_a_login_method_of_unknown_type_is_one_of_the_agent() -> None:
    async with conversation(begun=False) as talk:
        starting = asyncio.create_task(talk.agent.initialize())
        methods = [{"id": "a", "name": "A"}, {"id": "b", "name": "B", "type": "passkey"}, {"name": "no id"}]
        result = {"protocolVersion": 1, "authMethods": methods}
        talk.puppet.answers(await talk.puppet.hears("initialize"), result)

        info = await starting

        assert [(method.id, method.type) for method in info.auth_methods] == [
            ("a", "agent"),
            ("b", "passkey"),
        ]

        login = asyncio.create_task(talk.agent.logins.authenticate("b"))
        talk.puppet.answers(await talk.puppet.hears("authenticate"), None)
        await login


async def test_c37_a_login_that_is_needed_is_an_error_of_its_own() -> None:
    async with conversation() as talk:
        making = asyncio.create_task(talk.agent.setup.new_session("/w"))
        error = {"code": -32000, "message": "Authentication required", "data": {"details": "log in first"}}
        talk.puppet.answers(await talk.puppet.hears("session/new"), error=error)

        with pytest.raises(LoginRequired, match="log in first"):
            await making


async def test_c38_a_login_can_be_given_up_and_its_late_answer_is_taken() -> None:
    async with conversation() as talk:
        login = asyncio.create_task(talk.agent.logins.authenticate("browser"))
        call = await talk.puppet.hears("authenticate")

        login.cancel()
        withdrawn = await talk.puppet.hears("$/cancel_request")
        talk.puppet.answers(call, {})
        await settled()

        assert withdrawn["params"] == {"requestId": call["id"]}
        assert talk.agent.connection.waiting_for == []


async def test_c38_a_login_that_is_to_stop_keeps_waiting_for_its_answer() -> None:
    async with conversation() as talk:
        login = asyncio.create_task(talk.agent.logins.authenticate("browser"))
        call = await talk.puppet.hears("authenticate")

        talk.agent.logins.stop()
        withdrawn = await talk.puppet.hears("$/cancel_request")
        await settled()
        assert withdrawn["params"] == {"requestId": call["id"]}
        assert not login.done()

        talk.puppet.answers(call, error={"code": -32800, "message": "Cancelled"})
        with pytest.raises(CallFailed, match="Cancelled"):
            await login


async def test_c38_a_login_in_a_terminal_is_never_a_call() -> None:
    async with conversation(begun=False) as talk:
        starting = asyncio.create_task(talk.agent.initialize())
        methods = [{"id": "tui", "name": "T", "type": "terminal", "args": ["--login"], "env": {"A": "b"}}]
        result = {"protocolVersion": 1, "authMethods": methods}
        talk.puppet.answers(await talk.puppet.hears("initialize"), result)
        await starting
        before = len(talk.puppet.sent.frames)

        with pytest.raises(NotOffered):
            await talk.agent.logins.authenticate("tui")
        assert len(talk.puppet.sent.frames) == before


async def test_c37_ways_to_log_in_that_only_the_error_names_are_offered_too() -> None:
    async with conversation(begun=False) as talk:
        starting = asyncio.create_task(talk.agent.initialize())
        result = {"protocolVersion": 1, "authMethods": [{"id": "a", "name": "A"}]}
        talk.puppet.answers(await talk.puppet.hears("initialize"), result)
        await starting
        making = asyncio.create_task(talk.agent.setup.new_session("/w"))
        named = [{"id": "b", "name": "B"}, {"name": "no id"}, 5, {"id": "a", "name": "again"}]
        error = {"code": -32000, "message": "Log in", "data": {"authMethods": named}}
        talk.puppet.answers(await talk.puppet.hears("session/new"), error=error)
        with pytest.raises(LoginRequired) as refused:
            await making

        offered = talk.agent.logins.methods(refused.value)

        assert [(method.id, method.name) for method in offered] == [("a", "A"), ("b", "B")]


async def test_c41_logging_out_is_a_request() -> None:
    async with conversation() as talk:
        leaving = asyncio.create_task(talk.agent.logins.log_out())
        talk.puppet.answers(await talk.puppet.hears("logout"), {})

        await leaving


@pytest.mark.parametrize(
    ("methods", "message", "wants_login"),
    [
        ([{"id": "a", "name": "A"}], "You are not logged in", True),
        ([{"id": "a", "name": "A"}], "Please run `agent login` first", True),
        ([{"id": "a", "name": "A"}], "401 Unauthorized", True),
        ([{"id": "a", "name": "A"}], "Invalid API key", True),
        ([{"id": "a", "name": "A"}], "No such file: login.py", False),
        ([], "You are not logged in", False),
    ],
)
async def test_an_error_whose_words_ask_for_a_login_is_one_where_there_are_ways(
    methods: list[dict[str, str]], message: str, wants_login: bool
) -> None:
    async with conversation(begun=False) as talk:
        starting = asyncio.create_task(talk.agent.initialize())
        result = {"protocolVersion": 1, "authMethods": methods}
        talk.puppet.answers(await talk.puppet.hears("initialize"), result)
        await starting
        making = asyncio.create_task(talk.agent.setup.new_session("/w"))
        error = {"code": -32603, "message": message}
        talk.puppet.answers(await talk.puppet.hears("session/new"), error=error)

        with pytest.raises(CallFailed, match=message) as failed:
            await making

        assert isinstance(failed.value, LoginRequired) == wants_login


async def test_an_error_of_a_login_itself_asks_for_no_other_one() -> None:
    async with conversation() as talk:
        talk.agent.connection.offers_logins = True
        login = asyncio.create_task(talk.agent.logins.authenticate("a"))
        error = {"code": -32603, "message": "Authentication failed"}
        talk.puppet.answers(await talk.puppet.hears("authenticate"), error=error)

        with pytest.raises(CallFailed) as failed:
            await login

        assert not isinstance(failed.value, LoginRequired)


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


@pytest.mark.parametrize("what", ["new", "fork"])
async def test_the_rules_of_a_folder_count_before_a_session_in_it_has_its_id(what: str) -> None:
    can: Frame = {"sessionCapabilities": {"fork": {}}}
    async with conversation(can) as talk:
        entered: list[str] = []
        talk.access.entered = entered.append
        setup = talk.agent.setup
        making = asyncio.create_task(
            setup.new_session("/other") if what == "new" else setup.fork_session(SESSION, "/other")
        )
        asked = await talk.puppet.hears(f"session/{what}")
        assert entered == ["/other"]
        talk.puppet.answers(asked, {"sessionId": "s2"})
        await making
