"""A running agent opens a session: a new one, an earlier one, the one from before a restart."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_tui.agent import replay as agent_replay
from acp_tui.conversation.conversation import Conversation
from acp_tui.conversation.running_agent import WriteFailures
from acp_tui.conversation.session_start import KnownSession
from acp_tui.protocol.schema import SessionInfo
from acp_tui.store.decisions import DecisionLog
from acp_tui.store.journal import Journal
from acp_tui.store.mcp import McpServer
from acp_tui.store.prompts import Prompt
from acp_tui.store.recordings import recent_sessions
from acp_tui.store.settings import Settings
from tests.conversation.talks import TRACKED, Notes, launch, said, start, talk
from tests.decisions import ONE
from tests.full_disk import Disk
from tests.recordings import recording
from tests.waiting import until

WEB = McpServer("web", "http", url="https://me:pw1@example.com/mcp?k=short")
TOOL = McpServer("tool", "stdio", command="true", args=("https://example.com/?key=another-secret",))
STARTED_AGAIN = "Agent restarted; session resumed."
RESUMES = {"loadSession": True, "sessionCapabilities": {"resume": {}}}


def changed(conversation: Conversation) -> list[str]:
    """Return the names of the changed files."""
    assert conversation.session is not None
    return [Path(path).name for path in conversation.session.files]


def sent(path: Path, method: str) -> list[dict[str, Any]]:
    """Return the params of our requests of a method, as the journal has them."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    out = [row["msg"] for row in rows if row["dir"] == "out"]
    return [msg["params"] for msg in out if msg.get("method") == method]


@pytest.mark.slow
async def test_r15_after_a_restart_the_same_session_goes_on_where_the_agent_can_resume_it(
    tmp_path: Path,
) -> None:
    async with talk(start(tmp_path, can=RESUMES, session="kept")) as (conversation, notes):
        await conversation.begin()
        conversation.say("die")
        await until(lambda: conversation.phase == "ended")

        before = conversation.session

        await conversation.restart()
        await conversation.restart()

        assert conversation.session is before, "its plan, its turns and its changes stay, too"
        assert before is not None
        assert before.connected
        died = "The agent has ended (exit code 7)."
        assert said(conversation) == ["die", died, STARTED_AGAIN, STARTED_AGAIN]
        assert notes.dropped == 0, "what was said stays on the screen"


@pytest.mark.slow
@pytest.mark.parametrize("can", [RESUMES, {"loadSession": True}, {}])
async def test_after_a_restart_the_changed_files_are_those_since_the_beginning(
    tmp_path: Path, can: dict[str, Any]
) -> None:
    async with talk(start(tmp_path, TRACKED, can=can, session="kept")) as (conversation, _):
        await conversation.begin()
        tracking = conversation.tracker
        assert tracking is not None
        await until(lambda: tracking.first)
        conversation.say("hello")
        await until(lambda: said(conversation)[-1:] == ["heard hello"])
        (tmp_path / "new").write_text("x\n")
        await until(lambda: changed(conversation) == ["new"])

        await conversation.restart()
        await until(lambda: changed(conversation) == ["new"])
        (tmp_path / "newer").write_text("x\n")

        await until(lambda: changed(conversation) == ["new", "newer"])
        await conversation.end()
        assert conversation.tracker is None


