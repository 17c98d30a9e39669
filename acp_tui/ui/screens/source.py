"""An entry of the chat as the text that it came as."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from acp_tui.ui.widgets.blocks import TextBlock
from acp_tui.ui.widgets.keys import Keys
from acp_tui.ui.widgets.lines import Lines
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.transcript import Transcript

_PIECE: Final = 100
"""Lines of a block: what is out of view is not laid out."""


class SourceScreen(Screen[None]):
    """Shows a text without reading it as Markdown."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,v", "close", "Close", id="source.close"),
        Binding("c", "copy", "Copy", id="source.copy"),
    ]

    def __init__(self, text: str, look: Look) -> None:
        super().__init__()
        self._text = text
        self._look = look

    def compose(self) -> ComposeResult:
        """Lay out a title and the text."""
        yield Lines(self._look, id="title")
        yield Transcript(self._look, id="content")
        yield Keys(self._look)

    def on_mount(self) -> None:
        """Show the text from its start."""
        count = self._text.count("\n") + 1
        self.query_one(Lines).set_lines([([("strong", " source")], [("muted", f"{lines(count)} ")])])
        content = self.query_one(Transcript)
        for piece in _pieces(self._text):
            content.append(TextBlock([("text", piece)]))
        content.focus()
        self.call_after_refresh(content.action_scroll_start)

    def set_look(self, look: Look) -> None:
        """Draw in another look from now on."""
        self._look = look
        self.query_one(Lines).set_look(look)
        self.query_one(Transcript).set_look(look)

    def action_close(self) -> None:
        """Close."""
        self.dismiss(None)

    def action_copy(self) -> None:
        """Copy all of it."""
        self.app.copy_to_clipboard(self._text)
        self.notify(f"Copied {lines(self._text.count(chr(10)) + 1)}.")


def lines(count: int) -> str:
    """Return a number of lines in words."""
    return f"{count} line{'' if count == 1 else 's'}"


def _pieces(text: str) -> Iterator[str]:
    rows = text.split("\n")
    for start in range(0, len(rows), _PIECE):
        yield "\n".join(rows[start : start + _PIECE])
