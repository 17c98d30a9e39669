"""Paths with their links followed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

MAX_PATH: Final = 4096
"""Characters of the longest path that the system opens."""


def real_path(path: str) -> str:
    """Return a path with its links followed.

    Raises:
        ValueError: it is none for the system: too long, with a NUL, or a lone surrogate in it.
    """
    # Every part of a path is looked up with all before it, so the time grows with the square of its length.
    if len(path) > MAX_PATH:
        raise ValueError(f"longer than {MAX_PATH:,} characters")
    return os.path.realpath(path)


def is_same(one: str, other: str) -> bool:
    """Return whether two paths lead to one place; what is no path leads to none but itself."""
    try:
        return real_path(one) == real_path(other)
    except ValueError:
        return one == other


def is_in_any_case(path: str) -> bool:
    """Return whether a path names the same file in small and in capital letters; True if that is unknown."""
    for each in (Path(path), *Path(path).parents):
        other = "".join(letter.swapcase() if letter.isascii() else letter for letter in each.name)
        if other != each.name:
            try:
                found = each.lstat()
            except (OSError, ValueError):  # it does not exist yet: its folder tells
                continue
            try:
                same = each.with_name(other).lstat()
            except (OSError, ValueError):
                return False
            return (found.st_dev, found.st_ino) == (same.st_dev, same.st_ino)
    return True
