"""Tests of `sandbox/session_folder.py`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_tui.sandbox.session_folder import SessionFolder
from acp_tui.trusted_programs import expose


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def aged(folder: Path) -> Path:
    os.utime(folder, (1, 1))
    return folder


def test_a_folder_is_private_and_gone_with_its_session() -> None:
    folder = SessionFolder()
    assert Path(folder.path).stat().st_mode & 0o777 == 0o700
    (Path(folder.path) / "file").touch()

    folder.remove()
    folder.remove()

    assert not Path(folder.path).exists()


def test_what_a_killed_session_has_left_goes_and_what_is_in_use_stays(temporary: Path) -> None:
    left = temporary / "acp-tui-sandbox-left"
    left.mkdir()
    (left / "file").touch()
    used, fresh = SessionFolder(), temporary / "acp-tui-sandbox-fresh"
    fresh.mkdir()
    theirs = temporary / "other"
    theirs.mkdir()
    for folder in (left, Path(used.path), theirs):
        aged(folder)

    SessionFolder().remove()

    assert not left.exists()
    assert Path(used.path).exists()
    assert fresh.exists()
    assert theirs.exists()
    used.remove()


def test_a_link_in_its_place_is_not_followed(temporary: Path) -> None:
    mine = temporary / "mine"
    mine.mkdir()
    (temporary / "acp-tui-sandbox-link").symlink_to(aged(mine))
    os.utime(temporary / "acp-tui-sandbox-link", (1, 1), follow_symlinks=False)

    SessionFolder().remove()

    assert mine.exists()


def test_a_folder_that_an_agent_can_write_holds_no_session_folder(temporary: Path) -> None:
    expose([str(temporary)])

    folder = SessionFolder()

    assert not Path(folder.path).is_relative_to(temporary)
    folder.remove()
