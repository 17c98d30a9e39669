"""Logins on the way to a session."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_tui.agent.process import Process
from acp_tui.store.agents import Launch
from acp_tui.store.settings import Settings
from tests.conversation.talks import PLAIN, LeftOpen, launch, said, start, talk
from tests.waiting import until


@pytest.mark.slow
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

        assert notes.errors == ["Authentication required", "The login did not work: Authentication required"]
        assert conversation.phase == "failed"


@pytest.mark.slow
async def test_a_login_that_did_not_help_a_prompt_is_told_in_the_chat(tmp_path: Path) -> None:
    async with talk(start(tmp_path, login="prompt", useless_logins=True)) as (conversation, notes):
        notes.logins = ["key"]
        conversation.say("hello")

        await conversation.begin()
        await until(lambda: notes.given_back == ["hello"] or notes.logins == [])
        help_text = "The login did not work: the agent still asks for one."
        await until(lambda: conversation.session and help_text in said(conversation))


@pytest.mark.slow
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


@pytest.mark.slow
async def test_a_prompt_that_wants_a_login_comes_back_when_the_user_does_not_log_in(tmp_path: Path) -> None:
    async with talk(start(tmp_path, login="prompt")) as (conversation, notes):
        notes.logins = [None]
        await conversation.begin()
        conversation.say("hello")
        conversation.say("more")

        await until(lambda: notes.given_back)

        assert notes.given_back == ["hello\n\nmore"]
        assert conversation.phase == "ready"


@pytest.mark.slow
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
    given = start(tmp_path, login="session")
    assert given.launch is not None
    process = Process.spawn(given.launch.argv, cwd=str(tmp_path), guard=given.guard)
    async with talk(given, process=process) as (conversation, notes):
        left_open = LeftOpen()
        notes.choose_login = left_open  # type: ignore[method-assign, assignment]
        beginning = asyncio.create_task(conversation.begin())
        await until(lambda: conversation.phase == "logging-in")
        os.kill(process.pid, 9)
        await beginning

        assert left_open.is_gone.is_set()
        assert conversation.phase == "failed"
        assert conversation.failure is not None
        assert conversation.failure.kind == "exited"


async def test_another_version_of_the_protocol_ends_the_connection(tmp_path: Path) -> None:
    async with talk(start(tmp_path, version=2)) as (conversation, _):
        await conversation.begin()

        assert conversation.failure is not None
        assert conversation.failure.kind == "version"
        assert conversation.agent is not None
        assert conversation.agent.connection.exit is not None


async def test_an_agent_that_ends_before_it_answers_is_a_failure_with_its_last_words(tmp_path: Path) -> None:
    async with talk(start(tmp_path, dies_at="session/new")) as (conversation, notes):
        conversation.say("hello")
        await conversation.begin()

        assert conversation.failure is not None
        assert (conversation.failure.kind, conversation.failure.stderr) == ("exited", "no API key\n")
        assert conversation.failure.exit is not None
        assert conversation.failure.exit.exit_code == 3
        assert notes.given_back == ["hello"]
        assert notes.phases == ["starting", "failed"]


@pytest.mark.slow
async def test_an_agent_that_ends_while_its_mode_is_set_did_not_start(tmp_path: Path) -> None:
    given = start(tmp_path, modes=["ask", "plan"], dies_at="session/set_mode")
    async with talk(given, mode="plan") as (conversation, _):
        await conversation.begin()

        assert conversation.phase == "failed"


async def test_a_program_that_only_prints_is_strange(tmp_path: Path) -> None:
    given = replace(start(tmp_path), launch=Launch("yes", "yes", ("/bin/sh", "-c", "seq 100; exit 2")))
    async with talk(given) as (conversation, _):
        await conversation.begin()

        assert conversation.failure is not None
        assert conversation.failure.no_agent


@pytest.mark.slow
async def test_an_agent_that_does_not_answer_is_waited_for_and_can_be_started_again(tmp_path: Path) -> None:
    settings = PLAIN._replace(initialize_timeout_s=0.05)
    async with talk(start(tmp_path, settings, ignores="initialize")) as (conversation, notes):
        beginning = asyncio.create_task(conversation.begin())
        await until(lambda: conversation.waits_too_long)
        assert conversation.phase == "starting"

        await conversation.restart(launch())
        await beginning

        assert not conversation.waits_too_long
        assert notes.phases == ["starting", "ending", "starting", "ready"], (
            "the first start says nothing more"
        )


@pytest.mark.slow
async def test_a_program_that_cannot_be_started_is_a_failure(tmp_path: Path) -> None:
    given = replace(start(tmp_path), launch=Launch("no", "no", ("/no/such/program",)))
    async with talk(given) as (conversation, notes):
        conversation.say("hello")
        await conversation.begin()

        assert conversation.failure is not None
        assert conversation.failure.kind == "spawn"
        assert notes.given_back == ["hello"]
        await conversation.restart(launch())
        assert conversation.phase == "ready"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("can", "is_resumed_start"),
    [
        ({}, False),
        ({"loadSession": True}, True),
        ({"sessionCapabilities": {"resume": {}}}, True),
    ],
)
async def test_of_an_agent_that_has_ended_it_is_known_whether_it_can_take_a_session_up(
    can: dict[str, Any], is_resumed_start: bool, tmp_path: Path
) -> None:
    async with talk(start(tmp_path, can=can)) as (conversation, _):
        await conversation.begin()
        conversation.say("die")
        await until(lambda: conversation.phase == "ended")

        assert conversation.failure is not None
        assert conversation.failure.is_resumed_start is is_resumed_start
        assert not conversation.failure.closed_output


@pytest.mark.slow
async def test_of_an_agent_that_closed_its_output_and_stayed_it_is_known_that_it_was_ended(
    tmp_path: Path,
) -> None:
    async with talk(start(tmp_path)) as (conversation, _):
        await conversation.begin()
        conversation.say("fall silent")
        await until(lambda: conversation.phase == "ended")

        assert conversation.failure is not None
        assert conversation.failure.closed_output


CAN_TELL: dict[str, Any] = {"auth": {"status": {}}}


async def test_an_agent_that_tells_that_nobody_is_logged_in_gets_a_login_before_the_session(
    tmp_path: Path,
) -> None:
    async with talk(start(tmp_path, accounts=True, can=CAN_TELL)) as (conversation, notes):
        notes.logins = ["key"]

        await conversation.begin()

        assert notes.errors == ["You are not logged in."]
        assert notes.phases == ["starting", "logging-in", "starting", "ready"]


async def test_a_user_who_does_not_log_in_goes_on_without(tmp_path: Path) -> None:
    async with talk(start(tmp_path, accounts=True, can=CAN_TELL)) as (conversation, notes):
        notes.logins = [None]

        await conversation.begin()

        assert conversation.phase == "ready"
        assert conversation.agent is not None
        assert conversation.agent.logins.is_logged_out


async def test_c156_an_agent_that_cannot_tell_is_not_asked_for_its_login(tmp_path: Path) -> None:
    async with talk(start(tmp_path, accounts=True, dies_at="auth/status")) as (conversation, notes):
        await conversation.begin()

        assert conversation.phase == "ready"
        assert notes.errors == []


async def test_c158_accounts_are_in_no_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    async with talk(start(tmp_path, Settings(snapshots=False), accounts=True, can=CAN_TELL)) as (
        conversation,
        notes,
    ):
        notes.logins = ["key"]
        await conversation.begin()
        assert conversation.agent is not None
        assert conversation.agent.logins.status is not None
        assert [one.label for one in conversation.agent.logins.status.accounts] == ["Ann"]
        assert conversation.journal is not None
        path = conversation.journal.path
    assert path is not None
    assert "auth/status" in path.read_text()
    assert "unauthenticated" in path.read_text()
    assert "nn@example" not in path.read_text()
    assert '"Ann"' not in path.read_text()
