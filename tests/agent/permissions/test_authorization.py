"""Decisions without the user: by the rules first, then by the session's policy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acp_tui.agent.permissions.tool_input import env_of
from acp_tui.rules.model import Decision, Rule
from acp_tui.session.entries import ToolCall
from acp_tui.store.settings import Policy
from tests.agent.puppet import CANCELLED, OPTIONS, chosen, conversation
from tests.sent import Frame
from tests.waiting import settled


async def answered_by(
    rules: tuple[Rule, ...], call: Frame, options: list[Frame], workspace: str = "/w"
) -> Frame | None:
    """Return the answer that rules give, None when the user is asked."""
    async with conversation(rules=rules, cwd=workspace) as talk:
        tool_call = {"toolCallId": "t1", "title": "x", **call}
        talk.puppet.asks_permission("q", toolCall=tool_call, options=options)
        await talk.until(lambda: talk.session.tool_call("t1"))
        await settled()
        answers = talk.puppet.sent.answers("q")
        assert bool(answers) != bool(talk.session.questions)
        return answers[0]["result"] if answers else None


async def test_c84_a_rule_answers_and_says_so() -> None:
    rules = (Rule("allow", tool_kind="read", note="reads are fine"),)
    async with conversation(rules=rules) as talk:
        talk.puppet.asks_permission("q", toolCall={"toolCallId": "t1", "kind": "read", "title": "Read"})

        assert (await talk.puppet.answer_to("q"))["result"] == chosen("yes")
        assert talk.call().decision == "Allow (rule: reads are fine)"


@pytest.mark.parametrize(
    ("decision", "options", "answer"),
    [
        ("deny", OPTIONS, chosen("no")),
        ("deny", OPTIONS[:1], CANCELLED),
        ("deny", [], CANCELLED),
        ("allow", OPTIONS[2:], None),
        ("allow", OPTIONS[1:], None),
        ("allow", [{"optionId": "allow_once", "name": "Allow", "kind": "allow_unless"}], None),
        ("ask", OPTIONS, None),
    ],
)
async def test_r22_r23_c80_a_rule_decides_by_kind_and_never_takes_the_next_best(
    decision: str, options: list[Frame], answer: Frame | None
) -> None:
    rules = (Rule(decision, tool_kind="execute"),)  # type: ignore[arg-type]

    assert await answered_by(rules, {"kind": "execute"}, options) == answer


async def test_a_rule_about_paths_sees_the_files_that_a_call_would_change() -> None:
    diff = {"type": "diff", "path": "secrets/key", "oldText": None, "newText": "x"}
    rules = (Rule("allow", tool_kind="edit"), Rule("deny", path="/w/secrets/*"))

    call: Frame = {"kind": "edit", "content": [diff]}
    assert await answered_by(rules, call, OPTIONS) == chosen("no")
    call = {"kind": "edit", "locations": [{"path": "/w/secrets/key"}]}
    assert await answered_by(rules, call, OPTIONS) == chosen("no")
    call = {"kind": "edit", "locations": [{"path": "/w/a"}]}
    assert await answered_by(rules, call, OPTIONS) == chosen("yes")


@pytest.mark.parametrize("path", ["/w/secrets/key", "secrets/key", "./secrets/key", "x/../secrets/key"])
async def test_a_rule_about_paths_sees_what_only_the_input_names(path: str) -> None:
    call: Frame = {"kind": "edit", "locations": [{"path": "/w/a"}], "rawInput": {"file_path": path}}

    denying = (Rule("allow", tool_kind="edit"), Rule("deny", path="/w/secrets/*"))
    assert await answered_by(denying, call, OPTIONS) == chosen("no")
    assert await answered_by(denying, {"kind": "edit", "rawInput": {"path": path}}, OPTIONS) == chosen("no")
    assert await answered_by((Rule("allow", path="/w/a"),), call, OPTIONS) is None


@pytest.mark.parametrize(
    "raw_input",
    [
        {"patch": "*** Update File: /etc/x\n@@\n-a\n+b\n"},
        {"patch": "*** Update File: src/a\n*** Move to: other\n"},
        {"diff": "--- a/src/a\n+++ b/other\n@@ -1 +1 @@\n"},
        {"diff": "diff --git a/src/a b/other\nGIT binary patch\n"},
        {"files": {"diff": "--- src/a\n+++ ../x\n"}},
        {"out": "/etc/x"},
        {"out": "../x"},
        {"out": "kept"},
        {"out": "/etc/x\n"},
        {"out": " /etc/x"},
        {"targets": "src/a\n/etc/x"},
        {"targets": "src/a\nkept\n"},
        {"out": "kept\n"},
        {"out": "lib/new"},
        {"patch": "*** update file:/etc/x\n"},
        {"patch": "> *** Rename File: /etc/x\n"},
        {"patch": "a\r*** Update: /etc/x\n"},
        {"patch": "+++/etc/x\n"},
        {"more": [{"out": "{workspace}/new"}]},
    ],
)
@pytest.mark.parametrize("kind", ["edit", "delete"])
async def test_a_rule_with_a_path_allows_no_file_elsewhere_whatever_field_or_patch_names_it(
    tmp_path: Path, raw_input: Frame, kind: str
) -> None:
    told = json.loads(json.dumps(raw_input).replace("{workspace}", str(tmp_path)))
    (tmp_path / "kept").touch()
    (tmp_path / "lib").mkdir()
    call = {"kind": kind, "locations": [{"path": str(tmp_path / "src/a")}], "rawInput": told}

    assert await answered_by((Rule("allow", path="src/**"),), call, OPTIONS, str(tmp_path)) is None


@pytest.mark.parametrize(
    "raw_input",
    [
        {"patch": "*** Update File: src/a\n@@\n-a\n+b\n*** Add File: {workspace}/src/of two words\n"},
        {"diff": "--- a/src/a\n+++ b/src/a\n@@ -1 +1 @@\n"},
        {"diff": "diff --git a/src/a b/src/b\nrename from src/a\nrename to src/b\n"},
        {"diff": "--- /dev/null\n+++ b/src/a\t2026-11-30\n"},
        {"old_string": "/etc/passwd", "new_string": "kept", "mode": "kept-not", "root": "{workspace}"},
        {"route": "/api/users", "replace_all": False, "scope": "src", "type": "text/plain"},
        {"patch": "@@ -1,2 +1,2 @@\n-# a/b\n+---\n+# c/d\n+update: x\n"},
    ],
)
async def test_a_rule_with_a_path_allows_what_names_its_files_alone(tmp_path: Path, raw_input: Frame) -> None:
    told = json.loads(json.dumps(raw_input).replace("{workspace}", str(tmp_path)))
    (tmp_path / "src").mkdir()
    (tmp_path / "kept").touch()
    call = {"kind": "edit", "locations": [{"path": str(tmp_path / "src/a")}], "rawInput": told}

    assert await answered_by((Rule("allow", path="src/**"),), call, OPTIONS, str(tmp_path)) == chosen("yes")


@pytest.mark.parametrize(
    "path",
    [
        *(
            "file:///etc/x",
            "file://localhost/etc/x",
            "FILE:/etc/x",
            "file:etc/x",
            "vscode-remote://host/etc/x",
        ),
        *(
            " /etc/x",
            "\n/etc/x",
            '"/etc/x"',
            "`/etc/x`",
            "a\0/etc/x",
            "a\\..\\x",
            "~root/x",
            "$HOME/x",
            "%2E%2e/x",
        ),
    ],
)
@pytest.mark.parametrize("kind", ["edit", "read"])
async def test_a_path_that_can_be_read_in_two_ways_is_allowed_by_no_rule_and_no_policy(
    tmp_path: Path, path: str, kind: str
) -> None:
    place = {"path": str(tmp_path / "a")}
    calls: list[Frame] = [
        {"locations": [{"path": path}]},
        {"locations": [place], "rawInput": {"path": path}},
        {"locations": [place], "rawInput": {"uri": path}},
    ]
    for call in calls:
        call["kind"] = kind
        for rule in ("**", f"{tmp_path}/**"):
            assert await answered_by((Rule("allow", path=rule),), call, OPTIONS, str(tmp_path)) is None
        assert await answered_under("allow-edits", call, tmp_path) is None


@pytest.mark.parametrize("path", ["Bob's/a b.txt", "routes/$id.tsx", "a~", "x:3", "100%", "資料\u3000新.txt"])
async def test_a_rule_allows_a_file_with_a_usual_name(tmp_path: Path, path: str) -> None:
    call = {"kind": "edit", "locations": [{"path": path}], "rawInput": {"path": str(tmp_path / path)}}

    assert await answered_by((Rule("allow", path=f"{tmp_path}/**"),), call, OPTIONS, str(tmp_path)) == chosen(
        "yes"
    )


async def test_a_rule_for_the_workspace_allows_no_patch_of_a_file_outside(tmp_path: Path) -> None:
    call = {
        "kind": "edit",
        "locations": [{"path": str(tmp_path / "a")}],
        "rawInput": "--- /etc/x\n+++ /etc/x\n",
    }

    assert await answered_by((Rule("allow", path=f"{tmp_path}/**"),), call, OPTIONS, str(tmp_path)) is None


async def answered_under(
    policy: Policy, call: Frame, cwd: Path, *, rules: tuple[Rule, ...] = (), options: list[Frame] = OPTIONS
) -> Frame | None:
    """Return the answer that a policy gives, None when the user is asked."""
    async with conversation(rules=rules, policy=policy, cwd=str(cwd)) as talk:
        talk.puppet.asks_permission("q", toolCall={"toolCallId": "t1", "title": "x", **call}, options=options)
        await talk.until(lambda: talk.session.tool_call("t1"))
        await settled()
        answers = talk.puppet.sent.answers("q")
        assert bool(answers) != bool(talk.session.questions)
        return answers[0]["result"] if answers else None


async def test_a_policy_answers_what_no_rule_speaks_of_and_the_call_says_so(tmp_path: Path) -> None:
    async with conversation(policy="allow-edits", cwd=str(tmp_path)) as talk:
        call = {"toolCallId": "t1", "kind": "edit", "locations": [{"path": str(tmp_path / "a")}]}
        talk.puppet.asks_permission("q", toolCall=call)

        assert (await talk.puppet.answer_to("q"))["result"] == chosen("yes")
        assert talk.call().decision == "Allow (policy: allows edits in the workspace)"
        (kept,) = talk.decisions
        assert (kept.by, kept.detail) == ("policy", "allows edits in the workspace")


@pytest.mark.parametrize(("decision", "answer"), [("deny", chosen("no")), ("ask", None)])
async def test_a_rule_wins_over_the_policy_that_allows_everything(
    decision: Decision, answer: Frame | None, tmp_path: Path
) -> None:
    rules = (Rule(decision, command="rm"),)
    call: Frame = {"kind": "execute", "rawInput": {"command": "cd /tmp && rm -r x"}}

    assert await answered_under("allow-everything", call, tmp_path, rules=rules) == answer
    assert await answered_under("allow-everything", call, tmp_path) == chosen("yes")


async def test_a_command_that_only_stands_in_words_is_a_question_where_a_rule_denies_it(
    tmp_path: Path,
) -> None:
    words = "Requesting approval to perform: Run command `rm -r x`, then more."
    call: Frame = {
        "title": "Shell: rm -r x",
        "content": [{"type": "content", "content": {"type": "text", "text": words}}],
    }
    told: tuple[Frame, ...] = (
        {
            **call,
            "content": [{"type": "content", "content": {"type": "text", "text": f"{words}, then more."}}],
        },
        {"kind": "execute", "title": "rm -r x"},
        {"kind": "edit", "rawInput": {"command": "rm", "path": str(tmp_path / "x")}},
    )

    for one in told:
        rules = (Rule("deny", command="rm"),)
        assert await answered_under("allow-everything", one, tmp_path, rules=rules) is None
        assert await answered_under("allow-everything", one, tmp_path) == chosen("yes")


async def test_a_command_that_the_words_of_a_call_ask_for_is_denied_by_a_rule_and_allowed_by_none(
    tmp_path: Path,
) -> None:
    words = "Requesting approval to perform: Run command `echo hi; rm -r x`"
    call: Frame = {
        "title": "Shell: echo hi; rm -r x",
        "content": [{"type": "content", "content": {"type": "text", "text": words}}],
    }
    allows = (Rule("allow", command="echo"), Rule("allow", command="rm"), Rule("allow", tool_kind="execute"))

    denied = await answered_under("ask", call, tmp_path, rules=(*allows, Rule("deny", command="rm")))
    assert denied == chosen("no")
    assert await answered_under("ask", call, tmp_path, rules=allows) is None
    in_title: Frame = {"title": "Run command `rm x`"}
    denies = (Rule("deny", command="rm"),)
    assert await answered_under("ask", in_title, tmp_path, rules=allows) is None
    assert await answered_under("ask", in_title, tmp_path, rules=denies) == chosen("no")
    reads: Frame = {**in_title, "kind": "read"}
    assert await answered_under("ask", reads, tmp_path, rules=denies) is None


async def test_an_edit_by_a_tool_that_names_its_operation_is_no_command(tmp_path: Path) -> None:
    path = str(tmp_path / "a.py")
    call: Frame = {
        "kind": "edit",
        "locations": [{"path": path}],
        "rawInput": {"command": "str_replace", "path": path, "old_str": "a", "new_str": "b"},
    }

    assert await answered_under("allow-edits", call, tmp_path) == chosen("yes")
    assert await answered_under("ask", call, tmp_path, rules=(Rule("allow", path="*.py"),)) == chosen("yes")


async def test_a_policy_never_says_always_nor_picks_among_several(tmp_path: Path) -> None:
    always = [option for option in OPTIONS if option["kind"] != "allow_once"]
    twice = [OPTIONS[0], {**OPTIONS[0], "optionId": "yes-2"}]

    for options in (always, twice):
        assert (
            await answered_under("allow-everything", {"kind": "teleport"}, tmp_path, options=options) is None
        )


@pytest.mark.parametrize("operation", ["delete", "move"])
async def test_an_edit_that_deletes_or_moves_a_file_is_no_edit(operation: str, tmp_path: Path) -> None:
    change = {"type": "diff", "path": str(tmp_path / "a"), "newText": "x"}
    call: Frame = {"kind": "edit", "content": [change, {**change, "operation": operation}]}
    plain: Frame = {"kind": "edit", "content": [change]}

    async def answered(call: Frame, *rules: Rule, policy: Policy = "ask") -> Any:
        return await answered_under(policy, call, tmp_path, rules=rules)

    assert await answered(plain, policy="allow-edits") == chosen("yes")
    assert await answered(call, policy="allow-edits") is None
    assert await answered(plain, Rule("allow", tool_kind="edit")) == chosen("yes")
    assert await answered(call, Rule("allow", tool_kind="edit")) is None
    assert await answered(call, Rule("allow", path="a")) == chosen("yes")
    assert await answered(call, Rule("deny", tool_kind=operation)) == chosen("no")


async def test_an_edit_whose_input_names_another_file_outside_is_a_question(tmp_path: Path) -> None:
    call: Frame = {"kind": "edit", "locations": [{"path": str(tmp_path / "a")}]}

    assert await answered_under("allow-edits", call, tmp_path) == chosen("yes")
    inside = {**call, "rawInput": {"file_path": str(tmp_path / "a")}}
    assert await answered_under("allow-edits", inside, tmp_path) == chosen("yes")
    for path in ("/etc/hosts", "~/.profile"):
        for raw in ({"path": path}, {"source": "a", "destination": path}, {"edits": [{"target_file": path}]}):
            assert await answered_under("allow-edits", {**call, "rawInput": raw}, tmp_path) is None


async def test_a_look_whose_input_alone_names_a_file_outside_is_a_question(tmp_path: Path) -> None:
    policy: Policy = "ask-edits-and-commands"
    for path in ("/etc/passwd", "~/.ssh/id_ed25519", "../../etc/passwd"):
        call: Frame = {"kind": "read", "rawInput": {"path": path}}
        assert await answered_under(policy, call, tmp_path) is None
        call = {"kind": "read", "rawInput": {"paths": [str(tmp_path / "a"), path]}}
        assert await answered_under(policy, call, tmp_path) is None
    for path in (str(tmp_path / "a"), "a", "./a"):
        call = {"kind": "read", "rawInput": {"path": path}}
        assert await answered_under(policy, call, tmp_path) == chosen("yes")


async def test_an_edit_that_only_its_input_places_is_a_question(tmp_path: Path) -> None:
    call: Frame = {"kind": "edit", "rawInput": {"path": str(tmp_path / "a")}}

    assert await answered_under("allow-edits", call, tmp_path) is None


async def test_a_policy_that_is_changed_counts_for_its_session_only(tmp_path: Path) -> None:
    async with conversation(cwd=str(tmp_path)) as talk:
        await talk.made("s2", str(tmp_path))
        talk.access.set_policy("s2", "allow-everything")
        talk.puppet.asks_permission("q")
        params = {"sessionId": "s2", "toolCall": {"toolCallId": "t9"}, "options": OPTIONS}
        talk.puppet.says({"id": "other", "method": "session/request_permission", "params": params})

        assert (await talk.puppet.answer_to("other"))["result"] == chosen("yes")
        assert list(talk.session.questions) == ['"q"']
        await talk.access.take_back("s2")
        assert talk.access.policy_of("s2") == "ask"


async def test_an_agent_that_tells_commands_by_titles_alone_is_held_to_the_rules(tmp_path: Path) -> None:
    rules = (Rule("deny", command="rm"),)
    call = {"toolCallId": "t1", "kind": "execute", "title": "ls && rm -r build", "content": []}
    async with conversation(rules=rules, cwd=str(tmp_path), title_is_command=True) as talk:
        talk.puppet.asks_permission("q", toolCall=call)

        assert (await talk.puppet.answer_to("q"))["result"] == chosen("no")
    assert talk.decisions[0].command == "ls && rm -r build"


@pytest.mark.parametrize(
    ("kind", "raw", "command"),
    [("execute", None, "ls"), ("other", None, None), ("execute", {"command": "rm"}, "rm")],
)
def test_a_title_is_the_command_only_where_no_input_tells_it(
    kind: str, raw: object, command: str | None
) -> None:
    call = ToolCall("t", "ls", kind, raw_input=raw, title_is_command=True)
    assert call.command == command


MAKE: Frame = {"command": "make test"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("raw", "is_allowed"),
    [
        *((MAKE, True), ({**MAKE, "cwd": "{ws}"}, True), ({**MAKE, "cwd": "sub"}, True)),
        *(({**MAKE, "cwd": ""}, True), ({**MAKE, "dir_path": "{ws}/sub"}, True)),
        *(({**MAKE, "timeout": 3, "description": "Test", "shell": "/bin/bash"}, True),),
        *(({**MAKE, "env": {"TERM": "dumb"}}, True), ({**MAKE, "env": {}}, True)),
        *(({**MAKE, "cwd": "/"}, False), ({**MAKE, "cwd": ".."}, False), ({**MAKE, "cwd": "out"}, False)),
        *(({**MAKE, name: "/"}, False) for name in ("dir_path", "workdir", "workingDirectory", "folder")),
        *(
            ({**MAKE, name: "/"}, False)
            for name in ("directory", "work_dir", "projectRoot", "baseDir", "path")
        ),
        *(({**MAKE, "cwd": "{ws}", "dir_path": "/"}, False), ({**MAKE, "options": {"cwd": "/"}}, False)),
        *(({**MAKE, "env": {"PATH": "/x"}}, False), ({**MAKE, "env": {"LD_PRELOAD": "/x.so"}}, False)),
        *(({**MAKE, "env": [{"name": "PATH", "value": "/x"}]}, False), ({**MAKE, "env": ["PATH=/x"]}, False)),
        *(({**MAKE, name: {"PATH": "/x"}}, False) for name in ("environment", "envVars", "extra_env")),
        *(({**MAKE, "options": {"env": {"PATH": "/x"}}}, False), ({**MAKE, "env": "PATH=/x"}, False)),
        *(({**MAKE, "shell": "/x/sh"}, False), ({**MAKE, "stdin": "x"}, False)),
        *(({**MAKE, "wd": "/"}, False), ({**MAKE, "cmd": "rm x"}, False), ({**MAKE, "sudo": True}, False)),
        *(({"command": f"cd {folder} && make test"}, True) for folder in ("sub", "{ws}", "./sub", "sub/..")),
        *(({"command": f"cd {folder} && make test"}, False) for folder in ("/", "..", "out", "-", "~", "''")),
        *(({"command": "cd && make test"}, False), ({"command": "cd sub; cd ../..; make test"}, False)),
        *(({"command": "sh -c 'cd / && make test'"}, False), ({"command": "pushd / && make test"}, False)),
        *(
            ({"command": "cd sub && make test", "cwd": "sub"}, True),
            ({"command": "(cd /) && make test"}, False),
        ),
    ],
)
async def test_a_rule_means_a_command_in_the_workspace_as_it_is_written(
    raw: Frame, is_allowed: bool, tmp_path: Path
) -> None:
    (tmp_path / "sub/sub").mkdir(parents=True)
    (tmp_path / "out").symlink_to("/")
    rules = tuple(Rule("allow", command=words) for words in ("make test", "cd", "pushd"))
    placed: Frame = {
        key: value.replace("{ws}", str(tmp_path)) if isinstance(value, str) else value
        for key, value in raw.items()
    }

    answer = await answered_under("ask", {"kind": "execute", "rawInput": placed}, tmp_path, rules=rules)

    assert answer == (chosen("yes") if is_allowed else None)


@pytest.mark.parametrize("raw", [{"cwd": "/"}, {"env": {"PATH": "/x"}}, {"wd": "x"}])
async def test_a_rule_for_one_very_command_means_it_in_the_workspace_as_well(
    raw: Frame, tmp_path: Path
) -> None:
    rules = (Rule("allow", command="make test", exact=True),)
    call: Frame = {"kind": "execute", "rawInput": MAKE}

    assert await answered_under("ask", call, tmp_path, rules=rules) == chosen("yes")
    assert await answered_under("ask", {**call, "rawInput": {**MAKE, **raw}}, tmp_path, rules=rules) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "is_allowed"),
    [
        *(("{ws}/src/a", True), ("src/a", True), ("{ws}/lib/src/a", True), ("{ws}/src/b/c", True)),
        *(("/etc/src/a", False), ("{ws}/out/src/a", False), ("{ws}/src/out/a", False)),
        *(("../src/a", False), ("{ws}-other/src/a", False), ("~/src/a", False)),
    ],
)
async def test_a_relative_path_allows_in_the_workspace_alone(
    path: str, is_allowed: bool, tmp_path: Path
) -> None:
    (tmp_path / "src").mkdir()
    for name in ("out", "src/out"):
        (tmp_path / name).symlink_to("/etc")
    place = path.replace("{ws}", str(tmp_path))
    call: Frame = {
        "kind": "edit",
        "content": [{"type": "diff", "path": place, "oldText": None, "newText": "x"}],
    }
    rules = (Rule("allow", path="src/**"),)

    answer = await answered_under("ask", call, tmp_path, rules=rules)

    assert answer == (chosen("yes") if is_allowed else None)
    assert await answered_under("ask", call, tmp_path, rules=(Rule("deny", path="src/**"),)) == chosen("no")


@pytest.mark.parametrize(
    ("rule", "path", "answer"),
    [
        ("/w/**", "/w/.claude/hooks/x", None),
        ("/w/hooks/**", "/w/hooks/.claude/hooks/x", None),
        ("/w/**/hooks/**", "/w/.claude/hooks/x", None),
        ("/w/.github/**", "/w/.github/workflows/a.yml", None),
        ("/w/.claude/hooks/**", "/w/.claude/hooks/x", chosen("yes")),
        ("/w/.github/workflows/**", "/w/.github/workflows/a.yml", chosen("yes")),
        ("/w/**/.envrc", "/w/a/.envrc", chosen("yes")),
    ],
)
async def test_a_rule_allows_a_protected_file_only_by_its_whole_protected_name(
    rule: str, path: str, answer: Frame | None
) -> None:
    call: Frame = {"kind": "edit", "locations": [{"path": path}]}

    assert await answered_by((Rule("allow", path=rule),), call, OPTIONS) == answer


@pytest.mark.parametrize(
    ("workspace", "rule", "path"),
    [
        ("/home/u/hooks", "x.git/**", "x.git/hooks/post-update"),
        ("/home/u/agents", ".claude/**", ".claude/agents/a.md"),
        ("/home/u/.claude", "*/agents/**", ".claude/agents/a.md"),
    ],
)
async def test_a_folder_above_the_workspace_names_no_protected_file(
    workspace: str, rule: str, path: str
) -> None:
    call: Frame = {"kind": "edit", "locations": [{"path": f"{workspace}/{path}"}]}

    assert await answered_by((Rule("allow", path=f"{workspace}/{rule}"),), call, OPTIONS, workspace) is None


@pytest.mark.parametrize("kind", ["read", "search", "think"])
async def test_a_call_that_only_looks_but_shows_a_change_is_asked_about_a_protected_file(kind: str) -> None:
    diff = {"type": "diff", "path": "/w/.envrc", "oldText": None, "newText": "x"}
    call: Frame = {"kind": kind, "content": [diff]}

    assert await answered_by((Rule("allow"),), call, OPTIONS) is None


PATCH = "*** Begin Patch\n*** Add File: {name}\n+x\n*** End Patch"


@pytest.mark.parametrize("kind", ["edit", "delete", "move", "other"])
@pytest.mark.parametrize(
    ("raw_input", "is_asked"),
    [
        *(({"fileName": ".envrc"}, True), ({"new_name": ".envrc"}, True), ({"to": ".husky/x"}, True)),
        *(({"targets": ["a", ".git/config"]}, True), ({"oldName": ".envrc", "new": "a"}, True)),
        *(({"changes": {".envrc": {"type": "add"}}}, True), ({"changes": {"a": {"to": "b"}}}, False)),
        *(({"deep": [{"er": {"x": [".vscode/tasks.json"]}}]}, True), ({"to": ".github"}, True)),
        *(({"input": PATCH.format(name=".envrc")}, True), ({"input": PATCH.format(name="a")}, False)),
        *(
            ({"patch": "--- a/x\n+++ b/.envrc\n@@ -1 +1 @@"}, True),
            ({"diff": "+++ b/a\t2026\n+.envrc"}, False),
        ),
        *(('{"to": ".envrc"}', True), ({"args": '{"to": ".envrc"}'}, True), ({"to": ".env"}, False)),
        *(({"path": ".gitignore", "content": ".envrc"}, False), ({"old_string": ".git"}, False)),
        *(({"file": "a", "description": "as in .git/hooks"}, False), ({"to": "b"}, False)),
    ],
)
async def test_a_change_is_asked_about_whatever_field_names_the_protected_file(
    raw_input: Frame | str, is_asked: bool, kind: str
) -> None:
    rules = (Rule("allow", tool_kind=kind),)

    answer = await answered_by(rules, {"kind": kind, "rawInput": raw_input}, OPTIONS)

    assert answer == (None if is_asked else chosen("yes"))


@pytest.mark.parametrize("kind", ["read", "search", "think", "fetch"])
async def test_what_only_looks_may_name_a_protected_file_in_any_field(kind: str) -> None:
    call: Frame = {"kind": kind, "rawInput": {"to": ".envrc"}}

    assert await answered_by((Rule("allow"),), call, OPTIONS) == chosen("yes")


@pytest.mark.parametrize("title", ["Run `tee .envrc`", "tee .envrc", "Run `cat .envrc`"])
async def test_a_command_in_a_title_alone_is_asked_about_if_it_may_write(title: str) -> None:
    call: Frame = {"kind": "execute", "title": title}

    assert await answered_by((Rule("allow"),), call, OPTIONS) == (None if "tee" in title else chosen("yes"))


OUTSIDE: list[Frame | str] = [
    *({"script": "ls"}, {"input": {"command": "ls"}}, '{"command": "ls"}', {"arguments": {"argv": ["ls"]}}),
    *({"pattern": "../beside/*"}, {"glob": "/etc/*"}, {"include": "../../../../../../etc/passw*"}),
    *({"glob": "{../beside,a}/*"}, {"glob": "{/etc,a}/*"}, {"item": "/etc/passwd\n"}, {"item": "~root/x"}),
    *(
        {"item": "a,/etc/passwd"},
        {"item": "a\n/etc/passwd"},
        {"item": "@/etc/passwd"},
        {"item": "--file=/etc/passwd"},
    ),
    *(
        {"path": "a;../beside"},
        {"path": "'/etc/passwd'|a"},
        {"path": "HEAD:/etc/passwd"},
        {"item": "a /etc/passw*"},
    ),
    *({"url": "https://example.org/a"}, {"sourceUrls": ["a", "ftp://example.org"]}, {"powershell": "ls"}),
    {"a": {"b": {"c": {"d": {"e": {"f": {"g": "h"}}}}}}},
]


@pytest.mark.parametrize("raw_input", OUTSIDE)
@pytest.mark.parametrize("kind", ["read", "search", "think"])
async def test_a_look_that_runs_something_or_leads_out_is_a_question(
    tmp_path: Path, kind: str, raw_input: Frame | str
) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "beside").mkdir()
    for policy in ("ask-edits-and-commands", "allow-edits"):
        assert await answered_under(policy, {"kind": kind, "rawInput": raw_input}, tmp_path / "w") is None


@pytest.mark.parametrize(
    "raw_input",
    [
        *({"command": "view", "path": "a"}, {"pattern": "/api/users", "path": "."}, {"query": "a/../b"}),
        *({"file_path": "a", "offset": 1}, {"pattern": "*.py"}, {"prompt": "run `ls` in /etc"}),
        *({"pattern": "from '../new'"}, {"pattern": "https://example.org/etc"}, {"pattern": "a == /missing"}),
        {"todos": [{"content": "look at /etc", "status": "pending"}]},
    ],
)
async def test_a_look_in_the_workspace_goes_on(tmp_path: Path, raw_input: Frame) -> None:
    call: Frame = {"kind": "read", "rawInput": raw_input}

    assert await answered_under("ask-edits-and-commands", call, tmp_path) == chosen("yes")


@pytest.mark.parametrize(
    ("raw_input", "is_asked"),
    [
        *(({"patch": "*** Update File: ../x\n"}, True), ({"diff": "--- a/a\n+++ /etc/x\n"}, True)),
        *(({"changes": {"../x": {"add": "b"}}}, True), ({"to": "../x"}, True), ({"file": "a\n../x"}, True)),
        *(({"diff": "--- /dev/null\n+++ b/a\n"}, False), ({"patch": "*** Update File: a\n"}, False)),
        *(({"old_string": "/etc/passwd", "new_string": "../x"}, False), ({"url": "https://a/b"}, False)),
    ],
)
async def test_an_edit_goes_on_if_its_whole_input_stays_in_the_workspace(
    tmp_path: Path, raw_input: Frame, is_asked: bool
) -> None:
    call: Frame = {"kind": "edit", "locations": [{"path": str(tmp_path / "a")}], "rawInput": raw_input}

    assert await answered_under("allow-edits", call, tmp_path) == (None if is_asked else chosen("yes"))


@pytest.mark.parametrize("kind", ["read", "edit", "fetch"])
async def test_a_command_in_whatever_field_is_asked_about_a_protected_file(tmp_path: Path, kind: str) -> None:
    call: Frame = {"kind": kind, "rawInput": {"input": {"command": "tee .envrc"}}}

    assert await answered_under("allow-everything", call, tmp_path) is None


async def test_a_change_that_is_too_much_to_be_searched_is_asked_about(tmp_path: Path) -> None:
    patch = "".join(f"*** Update File: f{number}\n" for number in range(3_000)) + "*** Update File: .envrc\n"

    assert (
        await answered_under("allow-everything", {"kind": "edit", "rawInput": {"a": patch}}, tmp_path) is None
    )


MANY = {"kind": "read", "locations": [{"path": f"/w/{number}"} for number in range(1_001)]}
"""A read of more files than are looked at."""


@pytest.mark.parametrize(
    ("rule", "answer"),
    [
        (Rule("allow", tool_kind="read"), None),
        (Rule("allow", path="**"), None),
        (Rule("deny", path="/w/1000"), None),
        (Rule("deny", tool_kind="read"), chosen("no")),
    ],
)
async def test_a_call_that_names_too_many_files_is_asked_about_unless_a_rule_surely_denies_it(
    rule: Rule, answer: Frame | None
) -> None:
    assert await answered_by((rule,), MANY, OPTIONS) == answer
    fewer = {**MANY, "locations": MANY["locations"][1:]}
    assert await answered_by((rule,), fewer, OPTIONS) == chosen("yes" if rule.decision == "allow" else "no")


@pytest.mark.parametrize(
    "call",
    [
        {"kind": "edit", "locations": [{"path": "a"}]},
        {"kind": "delete", "locations": [{"path": "a"}]},
        {"kind": "execute", "rawInput": {"command": "ls"}},
        {"kind": "read", "rawInput": {"command": "cat a"}},
        {"kind": "other", "content": [{"type": "diff", "path": "a", "oldText": "", "newText": "x"}]},
    ],
)
async def test_a_read_only_session_refuses_edits_and_commands_also_where_a_rule_allows_them(
    call: Frame, tmp_path: Path
) -> None:
    rules = (Rule("allow"), Rule("allow", tool_kind="other"), Rule("allow", tool_kind="execute"))

    assert await answered_under("read-only", call, tmp_path, rules=rules) == chosen("no")


async def test_a_read_only_session_reads_the_workspace_and_asks_about_the_rest(tmp_path: Path) -> None:
    inside: Frame = {"kind": "read", "locations": [{"path": str(tmp_path / "a")}]}

    assert await answered_under("read-only", inside, tmp_path) == chosen("yes")
    assert await answered_under("read-only", {"kind": "fetch"}, tmp_path) is None
    assert await answered_under("read-only", {"kind": "other"}, tmp_path) is None


@pytest.mark.parametrize("operation", ["delete", "move", "copy", "symlink", "modify"])
async def test_a_policy_for_edits_covers_no_change_of_another_kind(tmp_path: Path, operation: str) -> None:
    diff = {"type": "diff", "path": str(tmp_path / "a"), "newText": "x", "operation": operation}
    call: Frame = {"kind": "edit", "content": [diff]}

    is_asked = operation != "modify"
    assert await answered_under("allow-edits", call, tmp_path) == (None if is_asked else chosen("yes"))


@pytest.mark.parametrize(
    "hidden",
    [
        {**{f"a{number}": "" for number in range(1_001)}, "env": {"LD_PRELOAD": "x.so"}},
        {"env": [{"name": "TERM", "key": "LD_PRELOAD", "value": "x.so"}]},
        {"env": {"LD_PRELOAD": "x.so"}},
    ],
    ids=["behind many fields", "under two names", "plainly"],
)
async def test_no_rule_allows_a_command_with_a_variable_that_is(hidden: Frame, tmp_path: Path) -> None:
    call: Frame = {"kind": "execute", "title": "make", "rawInput": {"command": "make", **hidden}}
    rule = Rule("allow", command="make")

    assert await answered_under("ask", call, tmp_path, rules=(rule,)) is None


def test_both_values_of_one_variable_are_shown() -> None:
    call = ToolCall("t", raw_input={"env": {"LD_PRELOAD": "evil"}, "vars": {"LD_PRELOAD": "fine"}})

    assert sorted(env_of(call)["LD_PRELOAD"].split(" or ")) == ["evil", "fine"]


CHANGE: Frame = {"content": [{"type": "diff", "path": "a", "oldText": "x", "newText": "y"}]}
DELETION: Frame = {"rawInput": {"input": "*** Begin Patch\n*** Delete File: a\n*** End Patch"}}
GIT_DELETION: Frame = {"rawInput": {"patch": "diff --git a/a b/a\ndeleted file mode 100644\nindex 1..0\n"}}
MOVE: Frame = {"rawInput": {"input": "*** Update File: a\n*** Move to: b\n"}}
GIT_MOVE: Frame = {"rawInput": {"patch": "diff --git a/a b/b\nrename from a\nrename to b\n"}}
NEW_TEXT: Frame = {"rawInput": {"path": "a", "old_str": "x", "new_str": "y"}}
EDITS: Frame = {"rawInput": {"path": "a", "edits": [{"oldText": "x", "newText": "y"}]}}
NESTED: Frame = {"rawInput": {"input": '{"files": [{"path": "a", "content": "y"}]}'}}
DELETED: Frame = {"rawInput": {"changes": {"/w/a": {"type": "delete", "content": "x"}}}}
MOVED: Frame = {
    "rawInput": {"changes": {"/w/a": {"type": "update", "move_path": "/w/b", "unified_diff": ""}}}
}
OPERATION: Frame = {"rawInput": {"command": "delete", "path": "a"}}
RENAME: Frame = {"rawInput": {"action": "Rename", "old_path": "a", "newPath": "b"}}
NO_MOVE: Frame = {
    "rawInput": {
        "changes": {"/w/a": {"type": "update", "move_path": None}},
        "edits": [{"type": "delete", "line": 2}],
        "command": "str_replace",
        "path": "a",
    }
}
NO_NEW_TEXT: Frame = {"rawInput": {"path": "a", "old_str": None, "new_str": None, "file_text": ""}}
RUN: Frame = {"rawInput": {"script": "make"}}


@pytest.mark.parametrize("kind", ["read", "search"])
@pytest.mark.parametrize("told", [CHANGE, DELETION, GIT_DELETION, MOVE, NEW_TEXT, EDITS, NESTED, RUN])
async def test_an_edit_or_a_command_that_the_agent_calls_a_read_is_none(
    kind: str, told: Frame, tmp_path: Path
) -> None:
    call: Frame = {"kind": kind, **told}
    reads = Rule("allow", tool_kind=kind)

    assert await answered_under("ask-edits-and-commands", call, tmp_path) is None
    assert await answered_under("ask", call, tmp_path, rules=(reads,)) is None
    assert await answered_under("read-only", call, tmp_path) == chosen("no")


async def test_a_tool_with_empty_fields_for_a_new_text_may_read(tmp_path: Path) -> None:
    assert await answered_under(
        "ask-edits-and-commands", {"kind": "read", **NO_NEW_TEXT}, tmp_path
    ) == chosen("yes")


def edit_of_a(told: Frame, workspace: Path) -> Frame:
    more: Frame = json.loads(json.dumps(told).replace("/w/", f"{workspace}/"))
    return {"kind": "edit", "locations": [{"path": str(workspace / "a")}], **more}


@pytest.mark.parametrize("told", [EDITS, NESTED, NO_MOVE])
async def test_a_policy_for_edits_covers_edits_in_any_form(told: Frame, tmp_path: Path) -> None:
    call = edit_of_a(told, tmp_path)

    assert await answered_under("allow-edits", call, tmp_path) == chosen("yes")


@pytest.mark.parametrize("told", [DELETION, GIT_DELETION, MOVE, GIT_MOVE, DELETED, MOVED, OPERATION, RENAME])
async def test_a_policy_for_edits_covers_no_edit_that_deletes_or_moves(told: Frame, tmp_path: Path) -> None:
    call = edit_of_a(told, tmp_path)

    assert await answered_under("allow-edits", call, tmp_path) is None


@pytest.mark.parametrize(
    ("denied", "call"),
    [
        ("edit", {"kind": "other", **CHANGE}),
        ("edit", {"kind": "read", **CHANGE}),
        ("execute", {"kind": "read", "rawInput": {"command": "make"}}),
        ("execute", {"kind": "edit", **RUN}),
        ("delete", {"kind": "edit", **DELETION}),
        ("move", {"kind": "other", **MOVE}),
    ],
)
async def test_a_rule_that_denies_a_kind_sees_what_the_input_says(
    denied: str, call: Frame, tmp_path: Path
) -> None:
    rule = Rule("deny", tool_kind=denied)

    assert await answered_under("allow-everything", call, tmp_path, rules=(rule,)) == chosen("no")


async def test_a_rule_that_denies_chooses_no_odd_option() -> None:
    rules = (Rule("deny", tool_kind="execute"),)
    no = {"optionId": "no", "name": "Reject", "kind": "reject_once"}
    contradicting = {"optionId": "odd", "name": "Allow", "kind": "reject_once"}
    same_id = {"optionId": "yes", "name": "Cancel", "kind": "reject_once"}

    for odd in (contradicting, same_id):
        options = [OPTIONS[0], odd]
        assert await answered_by(rules, {"kind": "execute"}, [*options, no]) == chosen("no")
        assert await answered_by(rules, {"kind": "execute"}, options) == CANCELLED


@pytest.mark.parametrize(
    ("command", "is_allowed"),
    [
        ("cat src/a", True),
        ("cat -n src/a src/b", True),
        (["cat", "src/a"], True),
        ("cat kept", False),
        ("cat src/../kept", False),
        ("cat src/a /etc/passwd", False),
        (["cat", "/etc/passwd"], False),
        ("cat src/* kept", False),
    ],
)
@pytest.mark.parametrize(
    "rule",
    [Rule("allow", path="src/**", command="cat"), Rule("allow", path="src/**", tool_kind="execute")],
    ids=["for a command", "for a kind"],
)
async def test_a_rule_with_a_path_allows_a_command_on_its_files_alone(
    tmp_path: Path, command: str | list[str], is_allowed: bool, rule: Rule
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a").touch()
    (tmp_path / "kept").touch()
    locations = [{"path": str(tmp_path / "src/a")}]
    call: Frame = {"kind": "execute", "locations": locations, "rawInput": {"command": command}}

    answer = await answered_by((rule,), call, OPTIONS, str(tmp_path))

    assert answer == (chosen("yes") if is_allowed else None)
