"""Reads a journal while it grows: its last part first, then what comes, and any line again later."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

HEAD: Final = 64 << 10
"""Bytes of a line that are kept while reading; the rest is only counted."""
_FOOT: Final = 256
"""Bytes of the end of a longer line that are kept."""
_CHUNK: Final = 128 << 10


class Line(NamedTuple):
    """One complete line of a file."""

    offset: int
    size: int
    """Bytes, without the line end."""
    head: bytes
    """The line, or its first 64 KiB."""
    foot: bytes
    """The end of a line that is longer; else empty."""


class Tail:
    """The lines of one file; close it after use."""

    def __init__(self, path: Path, last: int | None = None) -> None:
        """Open a file, to read all of it or the lines in its last `last` bytes.

        Raises:
            OSError: the file cannot be opened.
        """
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        size = os.fstat(self._file).st_size
        self.skipped = self._line_start(max(0, size - last)) if last is not None else 0
        """Bytes before the first line that is read."""
        self._offset = self._at = self.skipped
        self._size = 0
        self._head = bytearray()
        self._foot = b""

    def read(self) -> tuple[list[Line], bool]:
        """Return the lines that are complete in the next 128 KiB, and whether the file goes on after them."""
        data = os.pread(self._file, _CHUNK, self._at)
        self._at += len(data)
        return list(self._lines(data)), len(data) == _CHUNK

    def line(self, offset: int, size: int, most: int | None = None) -> bytes:
        """Return a line again, or its first `most` bytes."""
        wanted = size if most is None else min(size, most)
        pieces: list[bytes] = []
        while wanted > 0:
            piece = os.pread(self._file, wanted, offset)
            if not piece:
                break
            pieces.append(piece)
            offset += len(piece)
            wanted -= len(piece)
        return b"".join(pieces)

    def close(self) -> None:
        """Close the file; more calls do nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _lines(self, data: bytes) -> Iterator[Line]:
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._add(data[start:end])
            yield Line(self._offset, self._size, bytes(self._head), self._foot if self._size > HEAD else b"")
            self._offset += self._size + 1
            self._size, self._foot = 0, b""
            self._head.clear()
            start = end + 1
        self._add(data[start:])

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        self._head += piece[: HEAD - len(self._head)]
        self._foot = (self._foot + piece[-_FOOT:])[-_FOOT:]

    def _line_start(self, offset: int) -> int:
        """Return where the line starts that `offset` is in."""
        while offset > 0:
            before = max(0, offset - _CHUNK)
            found = os.pread(self._file, offset - before, before).rfind(b"\n")
            if found >= 0:
                return before + found + 1
            offset = before
        return 0
