from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from acp_tui.acp.sessions import SessionInfo
from acp_tui.agent.process import Process
from acp_tui.conversation.conversation import Conversation
from acp_tui.conversation.opening import Attach
from acp_tui.host.processes import ExitStatus
from acp_tui.store.launch import Launch
from acp_tui.store.mcp import McpServer
from acp_tui.store.prompt import Prompt
from acp_tui.store.settings import Settings
from tests.conversation.talks import launch, said, start, talk
from tests.waiting import until


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
        assert said(conversation)[0] == "A new session: the agent does not know what stands above."


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


RESUMES = {"loadSession": True, "sessionCapabilities": {"resume": {}}}


def changed(conversation: Conversation) -> list[str]:
    """Return the names of the changed files."""
    assert conversation.session is not None
    return [Path(path).name for path in conversation.session.files]


STARTED_AGAIN = "The agent was started again, and has taken this session up."


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
        died, ended = (f"The agent has ended (exit code {code})." for code in (7, 0))
        assert said(conversation) == ["die", died, STARTED_AGAIN, ended, STARTED_AGAIN]
        assert notes.dropped == 0, "what was said stays on the screen"


@pytest.mark.parametrize("can", [RESUMES, {"loadSession": True}, {}])
async def test_after_a_restart_the_changed_files_are_those_since_the_beginning(
    tmp_path: Path, can: dict[str, Any]
) -> None:
    async with talk(start(tmp_path, can=can, session="kept")) as (conversation, _):
        await conversation.begin()
        tracking = conversation.tracking
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
        assert conversation.tracking is None


async def test_what_is_ended_while_it_is_started_again_is_not_started(tmp_path: Path) -> None:
    async with talk(start(tmp_path)) as (conversation, _):
        await conversation.begin()

        starting = asyncio.create_task(conversation.restart())
        await asyncio.sleep(0)
        await conversation.end()
        await starting

        assert conversation.running is None


async def test_c45_after_a_restart_what_is_told_anew_takes_the_place_of_what_was_shown(
    tmp_path: Path,
) -> None:
    async with talk(start(tmp_path, can={"loadSession": True}, session="kept")) as (conversation, notes):
        await conversation.begin()
        conversation.say("hello")
        await until(lambda: said(conversation)[-1:] == ["heard hello"])

        await conversation.restart()

        assert conversation.session is not None
        assert conversation.session.id == "kept"
        assert said(conversation) == ["as before", STARTED_AGAIN]
        assert notes.dropped == 1


async def test_after_a_restart_what_was_shown_stays_where_the_agent_tells_nothing_of_it(
    tmp_path: Path,
) -> None:
    given = start(tmp_path, can={"loadSession": True}, session="kept", tells_nothing=True)
    async with talk(given) as (conversation, notes):
        await conversation.begin()
        conversation.say("hello")
        await until(lambda: said(conversation)[-1:] == ["heard hello"])

        await conversation.restart()

        assert said(conversation) == [STARTED_AGAIN]
        assert notes.dropped == 0


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
        assert said(conversation) == ["A new session: the agent does not know what stands above."]
        assert notes.dropped == 0, "nothing of what was said is lost"


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


async def test_c45_a_load_that_fails_shows_nothing_and_leads_to_a_new_session_of_the_same_agent(
    tmp_path: Path,
) -> None:
    given = start(tmp_path, can={"loadSession": True}, refuses_to_attach=True)
    attach = Attach(SessionInfo(session_id="gone", cwd=str(tmp_path)))
    async with talk(given, attach) as (conversation, notes):
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


