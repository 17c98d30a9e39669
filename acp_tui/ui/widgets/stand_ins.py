"""Characters that stand in a text field for those that are not seen, so that each takes a cell of its own."""

from __future__ import annotations

import re
from typing import Final

from acp_tui.ui.widgets.text import seen

_FIRST: Final = 0x10E000
"""Private to this program: the end of the last plane, which no font uses."""
_WHERE: Final = (
    *((0, 0xFF), (0x300, 0x3FF), (0x600, 0x6FF), (0x1100, 0x20FF), (0x3100, 0x31FF)),
    *((0xFE00, 0xFFFF), (0x1BCA0, 0x1BCAF), (0x1D170, 0x1D17F)),
)
"""Where the characters are that are not seen, but for tags."""
_TAGS: Final = [chr(code) for code in range(0xE0000, 0xE1000)]
_UNSEEN: Final = _TAGS + [
    chr(code) for first, last in _WHERE for code in range(first, last + 1) if seen(chr(code)) != chr(code)
]
_TO: Final = {ord(one): chr(_FIRST + place) for place, one in enumerate(_UNSEEN)}
_BACK: Final = {_FIRST + place: one for place, one in enumerate(_UNSEEN)}
_LAST: Final = _FIRST + len(_UNSEEN) - 1
_STAND_INS: Final = re.compile(f"[{chr(_FIRST)}-{chr(_LAST)}]")
_NEVER: Final = re.compile(f"[\ud800-\udfff{chr(_FIRST)}-{chr(_LAST)}]")
"""What no text may hold: halves of characters, and stand-ins themselves."""


def stand_in(text: str) -> str:
    """Return a text for a field, one character for each of its own; all line ends are newlines."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _NEVER.sub("\ufffd", text).translate(_TO) if seen(text) != text or _NEVER.search(text) else text


def original(text: str) -> str:
    """Return the text that stands in a field."""
    return text.translate(_BACK) if _STAND_INS.search(text) else text


def drawn(text: str) -> str:
    """Return the text of a field with marks for stand-ins."""
    return seen(original(text))
