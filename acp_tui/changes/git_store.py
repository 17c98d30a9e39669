"""A private git repository for the snapshots of one workspace."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from acp_tui.changes.git import Git, git_program
from acp_tui.changes.ignore_patterns import Exclusion
from acp_tui.lazy_regex import regex
from acp_tui.workspace.backups import Backups
from acp_tui.workspace.short_programs import STILL, Stalled, Unsearched, obstacle_in

# SnapshotError
# ├── Unavailable   git or the folder for the store is missing
# └── GitFailed     a git command failed
# └── GitStalled   it made no progress


class SnapshotError(Exception):
    """A failed operation on snapshots; the message is for display."""


class Unavailable(SnapshotError):
    """Snapshots of this workspace are impossible."""


class GitFailed(SnapshotError):
    """A git command failed."""


class GitStalled(GitFailed):
    """A git command made no progress and was killed."""


NO_FILE: Final = "0" * 40
"""Git's object id for a missing file."""

_ATTRIBUTES: Final = b"* -text !eol -ident !filter !working-tree-encoding !diff\n"
"""Attributes that override the workspace's own: contents are stored unchanged."""
_RETRY: Final = 0.02  # seconds between attempts to lock
_USED: Final = "acp-tui.lock"
"""The lock file; its modification time is the time of last use."""
_MADE: Final = "acp-tui.made"
"""Marker of a completed store: an interrupted `git init` looks damaged."""
_NAME: Final = regex(r"[0-9a-f]{20}(\.damaged-\d+)?")
_GONE: Final = "The folder no longer exists."


