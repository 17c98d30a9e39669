"""Logging in to an agent and out again."""

from __future__ import annotations

import asyncio

import pytest

from acp_tui.agent.errors import (
    CallFailed,
    LoginRequired,
    NotOffered,
)
from tests.agent.puppet import conversation
from tests.waiting import settled


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
