"""What an agent has us do without having asked: it is asked about, once, unless it was allowed before."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_tui.agent.permissions.authorization import AnsweredBy
from acp_tui.protocol.schema import Implementation
from acp_tui.rules.model import Rule
from acp_tui.rules.protected import destination
from acp_tui.session.entries import AgentMessage, Diff, Notice, text_of
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session
from acp_tui.store.settings import Policy
from tests.agent.puppet import OPTIONS, Conversation, text
from tests.agent.test_client_methods import lending, served
from tests.sent import Frame
from tests.waiting import until

RUN: Frame = {"command": "touch", "args": ["made"]}
MODES = {
    "modes": {
        "currentModeId": "default",
        "availableModes": [{"id": "default", "name": "Default"}, {"id": "yolo", "name": "YOLO"}],
    }
}


@asynccontextmanager
async def running(
    folder: Path, *rules: Rule, policy: Policy = "ask"
) -> AsyncIterator[tuple[Conversation, Session]]:
    """A turn of the session `s2` that works in a folder."""
    async with lending(folder, policy) as talk:
        talk.host.rules = rules
        await talk.prompted(session="s2")
        yield talk, talk.agent.sessions["s2"]


def wants(talk: Conversation, method: str, **params: Any) -> str:
    """Have the agent send a request, whose id is returned."""
    request_id = f"w{len(talk.puppet.sent.frames)}-{method}"
    talk.puppet.says({"id": request_id, "method": method, "params": {"sessionId": "s2", **params}})
    return request_id


async def asked(talk: Conversation, session: Session) -> Permission:
    await talk.until(lambda: session.questions, "a question")
    (question,) = session.questions.values()
    assert isinstance(question, Permission)
    return question


async def permitted(talk: Conversation, option: str, call: Frame) -> None:
    """Have the agent ask for a permission, and answer as the dialog does, which shows the places."""
    session = talk.agent.sessions["s2"]
    params = {"toolCall": {"toolCallId": "t1", **call}, "options": OPTIONS}
    request_id = wants(talk, "session/request_permission", **params)
    question = await asked(talk, session)
    assert not question.unasked
    paths = (session.cwd, *question.call.named_paths)
    question.places = {path: destination(path, session.cwd) for path in paths}
    talk.agent.answer("s2", question.key, option)
    await talk.puppet.answer_to(request_id)


def notices(session: Session) -> list[str]:
    return [entry.text for entry in session.entries if isinstance(entry, Notice)]


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
        assert notices(session) == ["You let puppet run “touch made”."]
        (kept,) = talk.decisions
        assert (kept.kind, kept.command, kept.unasked) == ("execute", "touch made", True)
        assert (kept.by, kept.detail, kept.is_allowed) == ("person", "key y", True)


@pytest.mark.parametrize(("answer", "told"), [("let", "You let"), ("refuse", "You did not let")])
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
        assert (error["code"], error["message"]) == (-32602, "The person does not allow this.")
        assert not (tmp_path / "made").exists()
        assert notices(session) == ["You did not let puppet run “touch made”."]
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "run"),
    [
        ({"kind": "execute", "rawInput": {"command": "touch made"}}, {"command": "touch made"}),
        ({"kind": "execute", "rawInput": {"command": "touch 'made'"}}, RUN),
        ({"kind": "execute", "rawInput": {"command": "touch made; ls"}}, {"command": " touch made; ls "}),
        (
            {"kind": "execute", "rawInput": {"command": "touch made && ls"}},
            {"command": "/bin/sh", "args": ["-lc", "touch made && ls"]},
        ),
        (
            {"kind": "execute", "rawInput": {"command": "bash -c 'touch made && ls'"}},
            {"command": "bash", "args": ["-c", "touch made && ls"]},
        ),
        ({"title": "Shell: touch made", "kind": "execute"}, {"command": "touch made"}),
        (
            {
                "title": "Shell: touch made",
                "content": [{"type": "content", "content": text("Run command `touch made`")}],
            },
            {"command": "touch made"},
        ),
    ],
)  # fmt: skip
async def test_what_was_just_allowed_by_a_permission_is_not_asked_again(
    tmp_path: Path, call: Frame, run: Frame
) -> None:
    async with running(tmp_path) as (talk, session):
        await permitted(talk, "yes", call)

        terminal = (await served(talk, "terminal/create", **run))["result"]

        await served(talk, "terminal/wait_for_exit", **terminal)
        assert (tmp_path / "made").exists()
        assert not session.questions


@pytest.mark.parametrize("told", [{}, {"oldText": None}, {"oldText": ""}])
@pytest.mark.parametrize(("there", "is_asked"), [(None, False), ("a\n" * 60, True), ("caf\xe9\n" * 60, True)])
async def test_a_write_over_a_file_that_was_not_shown_is_asked_about(
    tmp_path: Path, told: Frame, there: str | None, is_asked: bool
) -> None:
    path = tmp_path / "a"
    if there is not None:
        path.write_text(there, encoding="latin-1")
    diff = {"type": "diff", "path": str(path), "newText": "b\n", **told}
    async with running(tmp_path) as (talk, session):
        await permitted(talk, "yes", {"kind": "edit", "content": [diff]})

        request_id = wants(talk, "fs/write_text_file", path=str(path), content="b\n")

        if is_asked:
            talk.agent.answer("s2", (await asked(talk, session)).key, "refuse")
        assert ("error" in await talk.puppet.answer_to(request_id)) == is_asked
        assert path.read_text("latin-1") == (there if is_asked else "b\n")


@pytest.mark.parametrize(
    "run",
    [
        {"command": "touch made; touch more"},
        {"command": "touch", "args": ["other"]},
        {"command": "sh", "args": ["-c", "touch made; ls"]},
    ],
)
async def test_another_command_than_the_allowed_one_is_asked_about(tmp_path: Path, run: Frame) -> None:
    async with running(tmp_path) as (talk, session):
        await permitted(talk, "yes", {"kind": "execute", "rawInput": {"command": "touch made"}})
        wants(talk, "terminal/create", **run)
        assert (await asked(talk, session)).unasked


async def test_what_the_agent_says_of_a_call_after_it_was_allowed_is_not_allowed(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        call = {"kind": "execute", "title": "List", "rawInput": {"command": "ls"}}
        await permitted(talk, "yes", call)
        later = {"toolCallId": "t1", "title": "touch made", "rawInput": {"command": "touch made"}}
        talk.puppet.updates("tool_call_update", "s2", **later)
        known = session.tool_call("t1")
        assert known is not None
        await talk.until(lambda: known.command == "touch made")

        request_id = wants(talk, "terminal/create", **RUN)
        question = await asked(talk, session)
        talk.agent.answer("s2", question.key, "refuse")

        assert "error" in await talk.puppet.answer_to(request_id)
        assert not (tmp_path / "made").exists()


async def test_once_is_for_one_run_and_for_one_turn(tmp_path: Path) -> None:
    call = {"kind": "execute", "rawInput": {"command": "touch made"}, "toolCallId": "t2"}
    async with running(tmp_path) as (talk, session):
        await permitted(talk, "yes", call)
        await served(talk, "terminal/create", **RUN)
        again = wants(talk, "terminal/create", **RUN)
        talk.agent.answer("s2", (await asked(talk, session)).key, "refuse")
        await talk.puppet.answer_to(again)

        await permitted(talk, "yes", call)
        prompt = next(frame for frame in talk.puppet.sent.frames if frame.get("method") == "session/prompt")
        talk.puppet.answers(prompt, {"stopReason": "end_turn"})
        await talk.until(lambda: session.turn_state == "idle")
        wants(talk, "terminal/create", **RUN)

        assert (await asked(talk, session)).unasked


async def test_always_covers_what_was_shown_once_and_the_rest_is_asked(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        await permitted(talk, "always", {"kind": "execute", "rawInput": {"command": "touch made"}})
        assert "result" in await served(talk, "terminal/create", **RUN)

        wants(talk, "terminal/create", **RUN)
        assert (await asked(talk, session)).unasked


async def test_a_permission_ends_when_the_turn_is_stopped(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, _):
        await permitted(talk, "yes", {"kind": "execute", "rawInput": {"command": "touch made"}})
        talk.agent.cancel("s2")

        error = (await served(talk, "terminal/create", **RUN))["error"]

        assert "stopped" in error["message"]
        assert not (tmp_path / "made").exists()


async def test_a_permission_that_was_given_between_turns_does_not_last_into_the_next(tmp_path: Path) -> None:
    async with lending(tmp_path, "ask") as talk:
        await permitted(talk, "yes", {"kind": "execute", "rawInput": {"command": "touch made"}})
        await talk.prompted(session="s2")

        wants(talk, "terminal/create", **RUN)
        assert (await asked(talk, talk.agent.sessions["s2"])).unasked


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

        talk.host.rules = ()
        talk.host.set_policy("s2", "ask")
        diff = {"type": "diff", "path": str(path), "newText": "x"}
        await permitted(talk, "yes", {"kind": "edit", "content": [diff]})
        assert "result" in await served(talk, "fs/write_text_file", path=str(path), content="x")
        assert path.read_text() == "x"


@pytest.mark.parametrize(
    ("option", "options"),
    [
        ({"name": "Reject", "kind": "allow_always"}, []),
        ({"name": "No", "kind": "allow_once"}, []),
        ({"name": "", "kind": "allow_once"}, []),
        ({"name": "Allow", "kind": "allow_for_ever"}, []),
        ({"name": "Allow", "kind": "allow_once"}, [{"name": "Allow", "kind": "reject_once"}]),
        ({"name": "Allow", "kind": "allow_once"}, [{"optionId": "x", "name": "Off", "kind": "reject_once"}]),
    ],
)
async def test_an_odd_option_allows_nothing(tmp_path: Path, option: Frame, options: list[Frame]) -> None:
    others = [{"optionId": f"o{number}", **one} for number, one in enumerate(options)]
    call = {"toolCallId": "t1", "kind": "execute", "rawInput": {"command": "touch made"}}
    async with running(tmp_path) as (talk, session):
        request_id = wants(
            talk,
            "session/request_permission",
            toolCall=call,
            options=[{"optionId": "x", **option}, *others],
        )
        talk.agent.answer("s2", (await asked(talk, session)).key, "x")
        assert (await talk.puppet.answer_to(request_id))["result"]["outcome"]["optionId"] == "x"

        wants(talk, "terminal/create", **RUN)
        assert (await asked(talk, session)).unasked


async def test_a_refused_permission_allows_nothing(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        await permitted(talk, "no", {"kind": "execute", "rawInput": {"command": "touch made"}})
        wants(talk, "terminal/create", **RUN)
        assert (await asked(talk, session)).unasked


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


async def test_a_policy_asks_for_writes_and_not_for_reads(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    async with running(tmp_path, policy="ask-edits-and-commands") as (talk, session):
        assert "result" in await served(talk, "fs/read_text_file", path=str(path))
        request_id = wants(talk, "fs/write_text_file", path=str(path), content="new")
        talk.agent.answer("s2", (await asked(talk, session)).key, "refuse")
        assert "error" in await talk.puppet.answer_to(request_id)
        assert path.read_text() == "old"

        talk.host.set_policy("s2", "allow-edits")
        assert "result" in await served(talk, "fs/write_text_file", path=str(path), content="new")
        assert path.read_text() == "new"


@pytest.mark.parametrize("named", ["{path}", "link", "{folder}/link"])
async def test_a_write_that_was_shown_and_allowed_is_not_asked_again(tmp_path: Path, named: str) -> None:
    path = tmp_path / "a"
    path.write_text("old\nend\n")
    (tmp_path / "link").symlink_to("a")
    place = named.format(path=path, folder=tmp_path)
    diff = {"type": "diff", "path": place, "oldText": "old", "newText": "new"}
    async with running(tmp_path) as (talk, session):
        await served(talk, "fs/read_text_file", path=str(path))
        await permitted(talk, "yes", {"kind": "edit", "content": [diff]})

        write = {"path": str(path), "content": "new\nend\n"}
        assert "result" in await served(talk, "fs/write_text_file", **write)
        assert path.read_text() == "new\nend\n"

        assert "result" in await served(talk, "fs/write_text_file", **write)  # nothing changes by it
        wants(talk, "fs/write_text_file", path=str(path), content="newer\nend\n")
        assert (await asked(talk, session)).unasked


async def test_a_write_of_what_the_agent_has_written_by_itself_is_no_question(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("new\nend\n")
    async with running(tmp_path) as (talk, _):
        assert "result" in await served(talk, "fs/write_text_file", path=str(path), content="new\nend\n")
        assert path.read_text() == "new\nend\n"


async def test_another_act_with_what_was_allowed_uses_the_permission_up(tmp_path: Path) -> None:
    diff = {"type": "diff", "path": str(tmp_path / "a"), "newText": "new"}
    write = {"path": str(tmp_path / "a"), "content": "new"}
    cases: list[tuple[Frame, str, Frame, Frame]] = [
        ({"kind": "edit", "content": [diff]}, "fs/write_text_file", {**write, "content": "evil"}, write),
        (
            {"kind": "execute", "rawInput": {"command": "touch made"}},
            "terminal/create",
            {**RUN, "cwd": "/"},
            {**RUN, "cwd": str(tmp_path)},
        ),
    ]
    async with running(tmp_path) as (talk, session):
        for call, method, other, same in cases:
            await permitted(talk, "yes", call)
            for params in (other, same):
                request_id = wants(talk, method, **params)
                talk.agent.answer("s2", (await asked(talk, session)).key, "refuse")
                assert "error" in await talk.puppet.answer_to(request_id)


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


async def test_two_runs_at_once_use_up_one_permission_once(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        await permitted(talk, "yes", {"kind": "execute", "rawInput": {"command": "touch made"}})
        ids = []
        for number in range(2):
            ids.append(f"run-{number}")
            talk.puppet.says(
                {"id": ids[-1], "method": "terminal/create", "params": {"sessionId": "s2", **RUN}}
            )

        talk.agent.answer("s2", (await asked(talk, session)).key, "refuse")

        answers = [await talk.puppet.answer_to(request_id) for request_id in ids]
        assert sorted("result" in answer for answer in answers) == [False, True]


async def test_the_user_who_chose_a_mode_that_acts_unasked_is_not_asked(tmp_path: Path) -> None:
    async with lending(tmp_path, "ask") as talk:
        session = await talk.made("s2", str(tmp_path), **MODES)
        await talk.prompted(session="s2")
        talk.puppet.updates("current_mode_update", "s2", currentModeId="yolo")
        await talk.until(lambda: session.options[0].config.current_value == "yolo")
        by_itself = wants(talk, "terminal/create", **RUN)
        talk.agent.answer("s2", (await asked(talk, session)).key, "refuse")
        await talk.puppet.answer_to(by_itself)

        setting = asyncio.create_task(talk.agent.set_option("s2", session.options[0], "yolo"))
        talk.puppet.answers(await talk.puppet.hears("session/set_mode"), {})
        await setting

        assert "result" in await served(talk, "terminal/create", **RUN)
        assert not session.questions


def offers(option_id: str, current: str, called: str, about: str, **more: Any) -> Frame:
    """Return an option of which "x" is called and described so."""
    values = [{"value": "start", "name": "Start"}, {"value": "x", "name": called, "description": about}]
    option = {"id": option_id, "name": option_id.title(), "category": option_id, "type": "select"}
    return {**option, "currentValue": current, "options": values, **more}


UNASKED = "Looks only, without asking"
HIDING = "Look at the workspace and change nothing of it, then run everything without asking"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shown", "later", "is_asked"),
    [
        (offers("mode", "start", "Plan", "Looks only"), offers("mode", "x", "Plan", UNASKED), True),
        (offers("mode", "start", "Plan", "Looks only"), offers("mode", "x", "YOLO", ""), True),
        (offers("model", "start", "M", ""), offers("model", "x", "M", UNASKED, name="Model (trust)"), True),
        (offers("model", "start", "M", ""), offers("model", "x", "M", UNASKED, category="mode"), True),
        (offers("model", "start", "M", UNASKED), offers("model", "x", "M", UNASKED), True),
        (offers("mode", "start", "Go", UNASKED), offers("mode", "x", "Go", UNASKED), True),
        (offers("mode", "start", "Go", "x" * 200 + UNASKED), offers("mode", "x", "Go", UNASKED), True),
        (offers("mode", "start", HIDING, ""), offers("mode", "x", HIDING, ""), True),
        (offers("mode", "start", "YOLO", ""), offers("mode", "x", "YOLO", ""), False),
        (offers("mode", "start", "Never ask", ""), offers("mode", "x", "Never ask", UNASKED), False),
        (offers("mode", "start", "YOLO", ""), offers("mode", "x", "Plan", ""), True),
        (offers("mode", "start", "YOLO", ""), offers("mode", "start", "YOLO", ""), True),
    ],
)
@pytest.mark.parametrize("with_answer", [False, True])
async def test_a_choice_lets_what_was_shown_of_it_and_later_words_can_only_take_that_away(
    tmp_path: Path, shown: Frame, later: Frame, is_asked: bool, with_answer: bool
) -> None:
    async with lending(tmp_path, "ask") as talk:
        session = await talk.made("s2", str(tmp_path), configOptions=[shown])
        await talk.prompted(session="s2")
        setting = asyncio.create_task(talk.agent.set_option("s2", session.options[0], "x"))
        request = await talk.puppet.hears("session/set_config_option")
        talk.puppet.answers(request, {"configOptions": [later if with_answer else shown]})
        await setting
        talk.puppet.updates("config_option_update", "s2", configOptions=[later])

        writing = wants(talk, "fs/write_text_file", path=str(tmp_path / "a"), content="new")
        await talk.until(lambda: session.questions or talk.puppet.sent.answers(writing))

        assert bool(session.questions) is is_asked
        assert (tmp_path / "a").exists() is not is_asked


async def test_a_mode_that_the_agent_refuses_or_that_the_user_left_lets_nothing(tmp_path: Path) -> None:
    async with lending(tmp_path, "ask") as talk:
        session = await talk.made("s2", str(tmp_path), **MODES)
        await talk.prompted(session="s2")
        for mode, answer in (("yolo", {}), ("default", {"error": {"code": -1, "message": "no"}})):
            setting = asyncio.create_task(talk.agent.set_option("s2", session.options[0], mode))
            talk.puppet.answers(await talk.puppet.hears("session/set_mode"), **(answer or {"result": {}}))
            await asyncio.gather(setting, return_exceptions=True)
        assert session.options[0].config.current_value == "yolo"

        wants(talk, "terminal/create", **RUN)
        assert (await asked(talk, session)).unasked


async def test_a_permission_that_is_given_while_no_turn_runs_lasts_until_its_call_is_over(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as (talk, session):
        prompt = next(frame for frame in talk.puppet.sent.frames if frame.get("method") == "session/prompt")
        talk.puppet.answers(prompt, {"stopReason": "end_turn"})
        await talk.until(lambda: session.turn_state == "idle")
        call = {"kind": "execute", "rawInput": {"command": "touch made"}}

        await permitted(talk, "yes", {"toolCallId": "open", **call})
        assert "result" in await served(talk, "terminal/create", **RUN)

        await permitted(talk, "yes", {"toolCallId": "over", **call})
        talk.puppet.updates("tool_call_update", "s2", toolCallId="over", status="completed")
        wants(talk, "terminal/create", **RUN)
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


async def test_the_chat_calls_the_agent_as_the_dialog_does(tmp_path: Path) -> None:
    async with running(tmp_path) as (talk, session):
        assert talk.agent.info is not None
        talk.agent.info.agent_info = Implementation(name="own-name", title="Own Name", version="1")
        wants(talk, "terminal/create", **RUN)
        talk.agent.answer("s2", (await asked(talk, session)).key, "let")

        assert talk.agent.title == "Own Name"
        await talk.until(lambda: notices(session) == ["You let Own Name run “touch made”."])


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


async def test_what_a_rule_denies_is_told_in_the_chat_once(tmp_path: Path) -> None:
    async with running(tmp_path, Rule("deny", command="touch", where="rules.toml:3")) as (talk, session):
        for _ in range(2):
            assert "error" in await served(talk, "terminal/create", **RUN)

        (told,) = notices(session)
        assert told == "Denied by a rule (rules.toml:3): puppet had us run “touch made” without asking."


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
        ("café\n".encode("cp1252"), "café\n", "Its text is Windows-1252 now, and will be UTF-8."),
        ("\ufeffcafé\n".encode("utf-16-le"), "\ufeffcafé\n", "Its text is UTF-16 LE now, and will be UTF-8."),
        ("café, café, no mark\n".encode("utf-16-be"), "café, café, no mark\n", "Its text is UTF-16 BE now"),
        (
            "Привет, мир! Это текст\n".encode("cp1251") * 3,
            "Привет, мир! Это текст\n" * 3,
            "Its text is Windows-1251",
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


async def test_a_rule_allows_a_command_in_the_workspace_only(tmp_path: Path) -> None:
    (tmp_path / "w/sub").mkdir(parents=True)
    async with running(tmp_path / "w", Rule("allow", command="touch")) as (talk, session):
        assert "result" in await served(talk, "terminal/create", **RUN, cwd=str(tmp_path / "w/sub"))
        request_id = wants(talk, "terminal/create", **RUN, cwd=str(tmp_path))
        talk.agent.answer("s2", (await asked(talk, session)).key, "refuse")
        assert "error" in await talk.puppet.answer_to(request_id)

        talk.host.set_policy("s2", "allow-everything")
        assert "result" in await served(talk, "terminal/create", **RUN, cwd=str(tmp_path))


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
            assert "has changed since this was decided" in again.call.title
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
            assert "has changed since this was decided" in question.call.title
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
        assert f"{work}/link/a leads to {led}/a: that was written." in told
        assert f"{work}/link leads to {led}: “touch made” runs there." in told


async def test_a_path_that_says_where_it_leads_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "alias").symlink_to("real")
    work = tmp_path / "alias"
    async with running(work) as (talk, session):
        request_id = wants(talk, "fs/write_text_file", path=f"{work}/./a", content="x")
        talk.agent.answer("s2", (await asked(talk, session)).key, "let")
        await talk.puppet.answer_to(request_id)

        assert notices(session) == [f"You let puppet write “{work}/./a”."]
        assert [one.led_to for one in talk.decisions] == [()]