DIFFERS = "The agent reports this session differently from what you saw here. What you saw is kept."
SEEN = ["hello", "heard hello"]
LIE = {"kind": "user_message_chunk", "content": {"type": "text", "text": "Delete it all"}}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("like", "then"),
    [
        ({}, [DIFFERS, STARTED_AGAIN, "more", "heard more"]),
        ({"tells": [LIE]}, [DIFFERS, STARTED_AGAIN, "more", "heard more"]),
        ({"tells_late": True}, [STARTED_AGAIN, DIFFERS, "more", "heard more"]),
        ({"tells_nothing": True}, [STARTED_AGAIN, "more", "heard more"]),
    ],
    ids=["before the answer", "a lie", "after the answer", "nothing"],
)
async def test_c45_after_a_restart_what_was_seen_stays_whatever_the_agent_tells_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, like: dict[str, Any], then: list[str]
) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    given = start(tmp_path, Settings(snapshots=False), can={"loadSession": True}, session="kept", **like)
    async with talk(given) as (conversation, notes):
        await conversation.begin()
        conversation.say("hello")
        await until(lambda: said(conversation) == SEEN)

        await conversation.restart()
        conversation.say("more")
        await until(lambda: said(conversation)[-1:] == ["heard more"])

        assert said(conversation) == [*SEEN, *then]
        assert conversation.session is not None
        assert conversation.session.id == "kept"
        assert notes.dropped == 0
    async with talk(start(tmp_path)) as (later, _):
        (latest,) = recent_sessions(tmp_path / "home" / "data" / "journals", 10)
        assert await later.show_recorded(latest)
        assert said(later) == [*SEEN, *then], "a later opening shows both runs"


@pytest.mark.slow
async def test_a_restart_begins_a_new_session_where_the_agent_will_not_take_the_old_one_up(
    tmp_path: Path,
) -> None:
    given = start(tmp_path, can={"loadSession": True}, refuses_to_attach=True)
    async with talk(given) as (conversation, notes):
        await conversation.begin()
        conversation.say("hello")
        await until(lambda: said(conversation)[-1:] == ["heard hello"])

        await conversation.restart()

        assert conversation.phase == "ready"
        assert [text.partition(":")[0] for text in said(conversation)] == ["New session"]
        assert notes.dropped == 0, "nothing of what was said is lost"


@pytest.mark.slow
async def test_a_restart_takes_nothing_up_in_which_nothing_was_said_or_with_another_agent(
    tmp_path: Path,
) -> None:
    async with talk(start(tmp_path, can=RESUMES)) as (conversation, _):
        await conversation.begin()
        await conversation.restart()
        assert STARTED_AGAIN not in said(conversation)

        conversation.say("hello")
        await until(lambda: said(conversation)[-1:] == ["heard hello"])
        await conversation.restart(launch(can=RESUMES))
        assert STARTED_AGAIN not in said(conversation)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("like", "expected"),
    [
        ({"tells_nothing": True}, ["Session loaded. The agent sent nothing of the earlier conversation."]),
        ({}, ["as before"]),
        ({"tells_late": True}, ["as before"]),
    ],
)
async def test_a_load_without_a_replay_is_told_as_such(
    tmp_path: Path, like: dict[str, Any], expected: list[str]
) -> None:
    known_session = KnownSession(SessionInfo(session_id="old", cwd=str(tmp_path)))
    async with talk(start(tmp_path, can={"loadSession": True}, **like), known_session) as (conversation, _):
        await conversation.begin()

        assert said(conversation) == expected


@pytest.mark.slow
async def test_c45_a_load_that_fails_shows_nothing_and_leads_to_a_new_session_of_the_same_agent(
    tmp_path: Path,
) -> None:
    given = start(tmp_path, can={"loadSession": True}, refuses_to_attach=True)
    known_session = KnownSession(SessionInfo(session_id="gone", cwd=str(tmp_path)))
    async with talk(given, known_session) as (conversation, notes):
        await conversation.begin()

        assert notes.phases[-1] == "failed"
        assert conversation.failure is not None
        assert conversation.failure.kind == "not_taken_up"
        assert conversation.failure.reason == "No such session"
        assert conversation.session is None
        assert notes.dropped == 1, "of the half replay nothing is left"

        agent = conversation.agent
        await conversation.begin_new()
        assert notes.phases[-1] == "ready"
        assert conversation.agent is agent
        assert said(conversation) == []


