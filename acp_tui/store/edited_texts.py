"""Edited texts: the user's own versions of an agent's changes, kept on disk until they are written."""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

from acp_tui.lazy_regex import regex
from acp_tui.store.folders import private_folder
from acp_tui.store.plain_files import plain_bytes

FOLDER: Final = "edits"
"""The folder of these texts, in the data folder."""
_ODD: Final = regex(r"[^\w.+@-]|^[-+.]+", re.ASCII)
_LONGEST: Final = 80
"""Maximum characters of a name; the end is kept, since editors need the suffix."""
_ON_ITS_WAY: Final = "open-"
_LEFT: Final = "left-"


class EditedText:
    """A text for the user's editor, in a file of its own.

    The file outlives the program: it is deleted once its text is written elsewhere, or is left to the user.
    """

    def __init__(self, folder: Path, name: str, text: str) -> None:
        """Write a text to a new file of this name, locked until the program ends.

        Raises:
            OSError: it cannot be written.
        """
        own = private_folder(folder) / f"{_ON_ITS_WAY}{secrets.token_hex(4)}"
        own.mkdir(mode=0o700)
        self._lock = os.open(own, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self.path = own / (_ODD.sub("_", name[-_LONGEST:]) or "text")
        """The file."""
        self.before = text
        """The proposed text."""
        try:
            self.path.write_text(text, encoding="utf-8", newline="")
        except BaseException:
            self.drop()
            raise

    def read(self) -> str:
        """Return the text that was saved.

        Raises:
            OSError, UnicodeDecodeError: it cannot be read.
        """
        return plain_bytes(self.path).decode()

    def drop(self) -> None:
        """Delete the file: its text was written, or was not changed."""
        shutil.rmtree(self.path.parent, ignore_errors=True)
        self._let_go()

    def leave(self) -> Path:
        """Leave the file to the user; return its path."""
        self.path = _left(self.path)
        self._let_go()
        return self.path

    def _let_go(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
        self._lock = -1


def left_behind(folder: Path) -> list[Path]:
    """Return texts that an ended program never wrote to their files, and leave them to the user."""
    found: list[Path] = []
    for own in sorted(folder.glob(f"{_ON_ITS_WAY}*")):
        with suppress(OSError):
            lock = os.open(own, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # a running program uses it
                found += [_left(path) for path in sorted(own.iterdir())[:1]]
            finally:
                os.close(lock)
    return found


def _left(path: Path) -> Path:
    """Rename the folder of a text, so that it is reported only once; return the new path."""
    own = path.parent
    new = own.with_name(_LEFT + own.name.removeprefix(_ON_ITS_WAY))
    with suppress(OSError):
        own.rename(new)
        return new / path.name
    return path
