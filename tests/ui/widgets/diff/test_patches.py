"""Patches: what git makes of them is the new text."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from acp_tui.ui.widgets.diff.diff import compute, patch_of

LINES = "".join(f"line {number}\n" for number in range(60))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (LINES, LINES.replace("line 5\n", "fifth\n").replace("line 40\n", "")),
        (LINES, "first\n" + LINES + "last\n"),
        ("a\nb\n", "a\nb"),
        ("a\nb", "a\nc\nb"),
        ("a", "a\nb\n"),
        ("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n"),
        ("a\nb\n", "a\r\nb\r\n"),
        ("a\r\nb\n", "a\nb\r\nc\n"),
        ("\ufeffa\nb\n", "\ufeffa\nc\n"),
        ("\ufeffa\nb\n", "a\nb\n"),
        ("a\n", ""),
        ("", "a\n"),
        (None, "a\nb\n"),
        (None, "no end"),
        ("a\nb\n", None),
    ],
)
def test_git_applies_the_patch(tmp_path: Path, old: str | None, new: str | None) -> None:
    file = tmp_path / "some folder" / "a.txt"
    file.parent.mkdir()
    if old is not None:
        file.write_bytes(old.encode())

    patch = patch_of(compute(old, new), "some folder/a.txt")

    git = ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"]
    done = subprocess.run(git, input=patch.encode(), cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode() + patch
    assert (file.read_bytes().decode() if file.exists() else None) == new


def test_one_change_of_several_is_a_patch_of_its_own(tmp_path: Path) -> None:
    difference = compute(LINES, LINES.replace("line 5\n", "fifth\n").replace("line 40\n", "fortieth\n"))

    patch = patch_of(difference, "a", (40, 41))

    assert "fortieth" in patch
    assert "fifth" not in patch
    (tmp_path / "a").write_text(LINES)
    subprocess.run(["git", "apply", "-"], input=patch.encode(), cwd=tmp_path, check=True)
    assert (tmp_path / "a").read_text() == LINES.replace("line 40\n", "fortieth\n")


def test_what_is_no_text_makes_no_patch() -> None:
    assert patch_of(compute("a\0", "b\0"), "a") == ""
    assert patch_of(compute("a\n", "a\n"), "a") == ""
