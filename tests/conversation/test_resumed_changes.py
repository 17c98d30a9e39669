"""A session that is taken up in another run: its changes, its plan and its ways back are there again."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_tui.changes.tracker import ChangeTracker
from acp_tui.conversation.conversation import Conversation
from acp_tui.conversation.session_start import KnownSession
from acp_tui.protocol.schema import SessionInfo
from acp_tui.store.recordings import RecordedSession, recent_sessions
from acp_tui.store.settings import Settings
from tests.conversation.talks import start, talk
from tests.waiting import until

LOADS = {"loadSession": True}
RESUMES: dict[str, Any] = {"sessionCapabilities": {"resume": {}}}
PLAN = {"kind": "plan", "entries": [{"content": "Write", "priority": "high", "status": "in_progress"}]}
EDIT = {
    "kind": "tool_call",
    "toolCallId": "call_0",
    "title": "Write new",
    "status": "completed",
    "content": [{"type": "diff", "path": "new", "newText": "x\n"}],
}


@pytest.fixture(autouse=True)
def each_turn_waits_for_its_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Git takes longer on a busy machine than a turn waits for it, which then has no clear beginning."""
    monkeypatch.setattr("acp_tui.changes.tracker.PATIENCE", 10.0)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "old").write_text("1\n")
    return folder


@asynccontextmanager
async def run(
    work: Path, known_session: KnownSession | None = None, **like: Any
) -> AsyncIterator[Conversation]:
    """Have a conversation that is ready, with a journal."""
    given = start(work, Settings(), **{"session": "kept", "can": LOADS, **like})
    async with talk(given, known_session) as (conversation, _):
        await conversation.begin()
        await until(lambda: conversation.tracker and conversation.tracker.first)
        yield conversation


async def take_a_turn(conversation: Conversation, name: Path, text: str) -> None:
    """Say something, and write a file in that turn."""
    session, tracking = conversation.session, tracking_of(conversation)
    assert session is not None
    turns = len(session.turns)
    conversation.say("wait")
    await until(lambda: len(session.turns) > turns and tracking.before is not None)
    name.write_text(text)
    await tracking.look()
    conversation.cancel()
    await until(lambda: tracking.is_settled and not conversation.is_busy)
    await tracking.look()


def tracking_of(conversation: Conversation) -> ChangeTracker:
    assert conversation.tracker is not None
    return conversation.tracker


def changes(conversation: Conversation) -> list[tuple[str, str, list[int]]]:
    """Return of each changed file its name, who changed it, and in which turns."""
    assert conversation.session is not None
    return [
        (Path(path).name, file.by, [origin.turn for origin in file.origins])
        for path, file in conversation.session.files.items()
    ]


def taken_up(work: Path) -> KnownSession:
    return KnownSession(SessionInfo(session_id="kept", cwd=str(work)))


def journal(home: Path) -> Path:
    (found,) = (home / "data" / "journals").iterdir()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("can", [LOADS, RESUMES])
async def test_changes_of_the_first_run_are_there_with_origin_and_can_be_rejected(
    work: Path, can: dict[str, Any]
) -> None:
    async with run(work, can=can) as first:
        await take_a_turn(first, work / "old", "2\n")
        before = changes(first)
        assert before == [("old", "by no tool call", [1])]

    async with run(work, taken_up(work), can=can) as second:
        assert changes(second) == before
        session, tracking = second.session, tracking_of(second)
        assert session is not None
        assert session.prompt_of(1) == "wait"
        await tracking.look()
        assert changes(second) == before
        change = tracking.change(str(work / "old"))
        assert change is not None

        await tracking.reject(change)

        assert (work / "old").read_text() == "1\n"
        assert tracking.lost == ""


@pytest.mark.slow
async def test_turns_go_on_being_counted_and_each_can_be_restored(work: Path) -> None:
    async with run(work) as first:
        await take_a_turn(first, work / "old", "2\n")
    async with run(work, taken_up(work)) as second:
        await take_a_turn(second, work / "old", "3\n")
        assert changes(second) == [("old", "by no tool call", [1, 2])]

    async with run(work, taken_up(work)) as third:
        tracking = tracking_of(third)
        assert tracking.turns == [1, 2]
        assert tracking.before == tracking.before_of(2)
        for turn, text in ((2, "2\n"), (1, "1\n")):
            before = tracking.before_of(turn)
            assert before is not None
            await tracking.undo_stack.restore(before, await tracking.since_turn(turn))
            assert (work / "old").read_text() == text


@pytest.mark.slow
async def test_a_rejection_can_be_taken_back_in_the_next_run_though_nothing_was_said(work: Path) -> None:
    async with run(work) as first:
        await take_a_turn(first, work / "old", "2\n")
    async with run(work, taken_up(work)) as second:
        await tracking_of(second).look()
        change = tracking_of(second).change(str(work / "old"))
        assert change is not None
        await tracking_of(second).reject(change)

    async with run(work, taken_up(work)) as third:
        assert changes(third) == []
        await tracking_of(third).undo_stack.undo()
        assert (work / "old").read_text() == "2\n"
        assert changes(third) == [("old", "by no tool call", [1])], "it is still whose it was"

    async with run(work, taken_up(work)) as fourth:
        assert not tracking_of(fourth).undo_stack.can_undo


