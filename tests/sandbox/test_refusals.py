"""Tests of `sandbox/refusals.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_tui.sandbox.fence import Fence
from acp_tui.sandbox.refusals import refusals_in

FENCE = Fence(
    {
        "/": "read",
        "/home/u": "read",
        "/home/u/w": "write",
        "/home/u/w/.git/hooks": "read",
        "/home/u/.ssh": "hide",
    },
    "/home/u",
    "/tmp/x/tmp",
    "/tmp/x/empty",
)


def told(text: str) -> list[tuple[str, str]]:
    return [(refusal.place, refusal.access) for refusal in refusals_in(text, FENCE, "/home/u/w")]


@pytest.mark.parametrize(
    "line",
    [
        "touch: cannot touch '/home/u/o/f': Read-only file system",
        "touch: cannot touch ‘/home/u/o/f’: Permission denied",
        "sh: 1: cannot create /home/u/o/f: Read-only file system",
        "bash: line 1: /home/u/o/f: Read-only file system",
        "OSError: [Errno 30] Read-only file system: '/home/u/o/f'",
        "Error: EROFS: read-only file system, open '/home/u/o/f'",
        "EACCES: permission denied, mkdir '/home/u/o/f'",
        "fatal: could not create leading directories of '../o/f': Read-only file system",
        "cp: cannot create regular file '~/o/f': Read-only file system",
        'open("/home/u/o/f") failed: Operation not permitted',
    ],
)
def test_a_refused_write_is_found_in_the_words_of_many_programs(line: str) -> None:
    assert told(f"first\n{line}\nlast") == [("/home/u/o/f", "write")]


@pytest.mark.parametrize(
    "line",
    [
        "cat: /home/u/.ssh/id: No such file or directory",
        "ENOENT: no such file or directory, open '/home/u/.ssh/id'",
        "cat: /home/u/.ssh/id: Permission denied",
    ],
)
def test_a_hidden_place_that_reads_as_missing_is_found(line: str) -> None:
    assert told(line) == [("/home/u/.ssh", "read")]


@pytest.mark.parametrize(
    "line",
    [
        "cat: /home/u/w/missing: No such file or directory",
        "rm: cannot remove '/home/u/w/f': Permission denied",
        "cat: /etc/missing: No such file or directory",
        "touch: cannot touch '/tmp/f': Permission denied",
        "a read-only file system is one that '/home/u/o' ends before",
        "Permission denied (publickey).",
        "wrote /home/u/o/f",
    ],
)
def test_what_the_fence_does_not_refuse_is_somebody_elses_refusal(line: str) -> None:
    assert told(line) == [] or "ends before" in line


def test_new_hooks_of_the_workspace_are_reported_once_each() -> None:
    line = "sh: cannot create .git/hooks/x: Read-only file system"

    assert told("touch: cannot touch '.git/hooks/x': Read-only file system\n" * 3 + line) == [
        ("/home/u/w/.git/hooks/x", "write")
    ]


def test_a_text_without_end_and_odd_paths_are_no_trouble() -> None:
    assert told("x" * 10**6 + "\n'" + "/" * 5000 + "': Permission denied\n'\0': EACCES\n'..': EACCES") == [
        ("/home/u", "write")
    ]


def test_only_a_few_of_many_refusals_are_reported() -> None:
    text = "\n".join(f"touch: '/o/{number}': Read-only file system" for number in range(100))

    assert len(told(text)) == 5


def test_in_a_hidden_home_only_existing_places_are_reported_and_never_all_of_it(tmp_path: Path) -> None:
    home = str(tmp_path)
    (tmp_path / "notes").touch()
    fence = Fence({"/": "read", home: "hide", f"{home}/w": "write", f"{home}/.ssh": "hide"}, home, "/t", "/e")
    lines = [f"cat: {home}/{name}: No such file or directory" for name in ("notes", "none", ".ssh/id")]

    found = refusals_in("\n".join(lines), fence, f"{home}/w")

    assert [(one.place, one.access) for one in found] == [(f"{home}/notes", "read"), (f"{home}/.ssh", "read")]
