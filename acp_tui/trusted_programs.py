"""Trusted programs and modules: acp-tui runs them by itself, outside of any sandbox.

No agent may have written them.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from typing import Final

_SYSTEM: Final = ("/usr/bin", "/bin", "/opt/homebrew/bin", "/usr/local/bin")
_PACKAGE: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - text
_exposed: set[str] = set()
"""Folders that an agent may write, as named and with links followed."""


def expose(folders: Iterable[str]) -> None:
    """Note that an agent may write these folders: acp-tui runs no program or module of its own from them.

    A folder that holds the system's programs, such as `/`, does not count: without them nothing would run.
    """
    for folder in folders:
        for place in (os.path.abspath(folder), os.path.realpath(folder)):  # noqa: PTH100 - text
            if not any(each.startswith(f"{place.rstrip('/')}/") or each == place for each in _SYSTEM):
                _exposed.add(place)
    sys.path[:] = filter(_is_trusted, sys.path)


def own_path() -> str:
    """Return PATH without relative folders and those in which an agent may put a program."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(each for each in folders if os.path.isabs(each) and not is_exposed(each))  # noqa: PTH117


def own_program(name: str) -> str | None:
    """Return the path of a program that acp-tui runs by itself, or None."""
    found = shutil.which(name, path=own_path() or os.devnull)
    return None if found is None or is_exposed(found) else found


def own_command(*words: str) -> tuple[str, ...]:
    """Return the command line of another acp-tui, for which no file of the current folder is a module."""
    return (sys.executable, "-P", "-m", "acp_tui", *words)


def own_environment() -> dict[str, str]:
    """Return the environment of another acp-tui, without folders of modules that an agent may write."""
    folders = [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(_is_trusted, folders))}


def _is_trusted(modules: str) -> bool:
    """Return whether no agent may write a folder of modules, or acp-tui itself is installed there."""
    is_ours = os.path.abspath(modules) == _PACKAGE  # noqa: PTH100 - text
    return is_ours or modules.startswith(f"{sys.prefix}/") or not is_exposed(modules)


def is_exposed(path: str) -> bool:
    """Return whether an agent may write a path."""
    places = {os.path.abspath(path), os.path.realpath(path)}  # noqa: PTH100 - text
    return any(place == each or place.startswith(f"{each}/") for place in places for each in _exposed)
