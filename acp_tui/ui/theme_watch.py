"""Notices that the person has saved the theme that they are writing."""

from __future__ import annotations

from pathlib import Path
from typing import Final

EVERY: Final = 0.5
"""Seconds between two looks: one `stat` of one file, where a watcher would be a thread for the whole run."""

_Stamp = tuple[int, int, int] | None


class ThemeWatch:
    """Looks at the file of one theme among the person's own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._name = ""
        self._stamp: _Stamp = None

    def watch(self, name: str) -> None:
        """Look at the file of this theme from now on, whether it is there yet or not."""
        self._name = name
        self._stamp = self._now()

    def has_changed(self) -> bool:
        """Return whether the file is another than at the last look. One that is gone is no news."""
        before, self._stamp = self._stamp, self._now()
        return self._stamp is not None and self._stamp != before

    def _now(self) -> _Stamp:
        try:
            found = (self._folder / f"{self._name}.toml").stat()
        except (OSError, ValueError):  # ValueError: a name that no file can have
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino
