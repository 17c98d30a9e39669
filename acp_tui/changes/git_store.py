"""Git as an engine for snapshots: a store of our own for a workspace, which knows nothing of the user's."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import re
import shutil
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from acp_tui.changes.exclusion import Exclusion
from acp_tui.changes.git import Git, found
from acp_tui.workspace.files import Backups
from acp_tui.workspace.processes import STILL, Stalled, Unsearched, obstacle_in

# SnapshotError
# ├── Unavailable   there is no git here, or no place for the store
# └── GitFailed     a command of git did not do its work
#     └── GitStalled   it waited for something that does not come


class SnapshotError(Exception):
    """Snapshots could not do something; the message is made to be shown."""


class Unavailable(SnapshotError):
    """There are no snapshots of this workspace at all."""


class GitFailed(SnapshotError):
    """A command of git did not do its work."""


class GitStalled(GitFailed):
    """A command of git waited for something that does not come, and was ended."""


NO_FILE: Final = "0" * 40
"""What git calls the content of a file that is not there."""

_ATTRIBUTES: Final = b"* -text !eol -ident !filter !working-tree-encoding !diff\n"
"""Stronger than the workspace's own: bytes go in and come out as they are."""
_RETRY: Final = 0.02  # seconds between two tries to get the lock
_USED: Final = "acp-tui.lock"
"""The lock; its time says when the store was last opened by somebody."""
_MADE: Final = "acp-tui.made"
"""Says that the store was made to its end: a git that is stopped half-way leaves what looks damaged."""
_NAME: Final = re.compile(r"[0-9a-f]{20}(\.damaged-\d+)?")
_GONE: Final = "The folder is not there any more."


class SnapshotStore:
    """Runs git on a private store for one workspace."""

    def __init__(self, folder: Path, root: Path, without: Sequence[Path] = ()) -> None:
        """Name the store; it is made by the first `open`.

        Args:
            folder: where the stores of all workspaces are.
            root: the workspace, links resolved.
            without: folders that are left out if they are in the workspace; `folder` always is.
        """
        self.root = root
        self.path = folder / hashlib.sha256(os.fsencode(root)).hexdigest()[:20]
        self._git = Git(self.path, root)
        self._exclusion = Exclusion(self._git, (folder, *without))
        self.backups = Backups(self.path / "backups")
        """Where a file with several names is kept while an undoing writes it."""
        self.patience = STILL
        """Seconds that git may do nothing at all before it is ended."""
        self._is_ready = False

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Have the store for oneself, also among several programs; it is made if it is missing.

        Raises:
            Unavailable.
        """
        if found() is None:
            raise Unavailable("There is no git on PATH. Install git, and start again.")
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
        """Run a command of git in the store, and return what it prints.

        Args:
            arguments: the command, and what it takes.
            given: what it reads.
            fine: exit codes of success.
            settings: of git, for this command, such as `core.abbrev=7`.

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
        """Return files that are not in the index and not left out: by these patterns, or as things are.

        Raises:
            GitFailed.
        """
        if patterns is None:
            out = await self.git("ls-files", "-z", "--others", "--exclude-standard")
        else:
            own = self.path / "info" / "exclude"
            with TemporaryDirectory(dir=self.path) as folder:
                file = Path(folder, "patterns")
                await asyncio.to_thread(file.write_bytes, patterns)
                out = await self.git(
                    "ls-files", "-z", "--others", f"--exclude-from={own}", f"--exclude-from={file}"
                )
        return set(out.split(b"\0")[:-1])

    async def is_sound(self) -> bool:
        """Whether what is stored can be read; takes as long as reading all of it."""
        if not self.root.is_dir():
            return True  # that is why nothing works
        try:
            await self.git("ls-files", "--stage", "-z")
            await self.git("fsck", "--no-dangling", "--no-progress")
        except GitFailed:
            return False
        return True

    async def rebuild(self) -> Path:
        """Begin with an empty store; return where the damaged one is now.

        Raises:
            Unavailable.
        """
        try:
            return await self._rebuild()
        except OSError as error:
            raise Unavailable(f"The damaged snapshots cannot be put aside: {error}") from error

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
        """Delete the stores of other workspaces that nobody has opened since `oldest`.

        Blocking: call it in a thread. `oldest` is in seconds since the epoch.
        """
        for store in self.path.parent.glob("*"):
            used = store / _USED
            with suppress(OSError):  # another program deletes it, too
                if _NAME.fullmatch(store.name) and store != self.path and used.stat().st_mtime < oldest:
                    shutil.rmtree(store, ignore_errors=True)

    async def _prepare(self) -> None:
        """Make the store if it is missing; whoever calls this has the lock."""
        try:
            for left in ("index.lock", "HEAD.lock", "config.lock"):  # of a git that was killed
                (self.path / left).unlink(missing_ok=True)
            if not self._is_ready:
                for report in self.path.glob("fast_import_crash_*"):  # each time that it fails
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
            await self.git("init", "--quiet", "--template=")  # goes on where it was stopped
            made.touch(mode=0o600)
        information = self.path / "info"
        information.mkdir(mode=0o700, exist_ok=True)
        _write(information / "attributes", _ATTRIBUTES)
        if await self.read_rules():
            await self._drop_excluded()
        self._is_ready = True

    async def read_rules(self) -> bool:
        """Read anew what is left out beside what its own .gitignore files say; return whether that is news.

        Raises:
            OSError: it cannot be written down.
        """
        file = self.path / "info" / "exclude"
        lines = await self._exclusion.lines()
        if file.is_file() and file.read_bytes() == lines:
            return False
        _write(file, lines)
        return True

    async def _drop_excluded(self) -> None:
        """Take out of the index what an earlier run has put there and is left out now, such as secrets."""
        patterns = f"--exclude-from={self.path / 'info' / 'exclude'}"
        found = await self.git("ls-files", "-z", "--cached", "--ignored", patterns)
        if found:
            await self.git("update-index", "--force-remove", "-z", "--stdin", given=found)

    async def _why_it_stalled(self) -> str:
        """Return why git came to nothing, as far as that can be found."""
        name = None
        with suppress(Unsearched):
            name = await asyncio.to_thread(obstacle_in, self.root)
        if name is None:
            return f"git did nothing for {self.patience:.0f} s, or needed too much memory, and was ended."
        return f"git cannot read {name}, which is a pipe, a device or far too large. Take it away."


def _write(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read, whatever the umask says."""
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(content)


def _said(err: bytes) -> str:
    """Return why git failed: what it calls fatal, for `fast-import` tells of a report after that."""
    lines = err.decode("utf-8", "replace").strip().splitlines()
    fatal = [line for line in lines if line.startswith("fatal: ")]
    return (fatal or lines or [""])[-1]


def _locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
