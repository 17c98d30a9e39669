"""Permissions that no snapshot holds: what differs from the beginning is named until it does not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_tui.host.modes import Modes


def _workspace(root: Path, mode: int) -> Modes:
    (root / "src").mkdir(mode=0o755)
    for name in ("a", "src/b"):
        (root / name).write_text("x")
        (root / name).chmod(mode)
    (root / "link").symlink_to("a")
    modes = Modes(root)
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
