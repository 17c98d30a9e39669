"""The user's own text in place of a change that the agent asked for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from acp_tui.agent.permissions.amendments import Amendment
from acp_tui.session.entries import Notice
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session
from acp_tui.store.edited_texts import EditedText
from acp_tui.store.settings import Policy
from tests.agent.granted import granted, served
from tests.agent.puppet import OPTIONS, Conversation

THEIRS, MINE = "one\ntheirs\n", "one\nmine\n"


@asynccontextmanager
async def running(folder: Path, policy: Policy = "ask") -> AsyncIterator[tuple[Conversation, Session]]:
    """A running turn in a folder with the file `a`, which the agent has read."""
    (folder / "a").write_text("one\ntwo\n")
    async with granted(folder, policy) as talk:
        await talk.prompted(session="s2")
        talk.agent.on_amended["s2"] = lambda path, how: told.append((path, how))
        await served(talk, "fs/read_text_file", path=str(folder / "a"))
        told.clear()
        yield talk, talk.agent.sessions["s2"]


told: list[tuple[str, str]] = []
"""Facts for the next prompt."""


def amendment(folder: Path, proposed: str = THEIRS) -> Amendment:
    kept = EditedText(folder / "kept", "a", proposed)
    kept.path.write_text(MINE)
    return Amendment(str(folder / "a"), proposed, MINE, kept)


async def allowed(talk: Conversation, session: Session, folder: Path) -> Amendment:
    """Have the agent ask for a change, and allow the user's version of it."""
    diff = {"type": "diff", "path": str(folder / "a"), "oldText": "one\ntwo\n", "newText": THEIRS}
    call = {"toolCallId": "t1", "kind": "edit", "title": "Edit a", "content": [diff]}
    params = {"sessionId": "s2", "toolCall": call, "options": OPTIONS}
    talk.puppet.says({"id": "q", "method": "session/request_permission", "params": params})
    await talk.until(lambda: session.questions)
    (question,) = session.questions.values()
    mine = amendment(folder)
    talk.agent.answer("s2", question.key, "yes", amendments=[mine])
    await talk.puppet.answer_to("q")
    return mine


def notices(session: Session) -> list[str]:
    return [entry.text for entry in session.entries if isinstance(entry, Notice)]


