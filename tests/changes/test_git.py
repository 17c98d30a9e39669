"""Git is started in one way only, and runs nothing named by a repository or the environment."""

from __future__ import annotations

import ast
import os
import re
import subprocess
from pathlib import Path

import pytest

import acp_tui
from acp_tui.changes.git import Git, git_program, lines_of, repository_at, repository_of
from tests.changes.workspaces import repository

_STARTERS = {
    "start_process", "run", "Popen", "check_output", "check_call", "call", "create_subprocess_exec", "which",
    "create_subprocess_shell", "system", "execvp", "posix_spawn",
}  # fmt: skip


def _starts_git(path: Path) -> bool:
    """Return whether a module starts git or contains a git command line."""
    text = path.read_text()
    for node in ast.walk(ast.parse(text)) if re.search("[\"']git\\b", text) else ():
        words: list[ast.expr] = []
        if isinstance(node, ast.Call) and _name(node.func) in _STARTERS:
            words = node.args[:1]
        elif isinstance(node, ast.Tuple | ast.List):
            words = node.elts[:1] if len(node.elts) > 1 and not isinstance(node.ctx, ast.Store) else []
        for word in words:
            if isinstance(word, ast.Constant) and str(word.value).split(" ")[0] == "git":
                return True
    return False


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


@pytest.mark.slow
def test_git_is_started_in_one_place_only() -> None:
    package = Path(acp_tui.__file__).parent
    places = {  # rules read command lines and run none
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if _starts_git(path) and "demo" not in path.parts and "rules" not in path.parts
    }

    assert places <= {"changes/git.py"}
    assert git_program() is not None


@pytest.mark.parametrize("setting", ["", "alias.", "GIT_"])
async def test_variables_of_the_caller_do_not_reach_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nenv\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    redirecting = (
        "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_EXEC_PATH",
        "GIT_TRACE", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_ATTR_SOURCE",
        "LD_PRELOAD", "GIT_TEMPLATE_DIR", "GIT_PROXY_COMMAND", "GIT_REDIRECT_STDOUT", "GIT_SHALLOW_FILE",
        "EDITOR", "PAGER",
    )  # fmt: skip
    for name in (*redirecting, "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, f"/{setting}elsewhere")

    said = await Git(tmp_path / "ours", tmp_path).run("ls-files")

    told = dict(line.split("=", 1) for line in said.out.decode().splitlines() if "=" in line)
    assert not set(redirecting) & set(told)
    assert "elsewhere" not in said.out.decode()
    assert told["GIT_DIR"] == str(tmp_path / "ours")
    assert (told["GIT_NO_LAZY_FETCH"], told["GIT_ALLOW_PROTOCOL"]) == ("1", "")


@pytest.mark.native
async def test_git_has_its_limit_of_memory_before_it_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nulimit -v\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")

    assert (await Git(tmp_path, tmp_path).run("status")).out == b"%d\n" % (3 << 20)


async def test_a_git_in_the_workspace_is_not_the_git_that_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "git").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f".::{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)

    await Git(tmp_path / "ours", tmp_path).run("version")

    assert not (tmp_path / "ran").exists()


async def test_the_users_ignore_file_is_found_and_reading_where_it_is_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = tmp_path / "ran"
    (tmp_path / ".gitconfig").write_text(
        f'[core]\n\texcludesFile = ~/mine\n\tfsmonitor = "touch {ran}"\n\tpager = touch {ran}\n'
        f'[alias]\n\tconfig = "!touch {ran}"\n[pager]\n\tconfig = touch {ran}\n'
    )
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))

    path = await Git(tmp_path / "ours", tmp_path).path_in_settings("core.excludesFile")

    assert path == str(tmp_path / "mine")
    assert not ran.exists()


async def test_settings_that_are_a_pipe_name_no_path_and_do_not_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from acp_tui.changes import git
    from acp_tui.workspace.short_programs import Stalled

    os.mkfifo(tmp_path / ".gitconfig")
    monkeypatch.setattr(git, "PATIENCE", 0.1)
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))

    with pytest.raises(Stalled):
        await Git(tmp_path / "ours", tmp_path).path_in_settings("core.excludesFile")


def test_a_folder_in_a_repository_belongs_to_it(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)

    found = repository_of(tmp_path / "a" / "b")

    assert found == (tmp_path, tmp_path / ".git", tmp_path / ".git")


def test_worktrees_share_a_folder_and_submodules_have_their_own(tmp_path: Path) -> None:
    main = tmp_path / "main"
    main.mkdir()
    (main / "a").write_text("1")
    repository(main)
    subprocess.run(["git", "-C", str(main), "worktree", "add", "-q", str(tmp_path / "tree")], check=True)
    inner = main / "inner"
    inner.mkdir()
    place = main / ".git" / "modules" / "inner"
    place.parent.mkdir()
    subprocess.run(["git", "-C", str(inner), "init", "-q", "--separate-git-dir", str(place)], check=True)

    tree, module = repository_at(tmp_path / "tree"), repository_at(inner)

    assert tree is not None
    assert module is not None
    assert tree.common == main / ".git"
    assert tree.folder == main / ".git" / "worktrees" / "tree"
    assert module.common == module.folder == place


@pytest.mark.parametrize("kind", ["nothing", "empty folder", "words", "pipe", "dangling", "itself", "zero"])
def test_what_only_looks_like_a_repository_is_none(tmp_path: Path, kind: str) -> None:
    place = tmp_path / ".git"
    if kind == "empty folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "itself":
        place.symlink_to(place)
    elif kind == "zero":
        place.symlink_to("/dev/zero")
    elif kind != "nothing":
        place.write_bytes({"words": b"hello\n", "dangling": b"gitdir: ../no\0where\n"}[kind])

    assert repository_at(tmp_path) is None


def test_lines_of_what_is_no_plain_file_are_none(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"a\r\nb\n")

    assert lines_of(tmp_path / "pipe") == lines_of(Path("/dev/zero")) == lines_of(tmp_path / "none") == []
    assert lines_of(tmp_path / "file") == [b"a", b"b", b""]