@pytest.mark.slow
async def test_what_changes_between_two_runs_is_of_no_turn(work: Path) -> None:
    async with run(work) as first:
        await take_a_turn(first, work / "old", "2\n")
    (work / "new").write_text("x\n")
    async with run(work, taken_up(work)) as second:
        await tracking_of(second).look()

        assert sorted(changes(second)) == [("new", "outside a turn", [0]), ("old", "by no tool call", [1])]


@pytest.mark.slow
async def test_what_was_of_no_turn_is_so_when_an_undoing_of_another_run_brings_it_back(work: Path) -> None:
    async with run(work) as first:
        await take_a_turn(first, work / "old", "2\n")
        (work / "new").write_text("x\n")
        await tracking_of(first).look()
        before = sorted(changes(first))
        assert before == [("new", "outside a turn", [0]), ("old", "by no tool call", [1])]
        snapshot = tracking_of(first).before
        assert snapshot is not None
        await tracking_of(first).undo_stack.restore(snapshot, await tracking_of(first).since_turn())
        assert changes(first) == []

    async with run(work, taken_up(work)) as second:
        await tracking_of(second).undo_stack.undo()

        assert sorted(changes(second)) == before


@pytest.mark.slow
async def test_an_agent_that_tells_all_again_doubles_nothing(work: Path) -> None:
    updates = json.dumps([PLAN, EDIT])
    async with run(work) as first:
        first.say(f"updates {updates}")
        await until(lambda: changes(first))
    async with run(work, taken_up(work), tells=[EDIT]) as second:
        session = second.session
        assert session is not None
        (file,) = session.files.values()

        assert [edit.new for edit in file.edits] == ["x\n"]
        assert [entry.content for entry in session.plan] == ["Write"]
        assert len(session.turns) == 1


@pytest.mark.slow
async def test_what_was_written_last_is_known_though_the_run_ended_in_the_turn(work: Path) -> None:
    async with run(work) as first:
        tracking = tracking_of(first)
        first.say("wait")
        await until(lambda: first.is_busy and tracking.before is not None)
        (work / "old").write_text("at the end\n")
    async with run(work, taken_up(work)) as second:
        await tracking_of(second).look()

        assert changes(second) == [("old", "by no tool call", [1])]


@pytest.mark.slow
@pytest.mark.parametrize("what", ["snapshots", "rows"])
async def test_where_nothing_can_be_given_back_it_is_said_since_when(
    work: Path, home: Path, what: str
) -> None:
    async with run(work) as first:
        await take_a_turn(first, work / "old", "2\n")
    if what == "snapshots":
        for store in (home / "data" / "snapshots").iterdir():
            for ref in (store / "refs" / "snapshots").iterdir():
                ref.unlink()
            (store / "objects").rename(store / "gone")
            (store / "index").unlink()
            (store / "objects").mkdir()
    else:
        rows = journal(home).read_text().splitlines()
        rows = [row for row in rows if "kept" not in json.loads(row)["msg"]]
        journal(home).write_text("\n".join(rows) + "\n")

    async with run(work, taken_up(work)) as second:
        tracking = tracking_of(second)
        told = {"snapshots": "were removed: ", "rows": "There are no snapshots of the earlier part"}
        assert told[what] in tracking.lost
        assert "cannot be restored" in tracking.why_no_snapshot()
        (work / "old").write_text("3\n")
        await tracking.look()
        await take_a_turn(second, work / "new", "x\n")
        assert tracking.turns == [2]

    async with run(work, taken_up(work)) as third:
        assert "cannot be restored" in tracking_of(third).lost
        assert tracking_of(third).turns == [2]


@pytest.mark.slow
async def test_a_workspace_that_moved_is_said(work: Path) -> None:
    async with run(work) as first:
        await take_a_turn(first, work / "old", "2\n")
    moved = work.rename(work.with_name("moved"))
    async with run(moved, taken_up(moved)) as second:
        tracking = tracking_of(second)
        await tracking.look()

        assert f"are of {work}: " in tracking.lost
        assert changes(second) == []


@pytest.mark.slow
async def test_a_recorded_session_that_goes_on_has_all_of_it(work: Path, home: Path) -> None:
    async with run(work) as first:
        await take_a_turn(first, work / "old", "2\n")
    (recorded,) = recent_sessions(home / "data" / "journals", 5)
    assert isinstance(recorded, RecordedSession)
    given = start(work, Settings(), session="kept", can=LOADS)
    async with talk(given) as (conversation, _):
        await conversation.show_recorded(recorded)
        assert given.launch is not None
        await conversation.continue_recorded(given.launch)
        await until(lambda: conversation.tracker and conversation.tracker.first)
        await tracking_of(conversation).look()

        assert changes(conversation) == [("old", "by no tool call", [1])]
        assert tracking_of(conversation).turns == [1]


@pytest.mark.slow
async def test_after_a_restart_with_a_replay_changes_keep_their_origin(work: Path) -> None:
    async with run(work) as conversation:
        await take_a_turn(conversation, work / "old", "2\n")

        await conversation.restart()
        await tracking_of(conversation).look()

        assert changes(conversation) == [("old", "by no tool call", [1])]
        assert tracking_of(conversation).turns == [1]
