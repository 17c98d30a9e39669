"""The queue of prompts, sent one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.store.prompts import Prompt
from tests.conversation.talks import held_before_turns, said, start, talk
from tests.waiting import until

pytestmark = pytest.mark.slow


async def test_what_is_said_during_the_start_is_sent_when_the_session_is_ready(tmp_path: Path) -> None:
    async with talk(start(tmp_path)) as (conversation, notes):
        conversation.say("early")
        assert conversation.queue == [Prompt("early")]

        await conversation.begin()
        await until(lambda: said(conversation) == ["early", "heard early"])

        assert notes.phases == ["starting", "ready"]
        assert conversation.queue == []


async def test_prompts_wait_for_the_turn_before_and_keep_their_order(tmp_path: Path) -> None:
    async with talk(start(tmp_path)) as (conversation, notes):
        await conversation.begin()

        for text in ("one", "two", "three"):
            conversation.say(text)
        await until(lambda: len(said(conversation)) == 6 and not conversation.is_busy)

        assert said(conversation) == ["one", "heard one", "two", "heard two", "three", "heard three"]
        assert notes.given_back == []


async def test_cancelling_stops_the_turn_and_what_waits_comes_next(tmp_path: Path) -> None:
    async with talk(start(tmp_path)) as (conversation, notes):
        await conversation.begin()
        assert not conversation.cancel(), "no turn runs"
        conversation.say("wait")
        conversation.say("next")
        await until(lambda: said(conversation)[-1:] == ["waiting"])

        assert conversation.cancel()
        assert not conversation.cancel(), "it is being stopped already"
        await until(lambda: said(conversation)[-1:] == ["heard next"])

        assert notes.given_back == []


async def test_stopping_takes_back_what_waits(tmp_path: Path) -> None:
    async with talk(start(tmp_path)) as (conversation, notes):
        await conversation.begin()
        for text in ("wait", "b", "c"):
            conversation.say(text)
        await until(lambda: said(conversation)[-1:] == ["waiting"])

        assert conversation.stop()
        await until(lambda: not conversation.is_busy)

        assert notes.given_back == ["b\n\nc"]
        assert said(conversation)[-1] == "Cancelled."


async def test_what_is_about_to_be_sent_is_stopped_before_the_agent_hears_of_it(tmp_path: Path) -> None:
    async with talk(start(tmp_path)) as (conversation, notes):
        await conversation.begin()
        conversation.rejections.add("rejected your change in a.py", "took that back")
        gate = held_before_turns(conversation)
        conversation.say("unwanted")
        conversation.say("b")
        await until(lambda: conversation.queue == [Prompt("b")])

        assert conversation.stop()
        assert not conversation.stop(), "it is stopped already"
        assert notes.given_back == ["unwanted\n\nb"]
        conversation.say("wanted")
        gate.set()
        await until(lambda: said(conversation)[-1:] == ["heard wanted"])

        assert [text for text in said(conversation) if "unwanted" in text] == []
        assert "rejected your change in a.py" in said(conversation)[0], "told with what was said first"


async def test_after_an_error_what_waits_is_given_back_and_the_session_goes_on(tmp_path: Path) -> None:
    async with talk(start(tmp_path)) as (conversation, notes):
        await conversation.begin()
        conversation.say("fail")
        conversation.say("b")
        await until(lambda: notes.given_back)

        conversation.say("again")
        await until(lambda: said(conversation)[-1:] == ["heard again"])

        assert notes.given_back == ["b"]
        assert "It broke (error -32603)" in said(conversation)
