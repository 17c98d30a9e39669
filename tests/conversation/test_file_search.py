"""Paths of a workspace are listed and found."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from acp_tui.changes import file_list
from acp_tui.conversation import file_search
from acp_tui.conversation.file_search import WorkspaceFiles
from tests.waiting import PATIENCE


def write(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


async def listed(folder: Path) -> WorkspaceFiles:
    files = WorkspaceFiles(str(folder), lambda: None)
    await files.refresh()
    return files


@pytest.fixture(params=["git", "no git"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    write(tmp_path, "src/cli.py", "src/deep/er/x.py", "README.md", "build/out.o", "my notes.txt")
    (tmp_path / ".gitignore").write_text("build/\n")
    if request.param == "git":
        git(tmp_path, "init", "-q")
        git(tmp_path, "add", "src", "README.md")
    return tmp_path


async def test_files_and_folders_are_found_and_ignored_ones_are_not(folder: Path) -> None:
    files = await listed(folder)

    assert files.matching("cli") == ["src/cli.py"]
    assert files.matching("notes") == ["my notes.txt"], "not tracked, and not ignored either"
    assert files.matching("er/x") == ["src/deep/er/x.py"]
    assert files.matching("out.o") == []


async def test_a_listing_that_is_given_up_twice_leaves_no_git_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "pid"
    git(tmp_path, "init", "-q")
    (tmp_path / ".git" / "index").touch()
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    lists = f"*ls-files*) echo $$ >{told}; printf '100644 0 0\\ta\\000'; exec yes;;"
    program.write_text(f'#!/bin/sh\ncase "$*" in {lists} esac\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    found = asyncio.Event()
    listing = asyncio.create_task(WorkspaceFiles(str(tmp_path), found.set).refresh())
    await found.wait()

    for _ in range(2):
        listing.cancel()
        await asyncio.sleep(0)

    await asyncio.wait([listing], timeout=PATIENCE)
    assert listing.cancelled()
    assert not Path("/proc", told.read_text().strip()).exists()


async def test_without_letters_stands_what_lies_in_the_folder(folder: Path) -> None:
    files = await listed(folder)

    assert files.matching("")[:3] == ["src/", "my notes.txt", "README.md"]
    assert files.matching("src/") == ["src/deep/", "src/cli.py"]
    assert files.matching("src/deep/") == ["src/deep/er/"]


async def test_recent_files_come_first_while_the_needle_is_short(folder: Path) -> None:
    files = await listed(folder)
    recent = ["src/deep/er/x.py"]

    assert files.matching("", recent)[0] == "src/deep/er/x.py"
    assert files.matching("x", recent)[0] == "src/deep/er/x.py"
    assert files.matching("READ", recent) == ["README.md"]


async def test_names_with_accents_are_found_without_and_with_them_however_they_are_composed(
    tmp_path: Path,
) -> None:
    composed, apart = "menus/caf\u00e9.md", "re\u0301sume\u0301.txt"
    write(tmp_path, composed, apart, "cafeteria.md")
    files = await listed(tmp_path)

    assert set(files.matching("cafe")) == {composed, "cafeteria.md"}
    assert composed in files.matching("cafe\u0301")
    assert files.matching("resume") == files.matching("r\u00e9sum\u00e9") == [apart]
    assert files.matching("r\u00e9", ["re\u0301sume\u0301.txt"])[0] == apart


async def test_a_match_in_the_name_comes_before_one_in_the_path(tmp_path: Path) -> None:
    write(tmp_path, "client/index.py", "tests/client.py")

    assert (await listed(tmp_path)).matching("client")[:2] == ["client/", "tests/client.py"]


async def test_an_old_list_is_rebuilt_and_used_until_the_new_one_is_complete(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = await listed(folder)
    assert not files.is_stale
    monkeypatch.setattr(file_search, "FRESH", 0)
    write(folder, "new.py")
    assert files.is_stale
    assert files.matching("new.py") == []

    await files.refresh()

    assert files.matching("new.py") == ["new.py"]


async def test_names_that_cannot_be_typed_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, "a\nb", "a\x1b]0;x\x07c", "ok")
    git(tmp_path, "init", "-q")

    assert (await listed(tmp_path)).matching("") == ["ok"]


async def test_opening_the_list_runs_no_command_of_the_repository(tmp_path: Path) -> None:
    write(tmp_path, "a")
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "core.fsmonitor", f"touch {tmp_path}/ran; false")

    assert (await listed(tmp_path)).matching("") == ["a"]
    assert not (tmp_path / "ran").exists()


def _with_repositories_inside(folder: Path) -> None:
    """Make one that is tracked as such, one that is not, one with another inside, and files in each."""
    git(folder, "init", "-q")
    for inner in ("sub", "sub/deep", "other"):
        write(folder / inner, "in.py", "tracked.o", "gone.o")
        git(folder / inner, "init", "-q")
        (folder / inner / ".gitignore").write_text("*.o\n")
        git(folder / inner, "add", "-f", "in.py", "tracked.o")
        git(folder / inner, "-c", "user.name=a", "-c", "user.email=a", "commit", "-qm", "1")
    write(folder, "top.py")
    git(folder, "-c", "protocol.file.allow=always", "add", "sub", "top.py")


@pytest.mark.slow
async def test_files_of_repositories_inside_are_found(tmp_path: Path) -> None:
    _with_repositories_inside(tmp_path)

    files = await listed(tmp_path)

    assert files.matching("") == ["other/", "sub/", "top.py"]
    assert files.matching("sub/") == ["sub/deep/", "sub/.gitignore", "sub/in.py", "sub/tracked.o"]
    assert "sub/deep/tracked.o" in files.matching("tracked")
    assert files.matching("gone") == []


@pytest.mark.parametrize("kind", ["split", "sha256", "sparse"])
async def test_indexes_of_every_kind_are_read(tmp_path: Path, kind: str) -> None:
    write(tmp_path, "a.o", "b/c.py", "d/e.py")
    (tmp_path / ".gitignore").write_text("*.o\n")
    git(tmp_path, "init", "-q", *(["--object-format=sha256"] if kind == "sha256" else []))
    git(tmp_path, "add", "-f", ".")
    git(tmp_path, "-c", "user.name=a", "-c", "user.email=a", "commit", "-qm", "1")
    if kind == "split":
        git(tmp_path, "update-index", "--split-index")
    if kind == "sparse":
        git(tmp_path, "sparse-checkout", "set", "--cone", "--sparse-index", "b")

    files = await listed(tmp_path)

    assert files.matching("a.o") == ["a.o"], "tracked, though it is left out"
    assert files.matching("b/c") == ["b/c.py"]
    assert files.matching("d/e") == ["d/e.py"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [".git/index", ".git/HEAD", ".git/config", ".gitignore", ".gitattributes"])
@pytest.mark.parametrize("what", ["pipe", "huge", "zero", "folder", "itself", "nonsense"])
async def test_what_stands_in_place_of_files_of_git_keeps_no_list_from_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, what: str
) -> None:
    monkeypatch.setattr(file_list, "PATIENCE", 0.2)
    write(tmp_path, "src/a.py")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "src")
    place = tmp_path / name
    place.unlink(missing_ok=True)
    if what == "pipe":
        os.mkfifo(place)
    elif what == "huge":
        place.touch()
        os.truncate(place, 8 << 30)
    elif what == "folder":
        place.mkdir()
    elif what == "nonsense":
        place.write_bytes(b"DIRC\0\0\0\2\xff\xff\xff\xff" + bytes(range(256)) * 9)
    else:
        place.symlink_to("/dev/zero" if what == "zero" else place)

    files = await asyncio.wait_for(listed(tmp_path), PATIENCE)

    assert files.matching("a.py") == ["src/a.py"]


@pytest.mark.parametrize("pattern", [".git/info/exclude", ".gitignore", "sub/.gitignore"])
@pytest.mark.parametrize(
    "pipe", [".git/index", ".git/config", "sub/.gitignore", ".gitattributes", ".git/packed-refs"]
)
async def test_where_git_fails_over_its_patterns_all_is_listed_by_a_walk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, pipe: str
) -> None:
    monkeypatch.setattr(file_list, "PATIENCE", 0.2)
    write(tmp_path, "a.py", "sub/b.py")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    write(tmp_path, "c.py", pattern)
    os.truncate(tmp_path / pattern, 64 << 30)
    (tmp_path / pipe).unlink(missing_ok=True)
    os.mkfifo(tmp_path / pipe)

    files = await asyncio.wait_for(listed(tmp_path), PATIENCE)

    assert {"a.py", "sub/b.py", "c.py"} <= set(files.matching("py"))


@pytest.mark.parametrize("name", [".gitignore", ".ignore", "sub/.gitignore", "sub/.ignore"])
@pytest.mark.parametrize("is_searched", [True, False])
async def test_a_pipe_in_place_of_patterns_keeps_no_walk_from_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, is_searched: bool
) -> None:
    monkeypatch.setattr(file_list, "SEARCHED", 5.0 if is_searched else -1.0)
    write(tmp_path, "a.py", "sub/b.py")
    os.mkfifo(tmp_path / name)

    files = await asyncio.wait_for(listed(tmp_path), PATIENCE)

    assert files.matching("py") == ["a.py", "sub/b.py"]


@pytest.mark.slow
async def test_twenty_thousand_files_are_listed_in_pieces_and_all_found(tmp_path: Path) -> None:
    names = [f"part{number % 40}/file{number}.py" for number in range(20_000)]
    for part in range(40):
        (tmp_path / f"part{part}").mkdir()
    for name in names:
        (tmp_path / name).touch()
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    told: list[int] = []
    files = WorkspaceFiles(str(tmp_path), lambda: told.append(len(files.matching("", limit=50))))

    await files.refresh()

    assert len(told) > 3, "the first pieces can be used before the last is there"
    assert files.matching("file19999") == ["part39/file19999.py"]
    assert len(files.matching("part", limit=50)) == 50
    assert len(files.matching("part7/", limit=1000)) == 500


async def test_a_listing_ends_at_the_most(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_search, "MAX_PATHS", 1)

    files = await listed(folder)

    assert not files.is_stale
    assert files.matching("")
