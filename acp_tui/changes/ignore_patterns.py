"""Ignore patterns from outside the workspace's own .gitignore files.

They come from the user's ignore file, from the repository's `info/exclude`, and from .gitignore files above a
workspace that is a subfolder of a repository. None of them excludes the workspace itself.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, NamedTuple

from acp_tui.changes.git import Git, Repository, lines_of, repository_of
from acp_tui.workspace.real_paths import followed
from acp_tui.workspace.short_programs import Stalled


class IgnorePattern(NamedTuple):
    """One parsed line of an ignore file."""

    line: bytes
    names: tuple[bytes, ...]
    """Patterns for each part of a path; a single one without a slash matches anywhere."""
    is_anchored: bool
    """True if it contains a slash."""
    brings_back: bool

    @classmethod
    def of(cls, line: bytes) -> IgnorePattern | None:
        """Parse a line; None for a comment or a blank line."""
        core = _trimmed(line)
        if not core or core.startswith(b"#"):
            return None
        brings_back = core.startswith(b"!")
        core = core.removeprefix(b"!").rstrip(b"/")
        is_anchored = b"/" in core
        names = tuple(core.removeprefix(b"/").split(b"/"))
        return cls(line, names, is_anchored, brings_back)

    def fits(self, way: Sequence[bytes]) -> bool:
        """Return whether it matches a folder, given by the parts from the pattern's folder."""
        return _fit(self.names, way) if self.is_anchored else _is_like(way[-1], self.names[0])

    def below(self, way: Sequence[bytes]) -> bytes | None:
        """Return the equivalent line for a subfolder, or None if it matches nothing there."""
        if not self.is_anchored:
            return self.line
        rest = list(self.names)
        for name in way:
            if rest[:1] == [b"**"]:
                break
            if not rest or not _is_like(name, rest.pop(0)):
                return None
        if not rest:
            return None
        end = b"/" if _trimmed(self.line).endswith(b"/") else b""
        return b"!" * self.brings_back + b"/" + b"/".join(rest) + end

    def from_above(self, folder: bytes) -> bytes:
        """Return the equivalent line for the folder above `folder`."""
        if not folder:
            return self.line
        name = re.sub(rb"([*?\[\\])", rb"\\\1", folder).replace(b"\n", b"?")  # a line holds one pattern
        inside = name + (b"/" if self.is_anchored else b"/**/")
        end = b"/" if _trimmed(self.line).endswith(b"/") else b""
        return b"!" * self.brings_back + b"/" + inside + b"/".join(self.names) + end


def _trimmed(line: bytes) -> bytes:
    """Return a line without the blanks at its end; git keeps tabs, and a blank behind a backslash."""
    core = line.rstrip(b" ")
    is_escaped = (len(core) - len(core.rstrip(b"\\"))) % 2 == 1
    return core + b" " if is_escaped and core != line else core


def _fit(names: Sequence[bytes], way: Sequence[bytes]) -> bool:
    """Return whether the parts of a pattern match folders; each pair is compared at most once."""
    places = {0}
    """Counts of folders that the parts so far may match."""
    for name in names:
        if name == b"**":
            places = set(range(min(places, default=len(way) + 1), len(way) + 1))
        else:
            places = {place + 1 for place in places if place < len(way) and _is_like(way[place], name)}
    return len(way) in places


def _is_like(name: bytes, wanted: bytes) -> bool:
    """Return whether a name matches one part of a pattern."""
    if not any(sign in wanted for sign in b"*?[\\"):
        return name == wanted
    shell = re.sub(rb"\\(.)", rb"[\1]", wanted).replace(b"[^", b"[!")
    return fnmatchcase(name, shell)


_SETTING: Final = "core.excludesFile"
_MOST: Final = 20_000
"""Maximum number of patterns read from a file."""


class _Source(NamedTuple):
    """An ignore file."""

    path: Path
    way: tuple[bytes, ...] = ()
    """Folders from the file's folder down to the workspace."""


