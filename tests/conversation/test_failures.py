"""Why there is no conversation."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from acp_tui.store.launch import Launch
from acp_tui.store.settings import Settings
from tests.conversation.talks import launch, start, talk
from tests.waiting import until


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


async def test_an_agent_that_ends_while_its_mode_is_set_did_not_start(tmp_path: Path) -> None:
    given = start(tmp_path, modes=["ask", "plan"], dies_at="session/set_mode")
    async with talk(given, mode="plan") as (conversation, _):
        await conversation.begin()

        assert conversation.phase == "failed"


async def test_a_program_that_only_prints_is_strange(tmp_path: Path) -> None:
    given = start(tmp_path)._replace(launch=Launch("yes", "yes", ("/bin/sh", "-c", "seq 100; exit 2")))
    async with talk(given) as (conversation, _):
        await conversation.begin()

        assert conversation.failure is not None
        assert conversation.failure.strange
        assert conversation.failure.noise == 100


async def test_an_agent_that_does_not_answer_is_waited_for_and_can_be_started_again(tmp_path: Path) -> None:
    settings = Settings(journal=False, initialize_timeout_s=0.05)
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


async def test_a_program_that_cannot_be_started_is_a_failure(tmp_path: Path) -> None:
    given = start(tmp_path)._replace(launch=Launch("no", "no", ("/no/such/program",)))
    async with talk(given) as (conversation, notes):
        conversation.say("hello")
        await conversation.begin()

        assert conversation.failure is not None
        assert conversation.failure.kind == "spawn"
        assert notes.given_back == ["hello"]
        await conversation.restart(launch())
        assert conversation.phase == "ready"


@pytest.mark.parametrize(
    ("can", "takes_up"),
    [
        ({}, False),
        ({"loadSession": True}, True),
        ({"sessionCapabilities": {"resume": {}}}, True),
    ],
)
async def test_of_an_agent_that_has_ended_it_is_known_whether_it_can_take_a_session_up(
    can: dict[str, Any], takes_up: bool, tmp_path: Path
) -> None:
    async with talk(start(tmp_path, can=can)) as (conversation, _):
        await conversation.begin()
        conversation.say("die")
        await until(lambda: conversation.phase == "ended")

        assert conversation.failure is not None
        assert conversation.failure.takes_up is takes_up
        assert not conversation.failure.closed_output


async def test_of_an_agent_that_closed_its_output_and_stayed_it_is_known_that_it_was_ended(
    tmp_path: Path,
) -> None:
    async with talk(start(tmp_path)) as (conversation, _):
        await conversation.begin()
        conversation.say("fall silent")
        await until(lambda: conversation.phase == "ended")

        assert conversation.failure is not None
        assert conversation.failure.closed_output
