"""Git as an engine for snapshots: a store of our own for a workspace, which knows nothing of the user's."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
import re
import shutil
import stat
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from acp_tui.host.programs import started
from acp_tui.host.stalling import STILL, Stalled, finish, pipe_in

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

_SETTINGS: Final = (
    "core.hooksPath=/dev/null",
    "core.excludesFile=/dev/null",
    "core.autocrlf=false",
    "core.safecrlf=false",
    "core.fsmonitor=false",
    "core.fileMode=true",
    "core.symlinks=true",
    "core.ignoreCase=false",
    "gc.auto=0",
)
_ATTRIBUTES: Final = "* -text !eol -ident !filter !working-tree-encoding !diff\n"
"""Stronger than the workspace's own: bytes go in and come out as they are."""
_WHO: Final = {"NAME": "acp-tui", "EMAIL": "acp-tui"}
_RETRY: Final = 0.02  # seconds between two tries to get the lock
_USED: Final = "acp-tui.lock"
"""The lock; its time says when the store was last opened by somebody."""
_MADE: Final = "acp-tui.made"
"""Says that the store was made to its end: a git that is stopped half-way leaves what looks damaged."""
_NAME: Final = re.compile(r"[0-9a-f]{20}(\.damaged-\d+)?")
_LARGEST: Final = 1 << 20  # bytes of a file of patterns
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
        self._without = (folder, *without)
        self.path = folder / hashlib.sha256(os.fsencode(root)).hexdigest()[:20]
        self.patience = STILL
        """Seconds that git may do nothing at all before it is ended."""
        self._is_ready = False

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Have the store for oneself, also among several programs; it is made if it is missing.

        Raises:
            Unavailable.
        """
        if shutil.which("git") is None:
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
        options = [word for setting in (*_SETTINGS, *settings) for word in ("-c", setting)]
        if not self.root.is_dir():
            raise GitFailed(_GONE)
        try:
            process = await started(
                "git", *options, *arguments, cwd=self.root, env=self._environment(),
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
        except OSError as error:
            raise GitFailed(f"git could not be started: {error.strerror}.") from error
        try:
            out, err = await finish(process, given, self.patience)
        except Stalled:
            raise GitStalled(await self._why_it_stalled()) from None
        if process.returncode not in fine:
            raise GitFailed(_said(err) or f"git {arguments[0]} ended with {process.returncode}.")
        return out

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
        (aside / _USED).touch()
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
                await self._make()
                os.utime(self.path / _USED)
        except OSError as error:
            raise Unavailable(f"The folder for snapshots cannot be used: {error}") from error

    async def _make(self) -> None:
        made = self.path / _MADE
        if not made.is_file() or not (self.path / "HEAD").is_file():
            await self.git("init", "--quiet", "--template=")  # goes on where it was stopped
            made.touch()
        information = self.path / "info"
        information.mkdir(exist_ok=True)
        (information / "attributes").write_text(_ATTRIBUTES)
        ours = [_pattern(self.root, folder.resolve()) for folder in self._without]
        (information / "exclude").write_bytes(b"\n".join([*_excluded(self.root), *ours]))
        self._is_ready = True

    async def _why_it_stalled(self) -> str:
        """Return why git came to nothing, as far as that can be found."""
        pipe = await asyncio.to_thread(pipe_in, self.root)
        if pipe is None:
            return f"git did nothing for {self.patience:.0f} s and was ended."
        return f"git waits for {pipe}, which is no file but a pipe or a device. Take it away."

    def _environment(self) -> dict[str, str]:
        """Return variables that keep the user's own settings and repositories out."""
        store = str(self.path)
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "LC_ALL": "C",
            "HOME": store,
            "XDG_CONFIG_HOME": store,
            "GIT_DIR": store,
            "GIT_WORK_TREE": str(self.root),
            "GIT_INDEX_FILE": str(self.path / "index"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_CEILING_DIRECTORIES": str(self.root.parent),
            "GIT_TERMINAL_PROMPT": "0",
            **{f"GIT_{who}_{what}": name for who in ("AUTHOR", "COMMITTER") for what, name in _WHO.items()},
        }


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


def _excluded(root: Path) -> Sequence[bytes]:
    """Return patterns of the user's repository that our store does not see by itself.

    Those of `.git/info/exclude`, and of the `.gitignore` files above a workspace that is a folder of a
    repository, as far as they name no place: those would mean another place here.
    """
    repository = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), None)
    if repository is None:
        return []
    above = [folder for folder in root.parents if folder.is_relative_to(repository)]
    patterns = [
        line
        for folder in reversed(above)
        for line in _lines(folder / ".gitignore")
        if b"/" not in line.rstrip(b"/")
    ]
    own = _lines(repository / ".git" / "info" / "exclude")
    return [*patterns, *(line for line in own if repository == root or b"/" not in line.rstrip(b"/"))]


def _pattern(root: Path, folder: Path) -> bytes:
    """Return a pattern for a folder in the workspace; an empty one, which matches nothing, for any other."""
    if not folder.is_relative_to(root) or folder == root:
        return b""
    return b"/" + re.sub(rb"([*?\[\\ ])", rb"\\\1", os.fsencode(folder.relative_to(root)))


def _lines(path: Path) -> list[bytes]:
    """Return the lines of a file that comes with a repository and may be anything: a pipe would never end."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            is_plain = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            return file.read(_LARGEST).splitlines() if is_plain else []
    except OSError:  # missing, or .git is a file
        return []
