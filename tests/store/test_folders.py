"""Tests of `store/folders.py`."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from acp_tui.store.folders import config_folder, data_folder, state_folder


def test_one_variable_moves_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))

    folders = [config_folder(), data_folder(), state_folder()]

    assert [folder.parent for folder in folders] == [tmp_path / "home"] * 3
    assert len(set(folders)) == 3


def test_folders_are_made_for_their_owner_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "home"))

    assert stat.S_IMODE(data_folder().stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_made_is_named_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ACP_TUI_HOME", str(tmp_path / "file"))

    assert data_folder() == tmp_path / "file" / "data"


def test_without_it_they_are_where_the_platform_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ACP_TUI_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))

    folder = config_folder()

    assert folder.is_dir()
    assert folder.is_relative_to(tmp_path)
    assert folder.name == "acp-tui"