async def test_an_agent_that_writes_through_us_has_the_users_text_written(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        mine = await allowed(talk, session, tmp_path)

        answer = await served(talk, "fs/write_text_file", path=str(tmp_path / "a"), content=THEIRS)

        assert answer["result"] == {}
        assert (tmp_path / "a").read_text() == MINE
        assert told == [(str(tmp_path / "a"), "edited")]
        assert "You edited a before it was written." in notices(session)
        assert mine.kept is not None
        assert mine.kept.path.exists(), "the call is not over"
        talk.puppet.updates("tool_call_update", "s2", toolCallId="t1", status="completed")
        await talk.until(lambda: mine.kept is not None and not mine.kept.path.exists())
        assert (tmp_path / "a").read_text() == MINE
        assert len(told) == 1


async def test_an_agent_that_writes_through_us_and_by_itself_as_well_does_not_win(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        mine = await allowed(talk, session, tmp_path)
        await served(talk, "fs/write_text_file", path=str(tmp_path / "a"), content=THEIRS)
        (tmp_path / "a").write_text(THEIRS)
        talk.puppet.updates("tool_call_update", "s2", toolCallId="t1", status="completed")

        await talk.until(lambda: mine.kept is not None and not mine.kept.path.exists())

        assert (tmp_path / "a").read_text() == MINE
        assert len(told) == 1


async def test_a_later_decision_for_the_agents_text_counts(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        await allowed(talk, session, tmp_path)
        await served(talk, "fs/write_text_file", path=str(tmp_path / "a"), content=THEIRS)
        params = {"sessionId": "s2", "path": str(tmp_path / "a"), "content": THEIRS}
        talk.puppet.says({"id": "w", "method": "fs/write_text_file", "params": params})
        await talk.until(lambda: session.questions)
        (question,) = session.questions.values()
        talk.agent.answer("s2", question.key, "let")
        assert (await talk.puppet.answer_to("w"))["result"] == {}
        talk.puppet.updates("tool_call_update", "s2", toolCallId="t1", status="completed")
        await talk.until(lambda: not list((tmp_path / "kept").iterdir()))

        assert (tmp_path / "a").read_text() == THEIRS


async def test_its_next_write_without_a_look_does_not_lose_what_the_user_wrote(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        await allowed(talk, session, tmp_path)
        await served(talk, "fs/write_text_file", path=str(tmp_path / "a"), content=THEIRS)
        params = {"sessionId": "s2", "path": str(tmp_path / "a"), "content": f"{THEIRS}three\n"}
        talk.puppet.says({"id": "w", "method": "fs/write_text_file", "params": params})
        await talk.until(lambda: session.questions)

        (question,) = session.questions.values()

        assert isinstance(question, Permission)
        assert "It has changed on disk" in question.call.title
        assert question.merged is not None
        assert "mine" in question.merged
        assert "three" in question.merged


async def test_a_question_of_ours_writes_the_users_text_at_once(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        params = {"sessionId": "s2", "path": str(tmp_path / "a"), "content": THEIRS}
        talk.puppet.says({"id": "w", "method": "fs/write_text_file", "params": params})
        await talk.until(lambda: session.questions)
        (question,) = session.questions.values()

        talk.agent.answer("s2", question.key, "let", amendments=[amendment(tmp_path)])

        assert (await talk.puppet.answer_to("w"))["result"] == {}
        assert (tmp_path / "a").read_text() == MINE
        assert told


async def test_what_an_agent_wrote_by_itself_is_replaced_once_its_call_is_over(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        await allowed(talk, session, tmp_path)
        (tmp_path / "a").write_text(THEIRS)
        talk.puppet.updates("tool_call_update", "s2", toolCallId="t1", status="completed")

        await talk.until(lambda: told)

        assert (tmp_path / "a").read_text() == MINE
        assert [path.name for path in (tmp_path / "kept").iterdir()] == []


async def test_an_agent_that_writes_once_more_through_us_after_its_call_does_not_win(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        await allowed(talk, session, tmp_path)
        (tmp_path / "a").write_text(THEIRS)
        talk.puppet.updates("tool_call_update", "s2", toolCallId="t1", status="completed")
        await talk.until(lambda: told)
        for _ in range(2):
            answer = await served(talk, "fs/write_text_file", path=str(tmp_path / "a"), content=THEIRS)
            assert answer["result"] == {}

        assert (tmp_path / "a").read_text() == MINE
        assert not session.questions
        assert told == [(str(tmp_path / "a"), "edited")]


async def test_a_later_call_with_the_same_text_that_is_allowed_writes_it(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        await allowed(talk, session, tmp_path)
        (tmp_path / "a").write_text(THEIRS)
        talk.puppet.updates("tool_call_update", "s2", toolCallId="t1", status="completed")
        await talk.until(lambda: told)
        await served(talk, "fs/read_text_file", path=str(tmp_path / "a"))
        diff = {"type": "diff", "path": str(tmp_path / "a"), "oldText": MINE, "newText": THEIRS}
        call = {"toolCallId": "t2", "kind": "edit", "title": "Edit a", "content": [diff]}
        params = {"sessionId": "s2", "toolCall": call, "options": OPTIONS}
        talk.puppet.says({"id": "q2", "method": "session/request_permission", "params": params})
        await talk.until(lambda: session.questions)
        (question,) = session.questions.values()
        talk.agent.answer("s2", question.key, "yes")
        await talk.puppet.answer_to("q2")
        await served(talk, "fs/write_text_file", path=str(tmp_path / "a"), content=THEIRS)

        assert (tmp_path / "a").read_text() == THEIRS


async def test_the_users_text_follows_no_link_that_was_put_in_the_place_of_the_file(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        await allowed(talk, session, tmp_path)
        (tmp_path / ".git/hooks").mkdir(parents=True)
        (tmp_path / ".git/hooks/pre-commit").write_text(THEIRS)
        (tmp_path / "a").unlink()
        (tmp_path / "a").symlink_to(".git/hooks/pre-commit")
        talk.puppet.updates("tool_call_update", "s2", toolCallId="t1", status="completed")
        await talk.until(lambda: any("was not written" in text for text in notices(session)))

        assert (tmp_path / ".git/hooks/pre-commit").read_text() == THEIRS
        assert not told


async def test_what_it_wrote_otherwise_stays_and_the_users_text_is_left_in_a_file(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        await allowed(talk, session, tmp_path)
        (tmp_path / "a").write_text("something else\n")
        talk.puppet.updates("tool_call_update", "s2", toolCallId="t1", status="completed")
        await talk.until(lambda: any("was not written" in text for text in notices(session)))

        assert (tmp_path / "a").read_text() == "something else\n"
        assert not told
        (notice,) = [entry for entry in session.entries if isinstance(entry, Notice) and entry.detail]
        assert Path(notice.detail.removeprefix("It is in ")).read_text() == MINE


BEFORE = "".join(f"line {number}\n" for number in range(1, 21))
PROPOSED = BEFORE.replace("line 3\n", "theirs\n")
EDITED = BEFORE.replace("line 3\n", "mine\n")


async def edited_by_the_user(talk: Conversation, session: Session, folder: Path) -> None:
    """Have the agent ask for a change of a longer file, and allow the user's version of it."""
    (folder / "a").write_text(BEFORE)
    await served(talk, "fs/read_text_file", path=str(folder / "a"))
    diff = {"type": "diff", "path": str(folder / "a"), "oldText": BEFORE, "newText": PROPOSED}
    call = {"toolCallId": "t1", "kind": "edit", "title": "Edit a", "content": [diff]}
    params = {"sessionId": "s2", "toolCall": call, "options": OPTIONS}
    talk.puppet.says({"id": "q", "method": "session/request_permission", "params": params})
    await talk.until(lambda: session.questions)
    (question,) = session.questions.values()
    kept = EditedText(folder / "kept", "a", PROPOSED)
    kept.path.write_text(EDITED)
    mine = Amendment(str(folder / "a"), PROPOSED, EDITED, kept, BEFORE)
    talk.agent.answer("s2", question.key, "yes", amendments=[mine])
    await talk.puppet.answer_to("q")


@pytest.mark.parametrize(
    ("newer", "there"),
    [
        ("line 3\ntheirs\n", None),  # it does not have the agent's change alone
        (BEFORE.replace("line 15", "newer"), None),  # the agent's write has failed
        (PROPOSED.replace("line 4", "newer"), None),  # it meets what the user has edited
        (PROPOSED.replace("line 15", "newer"), EDITED.replace("line 15", "newer")),
    ],
)
async def test_what_the_user_edited_goes_beside_a_newer_change_where_both_fit(
    tmp_path: Path, newer: str, there: str | None
) -> None:
    async with running(tmp_path) as (talk, session):
        await edited_by_the_user(talk, session, tmp_path)
        (tmp_path / "a").write_text(newer)
        talk.puppet.updates("tool_call_update", "s2", toolCallId="t1", status="completed")
        await talk.until(lambda: told or any("was not written" in text for text in notices(session)))

        assert (tmp_path / "a").read_text() == (there or newer)
        left = [path.read_text() for path in (tmp_path / "kept").rglob("*") if path.is_file()]
        assert left == ([] if there else [EDITED])
        assert told == ([(str(tmp_path / "a"), "combined")] if there else [])
        both = "You edited a before it was written. It had changed meanwhile: it has both."
        assert (both in notices(session)) is bool(there)


async def test_a_write_of_another_text_says_that_what_the_user_edited_follows(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        await edited_by_the_user(talk, session, tmp_path)
        (tmp_path / "a").write_text(BEFORE.replace("line 15", "newer"))
        await served(talk, "fs/read_text_file", path=str(tmp_path / "a"))
        params = {"path": str(tmp_path / "a"), "content": PROPOSED.replace("line 15", "newer")}
        talk.puppet.says({"id": "w", "method": "fs/write_text_file", "params": {"sessionId": "s2", **params}})
        await talk.until(lambda: session.questions)
        (question,) = session.questions.values()
        assert isinstance(question, Permission)
        assert question.follows_edit
        assert "not the change that you edited" in question.call.title

        talk.agent.answer("s2", question.key, "let")
        assert (await talk.puppet.answer_to("w"))["result"] == {}
        talk.puppet.updates("tool_call_update", "s2", toolCallId="t1", status="completed")
        await talk.until(lambda: told)
        assert (tmp_path / "a").read_text() == EDITED.replace("line 15", "newer")


async def test_a_merge_is_an_answer_where_the_file_has_changed_since_it_was_read(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as (talk, session):
        (tmp_path / "a").write_text("one\ntwo\nthree\n4\n5\n")
        await served(talk, "fs/read_text_file", path=str(tmp_path / "a"))
        (tmp_path / "a").write_text("ONE\ntwo\nthree\n4\n5\n")
        params = {"sessionId": "s2", "path": str(tmp_path / "a"), "content": "one\ntwo\nthree\n4\nFIVE\n"}
        talk.puppet.says({"id": "w", "method": "fs/write_text_file", "params": params})
        await talk.until(lambda: session.questions)
        (question,) = session.questions.values()
        assert isinstance(question, Permission)
        assert question.merged == "ONE\ntwo\nthree\n4\nFIVE\n"
        assert "merged with the newer text: without conflicts" in question.options[-1].name

        talk.agent.answer("s2", question.key, "merge")

        assert (await talk.puppet.answer_to("w"))["result"] == {}
        assert (tmp_path / "a").read_text() == question.merged
        assert told == [(str(tmp_path / "a"), "merged")]


@pytest.mark.parametrize("choice", ["merge", "let"])
async def test_a_later_answer_about_newer_text_counts_and_the_earlier_version_is_left_in_a_file(
    tmp_path: Path, choice: str
) -> None:
    async with running(tmp_path) as (talk, session):
        await allowed(talk, session, tmp_path)
        (tmp_path / "a").write_text("newer\none\ntwo\n")
        params = {"sessionId": "s2", "path": str(tmp_path / "a"), "content": THEIRS}
        talk.puppet.says({"id": "w", "method": "fs/write_text_file", "params": params})
        await talk.until(lambda: session.questions)
        (question,) = session.questions.values()
        assert isinstance(question, Permission)

        talk.agent.answer("s2", question.key, choice)

        assert (await talk.puppet.answer_to("w"))["result"] == {}
        assert (tmp_path / "a").read_text() == (question.merged if choice == "merge" else THEIRS)
        talk.puppet.updates("tool_call_update", "s2", toolCallId="t1", status="completed")
        await talk.until(lambda: any("was not written" in text for text in notices(session)))
        assert (tmp_path / "a").read_text() == (question.merged if choice == "merge" else THEIRS)
        assert [path.read_text() for path in (tmp_path / "kept").rglob("*") if path.is_file()] == [MINE]


async def test_a_merge_begins_at_the_text_that_the_agent_tells_in_its_call(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        old, new = "one\ntwo\nthree\n4\n5\n", "one\ntwo\nthree\n4\nFIVE\n"
        (tmp_path / "a").write_text("ONE\ntwo\nthree\n4\n5\n")
        await served(talk, "fs/read_text_file", path=str(tmp_path / "a"))  # just before it writes
        diff = {"type": "diff", "path": str(tmp_path / "a"), "oldText": old, "newText": new}
        talk.puppet.updates("tool_call", "s2", toolCallId="t1", title="a", kind="edit", content=[diff])
        params = {"sessionId": "s2", "path": str(tmp_path / "a"), "content": new}
        talk.puppet.says({"id": "w", "method": "fs/write_text_file", "params": params})
        await talk.until(lambda: session.questions)

        (question,) = session.questions.values()

        assert isinstance(question, Permission)
        assert "since the agent told what it would write" in question.call.title
        assert question.merged == "ONE\ntwo\nthree\n4\nFIVE\n"
