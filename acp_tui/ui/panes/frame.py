"""What stands around a pane: a line with its name and its fact."""

from __future__ import annotations

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from acp_tui.ui.panes.pane import Pane
from acp_tui.ui.widgets.lines import Lines


class Frame(Vertical):
    """A pane under its title."""

    def __init__(self, pane: Pane, *, id: str) -> None:
        super().__init__(id=id)
        self.pane = pane

    def compose(self) -> ComposeResult:
        """The title, then the pane."""
        yield Lines(self.pane.look, classes="title")
        yield self.pane

    def on_resize(self) -> None:
        """Draw the title as wide as the pane."""
        self._show_title()

    @on(Pane.Retitled)
    def _retitled(self) -> None:
        self._show_title()

    def on_descendant_focus(self) -> None:
        """Mark the title of the pane that has the keys."""
        self._show_title()

    def on_descendant_blur(self) -> None:
        """Take the mark away."""
        self._show_title()

    def _show_title(self) -> None:
        look = self.pane.look
        role = "accent" if self.pane.has_focus else "muted"
        name = self.pane.NAME.replace("-", " ")
        rule = look.glyph("rule")
        fact = f" {self.pane.fact} " if self.pane.fact else ""
        room = max(1, self.size.width - cell_len(name) - cell_len(fact) - 4)
        pieces = [("faint", rule), (role, f" {name} "), ("faint", rule * room), (role, fact), ("faint", rule)]
        self.query_one(Lines).set_lines([(pieces, ())])
