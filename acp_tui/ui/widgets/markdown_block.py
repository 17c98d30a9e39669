"""A block of Markdown that grows while it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from time import perf_counter
from types import MappingProxyType
from typing import Any, Final

from rich.segment import Segment

from acp_tui.session.growing import GrowingText
from acp_tui.ui.widgets.blocks import Block
from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.markdown import Page
from acp_tui.ui.widgets.stream import Stream
from acp_tui.ui.widgets.text import open_end, safe
from acp_tui.ui.widgets.wrap import Row

_GULP: Final = 65_536
"""Characters cleaned at once."""

_ALL: Final = 1 << 60
"""More rows than there are."""

_NONE: Final[Mapping[str, Any]] = MappingProxyType({})


def rows_of(text: str, width: int) -> int:
    """Estimate the rows of a text for which there is no block yet, as the block does."""
    return text.count("\n") + 1 + len(text) // max(1, width) if text else 0


class MarkdownBlock(Block):
    """Markdown as an agent sends it: `append` what comes, `finish` at the end; any cut gives the same rows.

    A change of width or look lays the source out again, in slices when it is long.
    """

    __slots__ = (
        "_above",
        "_at",
        "_clean",
        "_ended",
        "_finished",
        "_half",
        "_indent",
        "_last",
        "_length",
        "_line_ends",
        "_read",
        "_references",
        "_role",
        "_stream",
        "_taken",
        "_text",
        "_unsettled",
        "kept",
        "landmark",
        "waiting",
    )

    def __init__(
        self,
        text: str | GrowingText = "",
        *,
        role: str = "text",
        indent: int = 0,
        above: int = 0,
        landmark: bool = False,
    ) -> None:
        """Start with `text` in the style of `role`, `indent` cells from the left, below `above` rows."""
        self.kept = 0
        self.landmark = landmark
        self._role = role
        self._indent = indent
        self._above = above
        self._ended = False
        """Whether the stream was told that the text is complete."""
        self._line_ends = self._length = 0
        self._unsettled = _ALL
        """The first row that was painted in colours that may change."""
        self.replace(text)

    def append(self, text: str) -> None:
        """Add a piece of the text; the transcript has to be told by `Transcript.changed`."""
        self._text.append(text)
        self.grown()

    def grown(self) -> None:
        """Take note of what was added to the text that the block was given; else as `append`."""
        new = self._text.since(self._length)
        if new:
            if self._ended:
                self._restart()
            self.waiting += len(new)
            self._line_ends += new.count("\n")
            self._length = self._text.length  # not a number of its own beside that
            self._finished = False

    def finish(self) -> None:
        """Say that the text is complete, so that its end is read as such."""
        self._text.finish()
        self.grown()
        self._finished = True

    def replace(self, text: str | GrowingText) -> None:
        """Show another text, which may grow in turn."""
        self._text = text if isinstance(text, GrowingText) else GrowingText(text)
        self._line_ends = self._length = 0
        self._finished = False
        self._references: Mapping[str, Any] = _NONE
        self._restart()
        self.grown()

    def rows(self, width: int, look: Look) -> Sequence[Row]:
        """Return the rows of the whole text, with work only for what is new."""
        return self.some_rows(width, look, inf)

    def some_rows(self, width: int, look: Look, until: float) -> Sequence[Row]:
        """Return the rows of as much text as can be laid out by `until`, but of one more piece at least."""
        before = self._stream if self._at == (width, look) else None
        stream = before or self._start(width, look)
        frozen = stream.frozen
        tail = stream.rows[frozen:]
        while self.waiting or (self._finished and not self._ended):
            room = stream.room
            piece = self._take(room) if self.waiting else ""
            if not self._finished or self.waiting or len(piece) == room:
                stream.feed(piece)
            else:
                stream = self._end(stream, piece, width, look)
            if perf_counter() > until:
                break
        self.kept = frozen + _common(tail, stream.rows[frozen:]) if stream is before else 0
        self.kept, self._unsettled = min(self.kept, self._unsettled), _ALL
        return stream.rows

    def height_hint(self, width: int) -> int:
        """Estimate from the number of characters and lines."""
        room = max(1, width - self._indent)
        return self._above + (self._line_ends + 1 + self._length // room if self._length else 0)

    def source(self) -> str:
        """Return the Markdown as it came."""
        return str(self._text)

    def inked(self, number: int, row: Row) -> Row:
        """Return a row with the colours of code."""
        if self._stream is None:
            return row
        inked, settled = self._stream.inked(number)
        if not settled:
            self._unsettled = min(self._unsettled, number)
        return inked

    def forget_rows(self) -> None:
        """Drop the rows of a text that does not grow any more."""
        if self._finished:
            self._restart()

    def _restart(self) -> None:
        """Forget all layout; the source waits to be laid out from its start."""
        self._stream: Stream | None = None
        self._at: tuple[int, Look] | None = None
        self._read = 0
        """How much of the text was taken in and cleaned."""
        self._clean = ""
        self._taken = 0
        self._half = self._last = ""
        self._ended = False
        self.waiting: int = self._length

    def _start(self, width: int, look: Look) -> Stream:
        self._restart()
        prefix = [Segment(" " * self._indent)] if self._indent else []
        self._stream = Stream(Page(width, look, self._role, prefix, self._above), self._references)
        self._at = (width, look)
        return self._stream

    def _take(self, most: int) -> str:
        """Return the next piece of the text, made safe to draw, with at most `most` characters."""
        if self._taken == len(self._clean):
            self._clean, self._taken = self._gulp(), 0
        piece = self._clean[self._taken : self._taken + most]
        self._taken += len(piece)
        if self._taken == len(self._clean):
            self._clean, self._taken = "", 0
        self.waiting = self._length - self._read + len(self._clean) - self._taken
        return piece

    def _gulp(self) -> str:
        """Take and clean what came in, but for an end that may be half of something."""
        new = self._text.since(self._read, min(_GULP, self._length - self._read))
        self._read += len(new)
        text = self._half + new
        end = open_end(text)
        text, self._half = text[:end], text[end:]
        before, self._last = self._last, text[-1:] or self._last
        return safe(text.replace("\r\n", "\n"), before)

    def _end(self, stream: Stream, piece: str, width: int, look: Look) -> Stream:
        """End the stream with its last piece; links defined after their use need all to be laid out again."""
        if self._half:
            stream.feed(piece + safe(self._half, self._last))
            self._half = piece = ""
        stream.finish(piece)
        self._ended = True
        if stream.references.keys() == self._references.keys():
            return stream
        self._references = stream.references
        return self._start(width, look)


def _common(old: Sequence[Row], new: Sequence[Row]) -> int:
    """Return how many leading rows are equal."""
    return next(
        (k for k, (one, two) in enumerate(zip(old, new, strict=False)) if one != two), min(len(old), len(new))
    )
