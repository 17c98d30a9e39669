from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from acp_tui.agent.process import Process
from acp_tui.store.settings import Settings
from acp_tui.workspace.processes import ExitStatus
from tests.conversation.talks import TRACKED, said, start, talk
from tests.waiting import settled, until


@pytest.mark.slow
async def test_r15_an_agent_that_dies_in_a_turn_ends_the_conversation_and_a_restart_begins_a_new_session(
    tmp_path: Path,
) -> None:
    async with talk(start(tmp_path)) as (conversation, notes):
        await conversation.begin()
        before = conversation.session
        conversation.say("die")
        conversation.say("unsent")
        await until(lambda: conversation.phase == "ended")

        assert conversation.failure is not None
        assert conversation.failure.kind == "ended"
        assert conversation.failure.stderr == "fatal: the roof is on fire\n"
        assert conversation.failure.exit is not None
        assert conversation.failure.exit.exit_code == 7
        assert notes.given_back == ["unsent"], "what was said is in the chat and in the history"
        conversation.say("to nobody")
        assert notes.given_back == ["unsent", "to nobody"]

        await conversation.restart()
        conversation.say("hello")
        await until(lambda: said(conversation)[-1:] == ["heard hello"])

        assert conversation.session is not before
        assert said(conversation)[0].startswith(
            "New session: the agent has no memory of the conversation above."
        )


@pytest.mark.slow
async def test_r15_an_agent_killed_from_outside_is_told_with_the_signal_and_another_process_follows(
    tmp_path: Path,
) -> None:
    given = start(tmp_path)
    assert given.launch is not None
    process = Process.spawn(given.launch.argv, cwd=str(tmp_path), guard=given.guard)
    async with talk(given, process=process) as (conversation, _):
        await conversation.begin()
        first = conversation.agent
        os.kill(process.pid, signal.SIGKILL)
        await until(lambda: conversation.phase == "ended")

        assert conversation.failure is not None
        assert conversation.failure.exit == ExitStatus(None, "SIGKILL")

        await conversation.restart()
        conversation.say("hello")
        await until(lambda: said(conversation)[-1:] == ["heard hello"])
        assert conversation.agent is not first


@pytest.mark.slow
async def test_what_is_ended_while_it_is_started_again_is_not_started(tmp_path: Path) -> None:
    async with talk(start(tmp_path)) as (conversation, _):
        await conversation.begin()

        starting = asyncio.create_task(conversation.restart())
        await asyncio.sleep(0)
        await conversation.end()
        await starting

        assert conversation.running is None


async def test_a_journal_that_cannot_be_written_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "data").write_text("a file where a folder should be")
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    async with talk(start(tmp_path, Settings(snapshots=False))) as (conversation, _):
        await conversation.begin()
        conversation.say("hello")
        await until(lambda: said(conversation)[-1:] == ["heard hello"])

        assert sum("not recorded" in text for text in said(conversation)) == 1


@pytest.mark.slow
async def test_questions_are_answered_by_their_names(tmp_path: Path) -> None:
    async with talk(start(tmp_path)) as (conversation, _):
        await conversation.begin()
        conversation.say("ask t1 t2")
        await until(lambda: len(conversation.questions) == 2)
        first, second = conversation.questions

        conversation.answer(second, "no/2")
        conversation.answer(first, "yes:1")
        await until(lambda: not conversation.is_busy)

        assert said(conversation) == ["ask t1 t2", "yes:1 no/2"]


async def test_ending_twice_and_during_the_start_ends_the_process_once(tmp_path: Path) -> None:
    async with talk(start(tmp_path, ignores="initialize")) as (conversation, notes):
        beginning = asyncio.create_task(conversation.begin())
        await until(lambda: conversation.agent)
        agent = conversation.agent
        assert agent is not None

        await asyncio.gather(conversation.end(), conversation.end())
        await beginning

        assert agent.connection.exit is not None
        assert notes.phases == ["starting", "ending"], "an end that was wanted is no failure"
        await conversation.end()


@pytest.mark.slow
async def test_whoever_ends_it_meanwhile_waits_until_the_files_are_looked_at_no_more(tmp_path: Path) -> None:
    async with talk(start(tmp_path, TRACKED)) as (conversation, _):
        await conversation.begin()
        await until(lambda: conversation.tracker)
        assert conversation.tracker is not None
        entered, may_end, close = asyncio.Event(), asyncio.Event(), conversation.tracker.close

        async def held() -> None:
            entered.set()
            await may_end.wait()
            await close()

        conversation.tracker.close = held  # type: ignore[method-assign]
        first = asyncio.create_task(conversation.end())
        await entered.wait()
        second = asyncio.create_task(conversation.end())
        await settled()
        assert not second.done()

        may_end.set()
        await asyncio.gather(first, second)
        assert conversation.tracker is None


async def test_an_end_before_the_agent_is_made_does_not_start_another_process(tmp_path: Path) -> None:
    given = start(tmp_path)
    assert given.launch is not None
    process = Process.spawn(given.launch.argv, cwd=str(tmp_path), guard=given.guard)
    async with talk(given, process=process) as (conversation, _):
        beginning = asyncio.create_task(conversation.begin())
        await asyncio.sleep(0)
        await conversation.end()
        await beginning

        assert process.exit_status is not None
        assert conversation.agent is None
        assert conversation.phase == "ending"


@pytest.mark.slow
async def test_a_stubborn_agent_is_ended_within_seconds(tmp_path: Path) -> None:
    async with talk(start(tmp_path, stubborn=True)) as (conversation, _):
        await conversation.begin()
        agent, began = conversation.agent, time.monotonic()

        await conversation.end()

        assert time.monotonic() - began < 30
        assert agent is not None
        assert agent.connection.exit is not None
        assert agent.connection.exit.signal == "SIGKILL"
