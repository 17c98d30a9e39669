"""Rules decide on requests that come without a permission request."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acp_tui.agent.permissions.authorization import AnsweredBy
from acp_tui.rules.model import Rule
from acp_tui.store.settings import Policy
from tests.agent.granted import served
from tests.agent.permissions.turn import RUN, asked, notices, permitted, running, wants
from tests.agent.puppet import OPTIONS
from tests.sent import Frame


@pytest.mark.parametrize("rules", [(Rule("allow", command="touch"),), (Rule("allow", tool_kind="execute"),)])
async def test_what_a_rule_allows_runs(tmp_path: Path, rules: tuple[Rule, ...]) -> None:
    async with running(tmp_path, *rules) as (talk, session):
        assert "result" in await served(talk, "terminal/create", **RUN)
        assert not session.questions


@pytest.mark.parametrize(
    ("method", "params", "rule"),
    [
        ("fs/read_text_file", {}, Rule("ask", path="*.env")),
        ("fs/write_text_file", {"content": "new"}, Rule("ask", path="*.env")),
        ("fs/write_text_file", {"content": "new"}, Rule("ask", tool_kind="edit")),
    ],
)
async def test_a_rule_asks_also_about_what_nobody_asked_for(
    tmp_path: Path, method: str, params: Frame, rule: Rule
) -> None:
    path = tmp_path / "a.env"
    path.write_text("old")
    async with running(tmp_path, rule, policy="allow-everything") as (talk, session):
        request_id = wants(talk, method, path=str(path), **params)
        question = await asked(talk, session)
        assert question.unasked
        assert [place.path for place in question.call.locations] == [str(path)]
        for diff in question.call.content:
            assert (diff.before, diff.new_text) == ("old", "new")  # type: ignore[union-attr]
        talk.agent.answer("s2", question.key, "let")

        assert "result" in await talk.puppet.answer_to(request_id)


@pytest.mark.parametrize(
    ("call", "method", "params", "is_asked"),
    [
        ({"command": "touch made"}, "terminal/create", RUN, False),
        (
            {"command": "touch made", "env": {"LD_PRELOAD": "x.so"}},
            "terminal/create",
            {**RUN, "env": [{"name": "LD_PRELOAD", "value": "x.so"}]},
            True,
        ),
        ({"command": "touch made", "cwd": "/"}, "terminal/create", {**RUN, "cwd": "/"}, True),
    ],
)
async def test_what_a_rule_answered_covers_only_what_rules_speak_of(
    tmp_path: Path, call: Frame, method: str, params: Frame, is_asked: bool
) -> None:
    async with running(tmp_path, Rule("allow", command="touch")) as (talk, session):
        said = {"toolCallId": "t1", "kind": "execute", "rawInput": call}
        permission = wants(talk, "session/request_permission", toolCall=said, options=OPTIONS)
        await talk.until(lambda: session.questions or talk.puppet.sent.answers(permission))
        for key in list(session.questions):  # rules may be more careful than the act needs
            talk.agent.answer("s2", key, "yes", AnsweredBy("rule"))

        request_id = wants(talk, method, **params)
        await talk.until(lambda: session.questions or talk.puppet.sent.answers(request_id))

        assert bool(session.questions) == is_asked


async def test_a_denial_by_a_rule_is_shown_in_the_chat_once(tmp_path: Path) -> None:
    async with running(tmp_path, Rule("deny", command="touch", where="rules.toml:3")) as (talk, session):
        for _ in range(2):
            assert "error" in await served(talk, "terminal/create", **RUN)

        (told,) = notices(session)
        assert (
            told == "Denied by a rule (rules.toml:3): puppet asked acp-tui "
            "to run “touch made” without a permission."
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("env", "is_asked"),
    [
        ({"CI": "1", "NO_COLOR": "1"}, False),
        ({"LD_PRELOAD": "./evil.so"}, True),
        ({"CI": "1", "HOME": "."}, True),
    ],
)
async def test_a_rule_allows_no_command_with_variables_that_may_make_another_of_it(
    tmp_path: Path, env: dict[str, str], is_asked: bool
) -> None:
    variables = [{"name": name, "value": value} for name, value in env.items()]
    async with running(tmp_path, Rule("allow", command="touch")) as (talk, session):
        request_id = wants(talk, "terminal/create", **RUN, env=variables)
        if is_asked:
            question = await asked(talk, session)
            assert question.unasked
            name, value = list(env.items())[-1]
            assert f"{name}={value} touch made" == question.call.command
            assert question.call.raw_input["env"] == env
            talk.agent.answer("s2", question.key, "let")

        assert "result" in await talk.puppet.answer_to(request_id)
        assert all("=" not in text for text in notices(session))


async def test_variables_make_no_second_question_of_an_allowed_command(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        await permitted(talk, "yes", {"kind": "execute", "rawInput": {"command": "touch made; ls"}})
        variables = [{"name": "AGENT", "value": "1"}, {"name": "GIT_PAGER", "value": "cat"}]
        answer = await served(talk, "terminal/create", command="touch made; ls", env=variables)
        assert "result" in answer
        assert not session.questions


async def test_a_denied_command_is_found_behind_variables(tmp_path: Path) -> None:
    async with running(tmp_path, Rule("deny", command="touch"), policy="allow-everything") as (talk, _):
        variables = [{"name": "A", "value": "b c"}]
        for run in (RUN, {"command": "ls; touch made"}):
            assert "error" in await served(talk, "terminal/create", **run, env=variables)


async def test_a_rule_allows_a_command_in_the_workspace_only(tmp_path: Path) -> None:
    (tmp_path / "w/sub").mkdir(parents=True)
    async with running(tmp_path / "w", Rule("allow", command="touch")) as (talk, session):
        assert "result" in await served(talk, "terminal/create", **RUN, cwd=str(tmp_path / "w/sub"))
        request_id = wants(talk, "terminal/create", **RUN, cwd=str(tmp_path))
        talk.agent.answer("s2", (await asked(talk, session)).key, "refuse")
        assert "error" in await talk.puppet.answer_to(request_id)

        talk.access.set_policy("s2", "allow-everything")
        assert "result" in await served(talk, "terminal/create", **RUN, cwd=str(tmp_path))


async def test_in_a_read_only_session_nothing_is_written_or_run_whatever_the_rules_allow(
    tmp_path: Path,
) -> None:
    (tmp_path / "a").write_text("old")
    async with running(tmp_path, Rule("allow"), Rule("allow", tool_kind="execute"), policy="read-only") as (
        talk,
        session,
    ):
        written = await served(talk, "fs/write_text_file", path=str(tmp_path / "a"), content="new")
        run = await served(talk, "terminal/create", **RUN)
        read = await served(talk, "fs/read_text_file", path=str(tmp_path / "a"))

        assert "denied by a policy of the user" in written["error"]["message"]
        assert "error" in run
        assert "result" in read
        assert (tmp_path / "a").read_text() == "old"
        assert not session.questions
        assert "Denied by the policy (refuses edits and commands)" in notices(session)[0]


EDIT = {"type": "diff", "path": "a.txt", "oldText": "hi\n", "newText": "ho\n"}


@pytest.mark.parametrize(
    ("more", "is_asked"),
    [
        ({}, False),
        ({"content": [EDIT, {**EDIT, "path": ".git/hooks/pre-commit", "newText": 5}]}, True),
        ({"content": [EDIT, {"type": "patch", "text": "+++ .git/hooks/pre-commit"}]}, True),
        ({"content": [{**EDIT, "changes": [".bashrc"]}]}, True),
        ({"locations": [{"uri": ".git/hooks/x"}]}, True),
        ({"rawInput": '{"path": ".bashrc'}, True),
        ({"args": ["-rf"]}, True),
    ],
)
@pytest.mark.parametrize("policy", ["ask", "allow-edits"])
async def test_no_rule_and_no_policy_allows_a_request_that_is_not_understood(
    tmp_path: Path, more: Frame, is_asked: bool, policy: Policy
) -> None:
    rules = (Rule("allow", tool_kind="edit", path="a.txt"),) if policy == "ask" else ()
    async with running(tmp_path, *rules, policy=policy) as (talk, session):
        told = json.dumps({"toolCallId": "t1", "kind": "edit", "content": [EDIT], **more})
        said = json.loads(told.replace('"a.txt"', json.dumps(str(tmp_path / "a.txt"))))
        permission = wants(talk, "session/request_permission", toolCall=said, options=OPTIONS)

        await talk.until(lambda: session.questions or talk.puppet.sent.answers(permission))

        assert bool(session.questions) == is_asked


async def test_a_permission_for_what_is_not_understood_covers_nothing(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        said = {"toolCallId": "t1", "kind": "edit", "content": [EDIT], "args": ["x"]}
        wants(talk, "session/request_permission", toolCall=said, options=OPTIONS)
        question = await asked(talk, session)
        talk.agent.answer("s2", question.key, "yes", AnsweredBy("person"))

        wants(talk, "fs/write_text_file", path=str(tmp_path / "a.txt"), content="ho\n")

        assert (await asked(talk, session)).unasked
