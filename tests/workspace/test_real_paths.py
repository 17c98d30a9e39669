"""Tests of `workspace/real_paths.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.workspace.files import Files, OutsideRoots, with_targets
from acp_tui.workspace.processes import WorkingFolder
from acp_tui.workspace.real_paths import MAX_PATH, real_path

# Looked up part by part, it takes minutes.
ENDLESS = "/a" * 2_000_000


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "folder")

    assert real_path(f"{tmp_path}/link/file") == f"{tmp_path.resolve()}/folder/file"


def test_a_path_that_the_system_takes_is_followed() -> None:
    path = "/a" * (MAX_PATH // 2)

    assert real_path(path) == path


@pytest.mark.parametrize("path", ["/a\0b", ENDLESS, "/" + "a" * MAX_PATH], ids=["nul", "endless", "long"])
def test_what_is_no_path_to_the_system_is_none(path: str) -> None:
    with pytest.raises(ValueError, match=r"null byte|longer than"):
        real_path(path)


def test_an_endless_path_is_no_file_of_the_workspace(tmp_path: Path) -> None:
    with pytest.raises(OutsideRoots):
        Files([tmp_path]).target(f"{tmp_path}{ENDLESS}")
    assert with_targets([ENDLESS], str(tmp_path)) == (ENDLESS,)


def test_an_endless_folder_is_none_to_work_in() -> None:
    assert WorkingFolder.of(ENDLESS) == WorkingFolder(ENDLESS, ENDLESS, None)
