"""System calls that not every system has, each with a portable substitute.

A way is chosen once, by trying the call, and never by the name of the system.
"""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import struct
import sys
import threading
from collections.abc import Hashable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from acp_tui.lazy_regex import regex

PROC: Final = "/proc"
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_LIMIT_NAME: Final = b"Max realtime timeout"


class Way(NamedTuple):
    """The way in which this machine does something: natively or portably."""

    subject: str
    """A noun for display, such as "processes"."""
    used: str
    """The name of the call or library, such as "/proc"."""
    is_native: bool
    """False for the portable way."""
    loss: str
    """A sentence about what this way cannot do, or ""."""


def ways() -> list[Way]:
    """Return the ways in use, for reports."""
    table = process_table()
    return [
        Way("processes", table.name, isinstance(table, ProcProcesses), ""),
        _way(
            "marks of processes",
            has_limits(),
            ("a limit and the environment", "the environment"),
            "What clears its environment, leaves its session and loses its parent is not ended.",
        ),
        _way("ends of processes", has_pidfd(), ("pidfd", "a thread for each")),
        _way(
            "start of programs",
            has_folder_descriptors(),
            ("posix_spawn and sh", "posix_spawn and Python"),
            "Each start takes some 20 ms more.",
        ),
        Way("terminals", "openpty", True, ""),
        _way("file events", has_event_signals(), ("signals", "steps of 40 ms")),
        _way("file attributes", has_attributes(), ("xattr", "none"), "A file loses them when it is written."),
        _way("room for drafts", has_reserve(), ("posix_fallocate", "none"), "A full disk may cut a draft."),
        _way(
            "memory limit of git",
            has_memory_limit(),
            ("ulimit", "none"),
            "A huge ignore file may fill it.",
        ),
    ]


def _way(subject: str, is_native: bool, names: tuple[str, str], loss: str = "") -> Way:
    return Way(subject, names[0], True, "") if is_native else Way(subject, names[1], False, loss)


# ---------------------------------------------------------------------- processes


class ProcessFacts(NamedTuple):
    """A living process."""

    since: bytes
    """Start time, which distinguishes it from another process with the same id."""
    parent: int
    session: int


class ProcessTable(Protocol):
    """All processes of the system."""

    name: str

    def ids(self) -> Iterable[int]:
        """Return all process ids."""

    def last_id(self) -> int | None:
        """Return the process id assigned last, or None if unknown."""

    def facts(self, pid: int) -> ProcessFacts | None:
        """Return the facts of a process; None if it has ended, reaped or not."""

    def environment(self, pid: int) -> bytes:
        """Return the environment of a process, NUL between variables; b"" if unreadable."""

    def limit(self, pid: int) -> int | None:
        """Return the number given by `give_limit` to a process or its ancestor, or None."""

    def session_cpu(self, session: int) -> float:
        """Return the seconds of processor time of a session, with reaped children."""

    def work(self, pid: int) -> Hashable | None:
        """Return counters of a process's CPU time and I/O; None if unknown."""


class ProcProcesses:
    """The processes as `/proc` lists them."""

    name = "/proc"

    def __init__(self, folder: str = PROC) -> None:
        self._folder = folder

    def ids(self) -> Iterable[int]:
        """Return all process ids."""
        return (int(name) for name in os.listdir(self._folder) if name.isdigit())  # noqa: PTH208 - faster

    def last_id(self) -> int | None:
        """Return the process id assigned last, or None if unknown."""
        try:
            return int(Path(self._folder, "loadavg").read_bytes().split()[4])
        except (OSError, ValueError, IndexError):
            return None

    def facts(self, pid: int) -> ProcessFacts | None:
        """Return the facts of a process; None if it has ended, reaped or not."""
        fields = self._stat(pid)
        if not fields:
            return None
        return ProcessFacts(fields[19], int(fields[1]), int(fields[3]))

    def environment(self, pid: int) -> bytes:
        """Return the environment of a process, NUL between variables; b"" if unreadable."""
        try:
            with open(f"{self._folder}/{pid}/environ", "rb") as file:
                return file.read()
        except OSError:  # gone, or of another user
            return b""

    def limit(self, pid: int) -> int | None:
        """Return the number given by `give_limit` to a process or its ancestor, or None."""
        limits = self._read(pid, "limits")
        start = limits.find(_LIMIT_NAME)
        fields = limits[start + len(_LIMIT_NAME) : start + 80].split(None, 1)
        return int(fields[0]) if start >= 0 and fields and fields[0].isdigit() else None

    def session_cpu(self, session: int) -> float:
        """Return the seconds of processor time of a session, with reaped children."""
        every = (self._stat(pid) for pid in self.ids())
        return (
            sum(sum(map(int, fields[11:15])) for fields in every if fields[3:4] == [b"%d" % session]) / _TICKS
        )

    def work(self, pid: int) -> Hashable | None:
        """Return counters of a process's CPU time and I/O; None if unknown."""
        stat, counted = self._stat(pid), self._read(pid, "io")
        return (*stat[11:13], counted) if stat and counted else None

    def _stat(self, pid: int) -> list[bytes]:
        """Return the fields of a living process from its state on, or none."""
        stat = self._read(pid, "stat")
        fields = stat[stat.rfind(b")") + 2 :].split()
        return fields if fields and fields[0] not in b"ZX" else []

    def _read(self, pid: int, name: str) -> bytes:
        try:
            with open(f"{self._folder}/{pid}/{name}", "rb", buffering=0) as file:
                return file.read(4096)
        except OSError:  # gone
            return b""