async def test_an_earlier_session_keeps_its_title_and_tells_where_it_works(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    info = SessionInfo(session_id="old", cwd=str(tmp_path / "there"), title="Fix the router")
    async with talk(start(tmp_path, can={"loadSession": True}), Attach(info)) as (conversation, _):
        await conversation.begin()

        assert conversation.session is not None
        assert conversation.session.title == "Fix the router"
        assert said(conversation) == ["as before", f"This session works in {tmp_path / 'there'}."]


async def test_c44_folders_that_only_the_agent_names_are_not_lent(tmp_path: Path) -> None:
    for name in ("granted", "inner", "foreign"):
        (tmp_path / name).mkdir()
    granted, inner, foreign = (str(tmp_path / name) for name in ("granted", "work/inner", "foreign"))
    (tmp_path / "work" / "inner").mkdir(parents=True)
    can = {"loadSession": True, "sessionCapabilities": {"additionalDirectories": {}}}
    given = start(tmp_path / "work", can=can)._replace(extra_roots=(granted,))
    info = SessionInfo(session_id="old", additional_directories=[granted, inner, foreign])
    async with talk(given, Attach(info)) as (conversation, _):
        await conversation.begin()

        assert conversation.host is not None
        assert conversation.host.files("old").roots == (str(tmp_path / "work"), granted, inner)
        assert said(conversation)[-1] == (
            f"This session had further folders: {foreign}. --add-dir lends such a folder."
        )


async def test_c35_folders_that_the_agent_does_not_take_are_told(tmp_path: Path) -> None:
    given = start(tmp_path)._replace(extra_roots=("/somewhere",))
    async with talk(given) as (conversation, _):
        await conversation.begin()

        assert said(conversation) == ["This agent takes no further folders: /somewhere."]


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
        gone = asyncio.Event()

        async def never(*_: object) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                gone.set()

        notes.choose_login = never  # type: ignore[method-assign, assignment]
        beginning = asyncio.create_task(conversation.begin())
        await until(lambda: conversation.phase == "logging-in")
        assert conversation.connecting.process is not None
        os.kill(conversation.connecting.process.pid, 9)
        await beginning

        assert gone.is_set()
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


@pytest.mark.parametrize(("asked", "became"), [("plan", "plan"), ("PLAN", "plan")])
async def test_the_mode_of_the_command_line_is_set_before_anything_is_said(
    tmp_path: Path, asked: str, became: str
) -> None:
    async with talk(start(tmp_path, modes=["ask", "plan"]), mode=asked) as (conversation, _):
        await conversation.begin()

        assert conversation.session is not None
        option = conversation.session.option("mode")
        assert option is not None
        assert option.config.current_value == became
        assert conversation.choosing.pending_value(option) == became


async def test_a_mode_that_the_agent_does_not_have_is_told(tmp_path: Path) -> None:
    async with talk(start(tmp_path, modes=["ask"]), mode="yolo") as (conversation, _):
        await conversation.begin()

        assert said(conversation) == ["This agent has no mode yolo."]


WEB = McpServer("web", "http", url="https://me:pw1@example.com/mcp?k=short")
TOOL = McpServer("tool", "stdio", command="true", args=("https://example.com/?key=another-secret",))


def sent(path: Path, method: str) -> list[dict[str, Any]]:
    """Return the params of our requests of a method, as the journal has them."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    out = [row["msg"] for row in rows if row["dir"] == "out"]
    return [msg["params"] for msg in out if msg.get("method") == method]


@pytest.mark.parametrize(
    ("can", "attach", "method"),
    [
        ({}, None, "session/new"),
        ({"loadSession": True}, Attach(SessionInfo(session_id="old")), "session/load"),
        ({"sessionCapabilities": {"resume": {}}}, Attach(SessionInfo(session_id="old")), "session/resume"),
    ],
)
async def test_c43_mcp_servers_that_the_agent_cannot_take_are_left_out_and_told(
    tmp_path: Path, can: dict[str, Any], attach: Attach | None, method: str
) -> None:
    given = start(tmp_path, Settings(), can=can)._replace(mcp_servers=(WEB, TOOL))
    async with talk(given) as (conversation, _):
        conversation._opening.attach = attach
        await conversation.begin()

        assert "This agent cannot take these MCP servers: web." in said(conversation)
        assert conversation.journal is not None
        assert conversation.journal.path is not None
        (params,) = sent(conversation.journal.path, method)
        assert [server["name"] for server in params["mcpServers"]] == ["tool"]


@pytest.mark.parametrize("method", ["session/new", "session/load", "session/resume"])
async def test_addresses_of_mcp_servers_are_recorded_without_their_logins_and_keys(
    tmp_path: Path, method: str
) -> None:
    can = {"loadSession": method == "session/load", "mcpCapabilities": {"http": True}}
    can["sessionCapabilities"] = {"resume": {}}
    given = start(tmp_path, Settings(), can=can)._replace(mcp_servers=(WEB, TOOL))
    async with talk(given) as (conversation, _):
        attach = Attach(SessionInfo(session_id="old", cwd=str(tmp_path)))
        conversation._opening.attach = attach if method != "session/new" else None
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


async def test_a_journal_that_cannot_be_written_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "data").write_text("a file where a folder should be")
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    async with talk(start(tmp_path, Settings())) as (conversation, _):
        await conversation.begin()
        conversation.say("hello")
        await until(lambda: said(conversation)[-1:] == ["heard hello"])

        assert sum("not recorded" in text for text in said(conversation)) == 1


async def test_a_recording_is_shown_as_it_was_and_hears_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))
    async with talk(start(tmp_path, Settings())) as (conversation, _):
        await conversation.begin()
        conversation.say("hello")
        await until(lambda: said(conversation) == ["hello", "heard hello"])
    (journal,) = (tmp_path / "home" / "data" / "journals").iterdir()

    async with talk(start(tmp_path)) as (replayed, notes):
        assert replayed.show_recorded(journal)
        assert replayed.recorded_by == launch().name, "names of sessions are kept by agent"
        replayed.say("is anybody there?")

        assert said(replayed)[:2] == ["hello", "heard hello"]
        assert notes.given_back == ["is anybody there?"]
        journal.write_text("")
        assert not replayed.show_recorded(journal)


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


async def test_a_stubborn_agent_is_ended_within_seconds(tmp_path: Path) -> None:
    async with talk(start(tmp_path, stubborn=True)) as (conversation, _):
        await conversation.begin()
        agent, began = conversation.agent, time.monotonic()

        await conversation.end()

        assert time.monotonic() - began < 6
        assert agent is not None
        assert agent.connection.exit is not None
        assert agent.connection.exit.signal == "SIGKILL"
