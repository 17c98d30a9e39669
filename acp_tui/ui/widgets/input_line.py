"""A one-line input that shows invisible characters as marks."""

from __future__ import annotations

from typing import Final

from rich.cells import get_character_cell_size
from rich.text import Text
from textual.events import Paste
from textual.widgets import Input
from typing_extensions import override

from acp_tui.lazy_regex import regex
from acp_tui.ui.widgets.text import cells, seen

LONGEST: Final = 20_000
"""Characters taken from one paste."""
_LINE_ENDS: Final = regex(r"\r\n|[\r\n]")


class InputLine(Input):
    """An input in which each character takes a cell at least, and a paste keeps all its lines.

    Marks are drawn only; the value keeps the characters.
    """

    def _on_paste(self, event: Paste) -> None:
        """Insert a pasted text with spaces for its line ends."""
        event.stop()
        event.prevent_default()
        line = _LINE_ENDS.sub(" ", event.text[: LONGEST + 1].strip("\r\n"))
        if len(event.text) > LONGEST:
            line = line[:LONGEST]
            self.notify(f"Only the first {LONGEST:,} characters are used.", title="Paste")
        self.replace(line, *sorted(self.selection))

    @property
    @override
    def _value(self) -> Text:
        text = super()._value
        text.plain = _shown(text.plain)  # of the same length, so that styles stay in their places
        return text

    @override
    def _position_to_cell(self, position: int) -> int:
        return cells(_shown(self.value[:position]))

    @override
    def _cell_offset_to_index(self, offset: int) -> int:
        at = 0
        offset += self.scroll_offset.x
        for index, one in enumerate(_shown(self.value)):
            at += get_character_cell_size(one)
            if offset < at:
                return index
        return len(self.value)


def _shown(text: str) -> str:
    """Return a text for drawing, with as many characters."""
    return seen(text).replace("\n", "\u240a").replace("\t", "\u2409")
