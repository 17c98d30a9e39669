"""Backups of files that are written in place, so that a crash leaves no file half written."""

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
"""Assumed unit of writing, in bytes."""


class _Record(NamedTuple):
    """The content of a backup."""

    path: str
    device: int
    inode: int
    old: bytes
    new: bytes


class Backups:
    """Backups of files during an in-place write."""

    def __init__(self, folder: Path) -> None:
        """Set the folder; it is created when needed."""
        self.folder = folder

    def write(self, path: str, file: int, new: bytes) -> None:
        """Replace the content of an open file, all or nothing.

        Args:
            path: absolute, links resolved.
            file: the file, open for reading and writing.
            new: the new content.

        Raises:
            OSError: the old content is still in place.
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
            fcntl.flock(backup, fcntl.LOCK_EX)  # `restore` skips locked backups
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
        """Restore files left half written by a crash; return their paths."""
        try:
            places = list(self.folder.iterdir())
        except OSError:
            return ()
        return [path for place in places if (path := _restored(place)) is not None]


def _restored(place: Path) -> str | None:
    """Delete one backup after use; return its file's path if that was half written."""
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
    """Parse a backup, or return None for an incomplete one, whose file was not touched."""
    line, _, rest = content.partition(b"\n")
    if not rest and not line.endswith(b"}"):
        return None
    head = json.loads(line)
    cut = int(head["old"])
    if len(rest) != cut + int(head["new"]):
        return None
    return _Record(str(head["path"]), int(head["device"]), int(head["inode"]), rest[:cut], rest[cut:])


def _give_back(record: _Record) -> bool:
    """Restore a half-written file; return whether it was one."""
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
    """Return whether a file is partly old and partly new content, unchanged by other programs."""
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
    """Replace the content of an open file and sync it."""
    os.lseek(file, 0, os.SEEK_SET)
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]
    os.ftruncate(file, len(content))
    os.fsync(file)
