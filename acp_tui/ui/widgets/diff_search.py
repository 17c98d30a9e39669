"""Searching a diff view: both sides of every file, also what is folded or out of sight."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from acp_tui.ui.widgets.diff_hits import Hit, hits_in, place_of

if TYPE_CHECKING:
    from acp_tui.ui.widgets.diff_view import DiffView


class DiffSearch:
    """What the find bar asks of a diff view."""

    def __init__(self, view: DiffView) -> None:
        self._view = view
        self._hits: list[Hit] = []

    def search(self, text: str) -> int:
        """Mark a text and return how many lines have it; folded ones count."""
        self._view.mark(text)
        self._hits = hits_in([page.difference for page in self._view.pages], text)
        return len(self._hits)

    def first_hit(self) -> int:
        """Return the number of the first line that was found in or below the view, else of the last."""
        rows = self._view.rows
        number, part, inside = rows.place(min(self._view.top_row(), len(rows) - 1))
        is_old = part.kind in ("removed", "changed")
        line = (part.old if is_old else part.new) + min(inside, part.lines - 1)
        place = bisect_left(self._hits, (number, part.block, not is_old, line), key=place_of)
        return min(place, len(self._hits) - 1)

    def show_hit(self, number: int) -> None:
        """Bring a line that was found into view, unfolded and panned to."""
        view, hit = self._view, self._hits[number]
        row = view.rows.row_of(hit)
        if row is None:
            view.pages[hit.page].opened.add(hit.block)
            view.lay_out_rows()
            row = view.rows.row_of(hit)
        view.pan_to(hit.column)
        if row is not None:
            view.scroll_to(y=max(0, row - view.size.height // 2), animate=False, immediate=True)
