"""Old texts of files that would be written over, as a question shows them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_tui.agent.permissions.old_texts import old_texts
from acp_tui.session.questions import OldText
from acp_tui.workspace.files import Files


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda _: None, OldText()),
        (lambda path: path.write_text("one\n"), OldText("one\n")),
        (lambda path: path.write_text(""), OldText("")),
        (lambda path: path.write_bytes(b"\0\1\2"), OldText(why_not="it is not readable text")),
        (
            lambda path: path.write_text("line of text\n" * 90_000),
            OldText(why_not="90,000 lines, too long to show"),
        ),
        (lambda path: path.symlink_to("/etc/passwd"), OldText(why_not="it lies outside the workspace")),
        (lambda path: path.symlink_to("/no/such/file"), OldText(why_not="it lies outside the workspace")),
    ],
)
def test_the_text_is_that_of_the_file_or_it_is_said_why_not(
    tmp_path: Path, make: Callable[[Path], object], expected: OldText
) -> None:
    make(tmp_path / "a")
    for path in ("a", str(tmp_path / "a")):
        assert old_texts(Files([tmp_path]), [path], str(tmp_path)) == {path: expected}


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_what_is_no_file_is_not_opened(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "a")
    assert old_texts(Files([tmp_path]), ["a"], str(tmp_path))["a"].why_not


def test_of_many_files_only_so_much_is_read(tmp_path: Path) -> None:
    names = [str(number) for number in range(9)]
    for name in names:
        (tmp_path / name).write_text("x" * 1_000_000)

    found = old_texts(Files([tmp_path]), names, str(tmp_path))

    assert [bool(found[name].text) for name in names] == [True] * 5 + [False] * 4
    assert {found[name].why_not for name in names[5:]} == {"not examined"}


def test_of_thousands_of_files_the_first_are_read(tmp_path: Path) -> None:
    names = [str(number) for number in range(1_500)]

    found = old_texts(Files([tmp_path]), names, str(tmp_path))

    assert all(found[name] == OldText() for name in names[:1_000])
    assert all(found[name] == OldText(why_not="not examined") for name in names[1_000:])
