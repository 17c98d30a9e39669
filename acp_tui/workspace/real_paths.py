"""Real paths: links followed, and comparisons by them."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path
from typing import AnyStr, Final

MAX_PATH: Final = 4096
"""Length of the longest path that the system opens, in characters."""


_MAX_FOLDERS: Final = 100
_TRIES: Final = 1_000
"""Looks at a path while something on its way is exchanged; the second one nearly always succeeds."""


def followed(path: AnyStr | PathLike[AnyStr]) -> AnyStr:
    """Return a path with its links followed, also while another process exchanges them.

    Raises:
        OSError: it was exchanged at each look.
        ValueError: it has a NUL.
    """
    # `os.path.realpath` ignores what is missing, but fails if a link is a folder when it is read.
    for _ in range(_TRIES - 1):
        try:
            return os.path.realpath(path)
        except OSError:
            continue
    return os.path.realpath(path)


def real_path(path: str) -> str:
    """Return a path with its links followed.

    Raises:
        ValueError: it is no valid path: too long, with a NUL or with a lone surrogate.
    """
    # Each part is resolved together with all before it, so the time grows with the square of the length.
    if len(path) > MAX_PATH:
        raise ValueError(f"longer than {MAX_PATH:,} characters")
    return followed(path)


def is_deep(path: str) -> bool:
    """Return whether a path has more parts than is usual: to follow its links would take long."""
    return path.count("/") > _MAX_FOLDERS


def resolved(path: str) -> str:
    """Return a path with its links followed, or an invalid one in its shortest form."""
    try:
        return real_path(path)
    except ValueError:
        return os.path.normpath(path)


def is_same(one: str, other: str) -> bool:
    """Return whether two paths lead to the same file; an invalid path equals only itself."""
    try:
        return real_path(one) == real_path(other)
    except ValueError:
        return one == other


def is_in_any_case(path: str) -> bool:
    """Return whether the file system ignores case in this path; True if unknown."""
    for each in (Path(path), *Path(path).parents):
        other = "".join(letter.swapcase() if letter.isascii() else letter for letter in each.name)
        if other != each.name:
            try:
                found = each.lstat()
            except (OSError, ValueError):  # it does not exist yet: ask its folder
                continue
            try:
                same = each.with_name(other).lstat()
            except (OSError, ValueError):
                return False
            return (found.st_dev, found.st_ino) == (same.st_dev, same.st_ino)
    return True
