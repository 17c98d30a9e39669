"""Questions that the client asks when an agent acts without a permission request."""

from __future__ import annotations

import os
import socket
from contextlib import chdir
from pathlib import Path

import pytest

from acp_tui.agent.permissions.authorization import AnsweredBy
from acp_tui.protocol.schema import Implementation
from acp_tui.session.entries import AgentMessage, Notice, text_of
from acp_tui.session.questions import MOST_OPEN
from acp_tui.store.settings import Policy
from tests.agent.granted import served
from tests.agent.permissions.turn import RUN, asked, notices, running, wants
from tests.agent.puppet import CANCELLED, text
from tests.sent import Frame
from tests.waiting import until


@pytest.mark.parametrize("policy", ["ask", "ask-edits-and-commands", "allow-edits"])
async def test_a_command_that_nobody_allowed_waits_for_the_user(tmp_path: Path, policy: Policy) -> None:
    async with running(tmp_path, policy=policy) as (talk, session):
        request_id = wants(talk, "terminal/create", **RUN)
        question = await asked(talk, session)
        assert not (tmp_path / "made").exists()
        assert question.unasked
        assert (question.call.kind, question.call.command) == ("execute", "touch made")
        assert [option.kind for option in question.options] == ["allow_once", "reject_once"]

        talk.agent.answer("s2", question.key, "let", AnsweredBy("person", "key y"))

        terminal = (await talk.puppet.answer_to(request_id))["result"]
        await served(talk, "terminal/wait_for_exit", **terminal)
        assert (tmp_path / "made").exists()
        assert notices(session) == ["You allowed puppet to run “touch made”."]
        (kept,) = talk.decisions
        assert (kept.kind, kept.command, kept.unasked) == ("execute", "touch made", True)
        assert (kept.by, kept.detail, kept.is_allowed) == ("person", "key y", True)


@pytest.mark.parametrize(("answer", "told"), [("let", "You allowed"), ("refuse", "You did not allow")])
async def test_what_was_let_is_told_where_it_happened(tmp_path: Path, answer: str, told: str) -> None:
    async with running(tmp_path) as (talk, session):
        talk.puppet.updates("agent_message_chunk", "s2", content=text("before"))
        request_id = wants(talk, "terminal/create", **RUN)
        question = await asked(talk, session)
        talk.agent.answer("s2", question.key, answer)
        await talk.puppet.answer_to(request_id)
        talk.puppet.updates("agent_message_chunk", "s2", content=text("after"))
        await until(lambda: isinstance(session.entries[-1], AgentMessage))

        before, notice, after = session.entries[-3:]
        assert isinstance(before, AgentMessage)
        assert isinstance(notice, Notice)
        assert isinstance(after, AgentMessage)
        assert (text_of(before), text_of(after)) == ("before", "after")
        assert notice.text.startswith(told)


