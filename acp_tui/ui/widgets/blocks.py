"""What a transcript is made of: blocks, each of which knows its source and turns it into rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style

from acp_tui.ui.widgets.look import Look
from acp_tui.ui.widgets.text import safe
from acp_tui.ui.widgets.wrap import Row, Span, wrap


class Block(ABC):
    """One piece of a transcript. Subclasses say what its rows are; compared by identity."""

    __slots__ = ()  # so that the blocks of which there are many can have theirs

    kept: int = 0
    """After `rows` or `some_rows`: how many leading rows are the same as after the call before it."""
    waiting: int = 0
    """Characters taken in that are not laid out yet."""
    is_action: bool = False
    """Whether Enter or a click on the block does something."""
    landmark: bool = False
    """Whether the keys that jump from prompt to prompt stop here."""

    @abstractmethod
    def rows(self, width: int, look: Look) -> Sequence[Row]:
        """Return all rows, each of at most `width` cells and made of safe text; sets `kept`.

        A growing block may return the same list again, and then works for what is new only.
        """

    def some_rows(self, width: int, look: Look, until: float) -> Sequence[Row]:
        """Return the rows that are ready by `until` (a time of `time.perf_counter`); the rest is `waiting`.

        Only blocks that can be long need their own.
        """
        return self.rows(width, look)

    def inked(self, number: int, row: Row) -> Row:
        """Return row `number` of those laid out last as it is painted: what is seen may cost more.

        The text is the same as that of `row`.
        """
        return row

    @abstractmethod
    def height_hint(self, width: int) -> int:
        """Estimate the number of rows, cheaply, for a block that was not laid out yet."""

    @abstractmethod
    def source(self) -> str:
        """Return the text that the block stands for, for copying."""

    def searched(self) -> str:
        """Return the text that a search looks through, with what is folded or shown elsewhere."""
        return self.source()

    def forget_rows(self) -> None:  # noqa: B027  # most blocks keep none
        """Give back the memory of the rows; they can be made again."""


class TextBlock(Block):
    """A short text with styles, wrapped under prefixes for its first and its other rows."""

    __slots__ = ("_above", "_first", "_laid_out", "_rest", "_spans", "is_action", "kept", "landmark")

    def __init__(
        self,
        spans: Sequence[tuple[str | Style, str]] = (),
        *,
        first: Sequence[tuple[str | Style, str]] = (),
        rest: Sequence[tuple[str | Style, str]] = (),
        above: int = 0,
        is_action: bool = False,
        landmark: bool = False,
    ) -> None:
        """Take pieces as pairs (role or style, text).

        Args:
            spans: the text.
            first: the prefix of the first row.
            rest: the prefix of the other rows, as wide as `first`.
            above: empty rows before the text.
            is_action: whether Enter or a click on it does something.
            landmark: whether the keys from prompt to prompt stop here.
        """
        self.kept = 0
        self._above = above
        self.is_action = is_action
        self.landmark = landmark
        self._first = tuple(first)
        self._rest = tuple(rest)
        self._laid_out: tuple[int, Look, list[Row]] | None = None
        self.set_spans(spans)

    def set_spans(self, spans: Sequence[tuple[str | Style, str]]) -> None:
        """Show other text; the transcript has to be told by `Transcript.changed`."""
        self._spans = tuple(spans)
        self._laid_out = None

    def rows(self, width: int, look: Look) -> Sequence[Row]:
        """Return the wrapped text."""
        if self._laid_out and self._laid_out[0] == width and self._laid_out[1] is look:
            self.kept = len(self._laid_out[2])
            return self._laid_out[2]
        first = [Segment(*span) for span in _spans(self._first, look)]
        rest = [Segment(*span) for span in _spans(self._rest, look)]
        rows: list[Row] = [[] for _ in range(self._above)]
        rows.extend(wrap(_spans(self._spans, look), width, first, rest))
        self._laid_out = (width, look, rows)
        self.kept = 0
        return rows

    def height_hint(self, width: int) -> int:
        """Estimate from the number of characters and lines."""
        text = self._text
        return self._above + text.count("\n") + 1 + len(text) // max(1, width)

    def source(self) -> str:
        """Return the text without styles and prefixes."""
        return self._text

    @property
    def _text(self) -> str:
        return "".join([text for _, text in self._spans])

    def forget_rows(self) -> None:  # most blocks keep none
        """Drop the rows."""
        self._laid_out = None


def _spans(pieces: Sequence[tuple[str | Style, str]], look: Look) -> list[Span]:
    return [
        (safe(text.replace("\r\n", "\n")), kind if isinstance(kind, Style) else look[kind])
        for kind, text in pieces
    ]
