"""Files of acp-tui: only regular ones are opened; they are read, locked, appended to, or replaced whole."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

from acp_tui.store.folders import private_folder


def open_plain(path: Path, flags: int = os.O_RDONLY) -> int:
    """Open a regular file, created with mode 0600 if the flags say so, and return its descriptor.

    Opening or reading a pipe or a device in its place could block forever.

    Raises:
        OSError: it cannot be opened, or is no regular file.
    """
    try:
        file = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno in (errno.ENXIO, errno.EOPNOTSUPP):  # a pipe without a reader, or a socket
            raise _not_plain(path) from None
        raise
    try:
        mode = os.fstat(file).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise _not_plain(path)
    except BaseException:
        os.close(file)
        raise
    return file


def _not_plain(path: Path) -> OSError:
    return OSError(errno.EINVAL, "it is not a regular file, but a pipe, a socket or a device", str(path))


def plain_file(path: Path) -> BinaryIO:
    """Open a regular file for reading bytes.

    Raises:
        OSError: it cannot be opened, or is no regular file.
    """
    return open(open_plain(path), "rb")


def plain_bytes(path: Path) -> bytes:
    """Return the content of a regular file.

    Raises:
        OSError: it cannot be read, or is no regular file.
    """
    with plain_file(path) as file:
        return file.read()


def plain_text(path: Path, encoding: str = "utf-8") -> str:
    """Return the text of a regular file.

    Raises:
        OSError: it cannot be read, or is no regular file.
        UnicodeDecodeError: it is not in this encoding.
    """
    with open(open_plain(path), encoding=encoding) as file:
        return file.read()


PATIENCE: Final = 0.2
"""Maximum seconds to wait for another program's lock."""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file against other programs.

    Raises:
        OSError: the lock cannot be created, or another program does not release it.
    """
    lock = open_plain(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT)
    try:
        _take(lock)
        yield
    finally:
        os.close(lock)


def _take(lock: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                text = "another acp-tui has begun to write it and hangs"
                raise TimeoutError(errno.ETIMEDOUT, text) from None
            time.sleep(0.002)
        else:
            return


NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
"""Errors of a full disk or quota, which may pass."""


def append(path: Path, lines: bytes, *, follows: bool = True) -> None:
    """Append lines to a file, created if missing; the caller holds its lock.

    Args:
        path: the file.
        lines: with their newlines.
        follows: True if the file may be a link.

    Raises:
        OSError: it cannot be written; the file is unchanged.
    """
    file = open_plain(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | (0 if follows else os.O_NOFOLLOW))
    try:
        size = os.fstat(file).st_size
        # A line that a crash cut off must not corrupt the next one.
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
    """Write all of the data: a nearly full disk may accept only a part."""
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


class SharedJson:
    """A JSON file shared with other programs; each change rereads it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Any:
        """Return the content, or None for a missing file.

        Raises:
            OSError: it cannot be read, or is not JSON.
        """
        import json  # not needed for the first frame

        try:
            return json.loads(plain_bytes(self.path))
        except FileNotFoundError:
            return None
        except (ValueError, RecursionError) as error:
            text = f"{self.path} is not valid JSON: fix it or move it away ({error})"
            raise OSError(errno.EINVAL, text) from error

    def change(self, change: Callable[[Any], Any]) -> None:
        """Replace the content by `change(content)`, under the lock.

        Raises:
            OSError: it cannot be read or written; the file is unchanged.
        """
        import json  # not needed for the first frame

        private_folder(self.path.parent)
        with locked(self.path):
            data = json.dumps(change(self.read()), indent=1).encode()
            write_whole(self.path, data, durable=False)


def write_whole(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Replace a file's content, all or nothing; links and modes are kept.

    Without `durable` it returns sooner, but a power loss may undo it.

    Raises:
        OSError: it cannot be written; the file is unchanged.
    """
    import tempfile  # not needed for the first frame

    path = Path(os.path.realpath(path))
    private_folder(path.parent)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), mode)
            if durable:
                os.fsync(file.fileno())
        os.replace(name, path)  # noqa: PTH105
    except BaseException:
        with suppress(OSError):
            os.unlink(name)  # noqa: PTH108
        raise
