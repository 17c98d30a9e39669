"""A recorded session in a conversation: shown without an agent, and gone on with."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from acp_tui.agent import replay as agent_replay
from acp_tui.store.prompt import Prompt
from acp_tui.store.settings import Settings
from tests.conversation.talks import launch, said, start, talk
from tests.recordings import recording
from tests.waiting import until

RECORDED = "\n".join(
    [
        '{"t": 0, "dir": "out", "msg": {"id": 0, "method": "session/new", "params": {"cwd": "/"}}}',
        '{"t": 1, "dir": "in", "msg": {"jsonrpc": "2.0", "id": 0, "result": {"sessionId": "s"}}}',
        *['{"t": 2, "dir": "err", "msg": "a line of the log"}'] * 50,
    ]
)


async def journal_of_a_talk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the journal of a conversation in which something was said."""
    monkeypatch.setenv("ACP_TUI_HOME", str(folder / "home"))
    async with talk(start(folder, Settings())) as (conversation, _):
        await conversation.begin()
        conversation.say("hello")
        await until(lambda: said(conversation) == ["hello", "heard hello"])
    (journal,) = (folder / "home" / "data" / "journals").iterdir()
    return journal


async def test_a_recording_is_shown_as_it_was_and_hears_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = await journal_of_a_talk(tmp_path, monkeypatch)

    async with talk(start(tmp_path)) as (replayed, notes):
        assert await replayed.recording.show(recording(journal))
        assert replayed.recorded is not None
        assert replayed.recorded.agent == launch().name, "names of sessions are kept by agent"
        replayed.say("is anybody there?")

        assert said(replayed)[:2] == ["hello", "heard hello"]
        assert notes.given_back == ["is anybody there?"]
        journal.write_text("")
        assert not await replayed.recording.show(recording(journal))


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recording of which each row is a slice of its own."""
    monkeypatch.setattr(agent_replay, "_SLICE", -1.0)
    journal = tmp_path / "j.ndjson"
    journal.write_text(RECORDED)
    return journal


async def test_others_have_their_turn_while_a_recording_is_read(tmp_path: Path, slow: Path) -> None:
    async with talk(start(tmp_path)) as (replayed, notes):
        reading = asyncio.create_task(replayed.recording.show(recording(slow)))
        turns = 0
        while not reading.done():
            await asyncio.sleep(0)
            turns += 1
            if turns == 10:
                assert replayed.phase == "reading"
                replayed.say("is anybody there?")

        assert turns > 50
        assert notes.given_back == ["is anybody there?"]
        assert replayed.phase == "recorded"


async def test_a_recording_that_is_left_while_it_is_read_is_not_shown(tmp_path: Path, slow: Path) -> None:
    async with talk(start(tmp_path)) as (replayed, _):
        reading = asyncio.create_task(replayed.recording.show(recording(slow)))
        await asyncio.sleep(0)
        await replayed.end()

        assert await reading
        assert replayed.session is None
        assert replayed.phase == "ending"


@pytest.mark.parametrize("can", [{"sessionCapabilities": {"resume": {}}}, {}], ids=["resumes", "cannot"])
async def test_a_recorded_session_goes_on_or_stands_above_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can: dict[str, Any]
) -> None:
    journal = await journal_of_a_talk(tmp_path, monkeypatch)
    async with talk(start(tmp_path)._replace(launch=None)) as (replayed, notes):
        assert await replayed.recording.show(recording(journal))
        recorded = replayed.session

        await replayed.recording.go_on(launch(can=can), Prompt("more"))

        if can:
            await until(lambda: said(replayed)[-1:] == ["heard more"])
            assert (replayed.session, replayed.above) == (recorded, None)
        else:
            assert notes.given_back == ["more"], "it was meant for an agent that knows what was said"
            assert replayed.above is recorded
            assert "/hand-over puts it into your next prompt" in said(replayed)[-1]


async def test_nothing_begins_in_a_folder_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = await journal_of_a_talk(tmp_path, monkeypatch)
    async with talk(start(tmp_path)._replace(launch=None)) as (replayed, _):
        assert await replayed.recording.show(recording(journal))
        await replayed.recording.go_on(launch(), cwd=str(tmp_path / "gone"))

        await until(lambda: replayed.failure is not None)
        assert replayed.failure is not None
        assert f"{tmp_path / 'gone'} is not there any more" in replayed.failure.reason
