"""Paths that are completed as a shell does."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.conversation.typed_paths import TypedPath, common_start, paths_of, typed_path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("src/cli.py", "src/client.py", "srv.txt", ".hidden", "a b.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("before", "in_shell", "found"),
    [
        ("see src/c", False, TypedPath(5, "src/c", in_shell=False)),
        ("hello ", False, None),
        ("", False, None),
        ("see @src", False, None),
        ("!cat src/c", True, TypedPath(5, "src/c", in_shell=True)),
        ("!cat a\\ b", True, TypedPath(4, "a b", in_shell=True)),
        ("!cat ", True, TypedPath(0, "", in_shell=True)),
        ("!", True, None),
        ("!cat<src/c", True, TypedPath(5, "src/c", in_shell=True)),
    ],
)
def test_the_word_before_the_cursor_is_the_path(before: str, in_shell: bool, found: TypedPath | None) -> None:
    assert typed_path(before, in_shell=in_shell) == found


def test_paths_that_begin_so_are_found_and_folders_end_with_a_slash(folder: Path) -> None:
    assert paths_of("sr", str(folder)) == ["src/", "srv.txt"]
    assert paths_of("src/cl", str(folder)) == ["src/cli.py", "src/client.py"]
    assert paths_of(f"{folder}/srv", "/") == [f"{folder}/srv.txt"]
    assert paths_of("nowhere/x", str(folder)) == []


def test_hidden_ones_are_found_once_their_dot_is_typed(folder: Path) -> None:
    assert ".hidden" not in paths_of("", str(folder))
    assert paths_of(".", str(folder)) == [".hidden"]


def test_home_stays_as_it_was_typed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))

    assert paths_of("~/srv", "/") == ["~/srv.txt"]


def test_in_a_command_what_a_shell_would_take_is_escaped() -> None:
    assert TypedPath(1, "a", in_shell=True).written("a b.txt") == "a\\ b.txt"
    assert TypedPath(1, "a", in_shell=False).written("a b.txt") == "a b.txt"


@pytest.mark.parametrize(
    ("paths", "start"), [(["src/cli.py", "src/client.py"], "src/cli"), (["a", "ab"], "a"), (["b", "a"], "")]
)
def test_several_paths_have_a_start_in_common(paths: list[str], start: str) -> None:
    assert common_start(paths) == start
