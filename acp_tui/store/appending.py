"""Lines at the end of a file that several programs of ours write: whole lines, or nothing."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
"""What the system says where a disk, or a person's share of it, is full: that may pass."""


def append(path: Path, lines: bytes, *, follows: bool = True) -> None:
    """Add lines to a file, which is made if it is missing; whoever calls this keeps others away.

    Args:
        path: the file.
        lines: with their line ends.
        follows: whether the file may be a link.

    Raises:
        OSError: it cannot be written; the file is what it was.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | (0 if follows else os.O_NOFOLLOW)
    file = os.open(path, flags, 0o600)
    try:
        size = os.fstat(file).st_size
        # A line that a crash has cut off must not take the next one with it.
        torn = size > 0 and os.pread(file, 1, size - 1) != b"\n"
        try:
            _write(file, b"\n" + lines if torn else lines)
        except OSError:
            with suppress(OSError):
                os.ftruncate(file, size)
            raise
    finally:
        os.close(file)


def _write(file: int, data: bytes) -> None:
    """Write all of it: a disk that is nearly full takes a part first, and says so only the next time."""
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
