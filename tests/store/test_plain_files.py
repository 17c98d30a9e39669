"""Tests of `store/plain_files.py`."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from acp_tui.store import plain_files as module
from acp_tui.store.plain_files import SharedJson, locked, write_whole


def test_one_waits_until_the_other_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 60.0)
    order: list[str] = []
    waits = threading.Event()

    def second() -> None:
        waits.set()
        with locked(tmp_path / "file"):
            order.append("second")

    other = threading.Thread(target=second)
    with locked(tmp_path / "file"):
        other.start()
        waits.wait()
        order.append("first")
    other.join()

    assert order == ["first", "second"]


def test_a_program_that_was_stopped_while_it_wrote_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.01)
    path = tmp_path / "file"

    with locked(path), pytest.raises(TimeoutError, match="and hangs"), locked(path):
        pytest.fail("two at once")

    with locked(path):
        pass


def with_one_more(found: object) -> list[object]:
    return [*(found if isinstance(found, list) else []), 1]


def test_a_change_builds_on_what_another_program_has_written(tmp_path: Path) -> None:
    here, there = SharedJson(tmp_path / "new" / "x.json"), SharedJson(tmp_path / "new" / "x.json")
    assert here.read() is None

    there.change(with_one_more)
    here.change(with_one_more)

    assert there.read() == [1, 1]


@pytest.mark.parametrize("broken", ["", "{", "\x00", "[" * 100_000])
def test_a_file_that_is_not_json_is_left_to_the_user(tmp_path: Path, broken: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(broken)

    with pytest.raises(OSError, match=r"x.json is not valid JSON: fix it or move it away"):
        SharedJson(path).read()
    with pytest.raises(OSError, match="not valid JSON"):
        SharedJson(path).change(with_one_more)

    assert path.read_text() == broken


def test_a_link_stays_one_and_a_mode_is_kept(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)

    write_whole(link, b"new")

    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o640


def test_what_cannot_be_put_in_place_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x"
    path.write_text("old")

    def no_room(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", no_room)
    with pytest.raises(OSError, match="No space"):
        write_whole(path, b"new")

    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("x", "old")]