class SnapshotStore:
    """A git repository outside the workspace, locked while in use."""

    def __init__(self, folder: Path, root: Path, without: Sequence[Path] = ()) -> None:
        """Prepare the store; `open` creates it.

        Args:
            folder: the folder of all stores.
            root: the workspace, links resolved.
            without: further folders to exclude; `folder` always is.
        """
        self.root = root
        self.path = folder / hashlib.sha256(os.fsencode(root)).hexdigest()[:20]
        self._git = Git(self.path, root)
        self._exclusion = Exclusion(self._git, (folder, *without))
        self.backups = Backups(self.path / "backups")
        """Backups of files with hard links during an undo."""
        self.patience = STILL
        """Seconds of inactivity after which git is killed."""
        self._is_ready = False

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Lock the store, across processes, creating it if needed.

        Raises:
            Unavailable.
        """
        if git_program() is None:
            raise Unavailable("git is not on PATH. Install git and restart acp-tui.")
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(self.path / _USED, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise Unavailable(f"The folder for snapshots cannot be used: {error}") from error
        try:
            while not _locked(lock):  # noqa: ASYNC110 - another program has it, which tells us nothing
                await asyncio.sleep(_RETRY)
            await self._prepare()
            yield
        finally:
            os.close(lock)

    async def git(
        self, *arguments: str, given: bytes = b"", fine: Sequence[int] = (0,), settings: Sequence[str] = ()
    ) -> bytes:
        """Run a git command in the store and return its output.

        Args:
            arguments: the command and its arguments.
            given: its input.
            fine: exit codes of success.
            settings: settings of git for this command, such as `core.abbrev=7`.

        Raises:
            GitFailed.
        """
        if not self.root.is_dir():
            raise GitFailed(_GONE)
        try:
            code, out, err = await self._git.run(
                *arguments, given=given, patience=self.patience, settings=settings
            )
        except OSError as error:
            raise GitFailed(f"git could not be started: {error.strerror}.") from error
        except Stalled:
            raise GitStalled(await self._why_it_stalled()) from None
        if b"ut of memory" in err:
            raise GitStalled(await self._why_it_stalled())
        if code not in fine:
            raise GitFailed(_said(err) or f"git {arguments[0]} ended with {code}.")
        return out

    async def others(self, patterns: bytes | None = None) -> set[bytes]:
        """Return untracked files that are not ignored by `patterns`, or by the current ignore files if None.

        Raises:
            GitFailed.
        """
        if patterns is None:
            out = await self.git("ls-files", "-z", "--others", "--exclude-standard")
            return set(out.split(b"\0")[:-1])
        return await self._listed("--others", patterns)

    async def empty_folders(self) -> list[bytes]:
        """Return the relative paths of the folders without files, of nested ones the upper.

        Raises:
            GitFailed.
        """
        out = await self.git("ls-files", "-z", "--others", "--directory", "--exclude-standard")
        return [name[:-1] for name in out.split(b"\0") if name.endswith(b"/")]

    async def hidden_in_index(self, patterns: bytes) -> set[bytes]:
        """Return the files of the index that are ignored by `patterns`.

        Raises:
            GitFailed.
        """
        return await self._listed("--cached", patterns, "--ignored")

    async def _listed(self, which: str, patterns: bytes, *options: str) -> set[bytes]:
        """List files with our own patterns and some others."""
        own = self.path / "info" / "exclude"
        with TemporaryDirectory(dir=self.path) as folder:
            file = Path(folder, "patterns")
            await asyncio.to_thread(file.write_bytes, patterns)
            excluded = (f"--exclude-from={own}", f"--exclude-from={file}")
            out = await self.git("ls-files", "-z", which, *options, *excluded)
        return set(out.split(b"\0")[:-1])

    async def is_sound(self) -> bool:
        """Return whether the store is intact; reads all of it."""
        if not self.root.is_dir():
            return True  # the workspace is gone, not the store
        try:
            await self.git("ls-files", "--stage", "-z")
            await self.git("fsck", "--no-dangling", "--no-progress")
        except GitFailed:
            return False
        return True

    async def rebuild(self) -> Path:
        """Start an empty store; return the new place of the damaged one.

        Raises:
            Unavailable.
        """
        try:
            return await self._rebuild()
        except OSError as error:
            raise Unavailable(f"The damaged snapshots cannot be moved away: {error}") from error

    async def _rebuild(self) -> Path:
        aside = self.path.with_name(f"{self.path.name}.damaged-{time.time_ns()}")
        aside.mkdir(mode=0o700)
        for entry in [*self.path.iterdir()]:
            if entry.name != _USED:
                entry.rename(aside / entry.name)
        (aside / _USED).touch(mode=0o600)
        await self._make()
        return aside

    def forget_others(self, oldest: float) -> None:
        """Delete other workspaces' stores not used since `oldest` (seconds since the epoch).

        Blocking: call it in a thread.
        """
        for store in self.path.parent.glob("*"):
            used = store / _USED
            with suppress(OSError):  # another process may delete it, too
                if _NAME.fullmatch(store.name) and store != self.path and used.stat().st_mtime < oldest:
                    shutil.rmtree(store, ignore_errors=True)

    async def _prepare(self) -> None:
        """Create the store if needed; the caller holds the lock."""
        try:
            for left in ("index.lock", "HEAD.lock", "config.lock"):  # left by a killed git
                (self.path / left).unlink(missing_ok=True)
            if not self._is_ready:
                for report in self.path.glob("fast_import_crash_*"):  # left by each failure
                    report.unlink(missing_ok=True)
            if not self._is_ready:
                self.backups.restore()
                await self._make()
                os.utime(self.path / _USED)
        except OSError as error:
            raise Unavailable(f"The folder for snapshots cannot be used: {error}") from error

    async def _make(self) -> None:
        made = self.path / _MADE
        if not made.is_file() or not (self.path / "HEAD").is_file():
            await self.git("init", "--quiet", "--template=")  # also completes an interrupted one
            made.touch(mode=0o600)
        information = self.path / "info"
        information.mkdir(mode=0o700, exist_ok=True)
        _write(information / "attributes", _ATTRIBUTES)
        if await self.read_rules():
            await self._drop_excluded()
        self._is_ready = True

    async def read_rules(self) -> bool:
        """Update the exclude file; return whether it changed.

        Raises:
            OSError: it cannot be written.
        """
        file = self.path / "info" / "exclude"
        lines = await self._exclusion.lines()
        if file.is_file() and file.read_bytes() == lines:
            return False
        _write(file, lines)
        return True

    async def _drop_excluded(self) -> None:
        """Remove files from the index that are excluded by now, such as secrets."""
        patterns = f"--exclude-from={self.path / 'info' / 'exclude'}"
        found = await self.git("ls-files", "-z", "--cached", "--ignored", patterns)
        if found:
            await self.git("update-index", "--force-remove", "-z", "--stdin", given=found)

    async def _why_it_stalled(self) -> str:
        """Return the probable reason, for display."""
        name = None
        with suppress(Unsearched):
            name = await asyncio.to_thread(obstacle_in, self.root)
        if name is None:
            return f"git did nothing for {self.patience:.0f} s or needed too much memory, and was killed."
        return f"git cannot read {name}, which is a pipe, a device or far too large. Move it away."


def _write(path: Path, content: bytes) -> None:
    """Create or replace a file with mode 0600."""
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(content)


def _said(err: bytes) -> str:
    """Return git's error message: the last fatal line, or the last line."""
    lines = err.decode("utf-8", "replace").strip().splitlines()
    fatal = [line for line in lines if line.startswith("fatal: ")]
    return (fatal or lines or [""])[-1]


def _locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
