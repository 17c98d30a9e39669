"""What the person writes: a text, and what stands behind the chips in it. Histories and drafts keep it."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from acp_tui.store.folders import Problem, alone, append, private_folder, write_whole

CHIP: Final = re.compile(r"\[[^\[\]\n]{1,80} #\d+\]")
"""What a chip looks like in a text; only those that are known stand for something."""


class Prompt(NamedTuple):
    """One thing to say."""

    text: str
    """As it was typed, chips and mentions of files in it."""
    chips: Mapping[str, str] = MappingProxyType({})
    """What is sent for each chip, by how it stands in the text."""
    is_command: bool = False
    """Whether the user has typed it as a command for their shell, behind `!`."""

    @property
    def whole(self) -> str:
        """The text with everything that its chips stand for."""
        return CHIP.sub(lambda found: self.chips.get(found[0], found[0]), self.text)

    def row(self) -> dict[str, object]:
        """Return what is kept of it, as JSON has it."""
        row: dict[str, object] = {"text": self.text}
        if self.chips:
            row["chips"] = dict(self.chips)
        return row | {"command": True} if self.is_command else row


def together(prompts: Sequence[Prompt]) -> Prompt:
    """Return several prompts as one, a blank line between them; none of them is a command any more."""
    chips = {chip: text for prompt in prompts for chip, text in prompt.chips.items()}
    return Prompt("\n\n".join(prompt.text for prompt in prompts), chips)


def prompt_of(row: str | bytes) -> Prompt | None:
    """Return what was kept as a line of JSON; None for a broken one."""
    import json  # after the first frame

    try:
        kept = json.loads(row)
        text, chips = kept["text"], kept.get("chips", {})
        whole = all(isinstance(word, str) for word in (text, *chips, *chips.values()))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return Prompt(text, chips, kept.get("command") is True) if whole else None


MOST: Final = 1000
"""Prompts that are kept."""

_ROOM: Final = 8 * 1024 * 1024
"""Bytes above which older prompts are dropped even if there are fewer."""


def workspace_name(cwd: str) -> str:
    """Return the name under which things of a workspace are kept: readable, and no other workspace's."""
    digest = hashlib.sha256(os.fsencode(cwd)).hexdigest()[:16]
    readable = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in Path(cwd).name)
    return f"{readable[:40]}-{digest}"


class PromptHistory:
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


class PromptDraft:
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
