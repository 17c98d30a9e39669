"""Stale writes: what changed since the agent saw it is not written over before the user agrees."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from acp_tui.agent.permissions.amendments import Amendment
from acp_tui.agent.permissions.authorization import AnsweredBy
from acp_tui.session.entries import Notice
from acp_tui.session.questions import StaleWrite
from acp_tui.session.session import Session
from acp_tui.store.decisions import OVERWRITE
from acp_tui.store.edited_texts import EditedText
from acp_tui.store.settings import StaleWriteSetting
from tests.agent.granted import granted, served
from tests.agent.puppet import Conversation
from tests.sent import Frame


def write(talk: Conversation, path: Path, content: str) -> None:
    params = {"sessionId": "s2", "path": str(path), "content": content}
    talk.puppet.says({"id": "w", "method": "fs/write_text_file", "params": params})


async def asked(talk: Conversation) -> StaleWrite:
    session = talk.agent.sessions["s2"]
    await talk.until(lambda: session.questions)
    (question,) = session.questions.values()
    assert isinstance(question, StaleWrite)
    return question


@asynccontextmanager
async def stale(folder: Path) -> AsyncIterator[tuple[Conversation, Path, StaleWrite]]:
    """An agent that asks to write over what somebody else has written into a file that it has read."""
    file = folder / "a"
    file.write_text("one\n")
    async with granted(folder) as talk:
        await served(talk, "fs/read_text_file", path=str(file))
        file.write_text("mine\n")
        place: Frame = {"toolCallId": "t7", "title": "Edit a", "locations": [{"path": str(file)}]}
        talk.puppet.updates("tool_call", "s2", kind="edit", status="in_progress", **place)
        write(talk, file, "theirs\n")
        yield talk, file, await asked(talk)


def notices(session: Session) -> list[str]:
    return [entry.text for entry in session.entries if isinstance(entry, Notice)]


async def test_a_write_over_what_the_agent_has_not_seen_waits_for_the_user(tmp_path: Path) -> None:
    async with stale(tmp_path) as (talk, file, question):
        assert (question.before, question.now, question.wanted) == ("one\n", "mine\n", "theirs\n")
        assert file.read_text() == "mine\n"
        with pytest.raises(ValueError, match="not offered"):
            talk.agent.answer("s2", question.key, "yes")
        talk.agent.answer("s2", question.key, "write", AnsweredBy("person", "key w"))
        talk.agent.answer("s2", question.key, "keep")  # too late: it has its answer
        assert (await talk.puppet.answer_to("w"))["result"] == {}
        assert file.read_text() == "theirs\n"
        assert notices(talk.agent.sessions["s2"]) == [f"The agent overwrote newer changes in {file}."]
        (kept,) = talk.decisions
        assert (kept.session, kept.agent, kept.kind, kept.paths) == ("s2", "puppet", OVERWRITE, (str(file),))
        assert (kept.by, kept.detail, kept.chosen) == ("person", "key w", kept.options[0])
        assert kept.is_allowed


@pytest.mark.parametrize(
    ("there", "now", "encoding"),
    [
        ("café\n".encode("latin-1"), "café\n", "Windows-1252"),
        ("\ufeffa\n".encode("utf-16-le"), "\ufeffa\n", "UTF-16 LE"),
        (b"\0\1\2", None, "binary"),
        ("café\n".encode(), "café\n", ""),
    ],
)
async def test_what_is_no_utf_8_is_shown_as_text_and_named(
    tmp_path: Path, there: bytes, now: str | None, encoding: str
) -> None:
    file = tmp_path / "a"
    file.write_text("one\n")
    async with granted(tmp_path) as talk:
        await served(talk, "fs/read_text_file", path=str(file))
        file.write_bytes(there)
        write(talk, file, "theirs\n")

        question = await asked(talk)

        assert (question.now, question.encoding) == (now, encoding)
        assert file.read_bytes() == there


async def test_the_same_text_in_other_bytes_is_a_change(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("one\n")
    async with granted(tmp_path) as talk:
        await served(talk, "fs/read_text_file", path=str(file))
        file.write_bytes("café\n".encode("latin-1"))
        write(talk, file, "café\n")

        assert (await asked(talk)).now == "café\n"


async def test_the_log_names_the_tool_call_that_a_stale_write_belongs_to(tmp_path: Path) -> None:
    async with stale(tmp_path) as (talk, _, question):
        talk.agent.answer("s2", question.key, "keep")
        await talk.until(lambda: talk.decisions)
        assert (talk.decisions[0].tool_call, talk.decisions[0].title) == ("t7", "Edit a")


async def test_what_is_kept_is_told_to_the_agent_which_may_then_read_and_write(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("one\n")
    async with granted(tmp_path) as talk:
        await served(talk, "fs/write_text_file", path=str(file), content="two\n")
        file.write_text("mine\n")
        write(talk, file, "three\n")
        question = await asked(talk)
        talk.agent.answer("s2", question.key, "keep")

        error = (await talk.puppet.answer_to("w"))["error"]

        assert error["code"] == -32603
        assert "changed on disk" in error["message"]
        assert "read it again" in error["message"]
        assert file.read_text() == "mine\n"
        await served(talk, "fs/read_text_file", path=str(file))
        answer = await served(talk, "fs/write_text_file", path=str(file), content="both\n")
        assert answer["result"] == {}
        assert file.read_text() == "both\n"


async def test_what_changes_again_while_the_user_decides_is_asked_about_again(
    tmp_path: Path,
) -> None:
    file = tmp_path / "a"
    file.write_text("one\n")
    async with granted(tmp_path) as talk:
        await served(talk, "fs/read_text_file", path=str(file))
        file.write_text("mine\n")
        write(talk, file, "theirs\n")
        first = await asked(talk)
        file.write_text("mine, newer\n")
        talk.agent.answer("s2", first.key, "write")
        await talk.until(lambda: first.key not in talk.agent.sessions["s2"].questions)

        second = await asked(talk)

        assert second.now == "mine, newer\n"
        assert file.read_text() == "mine, newer\n"


@pytest.mark.parametrize("limits", [{}, {"line": 1, "limit": 1}])
async def test_a_file_that_vanished_since_is_not_brought_back_unasked(
    tmp_path: Path, limits: dict[str, int]
) -> None:
    file = tmp_path / "a"
    file.write_text("one\n")
    async with granted(tmp_path) as talk:
        await served(talk, "fs/read_text_file", path=str(file), **limits)
        file.unlink()
        write(talk, file, "two\n")

        question = await asked(talk)

        assert not question.is_there
        assert question.before == (None if limits else "one\n")
        assert not file.exists()


async def test_what_loses_nothing_is_not_asked(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("one\n")
    async with granted(tmp_path) as talk:
        await served(talk, "fs/read_text_file", path=str(file))
        file.write_text("one\n")  # touched
        assert (await served(talk, "fs/write_text_file", path=str(file), content="two\n"))["result"] == {}
        file.write_text("three\n")  # what the agent is about to write
        assert (await served(talk, "fs/write_text_file", path=str(file), content="three\n"))["result"] == {}
        (tmp_path / "never seen").write_text("x")
        never_seen = str(tmp_path / "never seen")
        assert (await served(talk, "fs/write_text_file", path=never_seen, content="y"))["result"] == {}


async def test_the_end_of_the_turn_withdraws_the_question_and_writes_nothing(tmp_path: Path) -> None:
    async with stale(tmp_path) as (talk, file, _):
        session = talk.agent.sessions["s2"]

        closing = asyncio.create_task(talk.agent.close_session("s2"))
        talk.puppet.answers(await talk.puppet.hears("session/close"), {})
        await closing

        assert "not written" in (await talk.puppet.answer_to("w"))["error"]["message"]
        assert session.questions == {}
        assert file.read_text() == "mine\n"
        (kept,) = talk.decisions
        assert (kept.by, kept.detail, kept.chosen) == ("cancelled", "close", None)


async def test_the_end_of_another_session_leaves_the_question_open(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("one\n")
    async with granted(tmp_path) as talk:
        await talk.made("other", str(tmp_path))
        await served(talk, "fs/read_text_file", path=str(file))
        file.write_text("mine\n")
        write(talk, file, "theirs\n")
        question = await asked(talk)

        talk.agent.cancel("other")
        closing = asyncio.create_task(talk.agent.close_session("other"))
        talk.puppet.answers(await talk.puppet.hears("session/close"), {})
        await closing

        assert list(talk.agent.sessions["s2"].questions) == [question.key]
        talk.agent.answer("s2", question.key, "write")
        assert (await talk.puppet.answer_to("w"))["result"] == {}
        assert file.read_text() == "theirs\n"


async def test_a_request_that_is_taken_back_withdraws_the_question(tmp_path: Path) -> None:
    async with stale(tmp_path) as (talk, file, _):
        session = talk.agent.sessions["s2"]

        talk.puppet.says({"method": "$/cancel_request", "params": {"requestId": "w"}})

        assert (await talk.puppet.answer_to("w"))["error"]["code"] == -32800
        await talk.until(lambda: not session.questions)
        assert file.read_text() == "mine\n"
        assert [kept.by for kept in talk.decisions] == ["withdrawn"]


async def test_a_merge_has_both_changes_and_the_agent_is_told_to_read_it_again(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("1\n2\n3\n4\n5\n")
    async with granted(tmp_path) as talk:
        await served(talk, "fs/read_text_file", path=str(file))
        file.write_text("mine\n2\n3\n4\n5\n")
        write(talk, file, "1\n2\n3\n4\ntheirs\n")
        question = await asked(talk)
        assert (question.merged, question.conflicts) == ("mine\n2\n3\n4\ntheirs\n", 0)
        talk.agent.answer("s2", question.key, "merge")

        answer = await talk.puppet.answer_to("w")

        assert "was merged" in answer["error"]["message"]
        assert file.read_text() == question.merged
        assert talk.decisions[0].is_allowed
        assert (await served(talk, "fs/read_text_file", path=str(file)))["result"][
            "content"
        ] == question.merged
        assert (await served(talk, "fs/write_text_file", path=str(file), content="all\n"))["result"] == {}


async def test_changes_that_meet_are_marked_and_what_the_user_makes_of_them_is_written(
    tmp_path: Path,
) -> None:
    async with stale(tmp_path) as (talk, file, question):
        assert question.conflicts == 1
        assert question.merged is not None
        assert "<<<<<<< on disk\nmine\n=======\ntheirs\n>>>>>>> the agent" in question.merged
        kept = EditedText(tmp_path / "kept", "a", question.merged)
        both = Amendment(str(file), question.merged, "mine and theirs\n", kept)
        talk.agent.answer("s2", question.key, "merge", amendments=[both])

        await talk.puppet.answer_to("w")

        assert file.read_text() == "mine and theirs\n"
        assert not kept.path.exists()


async def test_a_merge_over_a_file_that_changes_once_more_is_asked_about_again(tmp_path: Path) -> None:
    async with stale(tmp_path) as (talk, file, question):
        file.write_text("newer still\n")
        talk.agent.answer("s2", question.key, "merge")
        session = talk.agent.sessions["s2"]
        await talk.until(lambda: session.questions and question.key not in session.questions)

        again = await asked(talk)

        assert again.now == "newer still\n"
        assert file.read_text() == "newer still\n"


@pytest.mark.parametrize(("rule", "left"), [("write", "theirs\n"), ("keep", "mine\n")])
async def test_a_setting_answers_without_a_question(
    tmp_path: Path, rule: StaleWriteSetting, left: str
) -> None:
    file = tmp_path / "a"
    file.write_text("one\n")
    async with granted(tmp_path) as talk:
        talk.access.stale_writes = rule
        await served(talk, "fs/read_text_file", path=str(file))
        file.write_text("mine\n")

        answer = await served(talk, "fs/write_text_file", path=str(file), content="theirs\n")

        assert ("error" in answer) == (rule == "keep")
        assert file.read_text() == left
        assert talk.agent.sessions["s2"].questions == {}
        (kept,) = talk.decisions
        assert (kept.by, kept.detail) == ("rule", f'stale_writes = "{rule}" in the settings')
        assert kept.is_allowed == (rule == "write")
