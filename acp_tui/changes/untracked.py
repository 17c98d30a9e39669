"""Changes outside all snapshots: git settings and hooks, pipes, very large files."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import aclosing
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from acp_tui.changes.file_list import files_in
from acp_tui.changes.git import repository_at, repository_of
from acp_tui.changes.git_tree import ChangedFile, LeftOut, Snapshot
from acp_tui.changes.snapshots import Snapshots

MOST: Final = 1_000
"""Maximum number of files that are checked."""
_MODULES: Final = 50
"""Maximum number of submodules and nested repositories."""
_MOST_INSIDE: Final = 20_000
"""Maximum number of files in nested repositories."""
_SETTINGS: Final = ("config", "config.worktree", "info/exclude", "info/attributes", "objects/info/alternates")
_SAMPLE: Final = ".sample"
"""Suffix of hooks that git does not run."""
_WORDS: Final = {
    "large": "above 8 MB",
    "repository": "another repository",
    "too many": "beyond the most files",
}
_KINDS: Final = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFBLK: "a device",
    stat.S_IFCHR: "a device",
}


class Mark(NamedTuple):
    """The state of a file, without its content."""

    what: str
    """Description for display."""
    state: tuple[int, ...]


Marks = Mapping[str, Mark]
"""Marks by relative path."""


class Untracked(NamedTuple):
    """A change outside all snapshots."""

    path: str
    what: str
    """Description for display."""


def marks(root: Path, left_out: Iterable[LeftOut]) -> Marks:
    """Return the marks of all files outside snapshots.

    Blocking: call it in a thread.
    """
    found = dict(_of_git(root))
    for each in islice(left_out, MOST):
        if (state := _state(root / each.path)) is not None:
            found[each.path] = Mark(_WORDS.get(each.reason) or _kind(state[0]), _kept(each, state))
    return found


async def inner_marks(root: Path, left_out: Iterable[LeftOut]) -> Marks:
    """Return the marks of the files of nested repositories."""
    found: dict[str, Mark] = {}
    inner = [each.path for each in left_out if each.reason == "repository"]
    for path in inner[:_MODULES]:
        folder = root / path
        repository = await asyncio.to_thread(repository_at, folder)
        if repository is None:
            continue
        own = dict.fromkeys([repository.folder, repository.common])
        found |= await asyncio.to_thread(dict, _settings(root, own))
        async with aclosing(files_in(str(folder))) as pieces:
            async for names in pieces:
                room = _MOST_INSIDE - len(found)
                places = [(f"{path}/{name}", folder / name) for name in names[:room]]
                found |= await asyncio.to_thread(_marked, places, "in another repository")
                if len(found) >= _MOST_INSIDE:
                    return found
    return found


def differences(before: Marks, now: Marks) -> list[Untracked]:
    """Return the changes between two sets of marks, sorted by path."""
    paths = [path for path in {**before, **now} if before.get(path) != now.get(path)]
    gone = {path: before[path] for path in paths if path not in now}
    return sorted(
        Untracked(path, f"{gone[path].what}, gone" if path in gone else now[path].what) for path in paths
    )


def _of_git(root: Path) -> Iterator[tuple[str, Mark]]:
    """Yield files that alter git's behaviour or run programs."""
    own = root / ".git"
    if (state := _state(own)) is not None:
        yield ".git", Mark("the repository", state[:2] if stat.S_ISDIR(state[0]) else state)
    repository = repository_of(root)
    if repository is None:
        return
    folders = dict.fromkeys([repository.folder, repository.common])
    try:
        modules = [path.parent for path in islice((repository.common / "modules").rglob("HEAD"), _MODULES)]
    except OSError:
        modules = []
    yield from _settings(root, (*folders, *modules))


def _settings(root: Path, folders: Iterable[Path]) -> Iterator[tuple[str, Mark]]:
    """Yield the settings and hooks of repositories."""
    for folder in folders:
        places = [(folder / name, "settings of git") for name in _SETTINGS]
        try:
            names = [entry.name for entry in islice(os.scandir(folder / "hooks"), MOST)]
            hooks = [name for name in names if not name.endswith(_SAMPLE)]
        except OSError:
            hooks = []
        for path, what in (*places, *((folder / "hooks" / name, "a hook of git") for name in hooks)):
            if (found := _state(path)) is not None:
                yield os.path.relpath(path, root), Mark(what, found)


def _marked(places: Iterable[tuple[str, Path]], what: str) -> dict[str, Mark]:
    return {name: Mark(what, state) for name, path in places if (state := _state(path)) is not None}


