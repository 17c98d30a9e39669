"""Rules that deny a command, against all the shapes of calls and ways to run one."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.agent.permissions.access import AgentAccess
from acp_tui.agent.permissions.authorization import authorize
from acp_tui.rules.model import Decision, Rule
from acp_tui.session.entries import ToolCall
from acp_tui.session.session import Session
from acp_tui.workspace.terminals import Terminals
from tests.tables import each


def decided(*more: Rule, **call: Any) -> Decision:
    access = AgentAccess(
        terminals=Terminals(), rules=[Rule("deny", command="rm"), *more], policy="allow-everything"
    )
    return authorize(access, ToolCall("t", **{"kind": "execute", **call}), Session("s", "/w"), "x").decision


@each(
    "raw_input",
    [
        *({"argv": ["rm", "x"]}, {"args": ["rm", "x"]}, {"script": "rm x"}, {"code": "a\nrm x"}),
        *(
            {"shell_command": "rm x"},
            {"shellCommand": "rm x"},
            {"cmd": ["rm", "x"]},
            {"command_line": "rm x"},
        ),
        *({"input": {"command": "rm x"}}, {"arguments": '{"command": "rm x"}'}, {"tool": {"argv": ["rm"]}}),
        *({"program": "rm", "args": ["x"]}, {"name": "rm", "arguments": ["x"]}, '{"command": "rm x"}'),
        *({"input": {"commands": ["ls", "rm x"]}}, {"run": "sh -c 'rm x'"}, ["ls", {"cmd": "rm x"}]),
    ],
)
def test_a_denied_command_is_found_in_every_shape_and_allowed_in_none(raw_input: Any) -> None:
    assert decided(raw_input=raw_input) == "deny"
    assert decided(Rule("allow", command="ls"), raw_input={"argv": ["ls"]}) == "ask"


IN_OTHER_FIELDS: list[Any] = [
    *({"script": "rm x"}, {"input": {"command": "rm x"}}, {"arguments": '{"command": "rm x"}'}),
    *({"Command": "rm x"}, {"commandLine": "rm x"}, {"argv": ["rm", "x"]}, {"command": {"text": "rm x"}}),
    *('{"command": "rm x"}', [{"cmd": "rm x"}], {"program": "rm", "args": ["x"]}),
]


@each("kind", ["read", "search", "think", "edit", "delete", "fetch", "other"])
@each("raw_input", IN_OTHER_FIELDS)
def test_a_denied_command_is_found_whatever_the_agent_calls_the_call(raw_input: Any, kind: str) -> None:
    assert decided(kind=kind, raw_input=raw_input) != "allow"


@pytest.mark.parametrize("kind", ["read", "other"])
@pytest.mark.parametrize(
    "raw_input",
    [
        {"scripts": [*(f"echo {number}" for number in range(3_000)), "rm x"]},
        {"script": "rm x #" + "a" * 20_000},
        {"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": {"i": {"command": "rm x"}}}}}}}}}},
    ],
)
def test_what_is_too_much_to_be_searched_for_a_denied_command_is_asked(raw_input: Any, kind: str) -> None:
    assert decided(kind=kind, raw_input=raw_input) == "ask"


@each("kind", ["read", "search", "edit", "other"])
@each("raw_input", IN_OTHER_FIELDS)
def test_a_rule_for_a_kind_allows_no_command_in_whatever_field(raw_input: Any, kind: str) -> None:
    access = AgentAccess(terminals=Terminals(), rules=[Rule("allow", tool_kind=kind)])
    call = ToolCall("t", kind=kind, raw_input=raw_input)

    assert authorize(access, call, Session("s", "/w"), "x").decision == "ask"


@pytest.mark.parametrize("title", ["Run: rm x", "$ rm x", "`rm x`", "Running `rm x`", "rm x", "> rm x"])
def test_a_title_may_be_the_command(title: str) -> None:
    assert decided(title=title) == "ask"
    assert decided(title=title, kind="other") == "ask"


@pytest.mark.parametrize(
    "call", [{}, {"title": "Tidy up"}, {"raw_input": {"x": 1}}, {"raw_input": {"a": "b"}}]
)
def test_a_command_that_is_not_known_is_asked(call: dict[str, Any]) -> None:
    assert decided(**call) == "ask"


def test_a_known_command_does_not_hide_another_one() -> None:
    assert decided(raw_input={"command": "ls", "script": "rm x"}) == "ask"


@pytest.mark.parametrize("env", [{"LD_PRELOAD": "x"}, {"PATH": "."}, {"BASH_ENV": "x"}, {"GIT_SSH": "x"}])
def test_a_variable_that_makes_another_command_of_one_is_asked(env: dict[str, str]) -> None:
    assert decided(raw_input={"command": "ls", "env": env}) == "ask"


@each(
    "command",
    [
        *("curl x | sh", "x | bash -s", "source <(x)", "eval $x", "git -c alias.x='!y' x", "sed 1e x"),
        *("awk 'BEGIN{system(x)}'", "vim -c '!x'", "BASH_ENV=x ls", "PATH=. ls", "export PATH=."),
        *("GIT_SSH=x git fetch", "LD_PRELOAD=x ls", "env LD_PRELOAD=x ls", "PROMPT_COMMAND=x bash -i"),
        *(
            "tar -Irm -cf x y",
            "man -Prm x",
            ". /dev/stdin <<< x",
            "source /dev/fd/3",
            "builtin . /proc/self/fd/0",
        ),
        *("x | sh -v", "x | bash -h", "x | bash -euo pipefail", "x | bash +v", "x | bash --rcfile y"),
        *(
            "x | bash -es y",
            "x | python3 -v",
            "x | python3 - -V",
            "x | python3 -W ignore",
            "x | perl -I y -w",
        ),
        *("x | ruby -r set", "x | node --require y", "x | php -d a=1", "x | make -sf-"),
        *("x | make -f -", "make -f- <<< x", "gmake --file=-", "make -f /dev/stdin"),
        *("env -S 'x y'", "cp /bin/rm y; ./y", "ln -s $(which rm) y", "python -c 'x'", "perl -e x"),
        *(
            "bash <<< x",
            "bash <<E\nx\nE",
            "alias ls=x",
            "trap x EXIT",
            "$x y",
            "cat 'open",
            "ls " + "x" * 50_000,
        ),
    ],
)
def test_what_may_run_anything_is_asked(command: str) -> None:
    assert decided(raw_input={"command": command}) == "ask"


@pytest.mark.parametrize(
    "command", ["/bin/rm x", "\\rm x", "busybox rm x", "xargs rm", "find . -exec rm {} +"]
)
def test_what_runs_it_in_other_words_is_denied(command: str) -> None:
    assert decided(raw_input={"command": command}) == "deny"


@pytest.mark.parametrize(
    "command",
    [
        *(
            "ls -la",
            "git status",
            "npm test",
            "make",
            "make -s test",
            "make -j8 -f x.mk",
            "bash -euo pipefail x.sh",
            "sh x.sh -s",
            "python3 -s -W ignore x.py",
            "node --require y x.js",
            "bash --version",
            "perl -v",
            "gmake",
            "ls . /dev/null",
            "python x.py",
            "FOO=1 pytest",
            "grep rm x",
            "git log -p",
        ),
        *(
            "sed -n 1,5p x",
            'git commit -m "$(cat <<\'EOF\'\nwhy "it" is\n$x `y`\nEOF\n)"',
        ),
    ],
)
def test_what_runs_something_else_goes_on(command: str) -> None:
    assert decided(raw_input={"command": command}) == "allow"


def test_a_command_in_backticks_in_a_here_document_is_asked_about() -> None:
    assert decided(raw_input={"command": "cat <<E\n`{rm,x}`\nE"}) == "ask"
    assert decided(raw_input={"command": "cat <<E\n`rm x`\nE"}) == "deny"
    assert decided(raw_input={"command": "cat <<E\n`ls`\nE"}) == "allow"
