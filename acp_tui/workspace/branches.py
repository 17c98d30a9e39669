"""The branch of a folder in a git repository, read without git."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

_REF: Final = "ref: refs/heads/"
_LINK: Final = "gitdir: "
_LONGEST: Final = 4096
"""Maximum bytes read of one of git's files."""
_SHORT: Final = 8
"""Digits of a commit that is shown without a branch."""


def branch_of(folder: str) -> str:
    """Return the current branch in a folder, its commit if there is no branch, or "" outside a repository."""
    path = Path(folder)
    for place in (path, *path.parents):
        head = _first_line(_git_folder(place / ".git") / "HEAD")
        if head.startswith(_REF):
            return head.removeprefix(_REF)
        if len(head) > _SHORT and all(digit in "0123456789abcdef" for digit in head):
            return head[:_SHORT]
    return ""


def _git_folder(path: Path) -> Path:
    """Return git's folder: `.git`, or the folder that it names, as in a worktree."""
    link = _first_line(path)
    return path.parent / link.removeprefix(_LINK) if link.startswith(_LINK) else path


def _first_line(path: Path) -> str:
    """Return the first line of a regular file, or ""; does not block on a pipe in its place."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            return ""
        text = os.read(number, _LONGEST).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(number)
    return text.partition("\n")[0].strip()
