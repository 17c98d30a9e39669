"""The private folder of a sandbox, which holds the temporary files of a session."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from acp_tui.sandbox.places import TEMPORARY
from acp_tui.trusted_programs import is_exposed

_PREFIX: Final = "acp-tui-sandbox-"
_NEW: Final = 60.0
"""Seconds in which a folder may not be locked yet."""


class SessionFolder:
    """A private folder that is locked while its session lives; an unlocked one is no longer needed."""

    def __init__(self) -> None:
        """Create the folder.

        Raises:
            OSError: there is no space.
        """
        self.path = f"{_parent()}/{_PREFIX}{os.urandom(8).hex()}"
        Path(self.path).mkdir(mode=0o700)
        self._lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def remove(self) -> None:
        """Remove the folder, and those of killed sessions."""
        if self._lock < 0:
            return
        _remove(self.path)
        os.close(self._lock)
        self._lock = -1
        with suppress(OSError):
            for folder in Path(_parent()).glob(f"{_PREFIX}*"):
                _remove_if_left(folder)


def _parent() -> str:
    """Return the folder for temporary files, without `tempfile`, which takes a tenth of the start.

    An agent that may write it could put a link in the place of the session's folder.
    """
    named = os.environ.get("TMPDIR", "")
    is_fit = named and os.access(named, os.W_OK) and not is_exposed(named)
    return os.path.abspath(named) if is_fit else TEMPORARY[0]  # noqa: PTH100


def _remove(folder: str | Path) -> None:
    """Remove a folder, also the folders in it that their owner may not write, as caches of modules are."""
    shutil.rmtree(folder, ignore_errors=True)
    if not os.path.lexists(folder):
        return
    for above, names, _ in os.walk(folder):
        for name in names:
            with suppress(OSError, NotImplementedError):  # a link has no mode of its own to change
                Path(above, name).chmod(0o700, follow_symlinks=False)
    shutil.rmtree(folder, ignore_errors=True)


def _remove_if_left(folder: Path) -> None:
    try:
        status = folder.lstat()
        if status.st_uid != os.geteuid() or time.time() - status.st_mtime < _NEW:
            return
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:  # of another user, or gone
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove(folder)
    except OSError:  # in use
        pass
    finally:
        os.close(lock)
