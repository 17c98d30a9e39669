"""Marks outside ASCII, drawn in ASCII: frames, arrows, dots; letters of any script stay as they are."""

from __future__ import annotations

from typing import Final

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_FRAMES: Final = range(0x2500, 0x2580)
_BLOCKS: Final = range(0x2580, 0x25A0)
_HORIZONTAL: Final = "─━┄┅┈┉╌╍═╴╶╸╺╼╾"
_VERTICAL: Final = "│┃┆┇┊┋╎╏║╵╷╹╻╽╿"

_TABLE: Final[dict[int, str]] = {
    **dict.fromkeys(_FRAMES, "+"),
    **dict.fromkeys(_BLOCKS, "#"),
    **dict.fromkeys(map(ord, _HORIZONTAL), "-"),
    **dict.fromkeys(map(ord, _VERTICAL), "|"),
    **{ord(mark): plain for mark, plain in zip("←→↑↓…·•−“”‘’–", "<>^v~-*-\"\"''-", strict=True)},
}
"""One cell for one cell."""


class AsciiFilter(LineFilter):
    """Draws marks in ASCII, whoever they are of: the terminal has no others."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments with their marks in ASCII."""
        return [
            segment if segment.text.isascii() else Segment(segment.text.translate(_TABLE), *segment[1:])
            for segment in segments
        ]
