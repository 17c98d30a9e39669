"""The base class of panes: titled lines that show a part of the session."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Final, NamedTuple

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from typing_extensions import override

from acp_tui.session.events import SessionChange
from acp_tui.session.session import Session
from acp_tui.ui.widgets.rows.row_view import StatusRows
from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.transcript.blocks import OneRowBlock
from acp_tui.ui.widgets.transcript.transcript import Transcript

DETAILED_FROM: Final = 56
"""Minimum cells of a row for more than titles: counts, seconds, origins."""


class PaneKey(NamedTuple):
    """A key of a pane in the bottom line, or a pair of them."""

    word: str
    first: str
    """The name of its binding."""
    second: str = ""


_LIST_KEYS: Final = (
    PaneKey("move", "transcript.up", "transcript.down"),
    PaneKey("open", "transcript.choose"),
    PaneKey("hide", "session.hide-pane"),
)


class Pane(Transcript):
    """A part of the session screen: a title, and lines or a placeholder."""

    NAME: ClassVar[str] = ""
    """Its name in settings, in titles and among the tabs."""
    IS_LIST: ClassVar[bool] = True
    """True if up and down move a cursor instead of scrolling."""
    EMPTY: ClassVar[str] = ""
    """Text while the pane is empty."""
    KEYS: ClassVar[Sequence[PaneKey]] = _LIST_KEYS
    """The keys that the bottom line shows while the pane has the focus."""
    FOCUS_ON_CLICK = False  # the prompt keeps the focus until a key or a click leads here

    class Retitled(Message):
        """The fact in the title or the number of rows has changed."""

        @override
        def can_replace(self, message: Message) -> bool:
            return isinstance(message, Pane.Retitled)

    def __init__(self, styles: Styles | None = None, *, id: str | None = None) -> None:
        super().__init__(styles, id=id or self.NAME)
        self.fact = ""
        """Short fact in the title."""
        self._placeholder: OneRowBlock | None = None
        self._told_rows = 0

    @abstractmethod  # mypy sees that each pane gives it; Textual's metaclass leaves no room for an ABC
    def show(self, session: Session, change: SessionChange) -> None:
        """Update the pane to a change of the session."""

    def tick(self, now: float) -> None:
        """Update running times; `now` is on the clock of the session events."""

    def look_on(self) -> None:
        """Update facts that change without a turn; called each second."""

    def begin(self) -> None:
        """Show another session."""
        self.clear()
        self._placeholder = None
        self.set_fact("")
        self.on_mount()

    @override
    def action_scroll_rows(self, rows: int) -> None:
        if self.IS_LIST and self._placeholder is None and not self.cursor_goes_on(rows):
            self.action_step(rows)
        else:
            super().action_scroll_rows(rows)

    def on_focus(self) -> None:
        """Move the cursor to a line, so that Enter has something to open."""
        super().on_focus()
        if self.IS_LIST and self.cursor is None and self._placeholder is None and self.blocks:
            self.action_step(-1)

    @override
    def laid_out(self) -> None:
        if self.IS_LIST and self._told_rows != self.wanted_rows:
            self._told_rows = self.wanted_rows
            self.post_message(self.Retitled())

    def set_fact(self, fact: str) -> None:
        """Set the short fact in the title."""
        if fact != self.fact:
            self.fact = fact
            self.post_message(self.Retitled())

    def on_mount(self) -> None:
        """Show the placeholder until there is something to show."""
        if self.EMPTY and not self.blocks:
            self._placeholder = OneRowBlock([("muted", self.EMPTY)])
            self.append(self._placeholder)
            self.post_message(self.Retitled())

    def take_placeholder_away(self) -> None:
        """Remove the placeholder before the first line."""
        if self._placeholder is not None:
            self.remove_block(self._placeholder)
            self._placeholder = None
            self.post_message(self.Retitled())

    @property
    def is_empty(self) -> bool:
        """True while there is nothing to show."""
        return self._placeholder is not None or not self.blocks

    @property
    def wanted_rows(self) -> int:
        """Number of rows that show all of it; 0 while it is empty."""
        return 0 if self.is_empty else max(len(self.blocks), self.virtual_size.height)


class PaneFrame(Vertical):
    """A pane under its title."""

    def __init__(self, pane: Pane, *, id: str) -> None:
        super().__init__(id=id)
        self.pane = pane

    @override
    def compose(self) -> ComposeResult:
        yield StatusRows(self.pane.theme_styles, classes="title")
        yield self.pane

    def on_resize(self) -> None:
        """Draw the title as wide as the pane."""
        self._show_title()

    @on(Pane.Retitled)
    def _retitled(self) -> None:
        self._show_title()

    def on_descendant_focus(self) -> None:
        """Mark the title while the pane has the focus."""
        self._show_title()

    def on_descendant_blur(self) -> None:
        """Remove the mark."""
        self._show_title()

    def _show_title(self) -> None:
        styles = self.pane.theme_styles
        role = "accent" if self.pane.has_focus else "muted"
        name = self.pane.NAME.replace("-", " ")
        rule = styles.symbol("rule")
        fact = self.pane.fact or ("none yet" if self.pane.is_empty and self.size.height == 1 else "")
        fact = f" {fact} " if fact else ""
        room = max(1, self.size.width - cell_len(name) - cell_len(fact) - 4)
        pieces = [("faint", rule), (role, f" {name} "), ("faint", rule * room), (role, fact), ("faint", rule)]
        self.query_one(StatusRows).set_rows([(pieces, ())])
