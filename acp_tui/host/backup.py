"""Writing a file in place, with a backup from which it is restored if we are killed half-way."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

_PAGE: Final = 4096
"""Bytes that are written at one go, as far as one can know."""


class _Record(NamedTuple):
    """What a backup holds."""

    path: str
    device: int
    inode: int
    old: bytes
    new: bytes


class Backups:
    """The backups of one folder of ours; each lives as long as its write."""

    def __init__(self, folder: Path) -> None:
        """Make the folder when it is needed."""
        self.folder = folder

    def write(self, path: str, file: int, new: bytes) -> None:
        """Replace the content of an open file; all of it or nothing.

        Args:
            path: absolute, links resolved.
            file: the file, open for reading and writing.
            new: its bytes from now on.

        Raises:
            OSError: it holds what it held before.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = os.fstat(file)
        old = _read(file)
        head = {
            "path": path,
            "device": status.st_dev,
            "inode": status.st_ino,
            "old": len(old),
            "new": len(new),
        }
        place = self.folder / secrets.token_hex(8)
        backup = os.open(place, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(backup, fcntl.LOCK_EX)  # whoever restores passes over what is being written
            _put(backup, b"%s\n%s%s" % (json.dumps(head).encode(), old, new))
            try:
                _put(file, new)
            except OSError:
                _put(file, old)
                raise
        finally:
            with suppress(OSError):
                place.unlink()
            os.close(backup)

    def restore(self) -> Sequence[str]:
        """Give files that were left half-written what they held before; return their paths."""
        try:
            places = list(self.folder.iterdir())
        except OSError:
            return ()
        return [path for place in places if (path := _restored(place)) is not None]


def _restored(place: Path) -> str | None:
    """Use up one backup; return the path of the file if that was half-written."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        backup = os.open(place, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            fcntl.flock(backup, fcntl.LOCK_EX | fcntl.LOCK_NB)
            record = _record(_read(backup))
            is_half = record is not None and _give_back(record)
            place.unlink()
            return record.path if record is not None and is_half else None
        finally:
            os.close(backup)
    return None


def _record(content: bytes) -> _Record | None:
    """Read a backup; None where it was not written to its end, so that the file was not touched."""
    line, _, rest = content.partition(b"\n")
    if not rest and not line.endswith(b"}"):
        return None
    head = json.loads(line)
    cut = int(head["old"])
    if len(rest) != cut + int(head["new"]):
        return None
    return _Record(str(head["path"]), int(head["device"]), int(head["inode"]), rest[:cut], rest[cut:])


def _give_back(record: _Record) -> bool:
    """Write what was there into a file that is half-written; return whether it was."""
    try:
        file = os.open(record.path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        status = os.fstat(file)
        is_it = (status.st_dev, status.st_ino) == (record.device, record.inode)
        if not is_it or not stat.S_ISREG(status.st_mode) or not _is_half(_read(file), record):
            return False
        _put(file, record.old)
        return True
    finally:
        os.close(file)


def _is_half(now: bytes, record: _Record) -> bool:
    """Whether a file is between its two contents; what somebody wrote since then is not touched."""
    old, new = record.old, record.new
    if now in (old, new):
        return False
    for start in range(0, len(now), _PAGE):
        page = now[start : start + _PAGE]
        before, after = old[start : start + _PAGE], new[start : start + _PAGE]
        pairs = enumerate(zip(page, after, strict=False))
        same = next((place for place, (one, other) in pairs if one != other), min(len(page), len(after)))
        if not after.startswith(page) and page[same:] != before[same : len(page)]:
            return False
    return True


def _read(file: int) -> bytes:
    os.lseek(file, 0, os.SEEK_SET)
    content = bytearray()
    while part := os.read(file, 1 << 20):
        content += part
    return bytes(content)


def _put(file: int, content: bytes) -> None:
    """Make this the content of an open file, on disk."""
    os.lseek(file, 0, os.SEEK_SET)
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]
    os.ftruncate(file, len(content))
    os.fsync(file)
