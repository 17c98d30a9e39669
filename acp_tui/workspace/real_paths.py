"""Paths with their links followed."""

from __future__ import annotations

import os
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
