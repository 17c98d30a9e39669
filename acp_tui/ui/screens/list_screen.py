"""Full screens that list rows: a title, the rows, a filter for some, and the keys."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import Input, Static
from typing_extensions import override

from acp_tui.ui.widgets.input_line import InputLine
from acp_tui.ui.widgets.keys import Keys
from acp_tui.ui.widgets.line_view import Lines, RowList
from acp_tui.ui.widgets.look import Look


def list_keys(name: str, first: str = "First", last: str = "Last", opens: str = "Open") -> list[Binding]:
    """Return the keys of a list of rows, with ids that begin with `name`."""
    return [
        Binding("up,k", "move(-1)", "Up", show=False, id=f"{name}.up"),
        Binding("down,j", "move(1)", "Down", show=False, id=f"{name}.down"),
        Binding("pageup", "move_page(-1)", "Page up", show=False, id=f"{name}.page-up"),
        Binding("pagedown", "move_page(1)", "Page down", show=False, id=f"{name}.page-down"),
        Binding("home", "move_to(0)", first, show=False, id=f"{name}.first"),
        Binding("end", "move_to(-1)", last, show=False, id=f"{name}.last"),
        Binding("enter", "open", opens, id=f"{name}.open"),
    ]


class ListScreen(Screen[None]):
    """Base of screens that list rows; a subclass binds keys to `close` and, with a filter, to `filter`."""

    NOTHING: ClassVar[str]
    """Text in place of the list while there is nothing to list."""
    FILTER: ClassVar[str] = ""
    """Placeholder of the filter; empty for screens without one."""

    def __init__(self, look: Look | None = None) -> None:
        super().__init__()
        self.look = look or Look()

    @abstractmethod
    def make_list(self) -> RowList[Any]:
        """Return the list, which has no rows yet."""

    @override
    def compose(self) -> ComposeResult:
        yield Lines(self.look, id="title")
        yield Static(self.NOTHING, id="nothing", markup=False)
        yield self.make_list()
        if self.FILTER:
            line = InputLine(placeholder=self.FILTER, id="filter")
            line.display = False
            yield line
        yield Keys(self.look)

    @property
    def rows(self) -> RowList[Any]:
        """The list."""
        return self.query_one(RowList)

    def show_nothing(self, is_empty: bool, text: str | None = None) -> None:
        """Show the list or, when it is empty, `text` in its place."""
        self.rows.display = not is_empty
        nothing = self.query_one("#nothing", Static)
        nothing.display = is_empty
        if text is not None:
            nothing.update(text)

    def on_input_submitted(self) -> None:
        """Go to the rows that the filter leaves."""
        self.rows.focus()

    def action_filter(self) -> None:
        """Go to the filter."""
        line = self.query_one(Input)
        line.display = True
        line.focus()

    def action_close(self) -> None:
        """Close the filter, else the screen."""
        for line in self.query(Input):
            if line.display and (line.has_focus or line.value):
                line.value = ""
                line.display = False
                self.rows.focus()
                return
        self.dismiss(None)
