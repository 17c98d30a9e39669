"""Changes outside snapshots."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_tui.changes.git_tree import LARGEST
from acp_tui.changes.untracked import FileModes, differences, inner_marks, marks
from tests.changes.workspaces import told, workspace


def _workspace(root: Path, mode: int) -> FileModes:
    (root / "src").mkdir(mode=0o755)
    for name in ("a", "src/b"):
        (root / name).write_text("x")
        (root / name).chmod(mode)
    (root / "link").symlink_to("a")
    modes = FileModes(root)
    modes.begin([b"a", b"src/b", b"link", b"gone"])
    return modes


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (0o644, 0o666, "mode 644 → 666"),
        (0o644, 0o600, "mode 644 → 600"),
        (0o644, 0o4644, "mode 644 → 4644"),
        (0o600, 0o644, "mode 600 → 644"),
        (0o755, 0o777, "mode 755 → 777"),
        (0o755, 0o750, "mode 755 → 750"),
        (0o644, 0o777, "mode 644 → 777"),
        (0o644, 0o755, ""),  # a snapshot holds it
        (0o755, 0o644, ""),
        (0o644, 0o644, ""),
    ],
)
@pytest.mark.parametrize("name", ["a", "src/b"])
def test_permissions_that_changed_are_named(
    tmp_path: Path, before: int, now: int, said: str, name: str
) -> None:
    modes = _workspace(tmp_path, before)

    (tmp_path / name).chmod(now)

    found = modes.look([os.fsencode(name), b"link"])
    assert {path: mark.what for path, mark in found.items()} == ({name: said} if said else {})
    assert modes.look([]) == found

    (tmp_path / name).chmod(before)
    assert modes.look([]) == {}


def test_a_folder_needs_nobody_to_tell_of_it(tmp_path: Path) -> None:
    modes = _workspace(tmp_path, 0o644)

    (tmp_path / "src").chmod(0o777)

    assert {path: mark.what for path, mark in modes.look([]).items()} == {"src": "mode 755 → 777"}


def test_what_is_new_or_gone_or_a_link_now_has_no_permissions_of_before(tmp_path: Path) -> None:
    modes = _workspace(tmp_path, 0o644)

    (tmp_path / "a").unlink()
    (tmp_path / "src/b").unlink()
    (tmp_path / "src/b").symlink_to("/etc/passwd")
    (tmp_path / "new").write_text("x")
    (tmp_path / "new").chmod(0o777)

    assert modes.look([b"a", b"src/b", b"new"]) == {}


def _hook(root: Path) -> None:
    (root / ".git" / "hooks").mkdir(exist_ok=True)
    (root / ".git" / "hooks" / "pre-commit").write_text("#!/bin/sh\n")


def _append(name: str) -> Callable[[Path], None]:
    def write(root: Path) -> None:
        (root / name).parent.mkdir(exist_ok=True)
        with (root / name).open("a") as file:
            file.write("#\n")

    return write


def _socket(root: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        os.chdir(root)
        made.bind("s")


def _repository(root: Path) -> None:
    subprocess.run(["git", "init", "-q", str(root / "x")], check=True)


_TOLD_ONLY = ("p", "s", "x")
"""Without a watcher git lists no pipes, and a repository made of tracked files hides nothing."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "named"),
    [
        (_hook, [(".git/hooks/pre-commit", "a hook of git")]),
        (_append(".git/config"), [(".git/config", "settings of git")]),
        (_append(".git/info/exclude"), [(".git/info/exclude", "settings of git")]),
        (_append(".git/modules/m/config"), [(".git/modules/m/config", "settings of git")]),
        (lambda root: os.mkfifo(root / "p"), [("p", "a pipe")]),
        (_socket, [("s", "a socket")]),
        (_append("big"), [("big", "above 8 MB")]),
        (lambda root: os.truncate(root / "a", LARGEST + 1), [("a", "above 8 MB")]),
        (lambda root: (root / "big").unlink(), [("big", "above 8 MB, gone")]),
        (_repository, [("x", "another repository")]),
        (lambda root: (root / "a").write_text("2"), []),
        (lambda root: (root / ".git" / "HEAD").write_text("ref: refs/heads/other\n"), []),
    ],
)  # fmt: skip
@pytest.mark.parametrize("watches", [True, False])
async def test_what_no_snapshot_holds_is_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path], None],
    named: list[tuple[str, str]],
    watches: bool,
) -> None:
    monkeypatch.chdir(tmp_path)
    root, snapshots = workspace(tmp_path, a="1")
    (root / "x").mkdir()
    (root / "x" / "f").write_text("1")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    subprocess.run(["git", "init", "-q", "--bare", str(root / ".git" / "modules" / "m")], check=True)
    (root / "big").touch()
    os.truncate(root / "big", LARGEST + 1)
    before = await snapshots.take()
    if watches:
        await snapshots.watch()
        await snapshots.take()
    first = marks(root, before.left_out)

    change(root)
    await snapshots.changes(before)
    if watches:
        if not snapshots.is_watching:
            await snapshots.watch()
        await snapshots.changes(before)
        snapshots.distrust()
        await snapshots.changes(before)
    else:
        named = [(path, what) for path, what in named if path not in _TOLD_ONLY]

    assert differences(first, marks(root, snapshots.left_out)) == named
    snapshots.close()


