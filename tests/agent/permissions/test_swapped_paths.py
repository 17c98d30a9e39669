"""Paths that lead elsewhere after the answer: the request is asked about again."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from acp_tui.rules.model import Rule
from acp_tui.rules.protected_files import destination
from acp_tui.session.entries import Diff
from tests.agent.granted import served
from tests.agent.permissions.turn import RUN, asked, notices, permitted, running, wants
from tests.agent.puppet import OPTIONS
from tests.sent import Frame
from tests.waiting import until


def edited(path: Path, new: str, old: str | None = None) -> Frame:
    return {
        "title": "Edit",
        "kind": "edit",
        "content": [{"type": "diff", "path": str(path), "oldText": old, "newText": new}],
    }


def swap(folder: Path, script: str) -> None:
    subprocess.run(["sh", "-c", script], cwd=folder, check=True)


def workspace(tmp_path: Path) -> Path:
    """Make a workspace with files that matter, and a folder beside it."""
    work = tmp_path / "work"
    swap(
        tmp_path,
        "mkdir -p work/.git work/sub work/rc out; echo secret > work/.git/config; echo K > work/.env",
    )
    swap(work, "echo old > a; echo old > sub/a; ln -s sub link; echo outside > ../out/a")
    return work


SWAPS = [
    ("a", "ln -sf .git/config a", ".git/config"),
    ("a", "ln -f .git/config a", ".git/config"),
    ("new", "ln -s .git/config new", ".git/config"),
    ("new", "ln .git/config new", ".git/config"),
    ("new", "echo mine > new", "new"),
    ("a", "echo newer words > a", "a"),
    ("link/config", "ln -sfn .git link", ".git/config"),
    ("sub/config", "mv sub old; ln -s .git sub", ".git/config"),
]


@pytest.mark.slow
@pytest.mark.parametrize("is_permitted", [False, True])
@pytest.mark.parametrize(("name", "script", "victim"), SWAPS)
async def test_a_write_is_asked_about_again_where_its_file_is_another_after_the_answer(
    tmp_path: Path, name: str, script: str, victim: str, is_permitted: bool
) -> None:
    work = workspace(tmp_path)
    async with running(work) as (talk, session):
        if is_permitted:
            said = {"toolCallId": "t1", **edited(work / name, "theirs\n", "old\n" if name == "a" else None)}
            permission = wants(talk, "session/request_permission", toolCall=said, options=OPTIONS)
            question = await asked(talk, session)
            swap(work, script)
            talk.agent.answer("s2", question.key, "yes")
            await talk.puppet.answer_to(permission)
        request_id = wants(talk, "fs/write_text_file", path=str(work / name), content="theirs\n")
        question = await asked(talk, session)
        assert question.unasked
        if not is_permitted:
            swap(work, script)
        before = (work / victim).read_text()
        talk.agent.answer("s2", question.key, "let" if not is_permitted else "refuse")
        if not is_permitted:
            await talk.until(lambda: question.key not in session.questions)
            again = await asked(talk, session)
            assert "has changed since your decision" in again.call.title
            (diff,) = again.call.content
            assert isinstance(diff, Diff)
            assert diff.before == before
            talk.agent.answer("s2", again.key, "refuse")

        assert "error" in await talk.puppet.answer_to(request_id)
        assert (work / victim).read_text() == before
        if not is_permitted:
            first, second = talk.decisions[-2:]
            assert (first.is_allowed, first.again) == (True, False)
            assert (second.is_allowed, second.again) == (False, True)
            assert first.paths == second.paths == (str(work / name),)


@pytest.mark.parametrize(
    ("method", "more"), [("fs/write_text_file", {"content": "x"}), ("fs/read_text_file", {})]
)
@pytest.mark.parametrize("name", ["a", "link/a"])
async def test_a_rule_that_denies_where_a_path_leads_after_the_answer_wins(
    tmp_path: Path, method: str, more: Frame, name: str
) -> None:
    work = workspace(tmp_path)
    rules = (Rule("deny", path="**/.env"), Rule("ask", path="**"))
    async with running(work, *rules) as (talk, session):
        request_id = wants(talk, method, path=str(work / name), **more)
        question = await asked(talk, session)
        swap(work, "ln -sf ../.env sub/a; ln -sf .env a")
        talk.agent.answer("s2", question.key, "let")

        assert "denied by a rule" in (await talk.puppet.answer_to(request_id))["error"]["message"]
        assert (work / ".env").read_text() == "K\n"


@pytest.mark.slow
@pytest.mark.parametrize("is_permitted", [False, True])
@pytest.mark.parametrize(
    ("folder", "script"),
    [
        ("rc", "rmdir rc; ln -s ../out rc"),
        ("rc", "mv rc ../out/rc; ln -s ../out/rc rc"),
        ("link", "ln -sfn ../out link"),
        ("link", "ln -sfn rc link"),
        ("gone", "ln -s ../out gone"),
    ],
)
async def test_a_command_is_asked_about_again_where_its_folder_is_another_after_the_answer(
    tmp_path: Path, folder: str, script: str, is_permitted: bool
) -> None:
    work = workspace(tmp_path)
    async with running(work) as (talk, session):
        if is_permitted:
            call = {"command": "touch made", "cwd": str(work / folder)}
            said = {"toolCallId": "t1", "kind": "execute", "title": "Run", "rawInput": call}
            permission = wants(talk, "session/request_permission", toolCall=said, options=OPTIONS)
            question = await asked(talk, session)
            swap(work, script)
            talk.agent.answer("s2", question.key, "yes")
            await talk.puppet.answer_to(permission)
        request_id = wants(talk, "terminal/create", **RUN, cwd=str(work / folder))
        question = await asked(talk, session)
        assert question.unasked
        if not is_permitted:
            swap(work, script)
            talk.agent.answer("s2", question.key, "let")
            await talk.until(lambda: question.key not in session.questions)
            question = await asked(talk, session)
            assert "has changed since your decision" in question.call.title
        talk.agent.answer("s2", question.key, "refuse")

        assert "error" in await talk.puppet.answer_to(request_id)
        assert not [*tmp_path.rglob("made")]


@pytest.mark.parametrize("method", ["fs/write_text_file", "terminal/create"])
async def test_what_a_dialog_has_shown_counts_and_not_what_was_there_before_or_after(
    tmp_path: Path, method: str
) -> None:
    work = workspace(tmp_path)
    params = (
        {"path": str(work / "link/new"), "content": "x"}
        if "fs" in method
        else {**RUN, "cwd": str(work / "link")}
    )
    async with running(work) as (talk, session):
        request_id = wants(talk, method, **params)
        question = await asked(talk, session)
        swap(work, "ln -sfn rc link")
        path = str(work / ("link/new" if "fs" in method else "link"))
        question.places = {path: destination(path, str(work))}  # as the dialog does once it is shown
        swap(work, "ln -sfn sub link")
        talk.agent.answer("s2", question.key, "let")
        await talk.until(lambda: question.key not in session.questions)
        talk.agent.answer("s2", (await asked(talk, session)).key, "refuse")

        assert "error" in await talk.puppet.answer_to(request_id)
        assert not [*tmp_path.rglob("made"), *tmp_path.rglob("new")]


async def test_what_stays_as_it_was_shown_is_done_without_a_second_question(tmp_path: Path) -> None:
    work = workspace(tmp_path)
    async with running(work) as (talk, session):
        await permitted(talk, "yes", edited(work / "link/a", "new\n", "old\n"))
        assert "result" in await served(
            talk, "fs/write_text_file", path=str(work / "link/a"), content="new\n"
        )
        call = {"command": "touch made", "cwd": str(work / "link")}
        await permitted(
            talk, "yes", {"toolCallId": "t2", "kind": "execute", "title": "Run", "rawInput": call}
        )
        assert "result" in await served(talk, "terminal/create", **RUN, cwd=str(work / "link"))

        await until(lambda: (work / "sub/made").exists())
        assert (work / "sub/a").read_text() == "new\n"
        assert not session.questions


async def test_the_chat_and_the_log_say_where_a_path_led(tmp_path: Path) -> None:
    work = workspace(tmp_path)
    led = str(work / "sub")
    async with running(work) as (talk, session):
        await permitted(talk, "yes", edited(work / "link/a", "new\n", "old\n"))
        await served(talk, "fs/write_text_file", path=str(work / "link/a"), content="new\n")
        wanted = {**RUN, "cwd": str(work / "link")}
        request_id = wants(talk, "terminal/create", **wanted)
        talk.agent.answer("s2", (await asked(talk, session)).key, "let")
        await talk.puppet.answer_to(request_id)

        assert [one.led_to for one in talk.decisions] == [(f"{led}/a",), (led,)]
        told = "\n".join(notices(session))
        assert f"{work}/link/a is a link to {led}/a, which was written." in told
        assert f"{work}/link is a link to {led}: “touch made” runs there." in told


async def test_a_path_that_is_its_own_target_is_shown_once(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to("real")
    work = tmp_path / "alias"
    async with running(work) as (talk, session):
        request_id = wants(talk, "fs/write_text_file", path=f"{work}/./a", content="x")
        talk.agent.answer("s2", (await asked(talk, session)).key, "let")
        await talk.puppet.answer_to(request_id)

        assert notices(session) == [f"You allowed puppet to write “{work}/./a”."]
        assert [one.led_to for one in talk.decisions] == [()]
