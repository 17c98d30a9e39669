"""Ignore patterns from outside the workspace, for snapshots, `@` and the watcher."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_tui.changes.ignore_patterns import IgnorePattern
from acp_tui.changes.snapshots import Snapshots
from acp_tui.conversation.file_search import WorkspaceFiles
from tests.changes.workspaces import repository, told
from tests.tables import each


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without git settings."""
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return home


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _default_file(home: Path, root: Path) -> Path:
    _put(home / ".config" / "git" / "ignore", "secret\nbuild/\n")
    return root


def _xdg(home: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "xdg"))
    _put(home / "xdg" / "git" / "ignore", "secret\nbuild/\n")
    return root


def _named(home: Path, root: Path) -> Path:
    _put(home / ".gitconfig", "[core]\n\texcludesFile = ~/mine\n")
    _put(home / "mine", "secret\nbuild/\r\n")
    return root


def _included(home: Path, root: Path) -> Path:
    _put(home / ".gitconfig", "[include]\n\tpath = more\n")
    _put(home / "more", "[core]\n\texcludesFile = ~/mine\n")
    _put(home / "mine", "secret\nbuild/\n")
    return root


def _of_the_repository(home: Path, root: Path) -> Path:
    _put(home / "mine", "secret\nbuild/\n")
    subprocess.run(["git", "-C", str(root), "config", "core.excludesFile", str(home / "mine")], check=True)
    return root


def _exclude(home: Path, root: Path) -> Path:
    _put(root / ".git" / "info" / "exclude", "secret\n/build/\n")
    return root


def _exclude_of_a_worktree(home: Path, root: Path) -> Path:
    _put(root / ".git" / "info" / "exclude", "secret\n/build/\n")
    subprocess.run(["git", "-C", str(root), "worktree", "add", "-q", str(root.parent / "tree")], check=True)
    return root.parent / "tree"


def _exclude_of_a_submodule(home: Path, root: Path) -> Path:
    git = root.parent / "modules"
    inner = root / "inner"
    inner.mkdir()
    subprocess.run(["git", "-C", str(inner), "init", "-q", "--separate-git-dir", str(git)], check=True)
    _put(git / "info" / "exclude", "secret\nbuild/\n")
    return inner


def _place_above(home: Path, root: Path) -> Path:
    _put(root / ".gitignore", "/folder/secret\nfolder/build\n")
    (root / "folder").mkdir()
    return root / "folder"


def _name_above(home: Path, root: Path) -> Path:
    _put(root / ".gitignore", "secret\n")
    _put(root / "folder" / ".gitignore", "build\n")
    (root / "folder" / "deeper").mkdir()
    return root / "folder" / "deeper"