@pytest.mark.slow
async def test_an_empty_git_folder_hides_nothing(tmp_path: Path) -> None:
    root, snapshots = workspace(tmp_path, a="1")
    (root / "x").mkdir()
    (root / "x" / "f").write_text("1")
    before = await snapshots.take()
    for _ in range(3):
        await snapshots.watch()
        await snapshots.take()
    (root / "x" / ".git").mkdir()
    await snapshots.changes(before)
    await snapshots.watch()
    await snapshots.changes(before)

    (root / "x" / "f").write_text("2")
    (root / "x" / "new").write_text("1")

    assert told(await snapshots.changes(before)) == [("A", "x/new"), ("M", "x/f")]
    snapshots.close()


@pytest.mark.slow
@pytest.mark.parametrize("where", ["", "sub/"])
@pytest.mark.parametrize("line", ["evil*", "/evil.sh", "*"])
async def test_what_a_new_gitignore_hides_is_named(tmp_path: Path, where: str, line: str) -> None:
    root, snapshots = workspace(tmp_path, a="1")
    (root / "sub").mkdir()
    (root / "sub" / ".gitignore").write_text("*.o\n/build/\n")
    (root / "sub" / "f").write_text("1")
    before = await snapshots.take()

    with (root / where / ".gitignore").open("a") as file:
        file.write(f"{line}\n")
    for name in ("evil.sh", "x.o", "build/out"):
        (root / where / name).parent.mkdir(exist_ok=True)
        (root / where / name).write_text("1")
    await snapshots.changes(before)

    hidden = await snapshots.newly_hidden(before)

    expected = {f"{where}evil.sh"}
    if line == "*" and not where:
        expected |= {"x.o", "build/out", ".gitignore"}
    assert set(hidden) - {f"{where}.gitignore"} == expected - {f"{where}.gitignore"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda inner: (inner / "f").write_text("other"), [("x/f", "in another repository")]),
        (lambda inner: (inner / "new").write_text("1"), [("x/new", "in another repository")]),
        (lambda inner: (inner / "f").unlink(), [("x/f", "in another repository, gone")]),
        (lambda inner: (inner / "f").chmod(0o600), [("x/f", "in another repository")]),
        (lambda inner: (inner / "made.o").write_text("1"), []),
        (_append(".git/config"), [("x/.git/config", "settings of git")]),
        (_append(".git/hooks/pre-push"), [("x/.git/hooks/pre-push", "a hook of git")]),
        (_append(".git/hooks/pre-push.sample"), []),
        (lambda inner: None, []),
    ],
)  # fmt: skip
async def test_what_changes_in_repositories_inside_is_named(
    tmp_path: Path, change: Callable[[Path], None], named: list[tuple[str, str]]
) -> None:
    root, snapshots = workspace(tmp_path, a="1")
    inner = root / "x"
    subprocess.run(["git", "init", "-q", str(inner)], check=True)
    (inner / "f").write_text("1")
    (inner / ".gitignore").write_text("*.o\n")
    before = await snapshots.take()
    first = await inner_marks(root, before.left_out)

    change(inner)

    assert differences(first, await inner_marks(root, before.left_out)) == named
