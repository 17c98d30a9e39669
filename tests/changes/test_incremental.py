"""Incremental snapshots equal full ones."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_tui.changes import git_tree, snapshots
from acp_tui.changes.snapshots import Snapshots


def _rename(root: Path) -> None:
    (root / "src").rename(root / "lib")
    (root / "lib" / "c").write_text("moved, then changed\n")


def _odd_names(root: Path) -> None:
    for name in (b"new\nline", b'quo"te', b"tab\t", b"b\xff\xfe", b"*", b":(top)x", b"back\\slash", b" "):
        Path(os.fsdecode(os.fsencode(root) + b"/" + name)).write_text("x\n")


def _folder_becomes_link(root: Path) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "c").write_text("not ours\n")
    shutil.rmtree(root / "src")
    (root / "src").symlink_to(outside)


def _file_becomes_folder(root: Path) -> None:
    (root / "a").unlink()
    (root / "a").mkdir()
    (root / "a" / "b").write_text("x\n")


def _folder_becomes_file(root: Path) -> None:
    shutil.rmtree(root / "src")
    (root / "src").write_text("x\n")


def _folder_made_anew(root: Path) -> None:
    shutil.rmtree(root / "src")
    (root / "src").mkdir()
    (root / "src" / "e").write_text("x\n")


def _deep_folders(root: Path) -> None:
    (root / "x/y/z").mkdir(parents=True)
    (root / "x/y/z/file").write_text("x\n")
    (root / "x/y/some.log").write_text("x\n")
    (root / "x/build").mkdir()
    (root / "x/build/out").write_text("x\n")


def _rules_change(root: Path) -> None:
    (root / ".gitignore").write_text("*.tmp\n")
    (root / "seen.log").write_text("x\n")
    (root / "build" / "seen").write_text("x\n")
    (root / "not.tmp").write_text("x\n")


def _modes_and_links(root: Path) -> None:
    (root / "a").chmod(0o755)
    (root / "b").unlink()
    (root / "b").symlink_to("nowhere")


def _repository_inside(root: Path) -> None:
    (root / "other" / ".git").mkdir(parents=True)
    (root / "other" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (root / "other" / "file").write_text("x\n")


def _too_large(root: Path) -> None:
    (root / "a").write_text("x" * 500)


def _moved_away(root: Path) -> None:
    (root / "src").rename(root.parent / "elsewhere")
    (root.parent / "elsewhere" / "c").write_text("nobody's business\n")


def _unreadable(root: Path) -> None:
    (root / "a").unlink()
    os.mkfifo(root / "a")


def _very_many(root: Path) -> None:
    for number in range(git_tree.MOST + 50):
        (root / f"many{number}").write_text("x\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    "happens",
    [
        _rename, _odd_names, _folder_becomes_link, _file_becomes_folder, _folder_becomes_file,
        _folder_made_anew, _deep_folders, _rules_change, _modes_and_links, _repository_inside, _too_large,
        _moved_away, _unreadable, _very_many,
    ],
)  # fmt: skip
async def test_what_the_system_tells_leads_to_the_same_snapshot_as_looking_at_all(
    watching: Snapshots, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, happens: Callable[[Path], None]
) -> None:
    monkeypatch.setattr(git_tree, "LARGEST", 400)
    before = await watching.take()

    for step in (happens, lambda root: (root / "after").write_text("more\n")):
        step(watching.root)
        told = await watching.take()

        whole = Snapshots(tmp_path / "stores", watching.root)
        looked_at = await whole.take()
        assert await whole.changes(looked_at, told) == []
        assert await whole.changes(before, told) != []


@pytest.mark.slow
async def test_nothing_at_all_is_done_for_a_workspace_in_which_nothing_happened(
    watching: Snapshots, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await watching.take()
    monkeypatch.setenv("PATH", "")  # there is no git

    assert not await watching.has_changed()
    assert (await watching.take()).id == first.id


@pytest.mark.slow
async def test_a_few_changes_are_taken_without_looking_at_all_files(
    watching: Snapshots, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await watching.take()

    async def never(_: object) -> None:
        raise AssertionError("all files were looked at")

    monkeypatch.setattr(snapshots, "update_index", never)
    (watching.root / "a").write_text("changed\n")
    (watching.root / "build" / "out").write_text("ignored\n")
    (watching.root / "x.log").write_text("ignored\n")
    (watching.root / "src" / "c").unlink()

    changes = await watching.changes(before)

    assert sorted((change.status, change.path) for change in changes) == [("D", "src/c"), ("M", "a")]
