"""Changed paths of a workspace, collected with inotify (Linux only).

Ignored folders are not watched, so the largest ones, such as packages, cost nothing.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import sys
import termios
from array import array
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from inotify_simple import Event, INotify

from acp_tui.changes.git import repository_at

Ignored = Callable[[Sequence[bytes]], Awaitable[set[bytes]]]
"""Returns the ignored ones among some folders, relative to the workspace."""

_CREATE, _DELETE, _MOVED_FROM, _MOVED_TO = 0x100, 0x200, 0x40, 0x80
_ATTRIB, _IS_FOLDER = 0x4, 0x40000000
_ENDS: Final = 0x400 | 0x800 | 0x2000 | 0x4000
"""The root is deleted, moved or unmounted, or the queue overflowed. Source: inotify(7)."""
_GONE: Final = 0x8000
_MASK: Final = 0x2 | 0x8 | _ATTRIB | _CREATE | _DELETE | _MOVED_FROM | _MOVED_TO | 0x1000000 | 0x2000000
"""Content, close, metadata and names; only folders, no links."""
_ROOT_MASK: Final = _MASK | 0x400 | 0x800
_SLICE: Final = 200
"""Folders read at a time: a long-running thread delays keys."""
_RULES: Final = (b".gitignore", b".git")
"""Names whose change alters the ignore rules."""


# inotify queues an event before the call that caused it returns, so one non-blocking read yields every change
# made so far: no cookie file and no delay. A folder is watched first and read afterwards, which sees a file
# created in between twice rather than never. 5,050 folders take 46 ms in slices, with the event loop blocked
# for 4 ms at most. An overflow (16,384 events) or a changed .gitignore makes the watcher lost: everything is
# looked at once, and a new watcher starts.
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
        self._root = os.fsencode(root)
        self._ignored = ignored
        self._notify: INotify | None = None
        self._folders: dict[int, bytes] = {}
        self._numbers: dict[bytes, int] = {}
        self._changed: set[bytes] = set()
        self._new: list[bytes] = []
        self.inner: set[bytes] = set()
        """Nested repositories, which are not watched."""
        self.special: set[bytes] = set()
        """Pipes, sockets and devices found when their folder was first read."""

    async def begin(self) -> bool:
        """Watch all folders; return whether that is possible."""
        if not sys.platform.startswith("linux"):
            return False
        try:
            await asyncio.to_thread(self._open)
            await self._watch([b""])
        except OSError:  # out of watches or descriptors
            self.close()
            return False
        self._changed.clear()
        return True

    @property
    def has_news(self) -> bool:
        """True if there are unread events; costs next to nothing."""
        if self._notify is None or self.is_lost or self._changed or self._new:
            return True
        waiting = array("i", [0])
        fcntl.ioctl(self._notify.fileno(), termios.FIONREAD, waiting)
        return bool(waiting[0])

    async def changed(self) -> set[bytes] | None:
        """Return the files, and folders gone, that may have changed since the last call.

        Paths are relative to the workspace. None means that anything may have changed and this watcher is
        over.
        """
        if self._notify is None:
            return None
        if not self.is_lost:
            try:
                await asyncio.to_thread(self._read)
                while self._new and not self.is_lost:
                    new, self._new = self._new, []
                    await self._watch(await self._kept(new))
                    await asyncio.to_thread(self._read)
            except OSError:
                self.is_lost = True
        if self.is_lost:
            self.close()
            return None
        changed, self._changed = self._changed, set()
        return changed

    def close(self) -> None:
        """Stop watching."""
        self.is_lost = True
        if self._notify is not None:
            self._notify.close()
            self._notify = None

    def _open(self) -> None:
        self._notify = notify = INotify()
        if self.is_lost:  # closed meanwhile
            self._notify = None
            notify.close()

    async def _kept(self, folders: Sequence[bytes]) -> list[bytes]:
        """Return the folders that are not ignored."""
        folders = list(dict.fromkeys(folders))
        ignored = await self._ignored(folders) if folders else set()
        return [folder for folder in folders if folder not in ignored]

    async def _watch(self, folders: Sequence[bytes]) -> None:
        """Watch folders recursively; their files count as changed."""
        while folders:
            below: list[bytes] = []
            for start in range(0, len(folders), _SLICE):
                below += await asyncio.to_thread(self._enter, folders[start : start + _SLICE])
            folders = await self._kept(below)

    def _enter(self, folders: Iterable[bytes]) -> list[bytes]:
        """Watch folders, then read them: an event in between is seen twice rather than never."""
        notify = self._notify
        below: list[bytes] = []
        inner: set[bytes] = set()
        if notify is None:  # closed meanwhile
            return []
        for folder in folders:
            try:
                if self._look_into(folder, notify, below):
                    inner.add(folder)
            except (FileNotFoundError, NotADirectoryError):
                pass  # gone again, which is an event as well
            except PermissionError:
                pass  # unreadable, so excluded
        self.inner |= inner
        for folder in inner:  # nested repositories are not watched
            self._leave(folder)
        return [path for path in below if path.rpartition(b"/")[0] not in inner]

    def _look_into(self, folder: bytes, notify: INotify, below: list[bytes]) -> bool:
        """Watch and read a folder, adding subfolders to `below`; return whether it is a repository."""
        path = _inside(self._root, folder)
        number = notify.add_watch(path, _MASK if folder else _ROOT_MASK)
        self._folders[number] = folder
        self._numbers[folder] = number
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

    def _read(self) -> None:
        if self._notify is not None:
            for event in self._notify.read(timeout=0):
                self._take(event)

    def _take(self, event: Event) -> None:
        folder = self._folders.get(event.wd)
        if event.mask & _ENDS:
            self.is_lost = True
        elif event.mask & _GONE:
            self._forget(event.wd)
        elif folder is not None and event.name:
            name = os.fsencode(event.name)
            if name not in _RULES:
                self._named(_inside(folder, name), event.mask)
            elif folder or name != b".git":
                self.is_lost = True

    def _named(self, path: bytes, mask: int) -> None:
        """Handle an event for a path."""
        if not mask & _IS_FOLDER:
            self._changed.add(path)
        elif mask & (_CREATE | _MOVED_TO):
            self._changed.add(path)  # it may have replaced a file of that name
            self._new.append(path)
        elif mask & (_DELETE | _MOVED_FROM):
            self._leave(path)
            self._changed.add(path)
        elif mask & _ATTRIB and path in self._numbers:
            self.is_lost = True  # readability of the whole folder may have changed

    def _leave(self, path: bytes) -> None:
        """Stop watching a folder and those below it."""
        prefix = path + b"/"
        below = [folder for folder in self._numbers if folder == path or folder.startswith(prefix)]
        for folder in below:
            number = self._numbers.pop(folder)
            self._folders.pop(number, None)
            try:
                if self._notify is not None:
                    self._notify.rm_watch(number)
            except OSError:
                pass  # it was deleted

    def _forget(self, number: int) -> None:
        folder = self._folders.pop(number, None)
        if folder is not None and self._numbers.get(folder) == number:
            del self._numbers[folder]


def _inside(folder: bytes, name: bytes) -> bytes:
    return folder + b"/" + name if folder and name else folder + name