async def test_what_the_user_refuses_is_an_error_and_does_not_run(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        request_id = wants(talk, "terminal/create", **RUN)
        question = await asked(talk, session)
        with pytest.raises(ValueError, match="not offered"):
            talk.agent.answer("s2", question.key, "yes")

        talk.agent.answer("s2", question.key, "refuse")

        error = (await talk.puppet.answer_to(request_id))["error"]
        assert (error["code"], error["message"]) == (-32602, "The user does not allow this.")
        assert not (tmp_path / "made").exists()
        assert notices(session) == ["You did not allow puppet to run “touch made”."]
        assert not talk.decisions[0].is_allowed


async def test_stopping_the_turn_answers_the_question_and_what_comes_while_it_stops(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        first = wants(talk, "terminal/create", **RUN)
        await asked(talk, session)

        talk.agent.cancel("s2")
        late = wants(talk, "terminal/create", **RUN)

        for request_id in (first, late):
            assert "stopped" in (await talk.puppet.answer_to(request_id))["error"]["message"]
        assert not session.questions
        assert not (tmp_path / "made").exists()
        assert [one.by for one in talk.decisions] == ["cancelled"]


async def test_an_implicit_request_that_is_taken_back_is_no_question_any_more(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        request_id = wants(talk, "terminal/create", **RUN)
        await asked(talk, session)

        talk.puppet.says({"method": "$/cancel_request", "params": {"requestId": request_id}})

        assert (await talk.puppet.answer_to(request_id))["error"]["code"] == -32800
        await talk.until(lambda: not session.questions)
        assert [one.by for one in talk.decisions] == ["withdrawn"]


async def test_a_policy_asks_for_writes_and_not_for_reads(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    async with running(tmp_path, policy="ask-edits-and-commands") as (talk, session):
        assert "result" in await served(talk, "fs/read_text_file", path=str(path))
        request_id = wants(talk, "fs/write_text_file", path=str(path), content="new")
        talk.agent.answer("s2", (await asked(talk, session)).key, "refuse")
        assert "error" in await talk.puppet.answer_to(request_id)
        assert path.read_text() == "old"

        talk.access.set_policy("s2", "allow-edits")
        assert "result" in await served(talk, "fs/write_text_file", path=str(path), content="new")
        assert path.read_text() == "new"


async def test_a_write_of_what_the_agent_has_written_by_itself_is_no_question(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("new\nend\n")
    async with running(tmp_path) as (talk, _):
        assert "result" in await served(talk, "fs/write_text_file", path=str(path), content="new\nend\n")
        assert path.read_text() == "new\nend\n"


@pytest.mark.parametrize("make", ["mkfifo", "mkdir", "socket", "link"])
async def test_a_write_that_cannot_be_done_fails_without_a_question(tmp_path: Path, make: str) -> None:
    path = tmp_path / "place"
    match make:
        case "mkfifo":
            os.mkfifo(path)
        case "mkdir":
            path.mkdir()
        case "socket":
            with socket.socket(socket.AF_UNIX) as service, chdir(tmp_path):
                service.bind("place")
        case _:
            (tmp_path / "inner").mkdir()
            os.mkfifo(tmp_path / "inner" / "pipe")
            path.symlink_to("inner/pipe")
    async with running(tmp_path) as (talk, session):
        error = (await served(talk, "fs/write_text_file", path=str(path), content="x"))["error"]

        assert "regular file" in error["message"] or "folder" in error["message"]
        assert not session.questions
        assert not notices(session)


async def test_the_chat_calls_the_agent_as_the_dialog_does(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        assert talk.agent.info is not None
        talk.agent.info.agent_info = Implementation(name="own-name", title="Own Name", version="1")
        wants(talk, "terminal/create", **RUN)
        talk.agent.answer("s2", (await asked(talk, session)).key, "let")

        assert talk.agent.title == "Own Name"
        await talk.until(lambda: notices(session) == ["You allowed Own Name to run “touch made”."])


async def test_the_log_names_the_tool_call_that_a_wish_belongs_to(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        running_one: Frame = {"kind": "execute", "status": "in_progress"}
        making: Frame = {"title": "Make", "rawInput": {"command": "touch made"}}
        talk.puppet.updates("tool_call", "s2", toolCallId="t1", title="Other", **running_one)
        talk.puppet.updates("tool_call", "s2", toolCallId="t2", **making, **running_one)
        wants(talk, "terminal/create", **RUN)
        question = await asked(talk, session)
        assert question.call.tool_call_id == "t2"
        talk.agent.answer("s2", question.key, "refuse")
        await talk.until(lambda: talk.decisions)

        assert (talk.decisions[0].tool_call, talk.decisions[0].title) == ("t2", "Make")
        call = session.tool_call("t2")
        assert call is not None
        assert call.status == "in_progress"  # what becomes of it, the agent says


async def test_what_is_no_text_is_not_taken_for_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"\xff\x00")
    async with running(tmp_path) as (talk, session):
        wants(talk, "fs/write_text_file", path=str(path), content="new")
        question = await asked(talk, session)
        assert question.unasked
        assert [diff.before for diff in question.call.content] == ["\0"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("there", "text", "said"),
    [
        ("café\n".encode("cp1252"), "café\n", "It is Windows-1252 now, and would be written as UTF-8."),
        (
            "\ufeffcafé\n".encode("utf-16-le"),
            "\ufeffcafé\n",
            "It is UTF-16 LE now, and would be written as UTF-8.",
        ),
        ("café, café, no mark\n".encode("utf-16-be"), "café, café, no mark\n", "It is UTF-16 BE now"),
        (
            "Привет, мир! Это текст\n".encode("cp1251") * 3,
            "Привет, мир! Это текст\n" * 3,
            "It is Windows-1251",
        ),
        ("café\n".encode(), "café\n", ""),
        (b"plain\n", "plain\n", ""),
    ],
)
async def test_a_question_shows_the_text_and_says_that_its_encoding_changes(
    tmp_path: Path, there: bytes, text: str, said: str
) -> None:
    path = tmp_path / "a"
    path.write_bytes(there)
    async with running(tmp_path) as (talk, session):
        wants(talk, "fs/write_text_file", path=str(path), content="new\n")
        question = await asked(talk, session)

        assert [diff.before for diff in question.call.content] == [text]  # type: ignore[union-attr]
        assert (question.call.title or "").startswith(said)
        assert ("UTF-8" in (question.call.title or "")) == bool(said)


async def test_a_write_over_newer_changes_is_one_question_as_long_as_the_file_stays_as_it_was_shown(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a"
    path.write_text("one")
    async with running(tmp_path) as (talk, session):
        await served(talk, "fs/read_text_file", path=str(path))
        path.write_text("mine")
        request_id = wants(talk, "fs/write_text_file", path=str(path), content="theirs")
        question = await asked(talk, session)
        assert question.unasked
        assert "has changed on disk since" in question.call.title
        assert [diff.before for diff in question.call.content] == ["mine"]  # type: ignore[union-attr]
        talk.agent.answer("s2", question.key, "let")
        assert "result" in await talk.puppet.answer_to(request_id)
        assert path.read_text() == "theirs"

        path.write_text("mine")
        wants(talk, "fs/write_text_file", path=str(path), content="more")
        question = await asked(talk, session)
        path.write_text("mine, newer")
        talk.agent.answer("s2", question.key, "let")
        await talk.until(lambda: question.key not in session.questions)
        question = await asked(talk, session)
        assert [diff.before for diff in question.call.content] == ["mine, newer"]  # type: ignore[union-attr]
        assert path.read_text() == "mine, newer"


async def test_what_would_be_one_question_too_many_is_refused(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        for _ in range(MOST_OPEN):
            wants(talk, "terminal/create", **RUN)
        await until(lambda: len(session.questions) == MOST_OPEN)

        refused = await talk.puppet.answer_to(wants(talk, "terminal/create", **RUN))

        assert "too many questions" in refused["error"]["message"]
        assert len(session.questions) == MOST_OPEN


async def test_questions_of_the_agent_and_of_the_client_count_together(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        for _ in range(MOST_OPEN):
            wants(talk, "terminal/create", **RUN)
        await until(lambda: len(session.questions) == MOST_OPEN)

        call = {"toolCallId": "t1", "title": "Look"}
        talk.puppet.asks_permission("q", toolCall=call, sessionId="s2")
        assert (await talk.puppet.answer_to("q"))["result"] == CANCELLED

        (first, *_) = session.questions
        talk.agent.answer(session.id, first, "refuse")
        talk.puppet.asks_permission("r", toolCall=call, sessionId="s2")
        await until(lambda: '"r"' in session.questions)
        refused = await talk.puppet.answer_to(wants(talk, "terminal/create", **RUN))
        assert "too many questions" in refused["error"]["message"]
