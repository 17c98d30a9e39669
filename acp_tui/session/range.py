"""Which of the changed files the person wants to see: all, or those since a turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from acp_tui.session.files import FileChange, OnDisk

THIS_TURN: Final = -1
"""Stands for the newest turn, whichever that is."""


class Range:
    """The choice of one person for one session."""

    def __init__(self) -> None:
        self.since = 0
        """A turn, from 1; 0: all of the session; or `THIS_TURN`."""
        self._seen: tuple[OnDisk, ...] | None = None

    def choose(self, since: int, seen: tuple[OnDisk, ...] | None) -> None:
        """Show what changed since a turn: what was seen of that on disk, or what was noted at the time."""
        self.since, self._seen = since, seen

    def of(self, files: dict[str, FileChange], newest: int) -> dict[str, FileChange]:
        """Return the chosen ones of all files; `newest` is the number of the newest turn."""
        if not self.since:
            return files
        if self._seen is not None:
            return {file.path: _as_seen(file, files) for file in self._seen}
        since = newest if self.since == THIS_TURN else self.since
        return {path: file for path, file in files.items() if _has_changed_since(file, since)}


def _as_seen(seen: OnDisk, files: Mapping[str, FileChange]) -> FileChange:
    known = files.get(seen.path)
    return replace(known, seen=seen) if known is not None else FileChange(seen.path, seen=seen)


def _has_changed_since(file: FileChange, turn: int) -> bool:
    return any(origin.turn >= turn for origin in file.origins)
