"""The rows of one text: of a very long one, those far from its end are kept packed, and unpacked to be seen.

A row takes ten times the room of its text, and an agent may print megabytes in one message.
"""

from __future__ import annotations

import marshal
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, SupportsIndex, overload

from rich.segment import Segment
from rich.style import Style

from acp_tui.ui.widgets.wrap import Continued, Row, row_text

TOGETHER: Final = 256
"""Rows that are packed and unpacked together: about a millisecond of work."""

LOOSE: Final = 4_096
"""Rows at the end that are never packed: few texts have more."""

_UNPACKED: Final = 8
"""Packs of which the rows are at hand because they were looked at."""


class PackedRows(Sequence[Row]):
    """A list of rows that grows and is cut at its end; `pack` makes those small that stay as they are."""

    __slots__ = ("_loose", "_numbers", "_packs", "_styles", "_unpacked")

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._packs: list[bytes] = []
        self._loose: list[Row] = list(rows)
        self._styles: list[Style | None] = []
        self._numbers: dict[Style | None, int] = {}
        self._unpacked: dict[int, list[Row]] = {}

    def __len__(self) -> int:
        return len(self._packs) * TOGETHER + len(self._loose)

    @overload
    def __getitem__(self, place: SupportsIndex) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Row | list[Row]:
        """Return a row, or some of them as a list."""
        packed = len(self._packs) * TOGETHER
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            if start >= packed and step == 1:
                return self._loose[start - packed : max(0, stop - packed)]
            return [self[number] for number in range(start, stop, step)]
        number = place.__index__()
        if number < 0:
            number += len(self)
        if number >= packed:
            return self._loose[number - packed]
        if number < 0:
            raise IndexError(place)
        return self._rows_of(number // TOGETHER)[number % TOGETHER]

    def append(self, row: Row) -> None:
        """Add a row at the end."""
        self._loose.append(row)

    def extend(self, rows: Iterable[Row]) -> None:
        """Add rows at the end."""
        self._loose.extend(rows)

    def cut(self, length: int) -> None:
        """Take all rows but the first `length` away."""
        while length < len(self._packs) * TOGETHER:
            last = len(self._packs) - 1
            self._loose[:0] = self._rows_of(last)
            self._unpacked.pop(last, None)
            del self._packs[last]
        del self._loose[length - len(self._packs) * TOGETHER :]

    def pack(self, settled: int) -> None:
        """Pack what is far enough from the end, of the first `settled` rows, which do not change any more."""
        while settled - len(self._packs) * TOGETHER >= LOOSE + TOGETHER:
            packed = [self._packed(row) for row in self._loose[:TOGETHER]]
            self._packs.append(zlib.compress(marshal.dumps(packed), 1))
            del self._loose[:TOGETHER]

    def texts(self) -> Iterator[str]:
        """Yield the text of each row, for a search: quicker than the rows."""
        for pack in self._packs:
            for _, *parts in marshal.loads(zlib.decompress(pack)):
                yield "".join(parts[::2])
        yield from map(row_text, self._loose)

    def _packed(self, row: Row) -> tuple[object, ...]:
        """Return a row as values: where a line goes on what that took, and the texts with their styles."""
        parts: list[object] = []
        for text, style, _ in row:
            number = self._numbers.get(style)
            if number is None:
                number = self._numbers[style] = len(self._styles)
                self._styles.append(style)
            parts += (text, number)
        return ((row.prefix, row.glue) if isinstance(row, Continued) else None, *parts)

    def _rows_of(self, pack: int) -> list[Row]:
        rows = self._unpacked.pop(pack, None)
        if rows is None:
            rows = [self._row(*packed) for packed in marshal.loads(zlib.decompress(self._packs[pack]))]
            if len(self._unpacked) >= _UNPACKED:
                del self._unpacked[next(iter(self._unpacked))]
        self._unpacked[pack] = rows  # looked at the latest
        return rows

    def _row(self, continued: tuple[int, str] | None, *parts: str | int) -> Row:
        texts, numbers = parts[::2], parts[1::2]
        row: Row = []
        if continued is not None:
            row = Continued([], continued[1])
            row.prefix = continued[0]
        row.extend([Segment(text, self._styles[number]) for text, number in zip(texts, numbers, strict=True)])  # type: ignore[arg-type,index]  # in turn
        return row
