"""The overflow of a journal: the latest rows of unbounded kinds, in two files beside it.

Stray lines are unbounded: an agent in a loop writes gigabytes. The first of them go into the journal, later
rows into the two files, used in turn: when one has 4 MiB, the other is emptied and used, so the newest 4 to
8 MiB remain. Each file begins with the number of bytes dropped so far. `Journal.close` appends both to the
journal, after a note with that number.
"""

from __future__ import annotations

import errno
import io
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from acp_tui.store.folders import private_folder
from acp_tui.store.plain_files import open_plain, plain_bytes

LATEST_BYTES: Final = 4 << 20
"""Minimum bytes kept of the latest rows."""
_WHAT: Final = "rows of which only the latest are kept"


class Overflow:
    """The files beside a journal. It never raises: unwritable rows are dropped and counted."""

    def __init__(self, journal: Path) -> None:
        self.dropped = 0
        """Bytes lost."""
        self._paths = paths_beside(journal)
        self._sizes = [0, 0]
        self._now = 1
        self._file: int | None = None
        self._rows: list[bytes] = []

    def add(self, row: bytes) -> None:
        """Add a row, displacing the oldest ones."""
        self._rows.append(row)

    def flush(self) -> None:
        """Write the added rows."""
        if not self._rows:
            return
        data = b"".join(self._rows)
        self._rows.clear()
        try:
            if self._file is None or self._sizes[self._now] >= LATEST_BYTES:
                self._turn()
            assert self._file is not None
            begin = os.fstat(self._file).st_size
            if os.write(self._file, data) < len(data):
                os.ftruncate(self._file, begin)  # a partial row would corrupt the next one
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            self.dropped += len(data)
        else:
            self._sizes[self._now] += len(data)

    def close(self) -> None:
        """Write the rest and close; further calls do nothing."""
        self.flush()
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _turn(self) -> None:
        """Empty the other file and continue there."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        self._now = 1 - self._now
        self.dropped += self._sizes[self._now]
        self._sizes[self._now] = 0
        private_folder(self._paths[self._now].parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_NOFOLLOW
        file = open_plain(self._paths[self._now], flags)
        try:
            os.write(file, b"%d\n" % self.dropped)
        except OSError:
            os.close(file)
            raise
        self._file = file


def kept_rows(journal: Path, dropped: int | None = None) -> Iterator[bytes]:
    """Yield a note of the bytes dropped, and the rows kept beside a journal.

    Args:
        journal: the journal.
        dropped: the bytes dropped, if known better than from the files.
    """
    kept: list[tuple[int, bytes]] = []
    for path in paths_beside(journal):
        with suppress(OSError, ValueError):
            count, _, data = plain_bytes(path).partition(b"\n")
            kept.append((int(count), data))
    kept.sort(key=lambda one: one[0])  # the later file has the higher count
    lines = [line for _, data in kept for line in io.BytesIO(data)]  # a message may contain "\r"
    if lines:
        t = 0.0
        with suppress(ValueError, KeyError, TypeError):
            t = float(json.loads(lines[0])["t"])
        note = {"dropped": kept[-1][0] if dropped is None else dropped, "of": _WHAT}
        yield json.dumps({"t": t, "dir": "note", "msg": note}).encode() + b"\n"
        yield from lines


def remove_overflow(journal: Path) -> None:
    """Delete the files beside a journal."""
    for path in paths_beside(journal):
        with suppress(OSError):
            path.unlink()


def paths_beside(journal: Path) -> tuple[Path, Path]:
    """Return the two files beside a journal, existing or not."""
    return journal.with_suffix(".beside-0"), journal.with_suffix(".beside-1")
