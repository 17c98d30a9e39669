"""Watched files: reports their changes, however they are saved, linked, removed and created again."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from acp_tui.workspace.folder_events import DELETED, CannotWatch, FolderEvent, FolderEvents
from acp_tui.workspace.real_paths import followed

_PAUSE: Final = 0.03
"""Seconds between the first event and the check: an editor saves in several steps."""
_LONGEST: Final = 0.25
"""Maximum seconds of that pause: other programs may keep writing in the folder."""
_GAP: Final = 0.3
"""Seconds for which a file may be empty, or gone, while it is saved."""
_TRIES: Final = 5
"""Attempts to watch folders that come and go."""
_LINKS: Final = 40
"""Most links that are followed, as by the system."""

Stamp = tuple[int, ...]
"""A value that changes whenever a file is written; empty for a missing file."""


# The folders of the files are watched, not the files, since an editor may replace a file. So are the folders
# of links on the way. A deleted folder is an event, too; then the one above is watched. Any
# event causes one check of the files; it need not name them.
class WatchedFiles:
    """Watches files, which need not exist."""

    def __init__(self, files: Callable[[], Iterable[Path]], tell: Callable[[frozenset[Path]], None]) -> None:
        """Prepare; watching starts with `run`.

        Args:
            files: returns the files to watch, by absolute paths.
            tell: called with the files that may have changed, and once with each new one.
        """
        self.obstacle = ""
        """The reason why changes are not reported, or ""; then `look` must be called."""
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
        """Check the files soon, including new ones of `files`."""
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
        """Check the files once; return whether any may have changed."""
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
        if found := frozenset(changed):
            self._tell(found)
        return bool(found)

    # ------------------------------------------------------------------ folders, in a thread

    def _watch(self, files: Sequence[Path]) -> set[FolderEvent]:
        """Watch the current folders of the files; return the events in them."""
        events_found: set[FolderEvent] = set()
        try:
            for _ in range(_TRIES):
                events = self._events.read() if self._events is not None else None
                events_found |= events or set()
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
        if self._is_over:  # in the meantime
            self._end()
        return events_found

    def _begin(self, folders: dict[str, tuple[int, int]]) -> None:
        """Watch exactly these folders, without missing an event in them from now on."""
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
    """Return whether events name a file: it may be rewritten within one tick of its clock."""
    try:
        return followed(file) in named
    except ValueError:
        return False


def _is_half_saved(before: Stamp | None, now: Stamp) -> bool:
    """Return whether a file with content became missing or empty, which may be a save in progress."""
    return bool(before and before[_SIZE]) and not (now and now[_SIZE])


_SIZE: Final = 0


def _stamps(files: Iterable[Path]) -> dict[Path, Stamp]:
    return {file: _stamp(file) for file in files}


def _stamp(file: Path) -> Stamp:
    try:
        found = file.stat()
    except (OSError, ValueError):  # ValueError: no valid file name
        return ()
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev


def _folders_of(files: Iterable[Path]) -> dict[str, tuple[int, int]]:
    """Return the folders whose events show changes of the files, with their identities."""
    found: dict[str, tuple[int, int]] = {}
    for file in files:
        for folder in _folders_on_the_way(file):
            with suppress(OSError, ValueError):
                state = folder.stat()
                if os.access(folder, os.R_OK):  # the system cannot watch other kinds
                    found[str(folder)] = state.st_dev, state.st_ino
    return found


def _folders_on_the_way(file: Path) -> set[Path]:
    """Return the folders of links on the way to a file, and its own or the nearest existing one above."""
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
