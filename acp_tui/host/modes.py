"""Permissions of files beyond the executable bit, which snapshots do not hold."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from acp_tui.host.untracked import Mark, Marks

_LOOKED_AT: Final = 20_000
"""Files that are looked at in one go."""
_FOLDERS: Final = 2_000
"""Folders whose permissions are looked at each time: nobody tells which ones changed."""
_COMMON: Final = 0o644
"""Permissions that are not kept for each file that has them."""


class Modes:
    """Remembers the permissions that files had, and looks at those that may have others now."""

    def __init__(self, root: Path) -> None:
        self._base = os.fsencode(root) + b"/"
        self._known: set[bytes] = set()
        self._first: dict[bytes, int] = {}
        self._folders: dict[bytes, int] = {}
        self._changed: dict[bytes, tuple[int, int]] = {}

    def begin(self, paths: Iterable[bytes]) -> None:
        """Remember the permissions of files and their folders as they are now.

        Blocking: call it in a thread.
        """
        for path in paths:
            mode = self._mode(path)
            if mode is not None:
                if mode != _COMMON:
                    self._first[path] = mode
                self._known.add(path)  # at last: a look may come meanwhile
            folder = path.rpartition(b"/")[0]
            while folder and folder not in self._folders and len(self._folders) < _FOLDERS:
                found = self._mode(folder)
                if found is not None:
                    self._folders[folder] = found
                folder = folder.rpartition(b"/")[0]

    def look(self, touched: Iterable[bytes]) -> Marks:
        """Return a mark for each file or folder that has other permissions than in the beginning.

        Blocking: call it in a thread.

        Args:
            touched: what may have changed since the last look.
        """
        again = {*self._changed, *self._folders}
        again.update(path for path, _ in zip(touched, range(_LOOKED_AT), strict=False) if path in self._known)
        for path in again:
            first = self._folders[path] if path in self._folders else self._first.get(path, _COMMON)
            now = self._mode(path)
            self._changed.pop(path, None)
            if now is not None and _differs(first, now):
                self._changed[path] = first, now
        return {
            os.fsdecode(path): Mark(f"mode {first:o} → {now:o}", (now,))
            for path, (first, now) in self._changed.items()
        }

    def _mode(self, path: bytes) -> int | None:
        try:
            found = os.lstat(self._base + path).st_mode
        except (OSError, ValueError):
            return None
        return stat.S_IMODE(found) if stat.S_ISREG(found) or stat.S_ISDIR(found) else None


def _differs(before: int, now: int) -> bool:
    """Whether permissions differ in more than what a snapshot holds."""
    is_seen = bool((before ^ now) & stat.S_IXUSR)
    return bool((before ^ now) & ~0o111) if is_seen else before != now