class PsutilProcesses:
    """The processes as psutil lists them: the portable way."""

    name = "psutil"

    def __init__(self) -> None:
        import psutil  # not loaded on systems with `/proc`: it takes 50 ms

        self._psutil = psutil

    def ids(self) -> Iterable[int]:
        """Return all process ids."""
        return self._psutil.pids()

    def last_id(self) -> int | None:
        """Return None: it is unknown."""
        return None

    def facts(self, pid: int) -> ProcessFacts | None:
        """Return the facts of a process; None if it has ended, reaped or not."""
        try:
            process = self._psutil.Process(pid)
            with process.oneshot():
                if process.status() in (self._psutil.STATUS_ZOMBIE, self._psutil.STATUS_DEAD):
                    return None
                since, parent = repr(process.create_time()).encode(), process.ppid()
            return ProcessFacts(since, parent, os.getsid(pid))
        except (self._psutil.Error, OSError):
            return None

    def environment(self, pid: int) -> bytes:
        """Return the environment of a process, NUL between variables; b"" if unreadable."""
        try:
            variables = self._psutil.Process(pid).environ()
        except (self._psutil.Error, OSError):
            return b""
        return b"\0".join(os.fsencode(f"{name}={value}") for name, value in variables.items())

    def limit(self, pid: int) -> int | None:
        """Return None: there are no such marks."""
        return None

    def session_cpu(self, session: int) -> float:
        """Return the seconds of processor time of a session, with reaped children."""
        return sum(self._cpu(pid, session) for pid in self.ids())

    def work(self, pid: int) -> Hashable | None:
        """Return counters of a process's CPU time and I/O; None if unknown."""
        try:
            process = self._psutil.Process(pid)
            with process.oneshot():
                return process.cpu_times()[:2], process.num_ctx_switches()
        except (self._psutil.Error, OSError):
            return None

    def _cpu(self, pid: int, session: int) -> float:
        try:
            if os.getsid(pid) != session or self.facts(pid) is None:
                return 0.0
            return float(sum(self._psutil.Process(pid).cpu_times()[:4]))
        except (self._psutil.Error, OSError):  # gone, or of another user
            return 0.0


@cache
def process_table() -> ProcessTable:
    """Return the processes of this system."""
    native = ProcProcesses()
    return native if native.facts(os.getpid()) is not None else PsutilProcesses()


def has_ended(pid: int) -> bool:
    """Return whether a child has ended, reaped or not."""
    if hasattr(os, "waitid"):
        try:
            return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:  # already reaped
            return True
    return process_table().facts(pid) is None


# A limit of thousands of years on the run time of real-time processes forbids nothing. It survives a cleared
# environment and a new session, and can be read in `/proc`.
@cache
def has_limits() -> bool:
    """Return whether processes can be marked by a limit that their descendants inherit."""
    try:
        resource.prlimit(os.getpid(), resource.RLIMIT_RTTIME)
    except (AttributeError, OSError, ValueError):
        return False
    return bool(ProcProcesses().facts(os.getpid()))


def give_limit(pid: int, number: int) -> bool:
    """Mark a process and its future descendants; return whether it worked."""
    if not has_limits():
        return False
    try:
        hard = resource.prlimit(pid, resource.RLIMIT_RTTIME)[1]
        resource.prlimit(pid, resource.RLIMIT_RTTIME, (number, hard))
    except (OSError, ValueError):  # gone, already limited, or forbidden by a sandbox
        return False
    return True


@cache
def has_pidfd() -> bool:
    """Return whether a process can be waited for through a descriptor."""
    descriptor = _pidfd(os.getpid())
    if descriptor is not None:
        os.close(descriptor)
    return descriptor is not None


def open_pidfd(pid: int) -> int | None:
    """Return a descriptor that is readable once a process has ended, or None."""
    return _pidfd(pid) if has_pidfd() else None


def _pidfd(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):  # an old kernel, or gone
        return None


# ---------------------------------------------------------------------- files


@cache
def has_folder_descriptors() -> bool:
    """Return whether a shell can enter an open folder, in a process session started by `posix_spawn`."""
    try:
        opened = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except (AttributeError, OSError):
        return False
    try:
        os.posix_spawn("/", ["/"], {}, setsid=True)
    except NotImplementedError:  # macOS: Python has no `setsid` there, so the portable way is used
        return False
    except OSError:  # running a folder fails, but only after the session was accepted
        return path_of(opened) == "/"
    finally:
        os.close(opened)
    return False


