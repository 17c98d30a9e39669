"""A line to search something: a field for what is looked for, how often it is there, and where one is."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Protocol

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input

from acp_tui.ui.widgets.input_line import InputLine
from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.line_view import Lines, LineView
from acp_tui.ui.widgets.look import Look

_ROOM = 100
"""Columns from which there is room for the hints."""


def search_keys(name: str) -> list[Binding]:
    """Return the keys of a search line, whose ids begin with this name."""
    return [
        Binding("down", "step(1)", "Next hit", show=False, id=f"{name}.next"),
        Binding("shift+enter,up", "step(-1)", "Previous hit", show=False, id=f"{name}.previous"),
        Binding("escape", "close", "Close the search", show=False, id=f"{name}.close"),
    ]


class SearchLine(Horizontal):
    """Shows where the person is among the hits; what is searched, and how, is for a class below it."""

    DEFAULT_CSS = """
    SearchLine { height: 1; padding: 0 1; }
    SearchLine Input { width: 1fr; height: 1; border: none; padding: 0; }
    SearchLine Lines { width: 50%; }
    """

    def __init__(self, look: Look, keys: str, placeholder: str) -> None:
        """Take the name that was given to `search_keys`, and what the empty field says."""
        super().__init__()
        self.text = ""
        """What the person has written."""
        self._look = look
        self._keys = keys
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        """The field and the count."""
        yield InputLine(placeholder=self._placeholder, compact=True)
        yield Lines(self._look)

    def on_mount(self) -> None:
        """Wait for what to look for."""
        self.show_count(0, 0)
        self.focus_field()

    def focus_field(self) -> None:
        """Give the keys to the field."""
        self.query_one(Input).focus()

    @on(Input.Changed)
    async def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.text = event.value
        await self.look_for()

    @on(Input.Submitted)
    async def _next(self, event: Input.Submitted) -> None:
        event.stop()
        await self.action_step(1)

    @abstractmethod
    async def look_for(self) -> None:
        """Find what was written, and show the first hit at or below what is in view, else the last."""

    @abstractmethod
    async def action_step(self, step: int) -> None:
        """Show the next or the previous hit, round the ends; there may be more of them by now."""

    def action_close(self) -> None:
        """Take the line away."""
        self.remove()

    def show_count(self, at: int, count: int) -> None:
        """Say which hit is shown, from 0, and how many there are."""
        if count:
            told = ("accent", f"{at + 1}/{count}")
        else:
            told = ("warning", "nothing found") if self.text else ("muted", "")
        hints = self._hints() if self.app.size.width >= _ROOM else ""
        self.query_one(Lines).set_lines([([], [told, ("muted", hints)])])

    def _hints(self) -> str:
        before, close = key_of(self, f"{self._keys}.previous"), key_of(self, f"{self._keys}.close")
        return f"  Enter next  {before} previous  {close} closes"


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
