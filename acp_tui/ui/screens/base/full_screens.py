"""Full screens: a title above the content, keys below; bases for lists, texts and other content."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, Generic, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import Input, Static
from typing_extensions import override

from acp_tui.ui.widgets.input_line import InputLine
from acp_tui.ui.widgets.rows.keys import Keys
from acp_tui.ui.widgets.rows.row_view import RowList, StatusRow, StatusRows
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.textual_internals import ExactLayout
from acp_tui.ui.widgets.transcript.blocks import Block
from acp_tui.ui.widgets.transcript.transcript import Transcript


def move_keys(name: str, first: str = "First", last: str = "Last") -> list[Binding]:
    """Return the keys that move in a list of rows, with ids that begin with `name`."""
    return [
        Binding("up,k", "move(-1)", "Up", show=False, id=f"{name}.up"),
        Binding("down,j", "move(1)", "Down", show=False, id=f"{name}.down"),
        Binding("pageup", "move_page(-1)", "Page up", show=False, id=f"{name}.page-up"),
        Binding("pagedown", "move_page(1)", "Page down", show=False, id=f"{name}.page-down"),
        Binding("home", "move_to(0)", first, show=False, id=f"{name}.first"),
        Binding("end", "move_to(-1)", last, show=False, id=f"{name}.last"),
    ]


def list_keys(name: str, first: str = "First", last: str = "Last", opens: str = "Open") -> list[Binding]:
    """Return the keys of a list whose rows open, with ids that begin with `name`."""
    return [*move_keys(name, first, last), Binding("enter", "open", opens, id=f"{name}.open")]


Result = TypeVar("Result")


class FullScreen(ExactLayout, Screen[Result | None], Generic[Result]):
    """Base of full screens; a subclass binds a key to `close`."""

    def __init__(self, styles: Styles | None = None) -> None:
        super().__init__()
        self.theme_styles = styles or Styles()

    @abstractmethod
    def compose_content(self) -> ComposeResult:
        """Yield the widgets between the title and the keys."""

    def make_keys(self) -> Keys:
        """Return the row of keys."""
        return Keys(self.theme_styles)

    @override
    def compose(self) -> ComposeResult:
        yield StatusRows(self.theme_styles, id="title")
        yield from self.compose_content()
        yield self.make_keys()

    def show_title(self, *lines: StatusRow) -> None:
        """Show the lines of the title."""
        self.query_one("#title", StatusRows).set_rows(lines)

    def action_close(self) -> None:
        """Close without a result."""
        self.dismiss(None)


class ListScreen(FullScreen[None]):
    """Base of screens that list rows; those with a filter bind a key to `filter`."""

    NOTHING: ClassVar[str]
    """Text in place of an empty list."""
    FILTER: ClassVar[str] = ""
    """Placeholder of the filter; empty for screens without one."""

    @abstractmethod
    def make_list(self) -> RowList[Any]:
        """Return the list, which has no rows yet."""

    @override
    def compose_content(self) -> ComposeResult:
        yield Static(self.NOTHING, id="nothing", markup=False)
        yield self.make_list()
        if self.FILTER:
            line = InputLine(placeholder=self.FILTER, id="filter")
            line.display = False
            yield line

    @property
    def rows(self) -> RowList[Any]:
        """The list."""
        return self.query_one(RowList)

    def show_nothing(self, is_empty: bool, text: str | None = None) -> None:
        """Show the list, or `text` in its place if it is empty."""
        self.rows.display = not is_empty
        nothing = self.query_one("#nothing", Static)
        nothing.display = is_empty
        if text is not None:
            nothing.update(text)

    def on_input_submitted(self) -> None:
        """Handle Enter in the filter."""
        self.filter_submitted()

    def filter_submitted(self) -> None:
        """Go to the filtered rows."""
        self.rows.focus()

    def action_filter(self) -> None:
        """Go to the filter."""
        line = self.query_one(Input)
        line.display = True
        line.focus()

    @override
    def action_close(self) -> None:
        for line in self.query(Input):
            if line.display and (line.has_focus or line.value):
                line.value = ""
                line.display = False
                self.rows.focus()
                return
        super().action_close()


class TextScreen(FullScreen[None]):
    """Base of screens with one text; `fill` shows it anew."""

    @abstractmethod
    def title_line(self) -> StatusRow:
        """Return the title."""

    @abstractmethod
    def content(self) -> Iterable[Block]:
        """Return the text."""

    @override
    def compose_content(self) -> ComposeResult:
        yield Transcript(self.theme_styles, id="content")

    def on_mount(self) -> None:
        """Show the text."""
        self.fill()
        self.query_one(Transcript).focus()

    def fill(self) -> None:
        """Show the text, from its start."""
        self.show_title(self.title_line())
        content = self.query_one(Transcript)
        content.clear()
        for block in self.content():
            content.append(block)
        self.call_after_refresh(content.action_scroll_start)
