"""A line below a view of rows, to search it: what is looked for, how often it is there, and where one is."""

from __future__ import annotations

from typing import ClassVar, Final, Protocol

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input

from acp_tui.ui.widgets.key_names import key_of
from acp_tui.ui.widgets.line_view import LineView
from acp_tui.ui.widgets.lines import Lines

_ROOM: Final = 100
"""Columns from which there is room for the hints."""


class Searched(Protocol):
    """A view that can be searched."""

    def search(self, text: str) -> int:
        """Mark a text, or nothing for an empty one; return how many places have it."""

    def first_hit(self) -> int:
        """Return the number, from 0, of the first place at or below the top of the view, else of the last."""

    def show_hit(self, number: int) -> None:
        """Bring a place into view."""


class FindBar(Horizontal):
    """Stands beside the view that it searches, and gives it the keys back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "step(1)", "Next place", show=False, id="find-bar.next"),
        Binding("shift+enter,up", "step(-1)", "Previous place", show=False, id="find-bar.previous"),
        Binding("escape", "close", "Close the search", show=False, id="find-bar.close"),
    ]
    DEFAULT_CSS = """
    FindBar { height: 1; padding: 0 1; }
    FindBar Input { width: 1fr; height: 1; border: none; padding: 0; }
    FindBar Lines { width: 50%; }
    """

    def __init__(self, view: LineView, searched: Searched) -> None:
        super().__init__()
        self._view = view
        self._searched = searched
        self._text = ""
        self._count = 0
        self._at = -1

    def compose(self) -> ComposeResult:
        """The field and the count."""
        yield Input(placeholder="find", compact=True)
        yield Lines(self._view.look)

    def on_mount(self) -> None:
        """Wait for what to look for."""
        self._show_count()
        self.query_one(Input).focus()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        """Show the first place at or below what is in view."""
        event.stop()
        self._text = event.value
        self._count = self._searched.search(event.value)
        self._go(self._searched.first_hit() if self._count else -1)

    @on(Input.Submitted)
    def _next(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_step(1)

    def action_step(self, step: int) -> None:
        """Show the next or the previous place, round the ends; there may be more of them by now."""
        self._count = self._searched.search(self._text)
        if self._count:
            self._go((self._at + step) % self._count)
        else:
            self._go(-1)

    def action_close(self) -> None:
        """Take the line and the marks away."""
        self._searched.search("")
        self._view.focus()
        self.remove()

    def _go(self, number: int) -> None:
        self._at = number
        if number >= 0:
            self._searched.show_hit(number)
        self._show_count()

    def _show_count(self) -> None:
        if self._count:
            count = ("accent", f"{self._at + 1}/{self._count}")
        else:
            count = ("warning", "nothing found") if self._text else ("muted", "")
        hints = self._hints() if self.app.size.width >= _ROOM else ""
        self.query_one(Lines).set_lines([([], [count, ("muted", hints)])])

    def _hints(self) -> str:
        before, close = key_of(self, "find-bar.previous"), key_of(self, "find-bar.close")
        return f"  Enter next  {before} previous  {close} closes"


async def open_find_bar(view: LineView, searched: Searched) -> None:
    """Show the line below a view, or go to the one that is there."""
    parent = view.parent
    assert parent is not None, "a view with keys is in a screen"
    for bar in parent.query(FindBar):
        bar.query_one(Input).focus()
        return
    await view.screen.mount(FindBar(view, searched), after=view)
