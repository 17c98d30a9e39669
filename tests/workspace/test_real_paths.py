"""Tests of `workspace/real_paths.py`."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path
from typing import Literal

import pytest

from acp_tui.workspace.files import Files, OutsideRoots, with_targets
from acp_tui.workspace.processes import WorkingFolder
from acp_tui.workspace.real_paths import MAX_PATH, followed, is_in_any_case, is_same, real_path

# Looked up part by part, it takes minutes.
ENDLESS = "/a" * 2_000_000


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "folder")

    assert real_path(f"{tmp_path}/link/file") == f"{tmp_path.resolve()}/folder/file"


def test_a_link_that_is_exchanged_for_a_folder_while_it_is_read_is_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "link"
    link.symlink_to("elsewhere")
    read_link = os.readlink

    def exchange(path: str) -> str:
        monkeypatch.setattr(os, "readlink", read_link)
        link.unlink()
        link.mkdir()
        return read_link(path)

    monkeypatch.setattr(os, "readlink", exchange)

    assert followed(link) == f"{tmp_path.resolve()}/link"


def test_a_path_that_the_system_takes_is_followed() -> None:
    path = "/a" * (MAX_PATH // 2)

    assert real_path(path) == path


@pytest.mark.parametrize("path", ["/a\0b", ENDLESS, "/" + "a" * MAX_PATH], ids=["nul", "endless", "long"])
def test_what_is_no_path_to_the_system_is_none(path: str) -> None:
    with pytest.raises(ValueError, match=r"null byte|longer than"):
        real_path(path)


@pytest.mark.parametrize("path", ["/a\0b", "/\ud800", ENDLESS], ids=["nul", "surrogate", "endless"])
def test_what_is_no_path_leads_nowhere_but_to_itself(tmp_path: Path, path: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path)

    assert is_same(path, path)
    assert not is_same(path, str(tmp_path))
    assert not is_same(str(tmp_path), path)
    assert is_same(f"{tmp_path}/link", str(tmp_path))


def test_an_endless_path_is_no_file_of_the_workspace(tmp_path: Path) -> None:
    with pytest.raises(OutsideRoots):
        Files([tmp_path]).target(f"{tmp_path}{ENDLESS}")
    assert with_targets([ENDLESS], str(tmp_path)) == (ENDLESS,)


def test_an_endless_folder_is_none_to_work_in() -> None:
    assert WorkingFolder.of(ENDLESS) == WorkingFolder(ENDLESS, ENDLESS, None)


class LenientFolder:
    """A fake of a file system that compares names in any case and with accents composed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lstat = Path.lstat

    def lstat(self, path: Path) -> os.stat_result:
        if not path.is_relative_to(self._folder):
            return self._lstat(path)
        found = self._folder
        for part in path.relative_to(self._folder).parts:
            names = [each for each in found.iterdir() if _folded(each.name) == _folded(part)]
            found = names[0] if names else found / part
        return self._lstat(found)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


@pytest.mark.parametrize("name", ["Secret.env", "not-there.env", "sub/not-there", "1234", "1/Ü"])
def test_whether_capitals_make_another_name_is_tried_where_the_file_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "Secret.env").touch()
    assert not is_in_any_case(str(folder / name))

    fake = LenientFolder(tmp_path)
    monkeypatch.setattr(Path, "lstat", lambda path: fake.lstat(path))

    assert is_in_any_case(str(folder / name))


def test_where_no_name_has_letters_capitals_may_make_no_other_one() -> None:
    assert is_in_any_case("/")
    assert is_in_any_case("/1\0/2")


def test_a_root_in_other_letters_is_not_inside_however_names_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "Work"
    root.mkdir()
    fake = LenientFolder(tmp_path)
    monkeypatch.setattr(Path, "lstat", lambda path: fake.lstat(path))

    with pytest.raises(OutsideRoots):  # it is refused, never let out
        Files([root]).target(str(tmp_path / "WORK" / ".." / "WORK" / "x"))


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_name_with_accents_is_read_and_written_as_it_is_spelled(
    tmp_path: Path, form: Literal["NFC", "NFD"]
) -> None:
    path = tmp_path / unicodedata.normalize(form, "Übung.txt")
    files = Files([tmp_path])

    files.write_text(str(path), "one\r\ntwo\r\n")

    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert files.read_text(str(path)) == "one\r\ntwo\r\n"
