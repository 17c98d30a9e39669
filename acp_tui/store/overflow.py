"""Rows of what an agent says beside the protocol, once it is too much for a journal: the newest are kept.

They are in two files that take turns. At its end the journal takes them in; after a crash they still lie
beside it, and are read as its last rows.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from acp_tui.store.folders import private_folder

ROOM: Final = 4 << 20
"""Bytes of the newest rows that are kept, at least."""
_WHAT: Final = "what was said beside the protocol"


class Overflow:
    """Writes the two files. Never fails its owner: what cannot be written is dropped, and counted."""

    def __init__(self, journal: Path) -> None:
        self.dropped = 0
        """Bytes that are kept nowhere."""
        self._paths = paths_beside(journal)
        self._sizes = [0, 0]
        self._now = 1
        self._file: int | None = None
        self._rows: list[bytes] = []

    def add(self, row: bytes) -> None:
        """Keep a row, in the place of the oldest ones."""
        self._rows.append(row)

    def flush(self) -> None:
        """Hand what was added to the system."""
        if not self._rows:
            return
        data = b"".join(self._rows)
        self._rows.clear()
        try:
            if self._file is None or self._sizes[self._now] >= ROOM:
                self._turn()
            assert self._file is not None
            begin = os.fstat(self._file).st_size
            if os.write(self._file, data) < len(data):
                os.ftruncate(self._file, begin)  # half a row would take the next one with it
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            self.dropped += len(data)
        else:
            self._sizes[self._now] += len(data)

    def close(self) -> None:
        """Write the rest; more calls do nothing."""
        self.flush()
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _turn(self) -> None:
        """Go on in the other file, without what it holds."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        self._now = 1 - self._now
        self.dropped += self._sizes[self._now]
        self._sizes[self._now] = 0
        private_folder(self._paths[self._now].parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        file = os.open(self._paths[self._now], flags, 0o600)
        try:
            os.write(file, b"%d\n" % self.dropped)
        except OSError:
            os.close(file)
            raise
        self._file = file


def kept_rows(journal: Path, dropped: int | None = None) -> Iterator[bytes]:
    """Yield a remark on how much was dropped, and then the rows that are kept beside a journal.

    Args:
        journal: the journal.
        dropped: bytes, where it is known better than the files tell.
    """
    kept: list[tuple[int, bytes]] = []
    for path in paths_beside(journal):
        with suppress(OSError, ValueError):
            count, _, data = path.read_bytes().partition(b"\n")
            kept.append((int(count), data))
    kept.sort(key=lambda one: one[0])  # what was begun later has seen more dropped
    lines = [line for _, data in kept for line in data.splitlines(keepends=True)]
    if lines:
        t = 0.0
        with suppress(ValueError, KeyError, TypeError):
            t = float(json.loads(lines[0])["t"])
        told = {"dropped": kept[-1][0] if dropped is None else dropped, "of": _WHAT}
        yield json.dumps({"t": t, "dir": "note", "msg": told}).encode() + b"\n"
        yield from lines


def remove(journal: Path) -> None:
    """Delete what is kept beside a journal."""
    for path in paths_beside(journal):
        with suppress(OSError):
            path.unlink()


def paths_beside(journal: Path) -> tuple[Path, Path]:
    """Return the two files beside a journal, which may be missing."""
    return journal.with_suffix(".beside-0"), journal.with_suffix(".beside-1")
