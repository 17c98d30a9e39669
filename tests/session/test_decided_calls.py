"""Decisions whose call says something else afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.protocol.schema import (
    AgentTerminal,
    PermissionOption,
    SessionSetup,
    ToolCallFields,
    ToolCallPatch,
)
from acp_tui.protocol.validation import read_update
from acp_tui.session import events
from acp_tui.session.entries import ToolCall
from acp_tui.session.questions import Permission
from tests.session.building import call, call_update, session_with
from tests.tables import each

MAKE = {"kind": "execute", "rawInput": {"command": "make test"}}
EDIT = {"kind": "edit", "title": "Edit a", "locations": [{"path": "/w/a"}]}
YES = PermissionOption(option_id="yes", name="Allow", kind="allow_once")


def edit(old: str | None, new: str) -> dict[str, Any]:
    return {"content": [{"type": "diff", "path": "/w/a", "oldText": old, "newText": new}]}


CHANGE = {**EDIT, **edit("x = 1\n", "x = 2\n")}
KILL = {"kind": "execute", "rawInput": {"command": "kill", "pid": 5}}
SWITCH = {"kind": "switch_mode", "title": "Leave plan mode"}
CHANGE_A = {**CHANGE, "rawInput": {"path": "/w/a"}}
DEPLOY = {"kind": "execute", "rawInput": {"command": "deploy", "dry_run": True}}


def decided(before: dict[str, Any], after: dict[str, Any], option: PermissionOption = YES) -> str:
    """Return the decision of a call that was allowed as `before` and is updated twice with `after`."""
    session = session_with({**call(title="Do it"), **before})
    session.apply(events.SetUp(SessionSetup(), cwd="/w"))
    question = Permission("q", ToolCall("t1"), [option])
    session.apply(events.Asked(question, ToolCallFields(tool_call_id="t1")))
    session.apply(events.Answered("q", "yes", by="you"))
    session.apply(read_update({**call_update(), **after}))
    session.apply(read_update({**call_update(), **after}))
    known = session.tool_call("t1")
    assert known is not None
    return known.decision


@pytest.mark.parametrize(
    ("before", "after", "asked"),
    [
        (MAKE, {"rawInput": {"command": "rm -rf x"}}, "make test"),
        (MAKE, {"rawInput": {"command": "make test", "cwd": "/etc"}}, "make test (without cwd)"),
        (MAKE, {"rawInput": {"command": "make test", "env": {"A": "1"}}}, "make test (without env)"),
        ({"kind": "execute", "title": "`make test`"}, {"title": "`rm -rf x`"}, "`make test`"),
        (EDIT, {"locations": [{"path": "/w/b"}]}, "Edit a"),
        ({**EDIT, **edit("x = 1\n", "x = 2\n")}, edit("x = 1\n", "evil()\n"), "Edit a: + x = 2"),
        ({**EDIT, **edit("x\ny\n", "y\n")}, edit("x\ny\n", "x\n"), "Edit a: - x"),
        ({"kind": "fetch", "title": "Fetch good"}, {"title": "Fetch evil"}, "Fetch good"),
        ({**EDIT, "kind": "delete", "title": "Delete a"}, {"title": "Delete all"}, "Delete a"),
        ({"rawInput": {"table": "a"}}, {"rawInput": {"table": "b"}}, "Do it (table: a)"),
        ({"rawInput": ["a"]}, {"rawInput": ["b"]}, "Do it (input: ['a'])"),
        ({"kind": "read", "title": "Read a"}, {"kind": "delete"}, "Read a"),
        (DEPLOY, {"rawInput": {"command": "deploy", "dry_run": False}}, "deploy (dry_run: True)"),
        (DEPLOY, {"rawInput": {"command": "deploy"}}, "deploy (dry_run: True)"),
        ({"rawInput": {"url": "u", "safe": True}}, {"rawInput": {"url": "u"}}, "Do it (safe: True)"),
        (MAKE, {"rawInput": {"command": "make test", "stdin": "x"}}, "make test (without stdin)"),
        (MAKE, {"args": ["-k"]}, "make test"),
        ({**MAKE, "name": "Bash"}, {"name": "Root"}, "make test (tool Bash)"),
        ({**MAKE, "title": "List files"}, {"title": "ls  rm -rf /"}, "make test"),
        (MAKE, edit("", "evil"), "make test"),
        (CHANGE, {"content": [{**CHANGE["content"][0], "operation": "delete"}]}, "Edit a: + x = 2"),
        (CHANGE, {"content": [{**CHANGE["content"][0], "oldPath": "/w/b"}]}, "Edit a: + x = 2"),
        (CHANGE, {"title": "Edited .git/hooks/pre-commit"}, "Edit a"),
        (CHANGE, {"locations": [{"path": "/w/b"}]}, "Edit a"),
        (CHANGE, {"content": [], "title": "Wrote EVIL"}, "Edit a"),
        ({**EDIT, "rawInput": {"text": "ho"}}, {"rawInput": {"text": "EVIL"}}, "Edit a (text: ho)"),
        ({**EDIT, "rawInput": {"text": "ho"}}, edit("", "EVIL"), "Edit a"),
        ({"rawInput": {"url": "u"}}, {"rawInput": {"url": "u", "body": "x"}}, "Do it (without body)"),
        ({"kind": "other"}, {"rawInput": {"action": "drop"}}, "Do it (without action)"),
        (MAKE, {"rawInput": {"command": "make test", "host": "prod"}}, "make test (without host)"),
        (KILL, {"rawInput": {"command": "kill", "pid": 1}}, "kill (pid: 5)"),
        (CHANGE_A, {"rawInput": {"also": "/w/.bashrc"}}, "Edit a (without also)"),
        ({**EDIT, **edit("x\n", "")}, edit("x\nx\nx\n", ""), "Edit a: - x"),
        ({**EDIT, **edit("x", "y")}, edit("x, x", "y, y"), "Edit a: + y"),
        *(
            ({"rawInput": {name: "a"}}, {"rawInput": {name: "b"}}, f"Do it ({name}: a)")
            for name in ("id", "status", "result", "at", "success")
        ),
        (CHANGE, {"rawInput": {"path": "/etc/passwd", "content": "x = 2"}}, "Edit a (without path)"),
        (CHANGE, {"rawInput": {"file_path": "b"}}, "Edit a (without file_path)"),
        (SWITCH, {"title": "Switch to yolo"}, "Leave plan mode"),
        (SWITCH, {"rawInput": {"mode": "yolo"}}, "Leave plan mode (without mode)"),
    ],
)
def test_a_decision_keeps_what_it_was_about_when_the_call_says_something_else(
    before: dict[str, Any], after: dict[str, Any], asked: str
) -> None:
    assert decided(before, after) == f"Allow (you), asked about: {asked}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (MAKE, {"status": "completed", "locations": [{"path": "/w"}]}),
        ({**CHANGE, "title": "/w/a"}, {"title": "a"}),
        (CHANGE, {"title": "edit"}),
        (CHANGE, {"rawInput": {"file_path": "/w/a", "old_string": "\n\nx = 1", "instruction": "Set x"}}),
        (CHANGE, {"rawInput": {"path": "a", "replace_all": True}}),
        ({"rawInput": {"url": "u"}}, {"rawInput": {"url": "u", "id": "7", "status": "done"}}),
        (MAKE, {"rawInput": {"command": "make test", "cwd": "/w", "process_id": "7"}}),
        ({**MAKE, "rawInput": {"command": "a", "at": 1}}, {"rawInput": {"command": "a", "at": 2}}),
        (EDIT, {"title": "a", "locations": []}),
        ({**EDIT, **edit("b\n", "B\n")}, edit("a\nb\nc\n", "a\nB\nc\n")),
        ({**EDIT, **edit("a\nb\nc\n", "a\nB\nc\n")}, {"title": "a", **edit("b", "B")}),
        ({**EDIT, **edit("a\n", "b\n")}, {"content": []}),
        ({**EDIT, **edit(None, "new\n")}, edit("", "new\n")),
        ({"kind": "switch_mode", "title": "Approve"}, {"title": "Left plan mode"}),
    ],
)
def test_a_decision_says_nothing_more_when_the_call_is_told_in_other_words(
    before: dict[str, Any], after: dict[str, Any]
) -> None:
    assert decided(before, after) == "Allow (you)"


def test_an_option_cannot_pretend_what_it_was_about() -> None:
    option = PermissionOption(option_id="yes", name="Allow, asked about: rm", kind="allow_once")

    said = decided(MAKE, {"rawInput": {"command": "rm"}}, option)

    assert said == "Allow, asked about: rm (you), asked about: make test"


def test_a_decision_is_one_line() -> None:
    option = PermissionOption(option_id="yes", name="Allow\n\n## Prompt", kind="allow_once")
    asked = {"kind": "execute", "rawInput": {"command": "a\n\n## Prompt\n\n> yes"}}

    said = decided(asked, {"rawInput": {"command": "b"}}, option)

    assert said == "Allow ## Prompt (you), asked about: a ## Prompt > yes"


def ran(before: dict[str, Any], *told: AgentTerminal | dict[str, Any]) -> str:
    """Return the decision of a call that was allowed as `before`, after what its terminal is said to run."""
    shown = [{"type": "terminal", "terminalId": "x"}]
    session = session_with(call(**{"title": "Do it", **before, "content": shown}))
    session.apply(ToolCallPatch(tool_call_id="t1"))
    session.apply(events.SetUp(SessionSetup(), cwd="/w"))
    session.apply(events.Asked(Permission("q", ToolCall("t1"), [YES]), ToolCallFields(tool_call_id="t1")))
    for one in told[:1]:
        session.apply(one if isinstance(one, AgentTerminal) else read_update(call_update(**one)))
    session.apply(events.Answered("q", "yes", by="you"))
    for one in told[1:]:
        session.apply(one if isinstance(one, AgentTerminal) else read_update(call_update(**one)))
    known = session.tool_call("t1")
    assert known is not None
    return known.decision


def terminal(command: str | None = None, cwd: str | None = None) -> AgentTerminal:
    told = {"terminal_id": "x", "command": command, "cwd": cwd}
    return AgentTerminal.model_validate({name: text for name, text in told.items() if text is not None})


IN_SRC = {"kind": "execute", "rawInput": {"command": "make test", "workdir": "src"}}
NOTHING = terminal()


@each(
    ("before", "told", "asked"),
    [
        (MAKE, (NOTHING, terminal("rm -rf x")), "make test"),
        (MAKE, (terminal("rm -rf x"),), "make test"),
        (MAKE, (terminal("make test"), terminal("make test; rm -rf x")), "make test"),
        (MAKE, (NOTHING, terminal("make test", "/etc")), "make test (in /w)"),
        (MAKE, (NOTHING, {"_meta": {"terminal_info": {"cwd": "/etc"}}}), "make test (in /w)"),
        (MAKE, (NOTHING, {"_meta": {"terminal_info": {"command": "rm"}}}), "make test"),
        (IN_SRC, (NOTHING, terminal("make test", "/w")), "make test (in src)"),
        ({"kind": "execute", "title": "Run tests"}, (NOTHING, terminal("rm -rf x")), "Run tests"),
        (EDIT, (NOTHING, terminal("rm -rf x")), "Edit a"),
        (MAKE, (terminal("make test", "/w"), terminal(" make test\n", "/w/")), ""),
        (IN_SRC, (NOTHING, terminal("make test", "/w/src")), ""),
        ({"kind": "execute", "title": "Run `make test`"}, (NOTHING, terminal("make test")), ""),
        (MAKE, (NOTHING, {"_meta": {"terminal_info": {"terminal_id": "x", "cwd": "/w"}}}), ""),
    ],
)
def test_a_decision_keeps_what_it_was_about_when_a_terminal_of_the_agent_runs_something_else(
    before: dict[str, Any], told: tuple[AgentTerminal | dict[str, Any], ...], asked: str
) -> None:
    assert ran(before, *told) == f"Allow (you){asked and f', asked about: {asked}'}"


def test_of_very_many_edits_none_may_be_another_one() -> None:
    diffs = [{"type": "diff", "path": f"/w/{n}", "oldText": "x", "newText": "y"} for n in range(1_000)]
    asked = {"kind": "edit", "title": "Edit all", "content": diffs}
    other = [*diffs[:-1], {**diffs[-1], "newText": "z"}]

    assert decided(asked, {"content": diffs}) == "Allow (you)"
    assert "asked about" in decided(asked, {"content": other})
