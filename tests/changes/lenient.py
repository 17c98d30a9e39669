"""A fake of a file system that finds a file by any spelling of its name."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_BY_ONE_PATH = ("lstat", "stat", "open", "unlink")
_BY_TWO_PATHS = ("rename", "replace")


class AnySpelling:
    """Calls below a folder find the entry that is there; git and other programs do not see the fake."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.hidden: set[bytes] = set()
        """Names left out of each listing: second spellings that are there for git alone."""
        self._folder = os.fsencode(folder)
        self._listdir = os.listdir
        for name in _BY_ONE_PATH:
            monkeypatch.setattr(os, name, self._with_one(getattr(os, name)))
        for name in _BY_TWO_PATHS:
            monkeypatch.setattr(os, name, self._with_two(getattr(os, name)))
        monkeypatch.setattr(os, "listdir", self.listdir)

    def listdir(self, folder: Any = ".") -> list[Any]:
        """Return the names in a folder, each in the spelling it was made with."""
        return [name for name in self._listdir(folder) if os.fsencode(name) not in self.hidden]

    def _with_one(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any, *rest: Any, **named: Any) -> Any:
            return real(self._found(path, named.get("dir_fd")), *rest, **named)

        return call

    def _with_two(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(source: Any, target: Any, **named: Any) -> None:
            source = self._found(source, named.get("src_dir_fd"))
            found = self._found(target, named.get("dst_dir_fd"))
            if os.fspath(source) != os.fspath(found):  # a new spelling of the same file changes nothing
                real(source, found, **named)

        return call

    def _found(self, path: Any, folder: int | None) -> Any:
        if isinstance(path, int):
            return path
        name = os.fsencode(path)
        if folder is not None:
            return os.fsdecode(self._entry(folder, name))
        if not name.startswith(self._folder + b"/"):
            return path
        place = self._folder
        for part in name[len(self._folder) + 1 :].split(b"/"):
            place += b"/" + self._entry(place, part)
        return place if isinstance(path, bytes) else os.fsdecode(place)

    def _entry(self, folder: int | bytes, name: bytes) -> bytes:
        try:
            names = [os.fsencode(each) for each in self.listdir(folder)]
        except OSError:
            return name
        found = [each for each in names if _folded(each) == _folded(name)]
        return name if name in found or not found else found[0]


def _folded(name: bytes) -> str:
    return unicodedata.normalize("NFC", os.fsdecode(name)).casefold()
