"""Exact file names: some file systems also find a file by another spelling of its name."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable
from pathlib import Path


class ExactNames:
    """The names in a workspace as its folders list them; each folder is read once."""

    def __init__(self, root: Path) -> None:
        self._base = os.fsencode(root) + b"/"
        self._held: dict[bytes, bool] = {}
        self._listed: dict[bytes, frozenset[bytes] | None] = {}
        self._strict: dict[bytes, bool] = {}

    def hold(self, path: bytes) -> bool:
        """Return whether an existing path is spelled as its folders list it; True in doubt."""
        folder, _, name = path.rpartition(b"/")
        if folder:
            if folder not in self._held:
                self._held[folder] = self.hold(folder)
            if not self._held[folder]:
                return False
        if self.are_plain(path):
            return True
        if folder not in self._listed:
            self._listed[folder] = self._names(folder)
        listed = self._listed[folder]
        return listed is None or name in listed

    def are_plain(self, path: bytes) -> bool:
        """Return whether a file is found by no other spelling of its name; False if unknown."""
        folder, _, name = path.rpartition(b"/")
        other = name.swapcase()
        if not name.isascii() or other == name:
            return False
        if folder not in self._strict:
            place = self._base + folder + b"/" if folder else self._base
            try:
                found = os.lstat(place + name)
            except OSError:
                return False
            try:
                same = os.lstat(place + other)
            except OSError:
                self._strict[folder] = True
            else:
                self._strict[folder] = not os.path.samestat(found, same)
        return self._strict[folder]

    def respelled(self, known: Iterable[bytes], new: Iterable[bytes]) -> list[bytes]:
        """Return the known paths that exist only as another spelling of a new path."""
        spelled = set(new)
        wanted = {folded(path) for path in spelled}
        return [
            path for path in known if path not in spelled and folded(path) in wanted and not self.hold(path)
        ]

    def are_one(self, one: str, other: str) -> bool:
        """Return whether two spellings name one folder entry, and not two links to a file."""
        if one == other or folded(os.fsencode(one)) != folded(os.fsencode(other)):
            return False
        first, second = os.fsencode(one), os.fsencode(other)
        try:
            is_same = os.path.samestat(os.lstat(self._base + first), os.lstat(self._base + second))
        except OSError:
            return False
        return is_same and not (self.hold(first) and self.hold(second))

    def _names(self, folder: bytes) -> frozenset[bytes] | None:
        try:
            return frozenset(os.listdir(self._base + folder))  # noqa: PTH208 - bytes, also those of no text
        except OSError:
            return None


def folded(path: bytes) -> str:
    """Return a path folded as the most lenient file system compares it."""
    return unicodedata.normalize("NFC", os.fsdecode(path)).casefold()
