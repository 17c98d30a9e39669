"""The branch of a folder is read from the files of git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_tui.workspace.branches import branch_of


def repository(folder: Path, head: str) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text(head)
    return folder


@pytest.mark.parametrize(
    ("head", "branch"),
    [
        ("ref: refs/heads/main\n", "main"),
        ("ref: refs/heads/fix/the-parser\n", "fix/the-parser"),
        ("0123456789abcdef0123456789abcdef01234567\n", "01234567"),
        ("", ""),
        ("ref: elsewhere\n", ""),
    ],
)
def test_the_branch_is_that_of_the_head_or_its_commit(tmp_path: Path, head: str, branch: str) -> None:
    inside = repository(tmp_path / "work", head) / "src" / "deep"
    inside.mkdir(parents=True)

    assert branch_of(str(inside)) == branch


def test_a_worktree_has_a_branch_of_its_own(tmp_path: Path) -> None:
    repository(tmp_path / "main", "ref: refs/heads/main\n")
    at = tmp_path / "main" / ".git" / "worktrees" / "other"
    at.mkdir(parents=True)
    (at / "HEAD").write_text("ref: refs/heads/other\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ".git").write_text(f"gitdir: {at}\n")

    assert branch_of(str(tmp_path / "other")) == "other"


def test_a_folder_without_git_has_none_and_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "HEAD")

    assert branch_of(str(tmp_path)) == ""
    assert branch_of(str(tmp_path / "gone")) == ""
