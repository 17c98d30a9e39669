"""Places below the home with installed programs, which a hidden home must show."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from acp_tui.workspace.real_paths import followed

_SHARED: Final = (".local", ".config", ".cache")
"""Folders shared by many programs: a `bin` in one is no single installation."""
_FIRST_LINE: Final = 256
_MODULES: Final = "node_modules"
_LINKS: Final = 16
"""Most links that are followed from a program to its real path."""


def program_places(argv: Sequence[str], path: str, home: str) -> list[str]:
    """Return the places below the home that a command needs, and the folders of PATH below the home.

    Args:
        argv: the command; empty for none.
        path: the folders in which programs are searched.
        home: the user's home, links followed.
    """
    found = [folder for folder in path.split(os.pathsep) if folder and Path(folder).is_dir()]
    files = [argv[0], *(word for word in argv[1:] if os.path.isfile(word))] if argv else []  # noqa: PTH113
    for name in files:
        found += _places_of(shutil.which(name, path=path) or name, path)
    base = f"{home.rstrip('/')}/"
    return [*dict.fromkeys(place for place in found if followed(place).startswith(base))]


def _places_of(program: str, path: str) -> Iterator[str]:
    """Yield the installation folders of a program, its link target and its interpreter."""
    for each in _chain(program):
        yield _installation(each)
    interpreter = _interpreter(program, path)
    if interpreter:
        yield from (_installation(each) for each in _chain(interpreter))


def _chain(program: str) -> Iterator[str]:
    place = os.path.abspath(program)  # noqa: PTH100 - a link stays one
    for _ in range(_LINKS):
        yield place
        if not os.path.islink(place):  # noqa: PTH114 - text
            break
        place = os.path.normpath(os.path.join(os.path.dirname(place), os.readlink(place)))  # noqa: PTH115, PTH118, PTH120
    yield followed(program)


def _installation(program: str) -> str:
    """Return the folder in which a program is installed with its libraries."""
    folder = Path(program).parent
    modules = next((each for each in reversed(folder.parents) if each.name == _MODULES), None)
    if modules is not None:
        return str(modules)
    if folder.name == "bin" and folder.parent.name not in _SHARED and folder.parent != Path.home():
        return str(folder.parent)
    return str(folder)


def _interpreter(program: str, path: str) -> str:
    """Return the interpreter in the first line of a script, or ""."""
    try:
        with open(program, "rb") as file:
            first = file.read(_FIRST_LINE).partition(b"\n")[0]
    except OSError:
        return ""
    if not first.startswith(b"#!"):
        return ""
    words = [word for word in first[2:].decode("utf-8", "replace").split() if not word.startswith("-")]
    if words and os.path.basename(words[0]) == "env":  # noqa: PTH119 - text
        return (shutil.which(words[1], path=path) or "") if len(words) > 1 else ""
    return words[0] if words else ""
