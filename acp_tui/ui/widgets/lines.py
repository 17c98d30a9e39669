"""A few lines that do not scroll: the queue, completions, tabs, the status line."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.one_line import Piece, one_row
from acp_tui.ui.widgets.strips import full_strip

Line = tuple[Sequence[Piece], Sequence[Piece]]
"""What stands on the left and what on the right."""


class Lines(Widget):
    """As many rows as lines; nothing at all without any."""

    DEFAULT_CSS = """
    Lines {
        height: auto;
        width: 1fr;
    }
    """

    class Clicked(Message):
        """A place was clicked: `piece` counts the pieces of the line's left side, -1 for none of them."""

        def __init__(self, lines: Lines, line: int, piece: int) -> None:
            super().__init__()
            self.lines = lines
            self.line = line
            self.piece = piece

        @property
        def control(self) -> Lines:
            """The lines that were clicked."""
            return self.lines

    def __init__(
        self, look: Look | None = None, *, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.look = look or Look()
        self._lines: list[Line] = []
        self._selected: int | None = None
        self._strips: dict[int, Strip] = {}

    def set_look(self, look: Look) -> None:
        """Draw in another look from now on."""
        self.look = look
        self._redraw()

    def set_lines(self, lines: Sequence[Line], selected: int | None = None) -> None:
        """Show these lines; one of them may be marked."""
        new = list(lines)
        if new == self._lines and selected == self._selected:
            return
        taller = len(new) != len(self._lines)
        self._lines, self._selected = new, selected
        self._strips.clear()
        self.refresh(layout=taller)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """One row a line."""
        return len(self._lines)

    def render_line(self, y: int) -> Strip:
        """Return a row."""
        strip = self._strips.get(y)
        if strip is None:
            strip = self._strips[y] = self._painted(y)
        return strip

    def on_resize(self) -> None:
        """Cut the lines anew."""
        self._redraw()

    def notify_style_update(self) -> None:
        """Read the styles again."""
        super().notify_style_update()
        self._redraw()

    def on_click(self, event: events.Click) -> None:
        """Tell which piece was clicked."""
        if event.y >= len(self._lines):
            return
        event.stop()
        column = event.x
        for number, (_, text) in enumerate(self._lines[event.y][0]):
            column -= Segment(text).cell_length
            if column < 0:
                self.post_message(self.Clicked(self, event.y, number))
                return
        self.post_message(self.Clicked(self, event.y, -1))

    def _painted(self, y: int) -> Strip:
        width = self.size.width
        style = self.rich_style
        if y >= len(self._lines):
            return Strip.blank(width, style)
        left, right = self._lines[y]
        row = one_row(left, right, width, self.look)
        if y == self._selected:
            style += self.look["cursor"]
        strip = Strip(row).apply_style(style).adjust_cell_length(width, style)
        return full_strip(list(strip), width, self.app.get_line_filters(), self.background_colors[1])

    def _redraw(self) -> None:
        self._strips.clear()
        self.refresh()
