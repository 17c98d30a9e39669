"""The layout of differences that the user chose last."""

from __future__ import annotations

import logging
from pathlib import Path

from textual.app import App
from typing_extensions import override

from acp_tui.store.folders import SharedJson

log = logging.getLogger(__name__)


class DiffPreferences:
    """The layout that the user chose last; a subclass saves it."""

    wraps: bool | None = None
    """True if long lines are wrapped, False if not; None to wrap where a changed line would be cut."""
    sides: bool | None = None
    """True for two columns, False for one; None for two where no changed line would be cut."""

    def keep(self) -> None:
        """Save the preferences."""


class SavedDiffPreferences(DiffPreferences):
    """Preferences in a small file; losing it costs the user two keys."""

    def __init__(self, path: Path) -> None:
        self._file = SharedJson(path)
        try:
            found = self._file.read()
        except OSError as error:
            log.warning("%s", error)
            found = None
        if isinstance(found, dict):
            wraps, sides = found.get("wraps"), found.get("sides")
            self.wraps = wraps if isinstance(wraps, bool) else None
            self.sides = sides if isinstance(sides, bool) else None

    @override
    def keep(self) -> None:
        try:
            self._file.change(lambda _: {"wraps": self.wraps, "sides": self.sides})
        except OSError as error:
            log.warning("%s", error)


def preferences_of(app: App[object]) -> DiffPreferences:
    """Return the preferences of an app, or the defaults."""
    found = getattr(app, "diff_habits", None)
    return found if isinstance(found, DiffPreferences) else DiffPreferences()
