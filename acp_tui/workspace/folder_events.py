"""Events in folders: creations, changes and deletions, reported by the system through watchfiles."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from watchfiles._rust_notify import RustNotify

from acp_tui.platform import attach_signals, event_descriptors, has_event_signals, mounts, send_signals

WATCHES_TREES = sys.platform == "darwin"
"""True if the system can watch a whole tree as one folder: FSEvents can, inotify cannot."""
GROUP: Final = 2_000
"""Most folders of one watcher: its start blocks the interpreter for 10 microseconds a folder."""
_MOST_GROUPS: Final = 8
"""The system allows 128 watchers for each user."""
_STEP: Final = 40
"""Milliseconds between two polls of watchfiles, if no signal announces events."""
_PACE: Final = 0.02
"""Seconds between two wake-ups."""
_PATIENCE: Final = 2.0
"""Maximum seconds until the event of a cookie comes."""
_FLOOD: Final = 2_000
"""Events in one read from which on some may be lost: watchfiles does not report a full kernel queue.

Each may be four events of the kernel, whose queue holds 16,384.
"""
_TRIES: Final = 3
_PROBE: Final = 3.0
"""Maximum seconds until a probe signal comes: generous, since without signals the watcher has to poll."""

ADDED: Final = 1
MODIFIED: Final = 2
DELETED: Final = 3


class CannotWatch(Exception):
    """The system cannot watch some folder, for example because no watches are left."""


_ELSEWHERE: Final = frozenset(
    {
        "9p", "afs", "ceph", "cifs", "davfs", "drvfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs",
        "fuse.vmhgfs-fuse", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "prl_fs", "smb3", "smbfs",
        "vboxsf", "virtiofs", "vmhgfs",
    }
)  # fmt: skip
"""File systems with writers that the kernel does not see: on another machine, or outside a virtual one."""


def why_unwatchable(folder: Path, mounted: Mapping[bytes, str] | None = None) -> str:
    """Return the reason why the system does not report all events in a folder, or "".

    Args:
        folder: without links.
        mounted: file system types by mount point; by default those of the system.
    """
    kinds = mounts() if mounted is None else mounted
    above = (os.fsencode(path) for path in (folder, *folder.parents))
    kind = next((kinds[path] for path in above if path in kinds), "")
    return f"{kind} does not report what others write" if kind in _ELSEWHERE else ""


class FolderEvent(NamedTuple):
    """An event of a path."""

    kind: int
    """`ADDED`, `MODIFIED` or `DELETED`."""
    path: str


@dataclass
class _Group:
    """A watcher of watchfiles, with its folders."""

    notify: RustNotify
    folders: Sequence[str]
    descriptor: int | None
    """A copy of its inotify descriptor, if it is to send signals."""
    cookie: int = 0
    """The last cookie whose event has come."""
    stop: threading.Event = field(default_factory=threading.Event)

    def close(self) -> None:
        self.stop.set()
        self.notify.close()
        if self.descriptor is not None:
            os.close(self.descriptor)


class CookieFolder:
    """A private folder for cookies, which a later run removes if this one is killed."""

    def __init__(self, above: Path | None = None) -> None:
        """Create the folder.

        Args:
            above: the folder for temporary files, by default that of the system.

        Raises:
            OSError.
        """
        above = Path(os.path.realpath(above or tempfile.gettempdir()))
        self._lock: int | None = None
        ours = above / f"acp-tui-watch-{os.getuid()}"
        with suppress(FileExistsError):
            ours.mkdir(mode=0o700)
        if not _is_private(ours):  # it belongs to another user: write and remove nothing
            self.path = tempfile.mkdtemp(prefix="acp-tui-watch-", dir=above)
            return
        with _held(ours):
            _sweep(ours)
            self._lock, lock = tempfile.mkstemp(prefix="", suffix=_LOCK, dir=ours)
            with suppress(OSError):  # a file system without locks, where nothing is cleaned up
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.path = lock.removesuffix(_LOCK)
            Path(self.path).mkdir(mode=0o700)

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            Path(f"{self.path}{_LOCK}").unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = None


_LOCK: Final = ".lock"
"""Suffix of the file beside a cookie folder that is locked while its program runs."""


def _is_private(folder: Path) -> bool:
    """Return whether a path is a folder that belongs to this user and that nobody else may write to."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Lock the parent folder, so that a new folder in it is not cleaned up before it is locked itself."""
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _sweep(folder: Path) -> None:
    """Remove the folders of killed programs, whose locks the system has released."""
    for lock in folder.glob(f"*{_LOCK}"):
        with suppress(OSError):
            handle = os.open(lock, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(lock.with_suffix(""), ignore_errors=True)
                lock.unlink()
            finally:
                os.close(handle)


# watchfiles collects events in a set that has to be polled. Polled every 40 ms, a watcher causes 25
# wake-ups a second. On Linux, the kernel can send a signal for each event of a descriptor instead
# (O_ASYNC), and a thread waits only for that signal: an idle watcher costs nothing. SIGURG is ignored by
# default, so a late one does no harm. It has no handler, so a flood cannot fill asyncio's pipe.
#
# A read creates a folder in a private folder, the cookie, and waits for its event, for 2 to 5 ms: all earlier
# events come before it.
class FolderEvents:
    """Collects the events in some folders, but not below them, from `watch` on.

    `watch` and `read` block: call them in a thread, one at a time.
    """

    def __init__(self, above: str, wake: Callable[[], None]) -> None:
        """Prepare.

        Args:
            above: a folder above all others, without links. Events of others in it may be reported, too.
                Empty if there is none, for a few folders anywhere.
            wake: called in a thread when there may be events.
        """
        self._above = above
        self._is_tree = WATCHES_TREES and bool(above)
        self._wake = wake
        self._groups: list[_Group] = []
        self._events: set[FolderEvent] = set()
        self._events_lock = threading.Lock()
        self._place: CookieFolder | None = None
        self._private = ""
        """The folder for cookies."""
        self._cookie = 0
        self._signals: _Signals | None = None
        self._is_lost = False
        self._turn = threading.Lock()
        self._stop = threading.Event()

    def watch(self, folders: Sequence[str]) -> None:
        """Watch more folders; missing ones are skipped.

        Raises:
            CannotWatch.
        """
        with self._busy():
            if self._stop.is_set():
                raise CannotWatch("watching is over")
            try:
                if not self._private:
                    self._begin()
                if not self._is_tree:
                    self._watch(folders)
            except OSError as error:
                raise CannotWatch(error.strerror or str(error)) from error

    def read(self) -> set[FolderEvent] | None:
        """Return all events since the last call; None: some may be missing, and watching has ended."""
        with self._busy():
            try:
                cookie = self._make_cookie()
                is_whole = all(self._drain(group, cookie) for group in self._groups)
            except (OSError, RuntimeError):  # RuntimeError: a name that is not UTF-8
                is_whole = False
            with self._events_lock:
                events, self._events = self._events, set()
            is_flood = len(events) > _FLOOD
            self._is_lost = self._is_lost or not is_whole or is_flood or self._stop.is_set()
            return None if self._is_lost else events

    def close(self) -> None:
        """Stop watching; blocking calls return soon."""
        self._stop.set()
        self._end_if_closed()

    @contextmanager
    def _busy(self) -> Iterator[None]:
        try:
            with self._turn:
                yield
        finally:
            self._end_if_closed()

    def _end_if_closed(self) -> None:
        if self._stop.is_set() and self._turn.acquire(
            blocking=False
        ):  # otherwise the holder of the lock does it
            try:
                self._end()
            finally:
                self._turn.release()

    def _end(self) -> None:
        while self._groups:
            self._groups.pop().close()
        if self._signals is not None:
            self._signals.close()
            self._signals = None
        if self._place is not None:
            self._place.close()

    # ------------------------------------------------------------------ groups

    def _begin(self) -> None:
        self._place = CookieFolder()
        self._private = self._place.path
        if has_event_signals():
            self._signals = _Signals(self._wake)
        first = [self._above] if self._is_tree else []
        self._add(first)
        if self._signals is not None and not self._signals.come(self._touch):
            self._signals.close()
            self._signals = None
            self._groups.pop().close()
            self._add(first)

    def _watch(self, folders: Sequence[str]) -> None:
        """Fill the last group, and create new ones for the rest."""
        last = self._groups[-1]
        total = sum(len(group.folders) for group in self._groups) + len(folders)
        size = max(GROUP, -(-total // _MOST_GROUPS))
        last.folders = [folder for folder in last.folders if Path(folder).is_dir()]
        room = max(size - len(last.folders), 0)
        if room and folders:
            self._add([*last.folders, *folders[:room]])  # before the old one ends, so that no event is missed
            self._is_lost = not self._drain(last, self._make_cookie()) or self._is_lost
            self._groups.remove(last)
            last.close()
        for begun in range(room, len(folders), size):
            time.sleep(0)  # let other threads run
            self._add(folders[begun : begun + size])

    def _add(self, folders: Sequence[str]) -> None:
        notify, descriptor = self._started(folders)
        group = _Group(notify, folders, descriptor)
        self._groups.append(group)
        if self._signals is not None and descriptor is not None:
            self._signals.attach(descriptor)
        else:
            threading.Thread(target=self._ask_in_steps, args=(group,), name="watch", daemon=True).start()

    def _started(self, folders: Sequence[str]) -> tuple[RustNotify, int | None]:
        """Return a watcher, and a copy of its descriptor if it is to send signals."""
        for _ in range(_TRIES):
            there = [folder for folder in folders if Path(folder).is_dir()]
            try:
                with _STARTING:
                    before = event_descriptors() if self._signals is not None else set()
                    notify = RustNotify([self._private, *there], False, False, 300, self._is_tree, True)
                    new = event_descriptors() - before if self._signals is not None else set()
                    return notify, os.dup(new.pop()) if len(new) == 1 else None
            except FileNotFoundError:
                continue  # a folder is already gone
            except UnicodeEncodeError:
                raise CannotWatch("the name of a folder is not UTF-8") from None
            except RuntimeError as error:
                raise CannotWatch(str(error)) from error
        raise CannotWatch("folders come and go too fast")

    # ------------------------------------------------------------------ events

    def _make_cookie(self) -> int:
        """Create the next cookie, without a signal."""
        found = [group.descriptor for group in self._groups if group.descriptor is not None]
        for descriptor in found:
            send_signals(descriptor, on=False)
        try:
            self._touch()
        finally:
            for descriptor in found:
                send_signals(descriptor, on=True)
        return self._cookie

    def _touch(self) -> None:
        """Remove the last cookie, then create the next one, whose event is the last."""
        with suppress(FileNotFoundError):
            Path(self._private, str(self._cookie)).rmdir()
        self._cookie += 1
        Path(self._private, str(self._cookie)).mkdir()

    def _drain(self, group: _Group, cookie: int) -> bool:
        """Take events until that of a cookie comes; return whether it came."""
        until = time.monotonic() + _PATIENCE
        while group.cookie < cookie:
            if time.monotonic() > until:
                return False
            self._take(group, group.notify.watch(1, 1, 50, None))
        return True

    def _take(self, group: _Group, found: set[tuple[int, str]] | str) -> bool:
        """Take the new events; return whether there are others than cookies."""
        if isinstance(found, str):  # no events
            return False
        events = set()
        for kind, path in found:
            if not path.startswith(self._private):
                events.add(FolderEvent(kind, path))
            elif kind == ADDED and path != self._private:
                group.cookie = max(group.cookie, int(path[len(self._private) + 1 :]))
        with self._events_lock:
            self._events |= events
        return bool(events)

    def _ask_in_steps(self, group: _Group) -> None:
        """Poll for events until the group is closed."""
        while True:
            try:
                found = group.notify.watch(_STEP, _STEP, 0, group.stop)
            except RuntimeError:
                self._is_lost = not group.stop.is_set()
                self._wake()
                return
            if found == "stop":
                return
            if self._take(group, found):
                self._wake()


# Only this thread gets the signals, and blocks them: they stay pending until it waits, and many become one.
class _Signals:
    """Waits for signals of inotify descriptors, in a thread."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._ends = False
        self._is_ready = threading.Event()
        self._has_come = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
        self._thread.start()
        self._is_ready.wait()

    def attach(self, descriptor: int) -> None:
        """Have a descriptor send signals."""
        attach_signals(descriptor, self._thread.native_id or 0, signal.SIGURG)
        send_signals(descriptor, on=True)

    def come(self, act: Callable[[], None]) -> bool:
        """Return whether calling `act` causes a signal."""
        self._has_come.clear()
        act()
        return self._has_come.wait(_PROBE)

    def close(self) -> None:
        """End the thread."""
        self._ends = True
        if self._thread.ident is not None and self._thread.is_alive():
            signal.pthread_kill(self._thread.ident, signal.SIGURG)

    def _run(self) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGURG})
        self._is_ready.set()
        while not self._ends:
            signal.sigwait({signal.SIGURG})
            if not self._ends:
                self._has_come.set()
                self._wake()
                time.sleep(_PACE)


_STARTING: Final = threading.Lock()
"""Held while a watcher starts, so that the new descriptor is its own."""
