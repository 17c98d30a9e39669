from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_tui.host.spawning import (
    FolderUnusable,
    NotExecutable,
    ProgramNotFound,
    StartFailed,
    find_program,
    spawn,
)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "bin" / "tool"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\nexit 7\n")
    path.chmod(0o755)
    return path


def ended(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_a_name_is_looked_up_on_the_path_of_the_environment_given(script: Path) -> None:
    assert find_program("tool", {"PATH": f"/nowhere:{script.parent}"}) == str(script)
    with pytest.raises(ProgramNotFound, match="tool"):
        find_program("tool", {"PATH": "/nowhere"})


def test_a_name_with_a_slash_is_taken_from_the_working_directory(script: Path) -> None:
    assert find_program("bin/tool", {}, str(script.parent.parent)) == str(script)
    with pytest.raises(ProgramNotFound):
        find_program("bin/tool", {}, "/")


def test_folders_and_plain_texts_are_not_executable(script: Path) -> None:
    script.chmod(0o644)
    for path in (script, script.parent):
        with pytest.raises(NotExecutable, match=path.name):
            find_program(str(path), {})


@pytest.mark.parametrize("name", ["", "\0", "a\0b"])
def test_what_is_no_name_is_not_found(name: str) -> None:
    with pytest.raises(ProgramNotFound):
        find_program(name, dict(os.environ))


def test_a_program_runs_in_its_folder_with_its_environment(tmp_path: Path) -> None:
    folder = tmp_path / "a 'quoted\" $name"
    folder.mkdir()
    argv = ["sh", "-c", 'printf "%s" "$PWD $ONE $1" > result', "sh", "an argument"]
    assert ended(spawn(argv, {"PATH": os.defpath, "ONE": "1"}, str(folder), ())) == 0
    assert (folder / "result").read_text() == f"{folder} 1 an argument"


def test_without_a_folder_it_runs_in_ours(script: Path) -> None:
    assert ended(spawn([str(script)], {}, None, ())) == 7


def test_it_leads_a_session_and_obeys_signals_that_python_ignores() -> None:
    script = 'read -r _ _ _ _ group session _ < /proc/$$/stat; [ "$session" = $$ ] || exit 9; kill -PIPE $$'
    assert ended(spawn(["sh", "-c", script], dict(os.environ), "/", ())) == -13


@pytest.mark.parametrize("cwd", ["relative", "/nowhere", "/etc/passwd", "/a\0b"])
def test_a_folder_that_cannot_be_used_is_named(cwd: str) -> None:
    with pytest.raises(FolderUnusable):
        spawn(["true"], dict(os.environ), cwd, ())


def test_a_text_without_a_first_line_for_the_system_is_not_executable(script: Path) -> None:
    script.write_text("exit 7\n")
    with pytest.raises(NotExecutable):
        spawn([str(script)], {}, None, ())
    script.write_text("#!/nowhere/sh\n")
    with pytest.raises(NotExecutable):
        spawn([str(script)], {}, None, ())


@pytest.mark.parametrize(
    ("argv", "environment"),
    [
        (["true", "\0"], {}),
        (["true", "\ud800"], {}),
        (["true"], {"A=B": "1"}),
        (["true", "x" * 3_000_000], {}),
    ],
)
def test_what_the_system_does_not_take_is_an_error(argv: list[str], environment: dict[str, str]) -> None:
    with pytest.raises(StartFailed, match="true"):
        spawn(argv, {"PATH": os.defpath, **environment}, None, ())
