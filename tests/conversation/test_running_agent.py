"""Getting a conversation its agent."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_tui.agent.process import Process, SpawnFailed
from acp_tui.conversation.conversation import Conversation
from acp_tui.conversation.running_agent import RunningAgent, begin_early
from acp_tui.conversation.start_options import Start
from acp_tui.session.events import SessionChange
from acp_tui.store.agents import Launch
from tests.conversation.talks import Notes, launch, start, talk
from tests.waiting import PATIENCE, until


class User:
    """A conversation of which nothing is wanted."""

    def changed(self, session_id: str, change: SessionChange) -> None:
        """Nothing is shown here."""

    async def agent_stopped(self) -> None:
        pass

    def agent_ended(self) -> None:
        """Nothing is shown here."""

    def follow(self, running: RunningAgent) -> None:
        raise AssertionError("nobody has logged in")


def shared(given: Start) -> tuple[RunningAgent, User, User]:
    """Return an agent that two conversations use."""
    assert given.launch is not None
    process = Process.spawn(given.launch.argv, cwd=given.cwd, env=given.launch.env, guard=given.guard)
    running, first, second = RunningAgent(given, given.launch, process), User(), User()
    running.users += [first, second]
    return running, first, second


@pytest.mark.slow
async def test_an_agent_is_started_once_and_ended_by_the_last_who_leaves(tmp_path: Path) -> None:
    given = start(tmp_path)
    async with talk(given) as (first, notes):
        await first.begin()
        running = first.running
        assert running is not None
        await first.begin()
        assert first.running is running
        second = Conversation(given, notes, notes, running)
        assert second.launch is running.launch

        await first.end()
        assert running.is_running
        await second.end()
        assert not running.is_running


async def test_who_leaves_while_too_much_is_to_be_drawn_holds_the_others_not_back(tmp_path: Path) -> None:
    given = start(tmp_path)
    running, first, second = shared(given)
    running.agent.connection.pause_reading(first)

    await running.leave(first, None)
    async with asyncio.timeout(PATIENCE):
        await running.initialize()  # heard by the read that was under way
        session = await running.agent.setup.new_session(str(tmp_path))
    assert session.id == "s1"
    await running.leave(second, None)
    given.guard.close()


async def test_an_agent_ends_when_all_leave_at_the_same_time_however_long_its_goodbyes_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_tui.agent.agent.CLOSING", 300.0)
    given = start(tmp_path, can={"sessionCapabilities": {"close": {}}}, ignores="session/close")
    running, first, second = shared(given)
    await running.initialize()
    sessions = [await running.agent.setup.new_session(str(tmp_path)) for _ in range(2)]

    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(running.leave(first, sessions[0]), running.leave(second, sessions[1]))
    assert not running.is_running
    assert not running.users
    given.guard.close()


@pytest.mark.slow
async def test_a_failure_of_the_start_is_told_once_and_then_it_is_tried_again(tmp_path: Path) -> None:
    failed = SpawnFailed("It cannot be started.", "Try again.")
    async with talk(start(tmp_path), spawn_error=failed) as (conversation, notes):
        await conversation.begin()
        assert notes.phases == ["starting", "failed"]
        assert conversation.failure is not None
        assert (conversation.failure.reason, conversation.failure.advice) == (str(failed), failed.advice)

        await conversation.begin()
        assert notes.phases[2:] == ["starting", "ready"]
        assert conversation.running is not None
        assert conversation.running.is_running


async def test_what_cannot_be_started_leaves_nothing_behind(tmp_path: Path) -> None:
    missing = Launch("none", "None", (str(tmp_path / "not there"),))
    async with talk(start(tmp_path), launch=missing) as (conversation, _):
        await conversation.begin()
        assert conversation.phase == "failed"
        assert conversation.running is None

        beginning = asyncio.create_task(
            conversation.begin(Launch("python", "Python", (sys.executable, "-c", "input()")))
        )
        await until(lambda: conversation.running is not None and conversation.running.is_running)
        await conversation.end()
        await beginning


@asynccontextmanager
async def early(given: Start) -> AsyncIterator[tuple[RunningAgent, Conversation, Notes]]:
    """Give an agent that was started before its conversation, which has not begun."""
    assert given.launch is not None
    given.process = given.spawn(given.launch)
    running = begin_early(given)
    assert running is not None
    await running.initialize()
    notes = Notes()
    notes.conversation = conversation = Conversation(given, notes, notes, running)
    try:
        yield running, conversation, notes
    finally:
        await conversation.end()
        given.guard.close()


async def test_the_first_session_is_asked_for_before_there_is_a_conversation(tmp_path: Path) -> None:
    likes = launch(can={"sessionCapabilities": {"systemPrompt": {}}})
    given = replace(start(tmp_path), launch=likes._replace(system_prompt="Answer in verse."))
    async with early(given) as (running, conversation, notes):
        await until(lambda: "s1" in running.agent.sessions)
        assert notes.phases == []

        await conversation.begin()

        assert conversation.session is running.agent.sessions["s1"]
        assert list(running.agent.sessions) == ["s1"]
        assert conversation.prompt_sent == "Answer in verse."
        assert notes.phases == ["starting", "ready"]
        await conversation.begin_new()
        assert conversation.session is running.agent.sessions["s2"]


async def test_an_early_session_that_needs_a_login_is_opened_after_it(tmp_path: Path) -> None:
    async with early(start(tmp_path, login="session")) as (_, conversation, notes):
        notes.logins = ["key"]

        await conversation.begin()

        assert conversation.session is not None
        assert notes.phases == ["starting", "logging-in", "starting", "ready"]


async def test_an_agent_that_tells_who_is_logged_in_is_asked_that_before_a_session(tmp_path: Path) -> None:
    given = start(tmp_path, accounts=True, can={"auth": {"status": {}}})
    async with early(given) as (running, conversation, notes):
        await asyncio.sleep(0)
        assert not running.agent.sessions
        notes.logins = ["key"]

        await conversation.begin()

        assert notes.offered == ["key"]
        assert conversation.phase == "ready"


async def test_an_early_session_that_fails_is_told_by_the_conversation(tmp_path: Path) -> None:
    async with early(start(tmp_path, dies_at="session/new")) as (running, conversation, _):
        await asyncio.wait([running.reader])

        await conversation.begin()

        assert conversation.phase == "failed"
        assert conversation.failure is not None
        assert "no API key" in conversation.failure.stderr


@pytest.mark.parametrize("wants", [{"continues": True}, {"resume": ""}, {"resume": "s7"}])
async def test_no_new_session_is_asked_for_where_an_earlier_one_is_wanted(
    tmp_path: Path, wants: dict[str, Any]
) -> None:
    async with early(replace(start(tmp_path), **wants)) as (running, _, _):
        assert running.take_first_session() is None
