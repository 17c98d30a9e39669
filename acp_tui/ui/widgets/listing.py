"""The code of one block: rows need its text alone, its colours are worked out when a row is painted."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from acp_tui.ui.widgets.highlight import Coloured, colour

GROUPS: Final = (16, 32, 64)
"""How many lines are coloured at once: the smallest number that does not end in a string or comment."""

STRETCH: Final = 128
"""Lines after which colouring starts anew, so that the last of many lines is painted as soon as the first."""


class Listing:
    """Lines of code that may become more, coloured in groups.

    The colours depend on the lines alone, so that a stream gets the same as a whole text. Each group starts
    with a fresh lexer: a string or comment of more than 64 lines, or over the end of a stretch, loses its
    colour there.
    """

    __slots__ = ("_groups", "_newest", "_stretch", "complete", "language", "lines")

    def __init__(self, language: str) -> None:
        self.language = language
        self.lines: list[str] = []
        """As they came, with tabs."""
        self.complete = 0
        """How many of the lines are known to their end."""
        self._stretch = 0
        self._groups: list[int] = []
        """The first lines of the groups that are known, in the stretch that was painted last."""
        self._newest: tuple[int, int, Coloured] | None = None

    @property
    def text(self) -> str:
        """The code, each line with its end."""
        return "".join([f"{line}\n" for line in self.lines])

    def take(self, kept: int, lines: Sequence[str], complete: int) -> None:
        """Replace all lines but the first `kept` ones; `complete` of the new ones are known to their end."""
        del self.lines[kept:]
        self.lines += lines
        self.complete = kept + complete
        if self._newest is not None and self._newest[1] > kept:
            self._newest = None

    def spans(self, number: int) -> tuple[Sequence[tuple[str, str]], bool]:
        """Return a line as pairs (text, role), and whether more lines cannot change that."""
        start, end, settled = self._group(number)
        return self._coloured(start, end).lines[number - start], settled

    def _group(self, number: int) -> tuple[int, int, bool]:
        """Return the group of a line, as its first line and the one after it, and whether it is final."""
        stretch = number - number % STRETCH
        if stretch != self._stretch or not self._groups:
            self._stretch, self._groups = stretch, [stretch]
        place = bisect_right(self._groups, number) - 1
        if place + 1 < len(self._groups):
            return self._groups[place], self._groups[place + 1], True
        start = self._groups[-1]
        while size := self._size(start):
            self._groups.append(start + size)
            if number < start + size:
                return start, start + size, True
            start += size
        return start, min(len(self.lines), stretch + STRETCH), False

    def _size(self, start: int) -> int:
        """Return how many lines from `start` on are coloured together, or 0 while too few are there."""
        stop = min(self.complete, self._stretch + STRETCH)
        for size in GROUPS:
            end = min(start + size, self._stretch + STRETCH)
            if end > stop:
                return 0
            if size == GROUPS[-1] or end == self._stretch + STRETCH or not self._coloured(start, end).inside:
                break
        return end - start

    def _coloured(self, start: int, end: int) -> Coloured:
        """Return some lines in colours; those painted last are at hand, others perhaps as well."""
        if self._newest is not None and self._newest[0] == start and self._newest[1] == end:
            return self._newest[2]
        code = "\n".join([line.expandtabs(4) for line in self.lines[start:end]])
        coloured = colour(self.language, code)
        self._newest = (start, end, coloured)
        return coloured
