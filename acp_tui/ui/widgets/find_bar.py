"""A line below a view of rows, to search it."""

from __future__ import annotations

from typing import ClassVar, Protocol

from textual.binding import BindingType

from acp_tui.ui.widgets.line_view import LineView
from acp_tui.ui.widgets.search_line import SearchLine, search_keys

_KEYS = "find-bar"


class Searched(Protocol):
    """A view that can be searched."""

    def search(self, text: str) -> int:
        """Mark a text, or nothing for an empty one; return how many places have it."""

    def first_hit(self) -> int:
        """Return the number, from 0, of the first place at or below the top of the view, else of the last."""

    def show_hit(self, number: int) -> None:
        """Bring a place into view."""


class FindBar(SearchLine):
    """Stands beside the view that it searches, and gives it the keys back."""

    BINDINGS: ClassVar[list[BindingType]] = [*search_keys(_KEYS)]

    def __init__(self, view: LineView, searched: Searched) -> None:
        super().__init__(view.look, _KEYS, "find")
        self._view = view
        self._searched = searched
        self._at = -1

    async def look_for(self) -> None:
        """Show the first place at or below what is in view."""
        count = self._searched.search(self.text)
        self._go(self._searched.first_hit() if count else -1, count)

    async def action_step(self, step: int) -> None:
        """Show the next or the previous place."""
        count = self._searched.search(self.text)
        self._go((self._at + step) % count if count else -1, count)

    def action_close(self) -> None:
        """Take the line and the marks away."""
        self._searched.search("")
        self._view.focus()
        super().action_close()

    def _go(self, number: int, count: int) -> None:
        self._at = number
        if number >= 0:
            self._searched.show_hit(number)
        self.show_count(number, count)


async def open_find_bar(view: LineView, searched: Searched) -> None:
    """Show the line below a view, or go to the one that is there."""
    parent = view.parent
    assert parent is not None, "a view with keys is in a screen"
    for bar in parent.query(FindBar):
        bar.focus_field()
        return
    await view.screen.mount(FindBar(view, searched), after=view)
