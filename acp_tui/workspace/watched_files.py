"""Some files whose changes are told, however they are saved, linked, removed and made again."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from acp_tui.workspace.folder_events import DELETED, CannotWatch, FolderEvent, FolderEvents

_PAUSE: Final = 0.03
"""Seconds between the first event and the look: an editor saves in several steps."""
_LONGEST: Final = 0.25
"""Seconds of that pause, at most: others may be busy in a folder of the files."""
_GAP: Final = 0.3
"""Seconds for which a file may be empty, or gone, while it is saved."""
_TRIES: Final = 5
"""Attempts to watch folders that come and go meanwhile."""
_LINKS: Final = 40
"""Links that are followed, as by the system."""

Stamp = tuple[int, ...]
"""A value that changes whenever a file is written; empty for a missing file."""


# The folders of the files are watched, not the files: an editor may put another file in the place of one. So
# are those of links on the way. A folder that is gone is an event, too; then the one above is watched. Any
# event makes us look at the files once; it need not name them.
class WatchedFiles:
    """Watches some files, which need not exist."""

    def __init__(self, files: Callable[[], Iterable[Path]], tell: Callable[[frozenset[Path]], None]) -> None:
        """Prepare; watching starts with `run`.

        Args:
            files: returns the files to watch, by absolute paths.
            tell: called with the files that may have changed, and once with each new one.
        """
        self.obstacle = ""
        """The reason why changes are not told, or ""; then `look` has to be called."""
        self._files = files
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._events: FolderEvents | None = None
        self._folders: dict[str, tuple[int, int]] = {}
        """The folders that are watched, with their identities."""
        self._stamps: dict[Path, Stamp] = {}
        self._is_over = False

    def look(self) -> None:
        """Look at the files soon, and at new ones of `files`."""
        self._news.set()

    async def run(self) -> None:
        """Watch until cancelled."""
        pause = _PAUSE
        try:
            while True:
                self._news.clear()
                found = await self._look()
                began = self._loop.time()
                await self._news.wait()
                is_calm = found or self._loop.time() - began > _LONGEST
                pause = _PAUSE if is_calm else min(2 * pause, _LONGEST)
                await asyncio.sleep(pause)
        finally:
            self._is_over = True
            self._end()

    async def _look(self) -> bool:
        """Look at the files once; return whether any may have changed."""
        files = list(self._files())
        events = await asyncio.to_thread(self._watch, files)
        stamps = await asyncio.to_thread(_stamps, files)
        if any(_is_half_saved(self._stamps.get(file), stamp) for file, stamp in stamps.items()):
            await asyncio.sleep(_GAP)
            stamps = await asyncio.to_thread(_stamps, files)
        before, self._stamps = self._stamps, stamps
        named = {event.path for event in events}
        changed = (
            file for file, stamp in stamps.items() if before.get(file) != stamp or _is_named(file, named)
        )
        if told := frozenset(changed):
            self._tell(told)
        return bool(told)

    # ------------------------------------------------------------------ folders, in a thread

    def _watch(self, files: Sequence[Path]) -> set[FolderEvent]:
        """Watch the folders of the files as they are now; return what happened in them."""
        told: set[FolderEvent] = set()
        try:
            for _ in range(_TRIES):
                events = self._events.read() if self._events is not None else None
                told |= events or set()
                folders = _folders_of(files)
                is_over = events is None or any(
                    event.kind == DELETED and event.path in self._folders for event in events
                )
                if folders == self._folders and not is_over:
                    break
                self._begin(folders)
        except CannotWatch as error:
            self._end()
            self.obstacle = str(error)
        else:
            self.obstacle = ""
        if self._is_over:  # meanwhile
            self._end()
        return told

    def _begin(self, folders: dict[str, tuple[int, int]]) -> None:
        """Watch exactly these folders, and no event in them is missed from now on."""
        before, self._events = self._events, FolderEvents("", self._wake)
        if before is not None:
            before.close()
        self._folders = folders
        self._events.watch(list(folders))

    def _end(self) -> None:
        if self._events is not None:
            self._events.close()
        self._events, self._folders = None, {}

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the program ends
            self._loop.call_soon_threadsafe(self._news.set)


def _is_named(file: Path, named: set[str]) -> bool:
    """Return whether events are about a file, which may be rewritten within one tick of its clock."""
    try:
        return os.path.realpath(file) in named
    except ValueError:
        return False


def _is_half_saved(before: Stamp | None, now: Stamp) -> bool:
    """Return whether a file that had content is gone or empty, as for a moment while it is saved."""
    return bool(before and before[_SIZE]) and not (now and now[_SIZE])


_SIZE: Final = 0


def _stamps(files: Iterable[Path]) -> dict[Path, Stamp]:
    return {file: _stamp(file) for file in files}


def _stamp(file: Path) -> Stamp:
    try:
        found = file.stat()
    except (OSError, ValueError):  # ValueError: a name that no file can have
        return ()
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev


def _folders_of(files: Iterable[Path]) -> dict[str, tuple[int, int]]:
    """Return the folders, with their identities, whose events tell of changes of some files."""
    found: dict[str, tuple[int, int]] = {}
    for file in files:
        for folder in _folders_on_the_way(file):
            with suppress(OSError, ValueError):
                state = folder.stat()
                if os.access(folder, os.R_OK):  # others the system does not watch
                    found[str(folder)] = state.st_dev, state.st_ino
    return found


def _folders_on_the_way(file: Path) -> set[Path]:
    """Return the folders with links on the way to a file, and its own, else the one above that exists."""
    found: set[Path] = set()
    folder, parts = Path(file.anchor), list(file.parts[1:])
    links = 0
    while parts:
        name = parts.pop(0)
        if name == "..":
            folder = folder.parent
            continue
        try:
            target = os.readlink(folder / name)  # noqa: PTH115 - a relative one stays as it is
        except (OSError, ValueError):
            target = ""
        if target:
            found.add(folder)
            links += 1
            if links > _LINKS:
                break
            path = Path(target)
            folder = Path(path.anchor) if path.anchor else folder
            parts[:0] = path.parts[1:] if path.anchor else path.parts
        elif not parts or not (folder / name).is_dir():
            found.add(folder)
            break
        else:
            folder /= name
    return found
