"""Restoring files against full disks and odd files."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any, NoReturn

import pytest

from acp_tui.changes.restore import put_back, read_file
from acp_tui.workspace.files import Files, WriteFailed, replace_file


def full(descriptor: int) -> NoReturn:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("mine\n")
    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(OSError, match="No space left"):
        put_back(tmp_path, "a", "a", b"theirs\n", 0o100644, seen=(tmp_path / "a").lstat())
    with pytest.raises(OSError, match="No space left"):
        put_back(tmp_path, "new", "new", b"theirs\n", 0o100644)

    assert (tmp_path / "a").read_text() == "mine\n"
    assert names(tmp_path) == ["a"]


def test_a_write_of_the_agent_to_a_full_disk_fails_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_text("mine\n")
    monkeypatch.setattr(os, "fsync", full)

    with pytest.raises(WriteFailed, match="No space left"):
        Files([tmp_path]).write_text(f"{tmp_path}/a", "theirs\n")

    assert (tmp_path / "a").read_text() == "mine\n"
    assert names(tmp_path) == ["a"]


def test_a_file_that_became_a_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "inner").write_text("x")

    with pytest.raises(OSError, match="directory"):
        put_back(tmp_path, "a", "a", b"old\n", 0o100644, seen=(tmp_path / "a").lstat())
    with pytest.raises(OSError, match="it is now a folder"):
        read_file(tmp_path, "a")

    assert (tmp_path / "a" / "inner").read_text() == "x"
    assert names(tmp_path) == ["a"]


def test_a_file_that_became_a_link_does_not_change_what_it_leads_to(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.write_text("secret\n")
    (root / "a").symlink_to(outside)

    put_back(root, "a", "a", b"old\n", 0o100644, seen=(root / "a").lstat())

    assert outside.read_text() == "secret\n"
    assert (root / "a").read_bytes() == b"old\n"
    assert not (root / "a").is_symlink()


@pytest.mark.parametrize("mode", [0o100644, 0o100755])
@pytest.mark.parametrize("before", [0o644, 0o755])
def test_a_link_put_there_after_the_write_changes_no_mode_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, before: int
) -> None:
    root, outside = tmp_path / "work", tmp_path / "outside"
    root.mkdir()
    outside.write_text("not ours")
    outside.chmod(before)
    (root / "a").write_text("mine\n")

    def swapped(*arguments: Any) -> bool:
        written = replace_file(*arguments)
        (root / "a").unlink()
        (root / "a").symlink_to(outside)
        return written

    monkeypatch.setattr("acp_tui.changes.restore.replace_file", swapped)

    with pytest.raises(OSError, match="symbolic links"):
        put_back(root, "a", "a", b"theirs\n", mode, seen=(root / "a").lstat())

    assert outside.stat().st_mode & 0o777 == before
    assert outside.read_text() == "not ours"


def test_a_file_saved_before_its_removal_stays(tmp_path: Path) -> None:
    (tmp_path / "new").write_text("agent\n")
    seen = (tmp_path / "new").lstat()
    (tmp_path / "new").write_text("the user's\n")

    with pytest.raises(OSError, match="changed meanwhile"):
        put_back(tmp_path, "new", "new", None, 0, seen=seen)

    assert (tmp_path / "new").read_text() == "the user's\n"


def test_a_renamed_file_saved_while_the_old_one_is_written_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "new").write_text("agent\n")

    def saved(*arguments: Any) -> bool:
        (tmp_path / "new").write_text("the user's\n")
        return replace_file(*arguments)

    monkeypatch.setattr("acp_tui.changes.restore.replace_file", saved)

    with pytest.raises(OSError, match="changed meanwhile"):
        put_back(tmp_path, "new", "old", b"old\n", 0o100644, seen=(tmp_path / "new").lstat())

    assert (tmp_path / "new").read_text() == "the user's\n"


@pytest.mark.parametrize("path", ["old", "new"])
def test_a_file_that_the_user_makes_at_the_old_name_is_not_replaced(tmp_path: Path, path: str) -> None:
    (tmp_path / "new").write_text("agent\n")
    (tmp_path / "old").write_text("the user's\n")
    seen = (tmp_path / "new").lstat() if path == "new" else None

    with pytest.raises(OSError, match="changed meanwhile"):
        put_back(tmp_path, path, "old", b"old\n", 0o100644, seen=seen)

    assert (tmp_path / "old").read_text() == "the user's\n"
    assert (tmp_path / "new").read_text() == "agent\n"


def test_a_file_that_became_unreadable_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("x")
    opened = os.open

    def refuse(path: Any, *rest: Any, **more: Any) -> int:  # a mode would not keep root out
        if path == "a":
            raise PermissionError(13, os.strerror(13))
        return opened(path, *rest, **more)

    monkeypatch.setattr(os, "open", refuse)

    with pytest.raises(PermissionError):
        read_file(tmp_path, "a")
