"""What stands around a pane: a line with its name and its fact."""

from __future__ import annotations

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

    def on_mount(self) -> None:
        """Draw the title."""
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
        left = [("faint", look.glyph("rule")), (role, f" {name} "), ("faint", look.glyph("rule") * 200)]
        right = [(role, f"{self.pane.fact} "), ("faint", look.glyph("rule"))] if self.pane.fact else []
        self.query_one(Lines).set_lines([(left, right)])
