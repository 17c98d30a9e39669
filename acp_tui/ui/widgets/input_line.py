"""A one-line input that shows invisible characters as marks."""

from __future__ import annotations

from typing import Final

from rich.cells import get_character_cell_size
from rich.text import Text
from textual.events import Paste
from textual.widgets import Input
from typing_extensions import override

from acp_tui.patterns import regex
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


_FIRST: Final = 0x10E000
"""Start of the stand-ins: private use at the end of the last plane, which no font has."""
_WHERE: Final = (
    *((0, 0xFF), (0x300, 0x3FF), (0x600, 0x6FF), (0x1100, 0x20FF), (0x3100, 0x31FF)),
    *((0xFE00, 0xFFFF), (0x1BCA0, 0x1BCAF), (0x1D170, 0x1D17F)),
)
"""Ranges of invisible characters, except tags."""
_TAGS: Final = [chr(code) for code in range(0xE0000, 0xE1000)]
_UNSEEN: Final = _TAGS + [
    chr(code) for first, last in _WHERE for code in range(first, last + 1) if seen(chr(code)) != chr(code)
]
_TO: Final = {ord(one): chr(_FIRST + place) for place, one in enumerate(_UNSEEN)}
_BACK: Final = {_FIRST + place: one for place, one in enumerate(_UNSEEN)}
_LAST: Final = _FIRST + len(_UNSEEN) - 1
_STAND_INS: Final = regex(f"[{chr(_FIRST)}-{chr(_LAST)}]")
_NEVER: Final = regex(f"[\ud800-\udfff{chr(_FIRST)}-{chr(_LAST)}]")
"""Characters that no text may contain: surrogates, and the stand-ins themselves."""


def stand_in(text: str) -> str:
    """Return a text for a field, with stand-ins for invisible characters and newlines for all line ends."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _NEVER.sub("\ufffd", text).translate(_TO) if seen(text) != text or _NEVER.search(text) else text


def original(text: str) -> str:
    """Return the text of a field without stand-ins."""
    return text.translate(_BACK) if _STAND_INS.search(text) else text


def drawn(text: str) -> str:
    """Return the text of a field with visible marks for stand-ins."""
    return seen(original(text))
