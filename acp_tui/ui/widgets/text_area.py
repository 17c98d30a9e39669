"""A text area in which invisible characters are seen."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from rich.text import Text
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult
from typing_extensions import override

from acp_tui.ui.widgets.text import seen


class PlainTextArea(TextArea):
    """A text area that holds stand-ins for invisible characters, and gives its text without them."""

    @property
    @override
    def text(self) -> str:
        return _original(self.document.text)

    @text.setter
    def text(self, text: str) -> None:
        self.load_text(text)

    def line_at(self, row: int) -> str:
        """Return a line of the text, from 0."""
        return _original(self.document.get_line(row))

    @override
    def get_text_range(self, start: tuple[int, int], end: tuple[int, int]) -> str:
        return _original(super().get_text_range(start, end))

    @override
    def edit(self, edit: Edit) -> EditResult:
        edit.text = _stand_in(edit.text)
        return super().edit(edit)

    @override
    def _set_document(self, text: str, language: str | None) -> None:
        super()._set_document(_stand_in(text), language)

    @override
    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        line.plain = _drawn(line.plain)
        return line


_FIRST: Final = 0x10E000
"""Start of the stand-ins: private use at the end of the last plane, which no font has."""
_FIRST_NEVER: Final = "\ud800"
"""The first character that no text may contain."""
_WHERE: Final = (
    *((0, 0xFF), (0x300, 0x3FF), (0x600, 0x6FF), (0x1100, 0x20FF), (0x3100, 0x31FF)),
    *((0xFE00, 0xFFFF), (0x1BCA0, 0x1BCAF), (0x1D170, 0x1D17F)),
)
"""Ranges of invisible characters, except tags."""


class _StandIns(NamedTuple):
    """The stand-ins of invisible characters."""

    of: dict[int, str]
    """Stand-ins by the code of what they stand for."""
    back: dict[int, str]
    pattern: re.Pattern[str]
    never: re.Pattern[str]
    """Characters that no text may contain: surrogates, and the stand-ins themselves."""


@cache
def _stand_ins() -> _StandIns:
    """Return the stand-ins; they take a megabyte, and few texts need them."""
    spread = "".join(chr(code) for first, last in _WHERE for code in range(first, last + 1))
    unseen = [chr(code) for code in range(0xE0000, 0xE1000)]  # tags
    unseen += [one for one, mark in zip(spread, seen(spread), strict=True) if one != mark]
    own = f"{chr(_FIRST)}-{chr(_FIRST + len(unseen) - 1)}"
    return _StandIns(
        {ord(one): chr(_FIRST + place) for place, one in enumerate(unseen)},
        {_FIRST + place: one for place, one in enumerate(unseen)},
        re.compile(f"[{own}]"),
        re.compile(f"[\ud800-\udfff{own}]"),
    )


def _stand_in(text: str) -> str:
    """Return a text for a field, with stand-ins for invisible characters and newlines for all line ends."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    is_seen = seen(text) == text
    if is_seen and max(text, default="") < _FIRST_NEVER:
        return text
    stand_ins = _stand_ins()
    if is_seen and not stand_ins.never.search(text):
        return text
    return stand_ins.never.sub("\ufffd", text).translate(stand_ins.of)


def _original(text: str) -> str:
    """Return the text of a field without stand-ins."""
    if max(text, default="") < chr(_FIRST):
        return text
    stand_ins = _stand_ins()
    return text.translate(stand_ins.back) if stand_ins.pattern.search(text) else text


def _drawn(text: str) -> str:
    """Return the text of a field with visible marks for stand-ins."""
    return seen(_original(text))
