"""What was said in a workspace, kept from one run to the next and shared by programs that run at once.

One prompt a line: `{"text": …, "chips": {…}}`, the newest last.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Final

from acp_tui.store.appending import append
from acp_tui.store.folders import private_folder
from acp_tui.store.locking import alone
from acp_tui.store.problem import Problem
from acp_tui.store.prompt import Prompt, prompt_of
from acp_tui.store.shared_json import write_whole

MOST: Final = 1000
"""Prompts that are kept."""

_ROOM: Final = 8 * 1024 * 1024
"""Bytes above which older prompts are dropped even if there are fewer."""


def workspace_name(cwd: str) -> str:
    """Return the name under which things of a workspace are kept: readable, and no other workspace's."""
    digest = hashlib.sha256(os.fsencode(cwd)).hexdigest()[:16]
    readable = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in Path(cwd).name)
    return f"{readable[:40]}-{digest}"


class History:
    """The prompts of one workspace. It never fails its owner: `problem` says why nothing is kept."""

    def __init__(self, path: Path | None) -> None:
        """Take the file; None remembers for this run only."""
        self.prompts: list[Prompt] = []
        """Oldest first, none twice in a row."""
        self.problem: Problem | None = None
        self._path = path
        self._seen: tuple[int, int] = (0, 0)
        """The file that was read, by its inode, and up to which byte."""

    def read(self) -> None:
        """Take in what any program has added since the last time; broken lines are skipped."""
        if self._path is None:
            return
        try:
            with self._path.open("rb") as file:
                inode = os.fstat(file.fileno()).st_ino
                if inode != self._seen[0]:
                    self.prompts.clear()
                    self._seen = (inode, 0)
                file.seek(self._seen[1])
                data = file.read()
        except FileNotFoundError:
            return
        except OSError as error:
            self.problem = Problem(self._path, None, f"earlier prompts cannot be read: {error.strerror}")
            return
        whole = data[: data.rfind(b"\n") + 1]
        self._seen = (inode, self._seen[1] + len(whole))
        for line in whole.splitlines():
            self._take(prompt_of(line))

    def add(self, prompt: Prompt) -> None:
        """Keep a prompt, and drop the oldest when there are too many."""
        if self._path is None:
            self._take(prompt)
            return
        line = json.dumps(prompt.row()).encode() + b"\n"
        try:
            private_folder(self._path.parent)
            with alone(self._path):
                self._write(line)
        except OSError as error:
            self.problem = Problem(self._path, None, f"prompts are not kept: {error.strerror}")
            self._take(prompt)
            return
        self.problem = None
        self.read()

    def _take(self, prompt: Prompt | None) -> None:
        if prompt is None or (self.prompts and self.prompts[-1] == prompt):
            return
        self.prompts.append(prompt)
        del self.prompts[:-MOST]

    def _write(self, line: bytes) -> None:
        assert self._path is not None
        append(self._path, line)
        self._trim()

    def _trim(self) -> None:
        """Write the file anew when it holds twice what is kept."""
        assert self._path is not None
        size = self._path.stat().st_size
        if size < _ROOM and (size < MOST or len(self.prompts) < MOST):
            return
        lines = self._path.read_bytes().splitlines(keepends=True)
        if size < _ROOM and len(lines) < 2 * MOST:
            return
        kept, room = [], _ROOM // 2
        for line in reversed(lines[-MOST:]):
            room -= len(line)
            if room < 0:
                break
            kept.append(line)
        write_whole(self._path, b"".join(reversed(kept)), durable=False)
