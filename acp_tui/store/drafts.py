"""What was being written when the program ended, however it ended; one file a program and workspace.

Who writes a draft holds a lock on its file: a draft without one belongs to a program that has ended.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from pathlib import Path

from acp_tui.store.folders import private_folder
from acp_tui.store.problem import Problem
from acp_tui.store.prompt import Prompt, prompt_of


class Draft:
    """The draft of this program. It never fails its owner: `problem` says why nothing is kept."""

    def __init__(self, folder: Path, workspace: str) -> None:
        """Take the folder of all drafts, and the name of the workspace."""
        self.problem: Problem | None = None
        self._folder = folder
        self._workspace = workspace
        self._path: Path | None = None
        self._file = -1

    def keep(self, prompt: Prompt) -> None:
        """Keep what is being written, in place of what was; nothing at all when that is blank."""
        if not prompt.text.strip():
            self.close()
            return
        data = json.dumps(prompt.row()).encode() + b"\n"
        try:
            if self._file < 0:
                self._open()
            _make_room(self._file, len(data))
            os.pwrite(self._file, data, 0)
            os.ftruncate(self._file, len(data))
        except OSError as error:
            self.problem = Problem(self._folder, None, f"drafts are not kept: {error.strerror}")

    def left(self) -> Prompt | None:
        """Return the newest draft that an ended program has left in this workspace, and take it away."""
        paths = sorted(self._folder.glob(f"{self._workspace}.*.json"), key=_written, reverse=True)
        return next((prompt for path in paths if (prompt := _taken(path)) is not None), None)

    def close(self) -> None:
        """Forget the draft."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)
        self.leave()

    def leave(self) -> None:
        """End, and leave the draft to the next program."""
        if self._file >= 0:
            os.close(self._file)
        self._file, self._path = -1, None

    def _open(self) -> None:
        path = private_folder(self._folder) / f"{self._workspace}.{secrets.token_hex(4)}.json"
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        self._path = path
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _make_room(file: int, size: int) -> None:
    """Have room before anything is written: a full disk would leave half of a draft in the place of one.

    What lies behind the line meanwhile is not read.

    Raises:
        OSError: there is none; the file holds what it held.
    """
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)


def _written(path: Path) -> float:
    """Return when a file was written; those that another program has just taken come last."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _taken(path: Path) -> Prompt | None:
    """Return the draft of a file and take it away; None while its program runs, and for a broken one."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        data = os.pread(file, os.fstat(file).st_size, 0)
        path.unlink()
    except OSError:  # it is being written
        return None
    finally:
        os.close(file)
    return prompt_of(data.partition(b"\n")[0])  # what a crash has not cut off yet lies behind the line
