"""A line to write in, for all dialogs and bars: what could not be seen is drawn as marks."""

from __future__ import annotations

import re
from typing import Final

from rich.cells import get_character_cell_size
from rich.text import Text
from textual.events import Paste
from textual.widgets import Input

from acp_tui.ui.widgets.text import cells, seen

LONGEST: Final = 20_000
"""Characters that a paste may add."""
_LINE_ENDS: Final = re.compile(r"\r\n|[\r\n]")


class InputLine(Input):
    """Textual's input, but that each character takes a cell at least, and that a paste keeps all its lines.

    Its value is what was written: marks are only drawn.
    """

    def _on_paste(self, event: Paste) -> None:
        """Write a pasted text on the one line there is, its line ends as spaces."""
        event.stop()
        event.prevent_default()
        line = _LINE_ENDS.sub(" ", event.text[: LONGEST + 1].strip("\r\n"))
        if len(event.text) > LONGEST:
            line = line[:LONGEST]
            self.notify(f"Only the first {LONGEST:,} characters are taken.", title="Paste")
        self.replace(line, *sorted(self.selection))

    @property
    def _value(self) -> Text:
        text = super()._value
        text.plain = _shown(text.plain)  # of the same length, so that styles stay in their places
        return text

    def _position_to_cell(self, position: int) -> int:
        return cells(_shown(self.value[:position]))

    def _cell_offset_to_index(self, offset: int) -> int:
        at = 0
        offset += self.scroll_offset.x
        for index, one in enumerate(_shown(self.value)):
            at += get_character_cell_size(one)
            if offset < at:
                return index
        return len(self.value)


def _shown(text: str) -> str:
    """Return a text as it is drawn, one character for each of its own."""
    return seen(text).replace("\n", "\u240a").replace("\t", "\u2409")
