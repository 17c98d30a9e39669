"""Which paths of a workspace may have changed, by the kernel's own account: nobody has to look at all.

Only on Linux, where one can ask at any moment for all that happened before it. Folders that are left out of
snapshots are not watched: the largest ones, such as those of packages, cost nothing.
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
from typing import TYPE_CHECKING, Final

from acp_tui.changes.git import repository_at

if TYPE_CHECKING:
    from inotify_simple import Event, INotify


Ignored = Callable[[Sequence[bytes]], Awaitable[set[bytes]]]
"""Returns which of some folders are left out; relative to the workspace."""

_CREATE, _DELETE, _MOVED_FROM, _MOVED_TO = 0x100, 0x200, 0x40, 0x80
_ATTRIB, _IS_FOLDER = 0x4, 0x40000000
_ENDS: Final = 0x400 | 0x800 | 0x2000 | 0x4000
"""The root is deleted, moved, unmounted; or the kernel has forgotten something. Source: inotify(7)."""
_GONE: Final = 0x8000
_MASK: Final = 0x2 | 0x8 | _ATTRIB | _CREATE | _DELETE | _MOVED_FROM | _MOVED_TO | 0x1000000 | 0x2000000
"""Content, its end, mode, names; only folders, and no links."""
_ROOT_MASK: Final = _MASK | 0x400 | 0x800
_SLICE: Final = 200
"""Folders that are read at a stretch: a thread that runs long costs keys."""
_RULES: Final = (b".gitignore", b".git")
"""What changes the rules by which files are left out."""


class Watcher:
    """Watches one workspace from `begin` on; once it `is_lost`, another one has to begin."""

    def __init__(self, root: Path, ignored: Ignored) -> None:
        """Begin later, by `begin`.

        Args:
            root: the workspace, links resolved.
            ignored: tells which folders are left out.
        """
        self.is_lost = False
        """Whether anything may have changed, and will not be told."""
        self._root = os.fsencode(root)
        self._ignored = ignored
        self._notify: INotify | None = None
        self._folders: dict[int, bytes] = {}
        self._numbers: dict[bytes, int] = {}
        self._changed: set[bytes] = set()
        self._new: list[bytes] = []
        self.inner: set[bytes] = set()
        """Other repositories, which are not watched."""
        self.special: set[bytes] = set()
        """Pipes, sockets and devices that were there when a folder was first read."""

    async def begin(self) -> bool:
        """Watch all folders; return whether that is possible."""
        if not sys.platform.startswith("linux"):
            return False
        try:
            await asyncio.to_thread(self._open)
            await self._watch([b""])
        except OSError:  # no more watches, or no more descriptors, are to be had
            self.close()
            return False
        self._changed.clear()
        return True

    @property
    def has_news(self) -> bool:
        """Whether something happened that was not asked for yet; costs next to nothing."""
        if self._notify is None or self.is_lost or self._changed or self._new:
            return True
        waiting = array("i", [0])
        fcntl.ioctl(self._notify.fileno(), termios.FIONREAD, waiting)
        return bool(waiting[0])

    async def changed(self) -> set[bytes] | None:
        """Return files, and folders that are gone, that may differ from when this was last asked.

        Paths are relative to the workspace. None: anything may differ, and this watcher is of no more use.
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
        """Watch no more."""
        self.is_lost = True
        if self._notify is not None:
            self._notify.close()
            self._notify = None

    def _open(self) -> None:
        from inotify_simple import INotify

        self._notify = notify = INotify()
        if self.is_lost:  # closed in the meantime: who looks last closes it
            self._notify = None
            notify.close()

    async def _kept(self, folders: Sequence[bytes]) -> list[bytes]:
        """Return those folders that are not left out."""
        folders = list(dict.fromkeys(folders))
        ignored = await self._ignored(folders) if folders else set()
        return [folder for folder in folders if folder not in ignored]

    async def _watch(self, folders: Sequence[bytes]) -> None:
        """Watch folders and all below them; the files that are in there count as changed."""
        while folders:
            below: list[bytes] = []
            for start in range(0, len(folders), _SLICE):
                below += await asyncio.to_thread(self._enter, folders[start : start + _SLICE])
            folders = await self._kept(below)

    def _enter(self, folders: Iterable[bytes]) -> list[bytes]:
        """Watch some folders, then read them: what comes in between is seen twice rather than never."""
        notify = self._notify
        below: list[bytes] = []
        inner: set[bytes] = set()
        if notify is None:  # closed in the meantime
            return []
        for folder in folders:
            try:
                if self._look_into(folder, notify, below):
                    inner.add(folder)
            except (FileNotFoundError, NotADirectoryError):
                pass  # it is gone again, which is told as well
            except PermissionError:
                pass  # what is in there is left out
        self.inner |= inner
        for folder in inner:  # other repositories are not entered
            self._leave(folder)
        return [path for path in below if path.rpartition(b"/")[0] not in inner]

    def _look_into(self, folder: bytes, notify: INotify, below: list[bytes]) -> bool:
        """Watch a folder and read it, folders into `below`; return whether it is another repository."""
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
        """Take in what happened to something in a folder."""
        if not mask & _IS_FOLDER:
            self._changed.add(path)
        elif mask & (_CREATE | _MOVED_TO):
            self._changed.add(path)  # what was there before under this name is gone
            self._new.append(path)
        elif mask & (_DELETE | _MOVED_FROM):
            self._leave(path)
            self._changed.add(path)
        elif mask & _ATTRIB and path in self._numbers:
            self.is_lost = True  # who may read a folder decides on all that is in it

    def _leave(self, path: bytes) -> None:
        """Watch a folder no more, nor what is below it."""
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
