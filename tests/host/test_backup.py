"""A file that is written in place holds what it held before or all that is new, whatever happens."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_tui.host import backup
from acp_tui.host.backup import Backups

OLD = b"old line\n" * 2_000
NEW = b"another new line\n" * 3_000


class _Killed(BaseException):
    """Stands for a kill, after which nothing of ours runs any more."""


def _half_written(place: Path, backups: Backups, monkeypatch: pytest.MonkeyPatch, left: bytes) -> None:
    """Leave a file and its backup as they are when the program is killed while it writes."""
    place.write_bytes(OLD)
    put = backup._put

    def killed(file: int, content: bytes) -> None:
        if content != NEW:
            put(file, content)
            return
        place.write_bytes(left)
        raise _Killed

    with monkeypatch.context() as patch:
        patch.setattr(backup, "_put", killed)
        patch.setattr(Path, "unlink", lambda *_: None)
        with place.open("r+b") as file, pytest.raises(_Killed):
            backups.write(str(place), file.fileno(), NEW)


@pytest.mark.parametrize(
    ("left", "then"),
    [
        (OLD, OLD),
        (NEW, NEW),
        (NEW[:100] + OLD[100:], OLD),
        (NEW[:8192] + OLD[8192:], OLD),
        (NEW[: len(OLD) + 5_000], OLD),
        (NEW[:20_000], OLD),
        (b"", OLD),
        (b"what somebody wrote since then\n", b"what somebody wrote since then\n"),
    ],
)
def test_what_is_half_written_is_given_back_and_nothing_else_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: bytes, then: bytes
) -> None:
    place, backups = tmp_path / "a", Backups(tmp_path / "backups")
    _half_written(place, backups, monkeypatch, left)
    assert len(list(backups.folder.iterdir())) == 1
    inode = place.stat().st_ino

    restored = backups.restore()

    assert place.read_bytes() == then
    assert place.stat().st_ino == inode
    assert list(restored) == ([str(place)] if left != then else [])
    assert list(backups.folder.iterdir()) == []


def test_a_backup_of_another_file_or_one_that_was_not_written_to_its_end_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, backups = tmp_path / "a", Backups(tmp_path / "backups")
    _half_written(place, backups, monkeypatch, NEW[:10])
    place.rename(tmp_path / "kept")
    place.write_bytes(NEW[:10])
    (backups.folder / "cut").write_bytes(b'{"path": "/a", "old": 9')
    (backups.folder / "empty").touch()

    assert list(backups.restore()) == []

    assert place.read_bytes() == NEW[:10]
    assert list(backups.folder.iterdir()) == []


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, backups = tmp_path / "a", Backups(tmp_path / "backups")
    place.write_bytes(OLD)
    put = backup._put

    def failing(file: int, content: bytes) -> None:
        if content == NEW:
            put(file, NEW[:50])
            raise OSError(28, "No space left on device")
        put(file, content)

    monkeypatch.setattr(backup, "_put", failing)
    with place.open("r+b") as file, pytest.raises(OSError, match="No space"):
        backups.write(str(place), file.fileno(), NEW)

    assert place.read_bytes() == OLD
    assert list(backups.folder.iterdir()) == []


def test_backups_are_for_their_owner_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place, backups = tmp_path / "a", Backups(tmp_path / "backups")
    before = os.umask(0)
    try:
        _half_written(place, backups, monkeypatch, b"")
    finally:
        os.umask(before)

    (kept,) = backups.folder.iterdir()
    assert (kept.stat().st_mode & 0o777, backups.folder.stat().st_mode & 0o777) == (0o600, 0o700)