class Exclusion:
    """The ignore patterns for one workspace."""

    def __init__(self, git: Git, without: Sequence[Path] = ()) -> None:
        """Prepare the patterns.

        Args:
            git: git with a private folder, on the workspace.
            without: folders to exclude if they are in the workspace.
        """
        self._git = git
        self._ours = [_pattern(git.root, Path(followed(folder))) for folder in without]
        self._users: list[Path] | None = None

    async def lines(self) -> bytes:
        """Return all current patterns as the content of an exclude file."""
        repository = await asyncio.to_thread(repository_of, self._git.root)
        if self._users is None:
            self._users = await self._of_the_user(repository)
        return await asyncio.to_thread(self._joined, repository)

    async def _of_the_user(self, repository: Repository | None) -> list[Path]:
        """Return the user's ignore file; the repository's setting takes precedence."""
        named = ""
        with suppress(OSError, Stalled):
            config = repository.common / "config" if repository is not None else None
            if config is not None and any(b"excludesfile" in line.lower() for line in lines_of(config)):
                named = await self._git.path_in_settings(_SETTING, config)
            named = named or await self._git.path_in_settings(_SETTING)
        if named:
            return [(repository.top if repository else self._git.root) / named]
        home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.environ.get("HOME", ""), ".config")  # noqa: PTH118
        return [Path(home, "git", "ignore")] if os.path.isabs(home) else []  # noqa: PTH117

    def _joined(self, repository: Repository | None) -> bytes:
        """Join the lines of all files, the strongest last."""
        way: tuple[bytes, ...] = ()
        sources = []
        if repository is not None:
            way = tuple(os.fsencode(name) for name in self._git.root.relative_to(repository.top).parts)
            sources = [_Source(repository.common / "info" / "exclude", way)]
            folders = [repository.top.joinpath(*map(os.fsdecode, way[:depth])) for depth in range(len(way))]
            sources += [_Source(folder / ".gitignore", way[depth:]) for depth, folder in enumerate(folders)]
        read = [
            _Read.of(source) for source in (*(_Source(user, way) for user in self._users or ()), *sources)
        ]
        if _is_left_out(read, len(way)):
            read = [each.without_the_way() for each in read]
        lines = [line for each in read for line in each.below()]
        return b"\n".join([*lines, *self._ours, b""])


class _Read(NamedTuple):
    """The patterns of a file."""

    patterns: tuple[IgnorePattern, ...]
    way: tuple[bytes, ...]

    @classmethod
    def of(cls, source: _Source) -> _Read:
        found = map(IgnorePattern.of, lines_of(source.path)[:_MOST])
        return cls(tuple(pattern for pattern in found if pattern is not None), source.way)

    def without_the_way(self) -> _Read:
        """Drop patterns that exclude the workspace or a folder above it."""
        steps = [self.way[: end + 1] for end in range(len(self.way))]
        kept = [each for each in self.patterns if each.brings_back or not any(map(each.fits, steps))]
        return _Read(tuple(kept), self.way)

    def below(self) -> list[bytes]:
        """Return the equivalent lines for the workspace."""
        return [line for each in self.patterns if (line := each.below(self.way)) is not None]


def _is_left_out(read: Sequence[_Read], depth: int) -> bool:
    """Return whether the workspace or a folder above it is excluded; the last match counts."""
    for left in reversed(range(depth)):  # number of folders below the one tested
        fitting = [
            pattern
            for each in read
            if len(each.way) > left
            for pattern in each.patterns
            if pattern.fits(each.way[: len(each.way) - left])
        ]
        if fitting and not fitting[-1].brings_back:
            return True
    return False


def _pattern(root: Path, folder: Path) -> bytes:
    """Return a pattern for a folder in the workspace, or b"" for one outside."""
    if not folder.is_relative_to(root) or folder == root:
        return b""
    return b"/" + re.sub(rb"([*?\[\\ ])", rb"\\\1", os.fsencode(folder.relative_to(root)))
