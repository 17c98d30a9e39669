"""Git, always run on a private git folder with private settings.

The settings of the user's repository are never read: the repository may come from anyone, and settings name
programs (monitors, filters, pagers, transports). Git gets our folder as its repository, and at most the index
and objects of the user's. All other hooks into programs are switched off; an older git ignores switches it
does not know.
"""

from __future__ import annotations

import codecs
import os
import stat
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from acp_tui.platform import has_memory_limit
from acp_tui.trusted_programs import own_path, own_program
from acp_tui.workspace.processes import SHELL
from acp_tui.workspace.short_programs import STILL, blocks, communicate, start_process

_NOTHING: Final = "/dev/null"
_SETTINGS: Final = (
    # bytes and names
    "core.autocrlf=false",
    "core.safecrlf=false",
    "core.fileMode=true",
    "core.symlinks=true",
    "core.ignoreCase=false",
    "core.precomposeUnicode=false",
    "gc.auto=0",
    "core.packedGitWindowSize=32m",
    "core.packedGitLimit=512m",
    "maintenance.auto=false",
    # programs and network
    f"core.hooksPath={_NOTHING}",
    f"core.attributesFile={_NOTHING}",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.pager=cat",
    "core.editor=false",
    "core.askPass=",
    "core.sshCommand=false",
    "core.gitProxy=false",
    "core.alternateRefsCommand=false",
    "credential.helper=",
    "diff.external=",
    "interactive.diffFilter=",
    "gpg.program=false",
    "commit.gpgSign=false",
    "uploadpack.packObjectsHook=",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
)  # fmt: skip
_NO_PATTERNS: Final = f"core.excludesFile={_NOTHING}"
PATIENCE: Final = 3.0
"""Seconds that reading a setting may hang, as on a pipe."""
_ROOM: Final = 3 << 30
"""Memory limit for git, in bytes: it reads an ignore file of any size as a whole."""
_LIMITED: Final = f'ulimit -v {_ROOM >> 10} 2>/dev/null; exec "$@"'
_BEFORE: Final = (SHELL, "-c", _LIMITED, SHELL)
"""Sets the memory limit before git starts; a limit set from outside could come too late."""
_WHO: Final = {"NAME": "acp-tui", "EMAIL": "acp-tui"}
_OF_THE_USER: Final = (
    "HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
)  # fmt: skip
"""Variables that locate the user's own settings."""


class GitOutput(NamedTuple):
    """The result of a git command."""

    code: int
    out: bytes
    err: bytes


