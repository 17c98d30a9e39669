"""The files of a diff view together: which are compared, what they are made of, and their patch."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, overload

from acp_tui.ui.widgets.diff_layout import Part
from acp_tui.ui.widgets.diff_page import FileDiff, Page
from acp_tui.ui.widgets.diff_paint import DiffPainter


class Change(NamedTuple):
    """A change in one of the files: lines from 0 of both texts, the last not included."""

    file: int
    """Its place among the files."""
    old_start: int
    old_stop: int
    new_start: int
    new_stop: int


class Pages(Sequence[Page]):
    """Some files in their order."""

    def __init__(self, files: Iterable[FileDiff] = ()) -> None:
        self._pages = [Page(file) for file in files]

    def __len__(self) -> int:
        return len(self._pages)

    @overload
    def __getitem__(self, place: int) -> Page: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Page]: ...

    def __getitem__(self, place: int | slice) -> Page | Sequence[Page]:
        return self._pages[place]

    @property
    def waiting(self) -> list[Page]:
        """Those that are not compared yet."""
        return [page for page in self._pages if page.difference is None]

    @property
    def longest(self) -> int:
        """Characters of the longest line."""
        return max((page.longest for page in self._pages), default=0)

    def compare_small(self, until: float) -> None:
        """Compare small files, until a time of `time.monotonic`."""
        for page in self._pages:
            if page.is_small and time.monotonic() < until:
                page.difference = page.compare()

    def parts(
        self, sides: bool, wrapping: Callable[[Page], DiffPainter | None]
    ) -> Iterator[tuple[int, Part]]:
        """Yield (file, part) of what the files are made of; `wrapping` gives what wraps the lines of one."""
        for number, page in enumerate(self._pages):
            for part in page.parts(sides, number > 0, wrapping(page)):
                yield number, part

    def paint_again(self) -> None:
        """Forget what was painted, for another width or look."""
        for page in self._pages:
            page.paint_again()

    def unfold(self, *, all_lines: bool) -> None:
        """Show all unchanged lines, or fold them all."""
        for page in self._pages:
            page.opened.clear()
            if all_lines and page.difference:
                page.opened.update(range(len(page.difference.blocks)))

    def change(self, file: int, first: int, last: int) -> Change:
        """Return the change that blocks of a compared file make up, the last of them included."""
        difference = self._pages[file].difference
        assert difference is not None, "a file has changes once it is compared"
        one, other = difference.blocks[first], difference.blocks[last]
        return Change(file, one.old_start, other.old_stop, one.new_start, other.new_stop)

    def lines_of(self, change: Change) -> tuple[list[str], list[str]]:
        """Return the lines of a change on both sides."""
        difference = self._pages[change.file].difference
        assert difference is not None, "a file has changes once it is compared"
        old = list(difference.old[change.old_start : change.old_stop])
        return old, list(difference.new[change.new_start : change.new_stop])

    def patch(self) -> str:
        """Return all files as a patch."""
        return "".join(page.patch() for page in self._pages)