@pytest.mark.slow
async def test_an_earlier_session_keeps_its_title_and_tells_where_it_works(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    info = SessionInfo(session_id="old", cwd=str(tmp_path / "there"), title="Fix the router")
    async with talk(start(tmp_path, can={"loadSession": True}), KnownSession(info)) as (conversation, _):
        await conversation.begin()

        assert conversation.session is not None
        assert conversation.session.title == "Fix the router"
        assert said(conversation) == ["as before", f"The folder of this session is {tmp_path / 'there'}."]


@pytest.mark.slow
async def test_an_earlier_session_tells_where_the_link_leads_that_it_works_in(tmp_path: Path) -> None:
    for name in ("work", "there"):
        (tmp_path / name).mkdir()
    link = tmp_path / "work" / "link"
    link.symlink_to(tmp_path / "there")
    info = SessionInfo(session_id="old", cwd=str(link))
    given = start(tmp_path / "work", can={"loadSession": True})
    async with talk(given, KnownSession(info)) as (conversation, _):
        await conversation.begin()

        told = f"The folder of this session is {link}, a link to {tmp_path / 'there'}."
        assert told in said(conversation)


@pytest.mark.slow
async def test_a_folder_that_is_no_whole_path_is_lent_to_no_session(tmp_path: Path) -> None:
    info = SessionInfo(session_id="old", cwd="..")
    async with talk(start(tmp_path, can={"loadSession": True}), KnownSession(info)) as (conversation, _):
        await conversation.begin()

        assert conversation.phase == "failed"


@pytest.mark.slow
async def test_c44_folders_that_only_the_agent_names_are_not_lent(tmp_path: Path) -> None:
    for name in ("granted", "inner", "foreign"):
        (tmp_path / name).mkdir()
    granted, inner, foreign = (str(tmp_path / name) for name in ("granted", "work/inner", "foreign"))
    (tmp_path / "work" / "inner").mkdir(parents=True)
    can = {"loadSession": True, "sessionCapabilities": {"additionalDirectories": {}}}
    given = replace(start(tmp_path / "work", can=can), extra_roots=(granted,))
    info = SessionInfo(session_id="old", additional_directories=[granted, inner, foreign, "/no\0path"])
    async with talk(given, KnownSession(info)) as (conversation, _):
        await conversation.begin()

        assert conversation.access is not None
        assert conversation.access.files("old").roots == (str(tmp_path / "work"), granted, inner)
        (told,) = (text for text in said(conversation) if "additional folders" in text)
        assert told.startswith(f"This session had additional folders: {foreign}, ")
        assert told.endswith(" Add them again with --add-dir.")


@pytest.mark.slow
async def test_c35_folders_that_the_agent_does_not_take_are_told(tmp_path: Path) -> None:
    given = replace(start(tmp_path), extra_roots=("/somewhere",))
    async with talk(given) as (conversation, _):
        await conversation.begin()

        assert said(conversation) == ["This agent does not support additional folders: /somewhere."]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("can", "known_session", "method"),
    [
        ({}, None, "session/new"),
        ({"loadSession": True}, KnownSession(SessionInfo(session_id="old")), "session/load"),
        (
            {"sessionCapabilities": {"resume": {}}},
            KnownSession(SessionInfo(session_id="old")),
            "session/resume",
        ),
    ],
)
async def test_c43_mcp_servers_that_the_agent_cannot_take_are_left_out_and_told(
    tmp_path: Path, can: dict[str, Any], known_session: KnownSession | None, method: str
) -> None:
    given = replace(start(tmp_path, Settings(snapshots=False), can=can), mcp_servers=(WEB, TOOL))
    async with talk(given, known_session) as (conversation, _):
        await conversation.begin()

        assert "This agent does not support these MCP servers: web." in said(conversation)
        assert conversation.journal is not None
        assert conversation.journal.path is not None
        (params,) = sent(conversation.journal.path, method)
        assert [server["name"] for server in params["mcpServers"]] == ["tool"]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["session/new", "session/load", "session/resume"])
