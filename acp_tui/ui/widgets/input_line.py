"""A one-line input that shows invisible characters as marks."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

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


class StandIns(NamedTuple):
    """The stand-ins of invisible characters."""

    of: dict[int, str]
    """Stand-ins by the code of what they stand for."""
    back: dict[int, str]
    pattern: re.Pattern[str]
    never: re.Pattern[str]
    """Characters that no text may contain: surrogates, and the stand-ins themselves."""


@cache
def _stand_ins() -> StandIns:
    """Return the stand-ins; they take a megabyte, and few texts need them."""
    spread = "".join(chr(code) for first, last in _WHERE for code in range(first, last + 1))
    unseen = [chr(code) for code in range(0xE0000, 0xE1000)]  # tags
    unseen += [one for one, mark in zip(spread, seen(spread), strict=True) if one != mark]
    own = f"{chr(_FIRST)}-{chr(_FIRST + len(unseen) - 1)}"
    return StandIns(
        {ord(one): chr(_FIRST + place) for place, one in enumerate(unseen)},
        {_FIRST + place: one for place, one in enumerate(unseen)},
        re.compile(f"[{own}]"),
        re.compile(f"[\ud800-\udfff{own}]"),
    )


def stand_in(text: str) -> str:
    """Return a text for a field, with stand-ins for invisible characters and newlines for all line ends."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    is_seen = seen(text) == text
    if is_seen and text.isascii():
        return text
    stand_ins = _stand_ins()
    if is_seen and not stand_ins.never.search(text):
        return text
    return stand_ins.never.sub("\ufffd", text).translate(stand_ins.of)


def original(text: str) -> str:
    """Return the text of a field without stand-ins."""
    if text.isascii():
        return text
    stand_ins = _stand_ins()
    return text.translate(stand_ins.back) if stand_ins.pattern.search(text) else text


def drawn(text: str) -> str:
    """Return the text of a field with visible marks for stand-ins."""
    return seen(original(text))