@dataclass(frozen=True, slots=True)
class Git:
    """Git for one folder of files."""

    folder: Path
    """The private git folder."""
    root: Path
    """The work tree."""
    index: Path | None = None
    """Another index than the one in `folder`."""
    objects: Path | None = None
    """Another object folder than the one in `folder`."""
    place: Path | None = None
    """The working directory, if not `root`."""

    async def start(self, *arguments: str, settings: Sequence[str] = (), reads: bool = True) -> Process:
        """Start a command with piped output and, with `reads`, piped input and errors.

        Raises:
            OSError: git could not be started.
        """
        return await self._started(arguments, (_NO_PATTERNS, *settings), self._environment(), reads)

    async def run(
        self, *arguments: str, given: bytes = b"", patience: float = STILL, settings: Sequence[str] = ()
    ) -> GitOutput:
        """Run a command to its end.

        Args:
            arguments: the command and its arguments.
            given: its input.
            patience: seconds of inactivity after which it is killed.
            settings: settings of git for this command, such as `core.abbrev=7`.

        Raises:
            OSError: git could not be started.
            Stalled: it made no progress and was killed.
        """
        process = await self.start(*arguments, settings=settings)
        out, err = await communicate(process, given, patience, partial(blocks, self.place or self.root))
        return GitOutput(process.returncode or 0, out, err)

    async def path_in_settings(self, name: str, file: Path | None = None) -> str:
        """Return a path from a settings file, or from the user's and system's settings.

        "" if there is none. No program is run.

        Raises:
            OSError, Stalled.
        """
        own = {each: os.environ[each] for each in _OF_THE_USER if each in os.environ}
        environment = {key: value for key, value in self._environment().items() if key not in _OF_THE_USER}
        where = ("--file", str(file), "--no-includes") if file is not None else ()
        words = ("config", *where, "--path", "--get", name)
        process = await self._started(words, (), {**environment, **own}, True)
        out, _ = await communicate(process, b"", PATIENCE)
        return os.fsdecode(out.removesuffix(b"\n"))

    async def _started(
        self, arguments: Sequence[str], settings: Sequence[str], environment: dict[str, str], reads: bool
    ) -> Process:
        program = git_program()
        if program is None:
            raise FileNotFoundError(2, "git is not on PATH")
        options = [word for setting in (*_SETTINGS, *settings) for word in ("-c", setting)]
        before = _BEFORE if has_memory_limit() else ()
        return await start_process(
            *before, program, "--no-pager", *options, *arguments, cwd=self.place or self.root,
            env=environment, stdin=PIPE if reads else DEVNULL, stdout=PIPE, stderr=PIPE if reads else DEVNULL,
            umask=0o077,
        )  # fmt: skip

    def _environment(self) -> dict[str, str]:
        """Return a clean environment; inherited variables could redirect git or run programs."""
        folder = str(self.folder)
        objects = {"GIT_OBJECT_DIRECTORY": str(self.objects)} if self.objects is not None else {}
        return {
            "PATH": own_path(),
            "LC_ALL": "C",
            "HOME": folder,
            "XDG_CONFIG_HOME": folder,
            "GIT_DIR": folder,
            "GIT_WORK_TREE": str(self.root),
            "GIT_INDEX_FILE": str(self.index or self.folder / "index"),
            **objects,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_CEILING_DIRECTORIES": str(self.root.parent),
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_ALLOW_PROTOCOL": "",
            "GIT_PROTOCOL_FROM_USER": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "false",
            "SSH_ASKPASS": "false",
            "GIT_SSH_COMMAND": "false",
            "GIT_EDITOR": "false",
            "GIT_PAGER": "cat",
            **{f"GIT_{who}_{what}": name for who in ("AUTHOR", "COMMITTER") for what, name in _WHO.items()},
        }


def git_program() -> str | None:
    """Return the path of git, or None."""
    return own_program("git")


_LARGEST: Final = 1 << 20  # bytes read from a file


class Repository(NamedTuple):
    """The folders of a git repository."""

    top: Path
    """The root of the work tree."""
    folder: Path
    """Its git folder, elsewhere for a worktree or submodule."""
    common: Path
    """The git folder shared by all worktrees."""


def repository_of(folder: Path) -> Repository | None:
    """Return the repository that contains a folder."""
    return next((found for each in (folder, *folder.parents) if (found := repository_at(each))), None)


def repository_at(top: Path) -> Repository | None:
    """Return the repository whose work tree starts at a folder."""
    own = top / ".git"
    if not own.is_dir():
        line = b"".join(lines_of(own)[:1])
        if not line.startswith(b"gitdir:"):
            return None
        own = Path(os.path.normpath(top / os.fsdecode(line[7:].strip())))
    shared = b"".join(lines_of(own / "commondir")[:1]).strip()
    common = Path(os.path.normpath(own / os.fsdecode(shared))) if shared else own
    try:
        is_one = (
            os.path.lexists(own / "HEAD") and (common / "objects").is_dir() and (common / "refs").is_dir()
        )
    except (OSError, ValueError):  # an invalid path
        return None
    return Repository(top, own, common) if is_one else None


def lines_of(path: Path) -> list[bytes]:
    """Return the lines of a repository's file, which is untrusted and may be a pipe."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError):  # missing, or an invalid path
        return []
    try:
        is_plain = stat.S_ISREG(os.fstat(descriptor).st_mode)
        data = os.read(descriptor, _LARGEST) if is_plain else b""
    except OSError:
        return []
    finally:
        os.close(descriptor)
    if not is_plain:
        return []
    return [line.removesuffix(b"\r") for line in data.removeprefix(codecs.BOM_UTF8).split(b"\n")]
