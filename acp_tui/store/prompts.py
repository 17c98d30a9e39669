"""Prompts of the user: text with chips, history and drafts."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from acp_tui.lazy_regex import regex
from acp_tui.platform import reserve
from acp_tui.store.folders import private_folder
from acp_tui.store.plain_files import append, locked, open_plain, plain_bytes, plain_file, write_whole
from acp_tui.store.toml_check import Problem

CHIP: Final = regex(r"\[[^\[\]\n]{1,80} #\d+\]")
"""Pattern of a chip; only known chips are replaced."""


class Prompt(NamedTuple):
    """A prompt of the user."""

    text: str
    """The text as typed, with chips and file mentions."""
    chips: Mapping[str, str] = MappingProxyType({})
    """The texts sent in place of the chips."""
    is_command: bool = False
    """True if typed as a shell command, after `!`."""
    steers: bool = False
    """True if it is meant for the running turn."""

    @property
    def whole(self) -> str:
        """The text with all chips replaced."""
        return CHIP.sub(lambda found: self.chips.get(found[0], found[0]), self.text)

    def row(self) -> dict[str, object]:
        """Return the prompt as a JSON object."""
        row: dict[str, object] = {"text": self.text}
        if self.chips:
            row["chips"] = dict(self.chips)
        return row | {"command": True} if self.is_command else row


def lines_of(text: str) -> str:
    """Return the number of lines of a text, as a chip shows it."""
    count = text.rstrip("\n").count("\n") + 1
    return f"{count} line{'s' if count > 1 else ''}"


def prompt_with_piped(text: str, piped: str) -> Prompt:
    """Return a prompt with text from a pipe as a chip."""
    chips = {f"[piped {lines_of(piped)} #1]": piped} if piped else {}
    return Prompt("\n\n".join(filter(None, (text, *chips))), chips)


def join_prompts(prompts: Sequence[Prompt]) -> Prompt:
    """Join prompts with blank lines; the result is not a command."""
    chips = {chip: text for prompt in prompts for chip, text in prompt.chips.items()}
    return Prompt("\n\n".join(prompt.text for prompt in prompts), chips)


def prompt_of(row: str | bytes) -> Prompt | None:
    """Return the prompt of a line of JSON, or None for an invalid one."""
    try:
        kept = json.loads(row)
        text, chips = kept["text"], kept.get("chips", {})
        whole = all(isinstance(word, str) for word in (text, *chips, *chips.values()))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return Prompt(text, chips, kept.get("command") is True) if whole else None


MOST: Final = 1000
"""Maximum number of prompts."""

MAX_BYTES: Final = 8 * 1024 * 1024
"""Maximum bytes; beyond them older prompts are dropped even if they are few."""


def workspace_name(cwd: str) -> str:
    """Return a readable and unique file name for a workspace."""
    digest = hashlib.sha256(os.fsencode(cwd)).hexdigest()[:16]
    readable = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in Path(cwd).name)
    return f"{readable[:40]}-{digest}"


class PromptHistory:
    """The prompts of one workspace. It never raises: `problem` is the reason for missing ones."""

    def __init__(self, path: Path | None) -> None:
        """Use a file, or only memory for None."""
        self.prompts: list[Prompt] = []
        """Oldest first, without immediate repetitions."""
        self.problem: Problem | None = None
        self._path = path
        self._seen: tuple[int, int] = (0, 0)
        """Inode of the file and the offset read so far."""

    def read(self) -> None:
        """Add the prompts that any program has saved since the last read; invalid lines are skipped."""
        if self._path is None:
            return
        try:
            with plain_file(self._path) as file:
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
        """Save a prompt, dropping the oldest if there are too many."""
        if self._path is None:
            self._take(prompt)
            return
        line = json.dumps(prompt.row()).encode() + b"\n"
        try:
            private_folder(self._path.parent)
            with locked(self._path):
                self._write(line)
        except OSError as error:
            self.problem = Problem(self._path, None, f"prompts cannot be saved: {error.strerror}")
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
        """Rewrite the file when it holds twice the maximum."""
        assert self._path is not None
        size = self._path.stat().st_size
        if size < MAX_BYTES and (size < MOST or len(self.prompts) < MOST):
            return
        lines = plain_bytes(self._path).splitlines(keepends=True)
        if size < MAX_BYTES and len(lines) < 2 * MOST:
            return
        kept, room = [], MAX_BYTES // 2
        for line in reversed(lines[-MOST:]):
            room -= len(line)
            if room < 0:
                break
            kept.append(line)
        write_whole(self._path, b"".join(reversed(kept)), durable=False)


class PromptDraft:
    """The draft of this program. It never raises: `problem` is the reason for a missing draft."""

    def __init__(self, folder: Path, workspace: str) -> None:
        """Use the folder of all drafts and the workspace's name."""
        self.problem: Problem | None = None
        self.was_for = ""
        """The agent of the draft that was taken over, or ""."""
        self.line_notes: list[object] = []
        """The notes on lines that were taken over with the draft, as JSON objects."""
        self._folder = folder
        self._workspace = workspace
        self._path: Path | None = None
        self._file = -1

    def keep(self, prompt: Prompt, agent: str = "", line_notes: Iterable[object] = ()) -> None:
        """Save the draft for an agent, with notes on lines as JSON objects; one with neither is deleted."""
        notes = list(line_notes)
        if not prompt.text.strip() and not notes:
            self.close()
            return
        row = prompt.row() | ({"agent": agent} if agent else {}) | ({"line_notes": notes} if notes else {})
        data = json.dumps(row).encode() + b"\n"
        try:
            if self._file < 0:
                self._open()
            # This order leaves no half draft on a full disk: bytes after the newline are ignored.
            reserve(self._file, len(data))
            os.pwrite(self._file, data, 0)
            os.ftruncate(self._file, len(data))
        except OSError as error:
            self.problem = Problem(self._folder, None, f"drafts cannot be saved: {error.strerror}")

    def take_over(self) -> Prompt | None:
        """Take over the latest draft left in this workspace by an ended program."""
        paths = sorted(self._folder.glob(f"{self._workspace}.*.json"), key=_written, reverse=True)
        for path in paths:
            line = _taken(path)
            if (prompt := prompt_of(line)) is not None:
                row = json.loads(line)
                self.was_for = str(row.get("agent") or "")
                found = row.get("line_notes")
                self.line_notes = found if isinstance(found, list) else []
                return prompt
        return None

    def close(self) -> None:
        """Delete the draft."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)
        self.leave()

    def leave(self) -> None:
        """Close, leaving the draft to the next program."""
        if self._file >= 0:
            os.close(self._file)
        self._file, self._path = -1, None

    def _open(self) -> None:
        path = private_folder(self._folder) / f"{self._workspace}.{secrets.token_hex(4)}.json"
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        self._path = path
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _written(path: Path) -> float:
    """Return the time of the last write; 0 for a file that another program has just taken."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _taken(path: Path) -> bytes:
    """Take over the draft of a file and return its row; nothing for a running program's."""
    try:
        file = open_plain(path, os.O_RDWR)
    except OSError:
        return b""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        data = os.pread(file, os.fstat(file).st_size, 0)
        path.unlink()
    except OSError:  # a running program uses it
        return b""
    finally:
        os.close(file)
    return data.partition(b"\n")[0]  # bytes after the newline were left by a crash
