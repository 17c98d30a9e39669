"""Changed paths of a workspace, collected from the events of its folders.

Ignored folders are not watched, so the largest ones, such as packages, cost nothing.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import stat
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from acp_tui.changes.git import repository_at
from acp_tui.workspace.folder_events import (
    DELETED,
    MODIFIED,
    CannotWatch,
    FolderEvent,
    FolderEvents,
    why_unwatchable,
)

Ignored = Callable[[Sequence[bytes]], Awaitable[set[bytes]]]
"""Returns the ignored ones among some folders, relative to the workspace."""

_SLICE: Final = 200
"""Folders read at a time: a long-running thread delays keys."""
_DEEP: Final = 60
"""Levels of folders for which git is asked whether they are ignored."""
_RULES: Final = (b".gitignore", b".git")
"""Names whose change alters the ignore rules."""


# A folder is watched first and read afterwards: a file created in between is seen twice rather than never.
# What is created in a new folder before it is watched causes no event, so the folder is read with all below
# it. A changed .gitignore, or a name that no event can carry, makes the watcher lost: all files are looked at
# once, and a new watcher starts.
class Watcher:
    """Watches one workspace from `begin` until it `is_lost`; then a new one is needed."""

    def __init__(self, root: Path, ignored: Ignored) -> None:
        """Prepare; watching starts with `begin`.

        Args:
            root: the workspace, links resolved.
            ignored: returns the ignored ones among some folders.
        """
        self.is_lost = False
        """True once changes may have been missed."""
        self.woken = asyncio.Event()
        """Set when something may have happened since the last call of `changed`."""
        self.obstacle = ""
        """The reason why the workspace cannot be watched, or ""."""
        self.folders: set[bytes] = set()
        """The folders that are watched."""
        self.inner: set[bytes] = set()
        """Nested repositories, which are not watched."""
        self.special: set[bytes] = set()
        """Pipes, sockets and devices found when their folder was first read."""
        self._root = os.fsencode(root)
        self._identity: tuple[int, int] | None = None
        """The workspace, even if it is renamed; None: there is none."""
        self._ignored = ignored
        self._loop = asyncio.get_running_loop()
        self._events = FolderEvents(str(root), self._wake)
        self._turn = asyncio.Lock()
        self._changed: set[bytes] = set()
        self._new: list[bytes] = []

    async def begin(self) -> bool:
        """Watch all folders; return whether that is possible."""
        self.obstacle = await asyncio.to_thread(why_unwatchable, Path(os.fsdecode(self._root)))
        if not self.obstacle:
            try:
                self._identity = _identity(self._root)
                await self._enter([b""])
            except CannotWatch as error:
                self.obstacle = str(error)
        if self.obstacle:
            self.close()
            return False
        self._changed.clear()
        return True

    async def has_changed(self) -> bool:
        """Return whether anything may have changed since the last call of `changed`."""
        async with self._turn:
            await self._read_events()
            return self.is_lost or bool(self._changed or self._new)

    async def changed(self) -> set[bytes] | None:
        """Return the files, and folders gone, that may have changed since the last call.

        Paths are relative to the workspace. None means that anything may have changed and this watcher is
        over.
        """
        async with self._turn:
            try:
                await self._read_events()
                while self._new and not self.is_lost:
                    new, self._new = self._new, []
                    await self._enter(await self._kept(new))
                    await self._read_events()
            except CannotWatch:
                self.is_lost = True
            if self.is_lost:
                self.close()
                return None
            changed, self._changed = self._changed, set()
            return changed

    def close(self) -> None:
        """Stop watching."""
        self.is_lost = True
        self._events.close()
        self.woken.set()

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the program ends
            self._loop.call_soon_threadsafe(self.woken.set)

    # ------------------------------------------------------------------ folders

    async def _kept(self, folders: Sequence[bytes]) -> list[bytes]:
        """Return the folders that are not ignored."""
        folders = list(dict.fromkeys(folders))
        ignored = await self._ignored(folders) if folders else set()
        return [folder for folder in folders if folder not in ignored]

    async def _enter(self, folders: Sequence[bytes]) -> None:
        """Watch folders and all below them that are not ignored; their files count as changed.

        Raises:
            CannotWatch.
        """
        found = await self._below(folders)
        while found:
            self.folders.update(found)
            paths = [os.fsdecode(_inside(self._root, folder)) for folder in found]
            await asyncio.to_thread(self._events.watch, paths)
            # Once more: there are no events for what was created in between.
            found = [folder for folder in await self._below(folders) if folder not in self.folders]

    async def _below(self, folders: Sequence[bytes]) -> list[bytes]:
        """Return folders and all below them that are not ignored; their files count as changed."""
        found: list[bytes] = []
        for level in itertools.count():
            if not folders:
                break
            below: list[bytes] = []
            for start in range(0, len(folders), _SLICE):
                below += await asyncio.to_thread(self._read, folders[start : start + _SLICE], found)
            # Each level costs two runs of git, so below `_DEEP` all folders are watched.
            folders = await self._kept(below) if level < _DEEP else below
        return found

    def _read(self, folders: Iterable[bytes], found: list[bytes]) -> list[bytes]:
        """Read folders, adding those to watch to `found`; return the folders in them."""
        below: list[bytes] = []
        for folder in folders:
            within: list[bytes] = []
            try:
                is_repository = self._look_into(folder, within)
            except OSError:  # gone again, which is another event, or unreadable and so excluded
                continue
            if is_repository:  # nested repositories are not watched
                self.inner.add(folder)
            else:
                found.append(folder)
                below += within
        return below

    def _look_into(self, folder: bytes, below: list[bytes]) -> bool:
        """Read a folder, adding subfolders to `below`; return whether it is a repository."""
        path = _inside(self._root, folder)
        is_repository = False
        with os.scandir(path) as entries:
            for entry in entries:
                name = _inside(folder, entry.name)
                if entry.name == b".git":
                    is_repository = bool(folder) and repository_at(Path(os.fsdecode(path))) is not None
                elif entry.is_dir(follow_symlinks=False):
                    below.append(name)
                else:
                    self._changed.add(name)
                    if not (entry.is_file(follow_symlinks=False) or entry.is_symlink()):
                        self.special.add(name)
        return is_repository

    # ------------------------------------------------------------------ events

    async def _read_events(self) -> None:
        """Handle all events until now."""
        self.woken.clear()
        if not self.is_lost:
            events = await asyncio.to_thread(self._events.read)
            if events is None:
                self.is_lost = True
            else:
                await asyncio.to_thread(self._take_all, events)

    def _take_all(self, events: Iterable[FolderEvent]) -> None:
        """Handle events, deletions first: they come in no order."""
        named = [(kind, os.fsencode(path)) for kind, path in events]
        gone = {self._name_of(path) for kind, path in named if kind == DELETED}
        if not gone.isdisjoint(self.folders):
            self.folders = {folder for folder in self.folders if gone.isdisjoint(_and_above(folder))}
        if _identity(self._root) != self._identity:  # not always told
            self.is_lost = True
        for kind, path in named:
            if name := self._name_of(path):
                self._take(kind, name)

    def _name_of(self, path: bytes) -> bytes:
        """Return a path relative to the workspace, or "" if it is not in it."""
        return path[len(self._root) + 1 :] if path.startswith(self._root + b"/") else b""

    def _take(self, kind: int, name: bytes) -> None:
        """Handle an event for a path."""
        folder, _, last = name.rpartition(b"/")
        if kind != DELETED and folder not in self.folders:  # reported by systems that watch whole trees
            return
        if last in _RULES:
            self.is_lost = self.is_lost or bool(folder) or last != b".git"
            return
        self._changed.add(name)  # a folder, too: it may have replaced a file of that name
        if kind == DELETED or not _is_folder(_inside(self._root, name)):
            return
        if kind == MODIFIED and name in self.folders:
            self.is_lost = True  # readability of the whole folder may have changed
        else:
            self._new.append(name)


def _is_folder(path: bytes) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _identity(path: bytes) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _and_above(folder: bytes) -> list[bytes]:
    """Return a folder and those above it."""
    parts = folder.split(b"/")
    return [b"/".join(parts[: count + 1]) for count in range(len(parts))]


def _inside(folder: bytes, name: bytes) -> bytes:
    return folder + b"/" + name if folder and name else folder + name
