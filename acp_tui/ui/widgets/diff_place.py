"""Where the person has gone in a diff view: to a change or to a file, until they scroll away."""

from __future__ import annotations

from acp_tui.ui.widgets.diff_rows import DiffRows


class DiffPlace:
    """The change or file that was gone to last. Numbers count from 0; a scroll position is a row."""

    def __init__(self) -> None:
        self.change = -1
        """Its number among the changes of all files; -1 for none."""
        self._file = -1
        self._scroll = -1.0
        """Where the view stood then: as long as it does, the keys go on from there."""

    def forget(self) -> None:
        """Nothing was gone to: other files are shown."""
        self.change = self._file = -1

    def went_to_change(self, change: int, rows: DiffRows, scroll: float) -> None:
        """The view stands at a change."""
        self.change, self._file, self._scroll = change, rows.blocks_of(change)[0], scroll

    def went_to_file(self, file: int, scroll: float) -> None:
        """The view stands at a file."""
        self.change, self._file, self._scroll = -1, file, scroll

    def file(self, rows: DiffRows, scroll: float) -> int | None:
        """Return the file that keys act on: the one gone to, else the one at the top."""
        if rows.headers and self._file >= 0 and self._scroll == scroll:
            return self._file
        return rows.file_at(round(scroll))

    def row(self, rows: DiffRows, scroll: float) -> int:
        """Return the first row of the change that was gone to; -1 when the view is elsewhere."""
        is_there = 0 <= self.change < len(rows.changes) and self._scroll == scroll
        return rows.changes[self.change] if is_there else -1

    def next_change(self, rows: DiffRows, scroll: float) -> int:
        """Return the number of the change after the one gone to, else of the first one in view."""
        if self._scroll == scroll and self.change >= 0:
            return self.change + 1
        return rows.first_change(round(scroll) + 1)

    def previous_change(self, rows: DiffRows, scroll: float) -> int:
        """Return the number of the change before the one gone to, else of the last one above the view."""
        if self._scroll == scroll and self.change >= 0:
            return self.change - 1
        return rows.first_change(round(scroll) + 1) - 1
