"""Pictures in half blocks, two pixels per cell, decoded in a thread."""

from __future__ import annotations

import asyncio
import base64
import binascii
import io
import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from typing_extensions import override

from acp_tui.ui.widgets.styles import Styles
from acp_tui.ui.widgets.text import Row
from acp_tui.ui.widgets.transcript.blocks import Block, TextBlock

if TYPE_CHECKING:  # Pillow is loaded for the first picture
    from PIL.Image import Image


COLUMNS: Final = 64
ROWS: Final = 20
"""Size of a picture in cells, at most."""

_BYTES: Final = 32 * 1024 * 1024
MAX_PIXELS: Final = 50_000_000
"""Limits for decoding: an image of a few bytes can unfold to gigabytes."""

_FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
_BROKEN: Final = (OSError, ValueError, SyntaxError, EOFError, IndexError, KeyError, struct.error)
"""Errors that decoders raise for broken data."""

Pixel = tuple[int, int, int, int]


class PictureBlock(Block):
    """A picture and its caption, or the caption alone if it is not or cannot be decoded."""

    def __init__(self, data: str, caption: str, redraw: Callable[[Block], None], *, indent: int = 0) -> None:
        """Take an image.

        Args:
            data: the image in base64.
            caption: the text below it.
            redraw: called when the rows have changed.
            indent: cells to the left.
        """
        self._data = data
        self._indent = [("text", " " * indent)] if indent else []
        self._caption = TextBlock([("muted", f"[{caption}]")], first=self._indent, rest=self._indent)
        self._redraw = redraw
        self._columns = 0
        self._picture: list[Row] = []
        self._decoding: asyncio.Future[list[Row]] | None = None

    @override
    def rows(self, width: int, styles: Styles) -> Sequence[Row]:
        self.stable_rows = 0
        columns = max(1, min(COLUMNS, width - sum(len(text) for _, text in self._indent)))
        if columns != self._columns:
            self._columns = columns
            self._decode(columns)
        indent = [Segment(text) for _, text in self._indent]
        return [*([*indent, *row] for row in self._picture), *self._caption.rows(width, styles)]

    @override
    def height_hint(self, width: int) -> int:
        return len(self._picture) + self._caption.height_hint(width)

    @override
    def source(self) -> str:
        return self._caption.source()

    @override
    def forget_rows(self) -> None:
        self._columns, self._picture = 0, []

    def _decode(self, columns: int) -> None:
        loop = asyncio.get_running_loop()
        self._decoding = loop.run_in_executor(None, decoded, self._data, columns, ROWS)
        self._decoding.add_done_callback(lambda done: self._take(done, columns))

    def _take(self, done: asyncio.Future[list[Row]], columns: int) -> None:
        if done.cancelled() or columns != self._columns:
            return
        picture = done.result()
        if picture != self._picture:
            self._picture = picture
            self._redraw(self)


def has_pictures(app: App[Any], styles: Styles) -> bool:
    """Return True if the terminal has true colours and draws more than ASCII."""
    return app.console.color_system == "truecolor" and not app.no_color and not styles.ascii


def decoded(data: str, columns: int, rows: int) -> list[Row]:
    """Return an image in base64 as rows of cells, not enlarged; none for a broken one.

    The slow parts release the GIL.
    """
    from PIL import Image  # pictures are rare, and it takes ten milliseconds

    Image.MAX_IMAGE_PIXELS = None  # ours is checked below, without a warning on the terminal
    try:
        raw = base64.b64decode(data[: _BYTES * 4 // 3 + 4])
        with Image.open(io.BytesIO(raw), formats=_FORMATS) as image:
            if image.width * image.height > MAX_PIXELS:
                return []
            image.draft("RGB", (columns * 2, rows * 4))  # a JPEG can be decoded smaller
            small = image.convert("RGBA")
            small.thumbnail((columns, rows * 2))
            return _cells(small)
    except (*_BROKEN, binascii.Error):
        return []


def _cells(image: Image) -> list[Row]:
    """Return rows of two pixels per cell; equal neighbours share a segment."""
    width, height = image.size
    pixels: list[Pixel] = list(struct.iter_unpack("4B", image.tobytes()))
    pixels += [(0, 0, 0, 0)] * width  # below an odd last row is nothing
    return [
        _row(pixels[top * width : (top + 1) * width], pixels[(top + 1) * width : (top + 2) * width])
        for top in range(0, height, 2)
    ]


def _row(upper: Sequence[Pixel], lower: Sequence[Pixel]) -> Row:
    row: Row = []
    before: tuple[Pixel, Pixel] | None = None
    for pair in zip(upper, lower, strict=True):
        if pair == before:
            row[-1] = Segment(row[-1].text + row[-1].text[0], row[-1].style)
        else:
            row.append(_cell(*pair))
        before = pair
    return row


def _cell(upper: Pixel, lower: Pixel) -> Segment:
    """Return two pixels as one cell; transparent ones show the background."""
    above, below = _color(upper), _color(lower)
    if above is None and below is None:
        return Segment(" ")
    if above is None:
        return Segment("▄", Style(color=below))
    return Segment("▀", Style(color=above, bgcolor=below))


def _color(pixel: Pixel) -> Color | None:
    return Color.from_rgb(*pixel[:3]) if pixel[3] >= 128 else None
