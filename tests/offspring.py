"""Running processes and open files, and a wait for them, for tests of processes."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

_NUMBERS = itertools.count(1)


def a_long_time() -> str:
    """Return some minutes in seconds, for `sleep`; told from all others by its fraction."""
    return f"300.{os.getpid()}{next(_NUMBERS):04}"


def sleepers(time: str) -> list[int]:
    """Return the ids of living processes that sleep for just this time, whatever they call themselves."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            words = (folder / "cmdline").read_text(errors="replace").rstrip("\0").split("\0")
            state = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
        except OSError:  # no process, or gone
            continue
        if len(words) == 2 and words[1] == time and state != "Z":
            found.append(int(folder.name))
    return found


def zombies() -> list[int]:
    """Return our children that nobody reaped."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] == "Z" and int(fields[1]) == os.getpid():
                found.append(int(folder.name))
    return found


def descriptors() -> set[str]:
    """Return our open files: number and what is behind it."""
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            found.add(f"{entry.name} {entry.readlink()}")
        except OSError:  # the one that listed them
            continue
    return found
