"""The files that the input of a tool names."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.agent.permissions.tool_input import named_in


@pytest.mark.parametrize(
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