def _state(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.lstat()
    except (OSError, ValueError):
        return None
    return found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns


def _kept(each: LeftOut, state: tuple[int, ...]) -> tuple[int, ...]:
    """Return the relevant part of a state: for a folder, its kind only."""
    return state[:1] if each.reason == "repository" or stat.S_ISDIR(state[0]) else state


def _kind(mode: int) -> str:
    return _KINDS.get(stat.S_IFMT(mode), "cannot be read")


_LOOKED_AT: Final = 20_000
"""Files checked at a time."""
_FOLDERS: Final = 2_000
"""Folders checked every time, as no watcher reports their permissions."""
_COMMON: Final = 0o644
"""Default permissions, not stored."""


class FileModes:
    """The original permissions of files, to detect later changes."""

    def __init__(self, root: Path) -> None:
        self._base = os.fsencode(root) + b"/"
        self._known: set[bytes] = set()
        self._first: dict[bytes, int] = {}
        self._folders: dict[bytes, int] = {}
        self._changed: dict[bytes, tuple[int, int]] = {}

    def begin(self, paths: Iterable[bytes]) -> None:
        """Record the permissions of files and their folders.

        Blocking: call it in a thread.
        """
        for path in paths:
            mode = self._mode(path)
            if mode is not None:
                if mode != _COMMON:
                    self._first[path] = mode
                self._known.add(path)  # last, because a look may run in between
            self.begin_folder(path.rpartition(b"/")[0])

    def begin_folder(self, folder: bytes) -> None:
        """Record the permissions of a folder and of those above it.

        Blocking: call it in a thread.
        """
        while folder and folder not in self._folders and len(self._folders) < _FOLDERS:
            found = self._mode(folder)
            if found is not None:
                self._folders[folder] = found
            folder = folder.rpartition(b"/")[0]

    def first(self, path: str) -> int | None:
        """Return the original permissions of a file or folder, or None if unknown."""
        name = os.fsencode(path)
        if name in self._known:
            return self._first.get(name, _COMMON)
        return self._folders.get(name)

    def look(self, touched: Iterable[bytes]) -> Marks:
        """Return a mark for each file or folder with changed permissions.

        Blocking: call it in a thread.

        Args:
            touched: files that may have changed since the last call.
        """
        again = {*self._changed, *self._folders}
        again.update(path for path, _ in zip(touched, range(_LOOKED_AT), strict=False) if path in self._known)
        for path in again:
            first = self._folders[path] if path in self._folders else self._first.get(path, _COMMON)
            now = self._mode(path)
            self._changed.pop(path, None)
            if now is not None and _differs(first, now):
                self._changed[path] = first, now
        return {
            os.fsdecode(path): Mark(f"mode {first:o} → {now:o}", (now,))
            for path, (first, now) in self._changed.items()
        }

    def _mode(self, path: bytes) -> int | None:
        try:
            found = os.lstat(self._base + path).st_mode
        except (OSError, ValueError):
            return None
        return stat.S_IMODE(found) if stat.S_ISREG(found) or stat.S_ISDIR(found) else None


def _differs(before: int, now: int) -> bool:
    """Return whether permissions differ in more than a snapshot records."""
    is_seen = bool((before ^ now) & stat.S_IXUSR)
    return bool((before ^ now) & ~0o111) if is_seen else before != now


_SLICE: Final = 2_000
"""Files whose permissions are read at a time."""


class UntrackedFiles:
    """The files outside snapshots, compared by size, time and mode with the session start."""

    def __init__(self, snapshots: Snapshots) -> None:
        self._snapshots = snapshots
        self.modes = FileModes(snapshots.root)
        """The permissions of all files at the session start."""
        self.changes: tuple[Untracked, ...] = ()
        """Changes since the session start, as of the last look."""
        self._first: Marks | None = None
        self._hidden: tuple[Untracked, ...] = ()
        self._first_inner: Marks | None = None
        self._inner: Marks = {}
        """Files of nested repositories: at the session start, and at the last look."""

    async def begin(self) -> None:
        """Read the marks at the session start, but for what is slow."""
        self._first = await asyncio.to_thread(marks, self._snapshots.root, self._snapshots.left_out)

    async def begin_slow(self) -> None:
        """Read what is slow and needed by no prompt: nested repositories and permissions."""
        await self._look_inside()
        files = await self._snapshots.files()
        for begun in range(0, len(files), _SLICE):
            await asyncio.to_thread(self.modes.begin, files[begun : begun + _SLICE])
        for folder in await self._snapshots.empty_folders():
            await asyncio.to_thread(self.modes.begin_folder, folder)

    async def look(self, first: Snapshot, changes: Iterable[ChangedFile], *, is_whole: bool) -> None:
        """Compare the files with the session start.

        Args:
            first: the snapshot of the session start.
            changes: the changes since then in snapshots.
            is_whole: True to look also at what is slow, which no look during a turn does.
        """
        now = await asyncio.to_thread(marks, self._snapshots.root, self._snapshots.left_out)
        if self._first is None:
            self._first = now
        if not any(change.path.rpartition("/")[2] == ".gitignore" for change in changes):
            self._hidden = ()
        elif is_whole:
            hidden = await self._snapshots.newly_hidden(first)
            self._hidden = tuple(Untracked(path, "hidden by a new .gitignore") for path in hidden)
        if is_whole:
            await self._look_inside()
        modes = await asyncio.to_thread(self.modes.look, self._snapshots.touched())
        self.changes = (
            *differences(self._first, now),
            *differences(self._first_inner or {}, self._inner),
            *differences({}, modes),
            *self._hidden,
        )

    async def other_modes(self, paths: Iterable[str]) -> list[Untracked]:
        """Return the files whose permissions differ from those at the start; snapshots do not hold them."""
        wanted = set(paths)
        modes = await asyncio.to_thread(self.modes.look, map(os.fsencode, wanted))
        return [one for one in differences({}, modes) if one.path in wanted]

    async def _look_inside(self) -> None:
        """Read the marks in nested repositories."""
        self._inner = await inner_marks(self._snapshots.root, self._snapshots.left_out)
        if self._first_inner is None:
            self._first_inner = self._inner
