"""The repository that a folder lies in, found without git: its parts are only looked at."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final, NamedTuple

_LARGEST: Final = 1 << 20  # bytes of a file that is read


class Repository(NamedTuple):
    """Where the parts of a repository are."""

    top: Path
    """The folder with its files."""
    folder: Path
    """Its own git folder: that of a worktree or submodule lies elsewhere."""
    common: Path
    """The git folder that all of its worktrees share."""


def repository_of(folder: Path) -> Repository | None:
    """Return the repository that a folder is, or lies in."""
    return next((found for each in (folder, *folder.parents) if (found := repository_at(each))), None)


def repository_at(top: Path) -> Repository | None:
    """Return the repository whose files begin in a folder; None for any other folder."""
    own = top / ".git"
    if not own.is_dir():
        line = b"".join(lines_of(own)[:1])
        if not line.startswith(b"gitdir:"):
            return None
        own = Path(os.path.normpath(top / os.fsdecode(line[7:].strip())))
    shared = b"".join(lines_of(own / "commondir")[:1]).strip()
    common = Path(os.path.normpath(own / os.fsdecode(shared))) if shared else own
    try:
        is_one = (
            os.path.lexists(own / "HEAD") and (common / "objects").is_dir() and (common / "refs").is_dir()
        )
    except (OSError, ValueError):  # a name that is none
        return None
    return Repository(top, own, common) if is_one else None


def lines_of(path: Path) -> list[bytes]:
    """Return the lines of a file that comes with a repository and may be anything: a pipe would never end."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError):  # missing, or no name of a file
        return []
    try:
        is_plain = stat.S_ISREG(os.fstat(descriptor).st_mode)
        data = os.read(descriptor, _LARGEST) if is_plain else b""
    except OSError:
        return []
    finally:
        os.close(descriptor)
    return [line.removesuffix(b"\r") for line in data.split(b"\n")] if is_plain else []