@pytest.mark.slow
@pytest.mark.parametrize(
    "put",
    [
        _default_file, _xdg, _named, _included, _of_the_repository, _exclude, _exclude_of_a_worktree,
        _exclude_of_a_submodule, _place_above, _name_above,
    ],
)  # fmt: skip
async def test_what_the_users_git_leaves_out_is_left_out_everywhere(
    put: Callable[..., Path], tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "work"
    _put(root / "a", "1")
    repository(root)
    (root / ".git" / "hooks" / "post-index-change").unlink()
    root = put(home, root, monkeypatch) if put is _xdg else put(home, root)
    for name in ("secret", "real", "build/out"):
        _put(root / name, "1")
    snapshots = Snapshots(tmp_path / "stores", root)
    before = await snapshots.take()
    watches = await snapshots.watch()
    for name in ("secret", "real", "build/out"):
        _put(root / name, "2")

    changes = await snapshots.changes(before)
    files = WorkspaceFiles(str(root), lambda: None)
    await files.refresh()

    assert told(changes) == [("M", "real")]
    assert files.matching("real") == ["real"]
    assert files.matching("secret") == files.matching("out") == []
    assert watches
    assert b"/build" not in b"/".join(b"/" + folder for folder in _watched(snapshots))
    snapshots.close()


def _watched(snapshots: Snapshots) -> list[bytes]:
    assert snapshots._watcher is not None  # private: the only list of what is watched
    return list(snapshots._watcher.folders)


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", ["*", "/work", "work/", "w*", "**/work", "*\n!.gitignore", "/*\n!/.gitignore"]
)
@pytest.mark.parametrize("where", [".gitignore", ".git/info/exclude"])
async def test_a_workspace_is_not_left_out_by_what_is_above_it(
    tmp_path: Path, home: Path, line: str, where: str
) -> None:
    top = tmp_path / "top"
    _put(top / where, f"{line}\n*.swp\n")
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    root = top / "work"
    _put(root / "a", "1")
    snapshots = Snapshots(tmp_path / "stores", root)
    before = await snapshots.take()
    watches = await snapshots.watch()
    _put(root / "a", "2")
    _put(root / "b" / "c", "1")
    _put(root / "a.swp", "1")

    changes = await snapshots.changes(before)
    files = WorkspaceFiles(str(root), lambda: None)
    await files.refresh()

    assert told(changes) == [("A", "b/c"), ("M", "a")]
    assert files.matching("") == ["b/", "a"]
    assert watches
    assert b"b" in _watched(snapshots)
    snapshots.close()


async def test_patterns_that_bring_the_workspace_back_count_as_they_stand(tmp_path: Path, home: Path) -> None:
    top = tmp_path / "top"
    _put(top / ".gitignore", "*\n!*/\n!*.py\n")
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    root = top / "work"
    _put(root / "a.py", "1")
    _put(root / "a.o", "1")
    files = WorkspaceFiles(str(root), lambda: None)

    await files.refresh()

    assert files.matching("") == ["a.py"]


@pytest.mark.slow
async def test_what_an_earlier_run_kept_and_the_user_leaves_out_is_kept_no_more(
    tmp_path: Path, home: Path
) -> None:
    root = tmp_path / "work"
    _put(root / ".envrc", "secret")
    _put(root / "a", "1")
    await Snapshots(tmp_path / "stores", root).take()
    _put(home / ".config" / "git" / "ignore", ".envrc\n")

    again = Snapshots(tmp_path / "stores", root)
    taken = await again.take()

    assert await again.store.git("ls-tree", "--name-only", taken.id) == b"a\n"


@pytest.mark.slow
async def test_a_rule_written_in_a_turn_hides_nothing_in_it_and_counts_from_the_next_on(
    tmp_path: Path, home: Path
) -> None:
    root = tmp_path / "work"
    _put(root / "a", "1")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    snapshots = Snapshots(tmp_path / "stores", root)
    before = await snapshots.take()
    _put(root / ".git" / "info" / "exclude", "evil*\n")
    _put(root / "evil", "1")

    in_the_turn = told(await snapshots.changes(before))
    await snapshots.take()
    _put(root / "evil2", "1")

    assert in_the_turn == [("A", "evil")]
    assert told(await snapshots.changes(before)) == [("A", "evil")]


def _read(line: str) -> IgnorePattern:
    found = IgnorePattern.of(line.encode())
    assert found is not None
    return found


@pytest.mark.parametrize("line", ["", "   ", "# words"])
def test_what_is_no_pattern_is_none(line: str) -> None:
    assert IgnorePattern.of(line.encode()) is None


@each(
    ("line", "way", "fits"),
    [
        ("*", "a", True),
        ("a", "a", True),
        ("a/", "x/a", True),
        ("/a", "x/a", False),
        ("/a", "a", True),
        ("x/*", "x/a", True),
        ("**/a", "x/y/a", True),
        ("x/**/a", "x/a", True),
        ("x/**/a", "x/y/z/a", True),
        ("[ab]?", "bc", True),
        ("[^ab]", "a", False),
        (r"\*", "a", False),
        (r"\*", "*", True),
        ("a", "a/b", False),
    ],
)
def test_a_pattern_fits_a_folder_as_git_says(line: str, way: str, fits: bool) -> None:
    assert _read(line).fits(way.encode().split(b"/")) is fits


@pytest.mark.parametrize(
    ("line", "below"),
    [
        ("*.o", "*.o"),
        ("!*.o", "!*.o"),
        ("/x/build/", "/build/"),
        ("!/x/build", "!/build"),
        ("x/a/b", "/a/b"),
        ("*/b", "/b"),
        ("/y/build", None),
        ("/x", None),
        ("/x/", None),
        ("**/a/b", "/**/a/b"),
        ("x/**/b", "/**/b"),
    ],
)
def test_a_pattern_means_the_same_from_a_folder_below(line: str, below: str | None) -> None:
    assert _read(line).below([b"x"]) == (below.encode() if below is not None else None)


def test_a_pattern_with_many_stars_ends() -> None:
    pattern = IgnorePattern.of(b"/" + b"**/a/" * 50 + b"x")

    assert pattern is not None
    assert not pattern.fits([b"a"] * 60)
    assert pattern.fits([*[b"a"] * 60, b"x"])
