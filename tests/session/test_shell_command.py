"""Commands of tool calls, from their input and texts."""

from __future__ import annotations

import pytest

from acp_tui.session.entries import ToolCall


def command_of(raw: object, kind: str = "execute") -> str | None:
    return ToolCall("t", "A title", kind, raw_input=raw).command


@pytest.mark.parametrize(
    ("raw", "command"),
    [
        ({"command": "ls -l"}, "ls -l"),
        ({"cmd": ["git", "commit", "-m", "two words"]}, "git commit -m 'two words'"),
        ({"command": "git", "args": ["push", "a b"]}, "git push 'a b'"),
        ({"command": "ls -l", "args": []}, "ls -l"),
        ({"command": "ls -l", "commands": ["ls -l"]}, "ls -l"),
        ({"command": 5}, None),
        ({"commands": []}, None),
        ({"commands": [5]}, None),
        ("ls", None),
        (None, None),
    ],
)
def test_the_command_of_a_call_is_found_in_its_input(raw: object, command: str | None) -> None:
    assert command_of(raw) == command


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["/bin/bash", "-lc", "git status && ls"], "git status && ls"),
        (["sh", "-c", "ls"], "ls"),
        (["zsh", "-lc", "ls"], "zsh -lc ls"),
        (["bash", "-lc", "ls", "more"], "bash -lc ls more"),
        (["bash", "-x", "ls"], "bash -x ls"),
    ],
)
def test_a_script_for_a_shell_is_the_command(words: list[str], command: str) -> None:
    assert command_of({"command": words}) == command


@pytest.mark.parametrize(
    ("commands", "command"),
    [
        (["ls 'a b'"], "ls 'a b'"),
        (["git status", "ls 'a b'"], "git status\nls 'a b'"),
        (["echo 'a", "rm x #'"], "sh -c 'echo '\"'\"'a'\nsh -c 'rm x #'\"'\"''"),
        (["echo a \\", "rm x"], "sh -c 'echo a \\'\nrm x"),
        (["cat <<E", "rm x", "E"], "sh -c 'cat <<E'\nrm x\nE"),
    ],
)
def test_several_commands_are_lines_of_which_none_swallows_the_next(
    commands: list[str], command: str
) -> None:
    assert command_of({"commands": commands}) == command


@pytest.mark.parametrize("kind", ["read", "edit", "other"])
@pytest.mark.parametrize(
    "raw",
    [
        {"command": "str_replace", "path": "/w/a", "old_str": "a", "new_str": "b"},
        {"command": "plan", "task_list": []},
    ],
)
def test_what_only_names_an_operation_of_a_tool_is_no_command(kind: str, raw: object) -> None:
    assert command_of(raw, kind) is None


@pytest.mark.parametrize(
    "raw",
    [
        {"command": "cat /w/a", "path": "/w/a"},
        {"command": "make", "cwd": "/w", "timeout": 5},
        {"command": "make", "task_list": None},
        {"command": ["ls"], "path": "/w"},
    ],
)
def test_a_command_that_an_agent_calls_a_read_stays_one(raw: object) -> None:
    assert command_of(raw, "read") is not None


def test_a_call_that_runs_something_has_a_command_of_one_word() -> None:
    assert command_of({"command": "view", "path": "/w/a"}, "execute") == "view"


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("Run command `ls -l`", "ls -l"),
        ("Requesting approval to perform: Run command `echo \\`date\\`; ls`", "echo \\`date\\`; ls"),
        ("Run the shell command: `ls`.", "ls"),
        ("Run command `ls` and `rm x`, then more", None),
        ("I would never Run command `ls`", None),
        ("Run command ``", None),
        ("Run command `" + "x" * 20_000 + "`", None),
    ],
)
def test_words_ask_for_a_command_where_they_say_nothing_else(words: str, command: str | None) -> None:
    call = ToolCall("t", words)

    assert call.worded_command == command
    assert call.command is None
    assert ToolCall("t", words, "read").worded_command is None
    assert ToolCall("t", words, "execute", raw_input={"command": "id"}).worded_command is None


@pytest.mark.parametrize("shell", ["/w/evil/bash", "./sh", "evil/dash", "/tmp/sh"])
def test_a_program_that_only_has_the_name_of_a_shell_is_shown_with_its_text(shell: str) -> None:
    call = ToolCall("t", kind="execute", raw_input={"command": [shell, "-c", "ls"]})

    assert call.command == f"{shell} -c ls"
