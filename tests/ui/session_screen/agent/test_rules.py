"""Tests of `ui/session_screen/agent/rules.py`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from acp_tui.rules.model import Rule, ToolUse, decide
from acp_tui.ui.screens.questions.permission_details import AGENT_ONLY
from acp_tui.ui.session_screen.agent.rules import always_scopes, suggested
from tests.tables import each


@each(
    ("command", "prefix"),
    [
        ("git status -s", "git status"),
        ("npm test", "npm test"),
        ("ls -la", "ls"),
        ("python x.py", "python x.py"),
        ("/usr/bin/python3.11 -c 'import os'", "/usr/bin/python3.11 -c 'import os'"),
        ("sudo apt install x", "sudo apt install x"),
        ("bash -lc 'git status'", "git status"),
        ("cat README", "cat"),
        ("'my tool' run", "'my tool' run"),
        ("git status && ls", "git status"),
        ("make > log", "make"),
        ("git log $(date)", "git log"),
    ],
)
def test_a_command_is_suggested_by_its_first_words(command: str, prefix: str) -> None:
    rule = suggested(ToolUse("demo", "execute", command=command))

    assert (rule.decision, rule.tool_kind, rule.command, rule.agent) == ("allow", "execute", prefix, "demo")


def test_of_a_chain_the_first_part_is_suggested_that_nothing_allows_yet() -> None:
    ask = ToolUse("demo", "execute", command="ls && git status | head")

    assert suggested(ask, [Rule("allow", command="ls")]).command == "git status"


@pytest.mark.parametrize("command", ["$X", "'ls", "", "A=1", "sudo $X", None])
def test_where_no_first_words_are_known_it_is_not_suggested_to_allow(command: str | None) -> None:
    rule = suggested(ToolUse("demo", "execute", command=command))

    assert (rule.decision, rule.command) == ("ask", None)


def test_files_are_suggested_by_their_path_or_the_folder_that_they_share() -> None:
    one, two = ToolUse("a", "edit", ("/w/a.py",)), ToolUse("a", "edit", ("/w/x/a.py", "/w/x/y/b.py"))

    assert suggested(one).path == "/w/a.py"
    assert suggested(two).path == "/w/x/**"
    assert suggested(ToolUse("a", "edit", ("/a", "/b"))).path is None
    rule = suggested(two)
    assert decide([Rule("allow", tool_kind=rule.tool_kind, path=rule.path)], two).decision == "allow"


def test_a_kind_that_is_not_known_is_not_suggested() -> None:
    assert suggested(ToolUse("a", "teleport")).tool_kind is None


@pytest.mark.parametrize("paths", [(), ("/w/*",), ("/a", "/b"), ("/w/?/a", "/w/?/b")])
def test_where_no_certain_file_is_known_it_is_not_suggested_to_allow_changes(paths: tuple[str, ...]) -> None:
    rule = suggested(ToolUse("a", "edit", paths))

    assert (rule.decision, rule.path) == ("ask", None)
    assert suggested(ToolUse("a", "read", paths)).decision == "allow"


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (
            ToolUse("demo", "execute", command="git status -s", workspace="/w"),
            ["also exactly this command in this folder", "also commands that begin with “git status”"],
        ),
        (
            ToolUse("demo", "execute", command="python x.py", workspace="/w"),
            ["also exactly this command in this folder"],
        ),
        (
            ToolUse("demo", "edit", paths=("/w/a.py",), workspace="/w"),
            ["also any change of a.py", "also any change in the workspace"],
        ),
        (
            ToolUse("demo", "edit", paths=("/w/a", "/w/b"), workspace="/w"),
            ["also any change in the workspace"],
        ),
        (ToolUse("demo", "edit", paths=("/w/a*",), workspace="/w"), ["also any change in the workspace"]),
        (ToolUse("demo", "read", paths=("/w/a.py",), workspace="/w"), ["also reading a.py"]),
        (ToolUse("demo", "fetch", workspace="/w"), []),
    ],
)
def test_what_always_may_mean_begins_with_the_agent_alone_and_grows(ask: ToolUse, words: list[str]) -> None:
    found = always_scopes(replace(ask, session="s"))

    assert [reach.words for reach in found] == ["the agent remembers it; acp-tui adds nothing", *words]
    assert found[0].rule is None
    for reach in found[1:]:
        assert reach.rule is not None
        assert reach.rule.session == "s"
        if len(ask.paths) < 2 and "*" not in "".join(ask.paths):
            assert decide([reach.rule], replace(ask, session="s")).decision == "allow"
        assert decide([reach.rule], replace(ask, session="other")).decision == "ask"


@pytest.mark.parametrize(
    "more",
    [
        {"folder": "/elsewhere"},
        {"folders": ("/w/a", "/w/b")},
        {"env": (("DRY_RUN", "1"),)},
        {"unknown_fields": ("dryRun",)},
    ],
)
def test_always_offers_no_rule_for_a_command_of_which_it_would_leave_out_a_part(more: dict[str, Any]) -> None:
    ask = replace(ToolUse("demo", "execute", command="git status", workspace="/w", session="s"), **more)
    assert always_scopes(ask) == [AGENT_ONLY]


def test_always_means_the_command_in_the_folder_that_was_shown() -> None:
    ask = ToolUse("demo", "execute", command="./run.sh", workspace="/w", session="s", folder="/w/a")
    rule = always_scopes(ask)[1].rule
    assert rule is not None
    assert decide([rule], ask).decision == "allow"
    assert decide([rule], replace(ask, folder="/w/a/")).decision == "allow"
    for elsewhere in ("/w", "/w/b", ""):
        assert decide([rule], replace(ask, folder=elsewhere)).decision == "ask"
    assert decide([rule], replace(ask, folders=("/w/a", "/w/b"))).decision == "ask"