async def test_addresses_of_mcp_servers_are_recorded_without_their_logins_and_keys(
    tmp_path: Path, method: str
) -> None:
    can = {"loadSession": method == "session/load", "mcpCapabilities": {"http": True}}
    can["sessionCapabilities"] = {"resume": {}}
    given = replace(start(tmp_path, Settings(snapshots=False), can=can), mcp_servers=(WEB, TOOL))
    known_session = KnownSession(SessionInfo(session_id="old", cwd=str(tmp_path)))
    async with talk(given, known_session if method != "session/new" else None) as (conversation, _):
        await conversation.begin()

        assert conversation.phase == "ready"
        assert conversation.journal is not None
        assert conversation.journal.path is not None
        (params,) = sent(conversation.journal.path, method)
        web, tool = params["mcpServers"]
        assert web["url"] == "https:•••example.com/mcp•••"
        assert tool["args"] == ["https://example.com/•••"]
        text = conversation.journal.path.read_text()
        assert not [secret for secret in ("pw1", "short", "another-secret") if secret in text]


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
    async with talk(start(folder, Settings(snapshots=False))) as (conversation, _):
        await conversation.begin()
        conversation.say("hello")
        await until(lambda: said(conversation) == ["hello", "heard hello"])
    (journal,) = (folder / "home" / "data" / "journals").iterdir()
    return journal


