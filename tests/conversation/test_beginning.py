"""How a conversation comes to a session, with the logins that this takes."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from tests.conversation.talks import LeftOpen, said, start, talk
from tests.waiting import until


@pytest.mark.parametrize("where", ["session", "prompt"])
async def test_a_login_is_asked_for_where_the_agent_wants_one_and_repeated_when_it_fails(
    tmp_path: Path, where: str
) -> None:
    async with talk(start(tmp_path, login=where, bad_logins=1)) as (conversation, notes):
        notes.logins = ["key", "key"]
        conversation.say("hello")

        await conversation.begin()
        await until(lambda: conversation.session and said(conversation)[-1:] == ["heard hello"])

        assert notes.errors == ["Authentication required", "Wrong password"]
        assert notes.given_back == []


async def test_a_login_that_did_not_help_is_told_as_such(tmp_path: Path) -> None:
    async with talk(start(tmp_path, login="session", useless_logins=True)) as (conversation, notes):
        notes.logins = ["key", None]

        await conversation.begin()

        assert notes.errors == ["Authentication required", "The login did not help: Authentication required"]
        assert conversation.phase == "failed"


async def test_a_login_that_did_not_help_a_prompt_is_told_in_the_chat(tmp_path: Path) -> None:
    async with talk(start(tmp_path, login="prompt", useless_logins=True)) as (conversation, notes):
        notes.logins = ["key"]
        conversation.say("hello")

        await conversation.begin()
        await until(lambda: notes.given_back == ["hello"] or notes.logins == [])
        help_text = "The login did not help: the agent wants one all the same."
        await until(lambda: conversation.session and help_text in said(conversation))


async def test_r20_ways_to_log_in_are_not_offered_where_a_session_needs_none(tmp_path: Path) -> None:
    async with talk(start(tmp_path, login="never")) as (conversation, notes):
        await conversation.begin()

        assert conversation.agent is not None
        assert [method.id for method in conversation.agent.logins.methods()] == ["key"]
        assert conversation.phase == "ready"
        assert (notes.offered, notes.errors) == ([], [])


async def test_without_a_login_there_is_no_session_and_nothing_is_lost(tmp_path: Path) -> None:
    async with talk(start(tmp_path, login="session")) as (conversation, notes):
        notes.logins = [None]
        conversation.say("hello")

        await conversation.begin()

        assert notes.phases == ["starting", "logging-in", "failed"]
        assert conversation.failure is not None
        assert conversation.failure.kind == "login"
        assert notes.given_back == ["hello"]


async def test_a_prompt_that_wants_a_login_comes_back_when_the_person_does_not_log_in(tmp_path: Path) -> None:
    async with talk(start(tmp_path, login="prompt")) as (conversation, notes):
        notes.logins = [None]
        await conversation.begin()
        conversation.say("hello")
        conversation.say("more")

        await until(lambda: notes.given_back)

        assert notes.given_back == ["hello\n\nmore"]
        assert conversation.phase == "ready"


async def test_a_form_during_a_login_is_a_question_of_no_session(tmp_path: Path) -> None:
    form = {"type": "object", "properties": {"name": {"type": "string"}}}
    async with talk(start(tmp_path, login="session", form=form)) as (conversation, notes):
        notes.logins = ["key"]
        beginning = asyncio.create_task(conversation.begin())
        await until(lambda: conversation.questions)
        ((key, question),) = conversation.questions.items()
        assert notes.questions == 1

        conversation.answer_form(key, "accept", {"name": "me"})
        await beginning

        assert key[0] == ""
        assert question.key == key[1]
        assert conversation.phase == "ready"
        assert not conversation.questions


async def test_the_login_is_over_when_the_agent_ends(tmp_path: Path) -> None:
    async with talk(start(tmp_path, login="session")) as (conversation, notes):
        left_open = LeftOpen()
        notes.choose_login = left_open  # type: ignore[method-assign, assignment]
        beginning = asyncio.create_task(conversation.begin())
        await until(lambda: conversation.phase == "logging-in")
        assert conversation.connecting.process is not None
        os.kill(conversation.connecting.process.pid, 9)
        await beginning

        assert left_open.is_gone.is_set()
        assert conversation.phase == "failed"
        assert conversation.failure is not None
        assert conversation.failure.kind == "exited"
