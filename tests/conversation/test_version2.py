"""Conversations in version 2 of the protocol, and those that begin in it and go on in version 1."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_tui.conversation.start_options import Start
from acp_tui.store.agents import Launch, ProtocolChoice
from tests.conversation.talks import said, start, talk
from tests.waiting import until

pytestmark = pytest.mark.slow

AGENT = Path(__file__).with_name("version2_agent.py")


def launch(protocol: ProtocolChoice = "newest", refuses: Any = None) -> Launch:
    """Return how the agent is started."""
    argv = (sys.executable, "-S", "-E", str(AGENT), *([json.dumps(refuses)] if refuses else ()))
    return Launch("two", "Two", argv, protocol=protocol)


def start_of(folder: Path, *given: Any) -> Start:
    return replace(start(folder), launch=launch(*given))


@pytest.mark.parametrize(
    "refuses",
    [
        {"code": -32022, "message": "Unsupported", "data": {"requested": 2, "supported": [1]}},
        {"code": -32602, "message": "Invalid params"},
    ],
)
@pytest.mark.parametrize("protocol", [2, "newest"])
async def test_v1_an_agent_that_refuses_version_2_is_started_again(
    refuses: Any, protocol: ProtocolChoice, tmp_path: Path
) -> None:
    async with talk(start_of(tmp_path, protocol, refuses)) as (conversation, _):
        await conversation.begin()
        conversation.say("hello")
        await until(lambda: "heard in version 1" in said(conversation))

        assert conversation.phase == "ready"
        assert conversation.agent is not None
        assert conversation.agent.connection.version == 1
        notice = "The agent does not speak version 2 of the protocol; version 1 is used."
        assert (notice in said(conversation)) is (protocol == 2)


async def test_v5_v6_a_conversation_in_version_2(tmp_path: Path) -> None:
    async with talk(start_of(tmp_path)) as (conversation, _):
        await conversation.begin()
        conversation.say("wake")
        conversation.say("second")
        await until(lambda: said(conversation)[-1:] == ["Heard second."])

        assert conversation.agent is not None
        assert conversation.agent.connection.version == 2
        await until(lambda: not conversation.is_busy)
        assert not conversation.is_active


async def test_v8_the_text_of_a_prompt_that_was_never_taken_comes_back(tmp_path: Path) -> None:
    async with talk(start_of(tmp_path)) as (conversation, notes):
        await conversation.begin()
        conversation.say("wake")
        await until(lambda: conversation.session is not None and conversation.session.works_unprompted)
        assert conversation.is_active
        conversation.say("never")
        await until(lambda: conversation.is_busy)
        conversation.stop()
        await until(lambda: notes.given_back == ["never"])

        conversation.say("again")
        await until(lambda: said(conversation)[-1:] == ["Heard again."])


async def test_v6_what_the_agent_does_by_itself_can_be_stopped(tmp_path: Path) -> None:
    async with talk(start_of(tmp_path)) as (conversation, _):
        await conversation.begin()
        conversation.say("wake")
        session = conversation.session
        assert session is not None
        await until(lambda: session.works_unprompted)

        assert conversation.stop()
        await until(lambda: not session.works_unprompted)
        assert not conversation.stop()


async def test_v14_v15_a_terminal_of_the_agent_works_in_the_background_until_it_is_stopped(
    tmp_path: Path,
) -> None:
    async with talk(start_of(tmp_path)) as (conversation, _):
        await conversation.begin()
        conversation.say("run")
        await until(lambda: conversation.background_work == 1)
        session = conversation.session
        assert session is not None
        (one,) = session.background_terminals

        assert (one.command, str(one.output)) == ("make all", "grün\n")
        assert await conversation.cancel_alone(one) == ""
        await until(lambda: conversation.background_work == 0)
        assert await conversation.cancel_alone(one) == "The agent cannot stop this alone."
