"""Protected places: a request to write there is a question, whatever is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.agent.permissions.authorization import AnsweredBy
from acp_tui.rules.model import Rule
from tests.agent.granted import served
from tests.agent.permissions.turn import asked, permitted, running, wants
from tests.agent.puppet import OPTIONS


@pytest.mark.parametrize(
    "name", [".git/hooks/pre-commit", ".acp-tui/rules.toml", "sub/.git/config", ".envrc"]
)
async def test_a_protected_place_is_asked_about_whatever_is_allowed(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    rule = Rule("allow", tool_kind="edit", path="**")
    async with running(tmp_path, rule, policy="allow-everything") as (talk, session):
        request_id = wants(talk, "fs/write_text_file", path=str(path), content="x")
        talk.agent.answer("s2", (await asked(talk, session)).key, "refuse")
        assert "error" in await talk.puppet.answer_to(request_id)

        talk.access.rules = ()
        talk.access.set_policy("s2", "ask")
        diff = {"type": "diff", "path": str(path), "newText": "x"}
        await permitted(talk, "yes", {"kind": "edit", "content": [diff]})
        assert "result" in await served(talk, "fs/write_text_file", path=str(path), content="x")
        assert path.read_text() == "x"


@pytest.mark.parametrize("link", [".git/hooks/pre-commit", ".envrc", ".husky", "hard"])
async def test_a_file_to_which_a_protected_name_leads_is_asked_about(tmp_path: Path, link: str) -> None:
    file = tmp_path / "scripts" / "check"
    file.parent.mkdir()
    file.write_text("")
    (tmp_path / link).parent.mkdir(parents=True, exist_ok=True)
    if link == "hard":
        (tmp_path / ".vscode").mkdir()
        (tmp_path / ".vscode" / "tasks.json").hardlink_to(file)
    else:
        (tmp_path / link).symlink_to(file.parent if link == ".husky" else file)
    async with running(tmp_path, Rule("allow", path="**"), policy="allow-everything") as (talk, session):
        request_id = wants(talk, "fs/write_text_file", path=str(file), content="x")
        talk.agent.answer("s2", (await asked(talk, session)).key, "refuse")
        assert "error" in await talk.puppet.answer_to(request_id)
        assert file.read_text() == ""


async def test_a_protected_file_that_only_a_rule_allowed_is_asked_about(tmp_path: Path) -> None:
    path = str(tmp_path / ".envrc")
    diff = {"type": "diff", "path": path, "newText": "x"}
    async with running(tmp_path, Rule("allow", path="**")) as (talk, session):
        said = {"toolCallId": "t1", "kind": "edit", "content": [diff]}
        permission = wants(talk, "session/request_permission", toolCall=said, options=OPTIONS)
        await talk.until(lambda: session.questions or talk.puppet.sent.answers(permission))
        for key in list(session.questions):
            talk.agent.answer("s2", key, "yes", AnsweredBy("rule"))

        wants(talk, "fs/write_text_file", path=path, content="x")

        await talk.until(lambda: session.questions)
        assert (await asked(talk, session)).unasked


@pytest.mark.parametrize(
    ("path", "rule", "is_asked"),
    [
        (".envrc", ".envrc", False),
        (".git/config", ".git/**", False),
        (".envrc", "**", True),
        (".git/config", ".envrc", True),
        ("link", "link", True),
    ],
)
@pytest.mark.parametrize("asks_first", [True, False])
async def test_a_protected_file_that_a_rule_names_is_written_without_a_question(
    tmp_path: Path, path: str, rule: str, is_asked: bool, asks_first: bool
) -> None:
    (tmp_path / "link").symlink_to(".envrc")
    place = str(tmp_path / path)
    async with running(tmp_path, Rule("allow", tool_kind="edit", path=rule)) as (talk, session):
        if asks_first:
            diff = {"type": "diff", "path": place, "newText": "x"}
            said = {"toolCallId": "t1", "kind": "edit", "content": [diff]}
            edit = wants(talk, "session/request_permission", toolCall=said, options=OPTIONS)
            await talk.until(lambda: session.questions or talk.puppet.sent.answers(edit))
            assert bool(session.questions) is is_asked
            for key in list(session.questions):
                talk.agent.answer("s2", key, "no")

        writing = wants(talk, "fs/write_text_file", path=place, content="x")
        await talk.until(lambda: session.questions or talk.puppet.sent.answers(writing))

        assert bool(session.questions) is is_asked
