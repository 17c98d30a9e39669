"""Noted lists: lists of lines on which the user can write notes."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from typing_extensions import override

from acp_tui.ui.widgets.note_field import open_note_bar
from acp_tui.ui.widgets.row_view import RowList
from acp_tui.ui.widgets.styles import Styles

Item = TypeVar("Item")

Write = Callable[[int, int, str], None]
"""Writes a note on the items from the first to the last, counted from 0."""


class NotedList(RowList[Item]):
    """A list with one item per row; without a function that writes notes it is a plain one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "write_note", "Write a note", id="noted-list.note"),
    ]

    def __init__(
        self,
        styles: Styles | None = None,
        *,
        writes: Write | None = None,
        place_of: Callable[[int, int], str] = lambda first, last: "",
        id: str | None = None,
    ) -> None:
        """Make a list; `place_of` describes the place of the items from the first to the last."""
        super().__init__(styles, id=id)
        self._writes = writes
        self._place_of = place_of
        self._start: int | None = None
        """The first item of the note that is being written."""

    @override
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self._writes is not None if action == "write_note" else True

    async def action_write_note(self) -> None:
        """Write a note on the item under the cursor."""
        if self._writes is not None and self.current is not None:
            self._start = self._cursor
            await open_note_bar(self, self, self.theme_styles)

    @override
    def has_cursor(self, row: int) -> bool:
        first, last = self._lines
        return first <= row <= last and row < len(self._items)

    @property
    def _lines(self) -> tuple[int, int]:
        """The first and the last item of the note that is being written."""
        start = self._cursor if self._start is None else self._start
        return min(start, self._cursor), max(start, self._cursor)

    def place_of_note(self) -> str:
        """Return the place of the note in words."""
        return self._place_of(*self._lines)

    def move(self, step: int) -> None:
        """Write the note on the next item (1) or the previous one (-1)."""
        self.action_move(step)
        self._start = self._cursor
        self.show_rows(self.row_count)

    def cross(self) -> None:
        """Do nothing: there is one side."""

    def extend(self, step: int) -> None:
        """Extend the note by an item, or shorten it by one."""
        self.action_move(step)
        self.show_rows(self.row_count)

    def keep(self, text: str) -> None:
        """Save the note, unless it is empty."""
        if text and self._writes is not None:
            self._writes(*self._kept, text)

    def close(self) -> None:
        """Remove the marks: the field is closed."""
        self._kept, self._start = self._lines, None
        self.show_rows(self.row_count)

    _kept = (0, 0)
    """The first and the last item of the note that is being kept."""