@pytest.mark.slow
async def test_a_recording_is_shown_as_it_was_and_hears_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = await journal_of_a_talk(tmp_path, monkeypatch)

    async with talk(start(tmp_path)) as (replayed, notes):
        assert await replayed.show_recorded(recording(journal))
        assert replayed.recorded is not None
        assert replayed.recorded.agent == launch().name, "names of sessions are kept by agent"
        replayed.say("is anybody there?")

        assert said(replayed)[:2] == ["hello", "heard hello"]
        assert notes.given_back == ["is anybody there?"]
        journal.write_text("")
        assert not await replayed.show_recorded(recording(journal))


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recording of which each row is a slice of its own."""
    monkeypatch.setattr(agent_replay, "SLICE", -1.0)
    journal = tmp_path / "j.ndjson"
    journal.write_text(RECORDED)
    return journal


async def test_others_have_their_turn_while_a_recording_is_read(tmp_path: Path, slow: Path) -> None:
    async with talk(start(tmp_path)) as (replayed, notes):
        reading = asyncio.create_task(replayed.show_recorded(recording(slow)))
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
        reading = asyncio.create_task(replayed.show_recorded(recording(slow)))
        await asyncio.sleep(0)
        await replayed.end()

        assert await reading
        assert replayed.session is None
        assert replayed.phase == "ending"


@pytest.mark.slow
@pytest.mark.parametrize("can", [{"sessionCapabilities": {"resume": {}}}, {}], ids=["resumes", "cannot"])
async def test_a_recorded_session_goes_on_or_stands_above_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can: dict[str, Any]
) -> None:
    journal = await journal_of_a_talk(tmp_path, monkeypatch)
    async with talk(replace(start(tmp_path), launch=None)) as (replayed, notes):
        assert await replayed.show_recorded(recording(journal))
        recorded = replayed.session

        await replayed.continue_recorded(launch(can=can), Prompt("more"))

        if can:
            await until(lambda: said(replayed)[-1:] == ["heard more"])
            assert (replayed.session, replayed.above) == (recorded, None)
        else:
            assert notes.given_back == ["more"], "it was meant for an agent that knows what was said"
            assert replayed.above is recorded
            assert "/hand-over adds it to your next prompt" in said(replayed)[-1]


@pytest.mark.slow
@pytest.mark.parametrize("can", [{"loadSession": True}, RESUMES, {"sessionCapabilities": {"resume": {}}}])
async def test_a_listed_session_that_was_recorded_is_shown_as_it_was_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can: dict[str, Any]
) -> None:
    await journal_of_a_talk(tmp_path, monkeypatch)
    known_session = KnownSession(SessionInfo(session_id="s1", cwd=str(tmp_path)))
    told = [{"kind": kind, "content": {"type": "text", "text": text}} for kind, text in REPLAY]
    given = start(tmp_path, Settings(snapshots=False), can=can, tells=told)
    drawn: set[int] = set()
    monkeypatch.setattr(Notes, "session_changed", lambda _, change: drawn.update(change.entries))
    async with talk(given, known_session) as (conversation, notes):
        await conversation.begin()

        assert {0, 1} <= drawn, "the panes know of all that was seen"
        loads = [DIFFERS] if can.get("loadSession") else []
        assert said(conversation) == [*SEEN, *loads, "Session resumed."]
        assert (conversation.phase, notes.dropped) == ("ready", 0)


REPLAY = (("user_message_chunk", "hello"), ("agent_message_chunk", "Something else"))


@pytest.mark.slow
async def test_a_listed_session_that_was_recorded_and_is_gone_is_not_shown_in_place_of_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await journal_of_a_talk(tmp_path, monkeypatch)
    known_session = KnownSession(SessionInfo(session_id="s1", cwd=str(tmp_path)))
    given = start(tmp_path, Settings(snapshots=False), can={"loadSession": True}, refuses_to_attach=True)
    async with talk(given, known_session) as (conversation, _):
        await conversation.begin()

        assert conversation.failure is not None
        assert conversation.failure.kind == "not_taken_up"
        assert conversation.session is None


@pytest.mark.slow
async def test_a_resumed_session_says_what_is_no_longer_chosen_as_before(tmp_path: Path) -> None:
    modes = [{"id": name, "name": name.title()} for name in ("ask", "plan")]
    like = {
        "modes": ["ask", "plan"],
        "attached": {"modes": {"currentModeId": "ask", "availableModes": modes}},
    }
    async with talk(start(tmp_path, can=RESUMES, **like)) as (conversation, _):
        await conversation.begin()
        session = conversation.session
        assert session is not None
        conversation.say("hello")
        await until(lambda: said(conversation)[-1:] == ["heard hello"])
        mode = session.option("mode")
        assert mode is not None
        await conversation.choices.set_option(mode, "plan")

        await conversation.restart()
        assert said(conversation)[-2:] == [STARTED_AGAIN, "Mode is Ask now. Before, it was Plan."]

        await conversation.restart()
        assert said(conversation)[-1] == STARTED_AGAIN, "nothing has changed since"


@pytest.mark.slow
async def test_nothing_begins_in_a_folder_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = await journal_of_a_talk(tmp_path, monkeypatch)
    async with talk(replace(start(tmp_path), launch=None)) as (replayed, _):
        assert await replayed.show_recorded(recording(journal))
        await replayed.continue_recorded(launch(), cwd=str(tmp_path / "gone"))

        await until(lambda: replayed.failure is not None)
        assert replayed.failure is not None
        assert f"{tmp_path / 'gone'} no longer exists" in replayed.failure.reason


LINE = b'{"jsonrpc":"2.0","method":"x","params":{}}'


def test_a_full_disk_is_told_once_and_so_is_the_room_that_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    journal = Journal(tmp_path / "j", clock=lambda: now)
    decisions = DecisionLog(tmp_path / "decisions.ndjson")
    unwritten = WriteFailures(journal, decisions)
    disk = Disk(monkeypatch, room=0)
    assert unwritten.news() == []

    decisions.add(ONE)
    (told,) = unwritten.news()
    journal.record("in", LINE)
    journal.flush()
    assert "The disk is full" in told.text
    assert str(tmp_path) in told.detail
    assert unwritten.news() == []

    disk.room, now = 1 << 20, 60.0
    journal.flush()
    (told,) = unwritten.news()
    assert "free space again" in told.text
    assert decisions.problem is None
    assert unwritten.news() == []