def open_folder(path: str) -> int:
    """Open a folder in order to enter it; refuse a link.

    Raises:
        OSError: it cannot be opened.
    """
    flags = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(path, flags | (os.O_PATH if has_folder_descriptors() else os.O_RDONLY))


def path_of(descriptor: int) -> str | None:
    """Return the current path of an open file, or None if unknown."""
    try:
        return os.readlink(f"{PROC}/self/fd/{descriptor}")  # noqa: PTH115 - text
    except OSError:
        return None


@cache
def has_attributes() -> bool:
    """Return whether files have extended attributes that Python can read and write."""
    try:
        os.listxattr("/")
    except AttributeError:
        return False
    except OSError:  # this file system does not support them
        pass
    return True


def copy_attributes(old: int, new: int, skipped: Iterable[str] = ()) -> None:
    """Copy the extended attributes of an open file to another, if there are any."""
    if not has_attributes():
        return
    for attribute in os.listxattr(old):
        if attribute not in skipped:
            with suppress(OSError):
                os.setxattr(new, attribute, os.getxattr(old, attribute))


def has_reserve() -> bool:
    """Return whether disk space can be reserved."""
    return hasattr(os, "posix_fallocate")


def reserve(file: int, size: int) -> None:
    """Reserve disk space for the start of an open file, if the system can.

    Raises:
        OSError: there is no space; the file is unchanged.
    """
    if has_reserve():
        os.posix_fallocate(file, 0, size)


_ESCAPED: Final = regex(rb"\\([0-7]{3})")
"""A character of a path in the list of mounts. Source: proc_pid_mountinfo(5)."""


def mounts(listed: Path = Path(PROC, "self/mountinfo")) -> dict[bytes, str]:
    """Return the file system types by mount point."""
    try:
        lines = listed.read_bytes().splitlines()
    except OSError:
        return _mounts_of_psutil()
    kinds: dict[bytes, str] = {}
    for line in lines:
        place, _, rest = line.partition(b" - ")
        path = _ESCAPED.sub(lambda found: bytes([int(found[1], 8)]), place.split(b" ")[4])
        kinds[path] = rest.split(b" ")[0].decode("ascii", "replace")
    return kinds


def _mounts_of_psutil() -> dict[bytes, str]:
    import psutil  # see `PsutilProcesses`

    try:
        return {os.fsencode(each.mountpoint): each.fstype for each in psutil.disk_partitions(all=True)}
    except (psutil.Error, OSError):
        return {}


# ---------------------------------------------------------------------- limits and events


@cache
def has_memory_limit() -> bool:
    """Return whether the system enforces a memory limit: one that does can report it."""
    try:
        resource.prlimit(os.getpid(), resource.RLIMIT_AS)
    except (AttributeError, OSError, ValueError):
        return False
    return True


# With inotify, a descriptor can send signals (O_ASYNC), and an idle watcher costs nothing.
@cache
def has_event_signals() -> bool:
    """Return whether the inotify descriptor can be found and can send signals to one thread."""
    theirs, ours = os.pipe()
    try:
        attach_signals(theirs, threading.get_native_id(), signal.SIGURG)
        send_signals(theirs, on=False)
        return path_of(theirs) is not None
    except (AttributeError, OSError):
        return False
    finally:
        os.close(theirs)
        os.close(ours)


def event_descriptors() -> set[int]:
    """Return the inotify descriptors of this process."""
    numbers = (int(name) for name in os.listdir(f"{PROC}/self/fd"))  # noqa: PTH208 - text
    return {number for number in numbers if path_of(number) == "anon_inode:inotify"}


_SET_OWNER: Final = 15
"""The command F_SETOWN_EX, and its kind of owner: a thread. Source: fcntl(2)."""
_THREAD: Final = 0


def send_signals(descriptor: int, *, on: bool) -> None:
    """Have a descriptor send signals, or stop it."""
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_ASYNC if on else flags & ~os.O_ASYNC)


def attach_signals(descriptor: int, thread: int, number: signal.Signals) -> None:
    """Choose the signal of a descriptor, and the thread that gets it."""
    fcntl.fcntl(descriptor, fcntl.F_SETSIG, number)
    fcntl.fcntl(descriptor, _SET_OWNER, struct.pack("ii", _THREAD, thread))


def load_hashlib() -> None:
    """Import hashlib and hmac without OpenSSL, which takes three megabytes; Python has the same functions.

    Some builds of Python lack them, and then OpenSSL is used.
    """
    own = (
        "_md5",
        "_sha1",
        "_sha3",
        "_blake2",
        *(("_sha2",) if sys.version_info >= (3, 12) else ("_sha256", "_sha512")),
    )
    if "hashlib" in sys.modules or not all(map(_is_there, own)):
        return
    sys.modules["_hashlib"] = None  # type: ignore[assignment]  # makes its import fail
    try:
        import hashlib  # noqa: F401
        import hmac  # noqa: F401
    finally:
        del sys.modules["_hashlib"]


def _is_there(name: str) -> bool:
    try:
        __import__(name)
    except ImportError:
        return False
    return True
