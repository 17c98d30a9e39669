from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from acp_tui.host.repository import lines_of, repository_at, repository_of
from tests.host.workspaces import repository


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
