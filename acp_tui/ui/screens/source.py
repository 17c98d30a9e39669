"""An entry of the chat as the text that it came as."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from textual.binding import Binding, BindingType

from acp_tui.readable import lines
from acp_tui.ui.screens.sheet import Sheet
from acp_tui.ui.widgets.blocks import Block, TextBlock
from acp_tui.ui.widgets.lines import Line
from acp_tui.ui.widgets.look import Look

_PIECE: Final = 100
"""Lines of a block: what is out of view is not laid out."""


class SourceScreen(Sheet):
    """Shows a text without reading it as Markdown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,v", "close", "Close", id="source.close"),
        Binding("c", "copy", "Copy", id="source.copy"),
    ]

    def __init__(self, text: str, look: Look) -> None:
        super().__init__(look)
        self._text = text

    def title_line(self) -> Line:
        """How long the text is."""
        return [("strong", " source")], [("muted", f"{lines(self._text.count(chr(10)) + 1)} ")]

    def content(self) -> Iterator[Block]:
        """The text in pieces."""
        for piece in _pieces(self._text):
            yield TextBlock([("text", piece)])

    def action_copy(self) -> None:
        """Copy all of it."""
        self.app.copy_to_clipboard(self._text)
        self.notify(f"Copied {lines(self._text.count(chr(10)) + 1)}.")


def _pieces(text: str) -> Iterator[str]:
    rows = text.split("\n")
    for start in range(0, len(rows), _PIECE):
        yield "\n".join(rows[start : start + _PIECE])
