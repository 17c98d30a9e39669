"""Keeps how differences are laid out from one run to the next."""

from __future__ import annotations

import logging
from pathlib import Path

from acp_tui.store.shared_json import SharedJson
from acp_tui.ui.widgets.diff_habits import DiffHabits

log = logging.getLogger(__name__)


class KeptHabits(DiffHabits):
    """Habits in a small file, read when they are first needed; a loss of it costs two keys."""

    def __init__(self, path: Path) -> None:
        self._file = SharedJson(path)
        try:
            found = self._file.read()
        except OSError as error:
            log.warning("%s", error)
            found = None
        if isinstance(found, dict):
            self.wraps = found.get("wraps") is True
            sides = found.get("sides")
            self.sides = sides if isinstance(sides, bool) else None

    def keep(self) -> None:
        """Write them down, whatever stood there."""
        try:
            self._file.change(lambda _: {"wraps": self.wraps, "sides": self.sides})
        except OSError as error:
            log.warning("%s", error)
