"""A text over the session, to be read and copied: a title above, the text, and the keys below."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

from textual.app import ComposeResult
from textual.screen import Screen

from acp_tui.ui.widgets.blocks import Block
from acp_tui.ui.widgets.keys import Keys
from acp_tui.ui.widgets.lines import Line, Lines
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.transcript import Transcript


class Sheet(Screen[None]):
    """Base of screens that show one text as it was when they were opened; keys close and copy it."""

    def __init__(self, look: Look | None = None) -> None:
        super().__init__()
        self.look = look or Look()

    @abstractmethod
    def title_line(self) -> Line:
        """Return what stands above the text."""

    @abstractmethod
    def content(self) -> Iterable[Block]:
        """Return the text."""

    @abstractmethod
    def action_copy(self) -> None:
        """Copy the text."""

    def compose(self) -> ComposeResult:
        """Lay out the title above the text."""
        yield Lines(self.look, id="title")
        yield Transcript(self.look, id="content")
        yield Keys(self.look)

    def on_mount(self) -> None:
        """Show the text."""
        self.fill()
        self.query_one(Transcript).focus()

    def fill(self) -> None:
        """Show the text as it is now, from its start."""
        self.query_one(Lines).set_lines([self.title_line()])
        content = self.query_one(Transcript)
        content.clear()
        for block in self.content():
            content.append(block)
        self.call_after_refresh(content.action_scroll_start)

    def action_close(self) -> None:
        """Close."""
        self.dismiss(None)
