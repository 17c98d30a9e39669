"""Where acp-tui keeps its files on this platform; each folder is created on first use, for its owner only.

A folder that cannot be created is named all the same: whoever writes into it meets the error, and can say
what is lost by it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

HOME_VARIABLE = "ACP_TUI_HOME"
"""Environment variable that names one folder for everything, instead of the platform's places."""


def config_folder() -> Path:
    """Return the folder of what the user writes: settings and themes."""
    return _folder("config")


def data_folder() -> Path:
    """Return the folder of what must not be lost: recorded sessions and drafts."""
    return _folder("data")


def state_folder() -> Path:
    """Return the folder of what may be lost: logs and remembered layouts."""
    return _folder("state")


def private_folder(path: Path) -> Path:
    """Create `path` with mode 0700 if it is missing, and return it.

    Raises:
        OSError: it cannot be created.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def _folder(kind: str) -> Path:
    path = _place(kind)
    with suppress(OSError):  # a home that is read-only
        private_folder(path)
    return path


def _place(kind: str) -> Path:
    if home := os.environ.get(HOME_VARIABLE):
        with suppress(OSError):
            private_folder(Path(home))
        return Path(home).absolute() / kind
    from platformdirs import PlatformDirs

    places = PlatformDirs("acp-tui", appauthor=False)
    found = {
        "config": places.user_config_path,
        "data": places.user_data_path,
        "state": places.user_state_path,
    }
    return found[kind]


def places() -> dict[str, str]:
    """Return where a person finds what is theirs, by what it is."""
    return {
        "settings": str(config_folder() / "settings.toml"),
        "themes": str(config_folder() / "themes"),
        "sessions": str(data_folder() / "journals"),
        "log": str(state_folder() / "acp-tui.log"),
    }


PATIENCE: Final = 0.2
"""Seconds that another program is waited for at most: it needs a thousandth, unless it was stopped."""


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Keep other programs from writing a file meanwhile.

    Raises:
        OSError: the lock beside it cannot be made, or another program has it and does not go on.
    """
    lock = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
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
                text = "another acp-tui has begun to write it, and does not go on"
                raise TimeoutError(errno.ETIMEDOUT, text) from None
            time.sleep(0.002)
        else:
            return


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


class SharedJson:
    """One file. Each change reads it anew: another acp-tui may have written, too."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Any:
        """Return what is in the file; None if there is no file.

        Raises:
            OSError: it cannot be read, or is not JSON.
        """
        import json  # after the first frame

        try:
            return json.loads(self.path.read_bytes())
        except FileNotFoundError:
            return None
        except (ValueError, RecursionError) as error:
            text = f"{self.path} is not JSON: put it right, or move it away ({error})"
            raise OSError(errno.EINVAL, text) from error

    def change(self, change: Callable[[Any], Any]) -> None:
        """Put what `change` makes of the contents in their place; one program at a time.

        Raises:
            OSError: it cannot be read or written; the file is what it was.
        """
        import json

        private_folder(self.path.parent)
        with alone(self.path):
            data = json.dumps(change(self.read()), indent=1).encode()
            write_whole(self.path, data, durable=False)


def write_whole(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Put new contents in the place of a file, all or nothing; a link stays one, and a mode is kept.

    Not `durable`: comes back sooner, and a loss of power may take what was written.

    Raises:
        OSError: it cannot be written; the file is what it was.
    """
    import tempfile  # after the first frame

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


class Problem(NamedTuple):
    """What is wrong with one place of a file, in words for the person who wrote it."""

    path: Path
    line: int | None
    """Counted from 1; None if the place is the whole file."""
    message: str
    about: str = ""
    """The MCP server that is left out because of it, by name."""

    def __str__(self) -> str:
        """Return the problem the way compilers write one: `path:line: message`."""
        place = str(self.path) if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.message}"
