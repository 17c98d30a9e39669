"""The files that the input of a tool names."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.agent.permissions.tool_input import env_of, named_in, unknown_fields
from acp_tui.session.entries import ToolCall
from tests.tables import each


@each(
    ("raw_input", "paths"),
    [
        ({"file_path": "/w/a", "content": "x/y"}, ["/w/a"]),
        ({"filePath": "a"}, ["a"]),
        ({"notebook_path": "/w/n.ipynb", "new_source": "print()"}, ["/w/n.ipynb"]),
        ({"target_file": "a", "code_edit": "b"}, ["a"]),
        ({"paths": ["a", "../b"], "recursive": True}, ["a", "../b"]),
        ({"source": "a", "destination": "/etc/b"}, ["a", "/etc/b"]),
        ({"source_path": "a", "destinationPath": "/etc/b"}, ["a", "/etc/b"]),
        ({"edits": [{"path": "/etc/b", "old": "path"}]}, ["/etc/b"]),
        ({"changes": {"/etc/b": {"add": {"content": "x"}}}}, ["/etc/b"]),
        ({"uri": "file:///etc/a%20b", "url": "https://a/b"}, ["/etc/a b"]),
        ({"dir_path": "src"}, ["src"]),
        ({"file": "first line\nsecond line", "path": 5, "files": [None, {"path": "a"}]}, ["a"]),
        ({"query": "path", "profile": "x", "tofile": "y"}, []),
        ({5: "x", "path": ""}, []),
        (["path", "/etc/b"], []),
        (None, []),
    ],
)
def test_a_path_is_known_by_the_name_of_its_field(raw_input: Any, paths: list[str]) -> None:
    assert named_in(raw_input) == paths


def test_the_folder_of_a_command_is_not_what_it_works_on() -> None:
    raw_input = {"command": "ls", "directory": "/w", "cwd": "/w", "path": "/w/a", "env": {"path": "/bin"}}

    assert named_in(raw_input, narrow=True) == ["/w/a"]


def test_a_huge_or_deep_input_costs_little() -> None:
    deep: Any = {"path": "a"}
    for _ in range(100):
        deep = {"x": deep}

    assert named_in(deep) == []
    assert len(named_in({"paths": [str(number) for number in range(5_000)]})) == 1_000


@pytest.mark.parametrize(
    "raw_input",
    [
        {"description": "Test", "timeout": 120_000, "run_in_background": True},
        {"cwd": "/w", "call_id": "call_1", "turn_id": "01a2-f4", "started_at_ms": 1795820824271},
        {"parsed_cmd": [{"type": "unknown", "cmd": "x"}], "proposed_execpolicy_amendment": ["make"]},
        {"available_decisions": ["approved", {"x": {"y": ["make"]}}], "source": "unified_exec_startup"},
        {"is_input": False, "timeout": None, "reset": False, "kind": "TerminalAction"},
        {"security_risk": "LOW", "isBackground": False, "timeout_secs": "30", "sessionId": "a-1"},
        {"cwd": "/w", "workdir": "/w", "env": {"A": "b"}, "environment": [{"name": "A", "value": "b"}]},
        {"wd": None, "cd": "", "project": [], "in": {}, "shell": "/bin/bash", "mode": "sync"},
    ],
)
def test_the_fields_of_known_agents_leave_a_command_as_it_is(raw_input: dict[str, Any]) -> None:
    assert unknown_fields({"command": "make", **raw_input}, {"command"}) == []


@each(
    ("name", "value"),
    [
        *((name, "/x") for name in ("wd", "cd", "in", "base", "project", "path", "root", "new")),
        *((name, "rm x") for name in ("exports", "cmd", "script", "wrapper", "args", "prefix")),
        *((("commands", ["rm x"]), ("argv", ["rm"]), ("sudo", True), ("options", {"cwd": "/x"}))),
        *((("timeout", "$(rm x)"), ("timeout", ["x"]), ("description", ["rm x"]), ("call_id", "a b"))),
        *((("run_in_background", "rm x"), ("is_input", True), ("dangerouslyDisableSandbox", True))),
        *((("shell", "/x/sh"), ("mode", "root"), ("source", "/x"), ("id", {"a": 1}), ("workdir", "/x"))),
        *((("env", [{"name": "A", "value": "b", "run": "rm x"}]), ("env", {"A": {"B": "c"}}), ("", "x"))),
    ],
)
def test_a_field_is_known_by_its_name_and_the_type_of_its_value(name: str, value: Any) -> None:
    assert unknown_fields({"command": "make", "cwd": "/w", name: value}, {"command"}) == [name]


@pytest.mark.parametrize(
    "env",
    [
        [{"name": "LD_PRELOAD", "value": "/a.so"}, {"name": "LD_PRELOAD", "value": "/b.so"}],
        ["LD_PRELOAD=/a.so", "LD_PRELOAD=/b.so"],
    ],
)
def test_two_values_of_one_variable_in_a_list_are_both_named(env: list[object]) -> None:
    call = ToolCall("t", kind="execute", raw_input={"command": "make", "env": env})

    assert env_of(call) == {"LD_PRELOAD": "/a.so or /b.so"}
