"""A search bar: a field for the text, and the number of the shown hit."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Protocol

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input
from typing_extensions import override

from acp_tui.ui.widgets.input_line import InputLine
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.rows.row_view import RowView, StatusRows
from acp_tui.ui.widgets.styles import Styles

_ROOM = 100
"""Columns from which there is room for the hints."""


class Searched(Protocol):
    """Contents that can be searched. Hits are numbered from 0, in their order."""

    async def search(self, text: str, is_wanted: Callable[[], bool]) -> int | None:
        """Mark a text, or nothing if it is empty, and return the number of hits.

        None once `is_wanted` returns False: the user has written another text.
        """

    def first_hit(self) -> int:
        """Return the number of the first hit at or below the top of the view, else of the last."""

    def next_hit(self, step: int) -> int:
        """Return the number of the hit after (1) or before (-1) the shown one, which may be out of range."""

    def show_hit(self, number: int) -> None:
        """Bring a hit into view; -1 shows none."""


def _keys(name: str) -> list[BindingType]:
    return [
        Binding("down", "step(1)", "Next hit", show=False, id=f"{name}.next"),
        Binding("shift+enter,up", "step(-1)", "Previous hit", show=False, id=f"{name}.previous"),
        Binding("escape", "close", "Close the search", show=False, id=f"{name}.close"),
    ]


class SearchBar(Horizontal):
    """Searches as the user types, and gives the focus back when it closes."""

    DEFAULT_CSS = """
    SearchBar { height: 1; padding: 0 1; }
    SearchBar Input { width: 1fr; height: 1; border: none; padding: 0; }
    SearchBar StatusRows { width: 50%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = _keys("find")
    KEYS: ClassVar[str] = "find"
    """The first part of the names of its keys."""

    def __init__(
        self,
        searched: Searched,
        styles: Styles,
        placeholder: str,
        focus_back: Widget | None,
        *,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self.searched = searched
        self._theme_styles = styles
        self._placeholder = placeholder
        self._focus_back = focus_back
        self._text = ""

    @override
    def compose(self) -> ComposeResult:
        yield InputLine(placeholder=self._placeholder, compact=True)
        yield StatusRows(self._theme_styles)

    def on_mount(self) -> None:
        """Wait for a text."""
        self._show_count(0, 0)
        self.focus_field()

    def focus_field(self) -> None:
        """Give the focus to the field."""
        self.query_one(Input).focus()

    @on(Input.Changed)
    async def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._text = event.value
        count = await self._search()
        if count is not None:
            self._show_hit(self.searched.first_hit() if count else -1, count)

    @on(Input.Submitted)
    async def _next(self, event: Input.Submitted) -> None:
        event.stop()
        await self.action_step(1)

    async def action_step(self, step: int) -> None:
        """Show the next or previous hit, wrapping around; the number of hits may have changed."""
        count = await self._search()
        if count is not None:
            self._show_hit(self.searched.next_hit(step) % count if count else -1, count)

    async def action_close(self) -> None:
        """Remove the bar and the marks."""
        await self.searched.search("", lambda: True)
        if self._focus_back is not None and self._focus_back.is_attached:
            self._focus_back.focus()
        self.remove()

    async def _search(self) -> int | None:
        text = self._text
        return await self.searched.search(
            text, lambda: self.is_attached and self.query_one(Input).value == text
        )

    def _show_hit(self, number: int, count: int) -> None:
        self.searched.show_hit(number)
        self._show_count(number, count)

    def _show_count(self, number: int, count: int) -> None:
        if count:
            told = ("accent", f"{number + 1}/{count}")
        else:
            told = ("warning", "nothing found") if self._text else ("muted", "")
        hints = self._hints() if self.app.size.width >= _ROOM else ""
        self.query_one(StatusRows).set_rows([([], [told, ("muted", hints)])])

    def _hints(self) -> str:
        before, close = key_of(self, f"{self.KEYS}.previous"), key_of(self, f"{self.KEYS}.close")
        return f"  Enter next  {before} previous  {close} closes"


class FindBar(SearchBar, inherit_bindings=False):
    """The search bar below a view; its keys have names of their own in the settings."""

    BINDINGS: ClassVar[list[BindingType]] = _keys("find-bar")
    KEYS = "find-bar"


async def open_find_bar(view: RowView, searched: Searched) -> None:
    """Show the search bar below a view, or focus an existing one."""
    parent = view.parent
    assert parent is not None, "a view with keys is in a screen"
    for bar in parent.query(FindBar):
        bar.focus_field()
        return
    await view.screen.mount(FindBar(searched, view.theme_styles, "find", view), after=view)
