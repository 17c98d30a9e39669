"""Landlock: a thread, and every process that it starts, gives up rights for good.

With bubblewrap it blocks what a view of the file system cannot: signals to processes outside, and sockets
without a path. Without bubblewrap it is a partial fence of its own.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeVar

from acp_tui.sandbox.fence import Access, Fence
from acp_tui.sandbox.places import KEPT_OF_RUN, OF_NAMES, TEMPORARY

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""Numbers of system calls, the same on all machines."""
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE, _IOCTL = 1, 2, 4, 8, 1 << 14, 1 << 15
_LOOK: Final = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
"""Rights that a rule about a file (not a folder) may name."""
_MAKE_DEVICES: Final = 1 << 6 | 1 << 11
_ALL: Final = (1 << 16) - 1 - _MAKE_DEVICES
_RIGHTS_SINCE: Final = ((1, 1 << 13), (2, 1 << 14), (3, 1 << 15), (5, 1 << 16))
"""(version, first bit above its rights)."""
_CONNECT_TCP: Final = 2
_BIND_TCP: Final = 1
_TCP_SINCE: Final = 4
SCOPES_SINCE: Final = 6
"""The first version that can block signals and abstract sockets."""
FILES_SINCE: Final = 3
"""The first version that controls truncating a file."""
_SCOPES: Final = 3
_NO_NEW_PRIVILEGES: Final = 38
_DEVICES: Final = ("null", "zero", "full", "random", "urandom", "tty", "ptmx")

T = TypeVar("T")


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("ports", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("access", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def _call(number: int, *args: object) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    result = int(libc.syscall(number, *args))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def version() -> int:
    """Return the version of Landlock on this machine, 0 for none."""
    try:
        return _call(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    except (OSError, AttributeError):  # no such call, or another system
        return 0


class Landlock:
    """The rights that a thread keeps when it starts a command."""

    def __init__(self, grants: dict[str, int] | None, *, network: bool) -> None:
        """Create the rules once, for all commands.

        Args:
            grants: rights by path; None does not restrict files, so that bubblewrap can still mount.
            network: False to block TCP.

        Raises:
            OSError: the kernel refuses.
        """
        self._descriptor = _made(grants, network=network)

    def within(self, call: Callable[[], T]) -> T:
        """Make a call in a new thread that has given up the rights; return its result.

        Processes that the call starts inherit that. The thread does nothing else.

        Raises:
            OSError: the kernel refuses.
        """
        results: list[T] = []
        errors: list[BaseException] = []

        def run() -> None:
            try:
                _give_up(self._descriptor)
                results.append(call())
            except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
                errors.append(error)

        thread = threading.Thread(target=run, name="start inside")
        thread.start()
        thread.join()
        if errors:
            raise errors[0]
        return results[0]

    def close(self) -> None:
        """Free the rules; processes that were started stay restricted."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _give_up(descriptor: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    _call(_RESTRICT_SELF, descriptor, 0)


def _made(grants: dict[str, int] | None, *, network: bool) -> int:
    """Return a descriptor of the rules."""
    known = version()
    handled = 0
    if grants is not None:
        handled = max(limit for since, limit in _RIGHTS_SINCE if since <= known) - 1
    ports = _CONNECT_TCP | _BIND_TCP if known >= _TCP_SINCE and not network else 0
    attributes = _Ruleset(handled, ports, _SCOPES if known >= SCOPES_SINCE else 0)
    size = 8 if known < _TCP_SINCE else 16 if known < SCOPES_SINCE else 24
    descriptor = _call(_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), 0)
    for path, access in (grants or {}).items():
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:  # missing, or not accessible
            continue
        try:
            access &= handled if Path(path).is_dir() else handled & _OF_FILES
            _call(_ADD_RULE, descriptor, 1, ctypes.byref(_Beneath(access, place)), 0)
        finally:
            os.close(place)
    return descriptor


# Rights only grow on the way down a path: below a writable folder everything is writable. So a readable
# folder with something hidden in it is granted entry by entry; later entries in it cannot be read.
def grants(fence: Fence) -> dict[str, int]:
    """Return the rights by path, for a fence of Landlock alone."""
    rules: dict[str, Access] = {**fence.rules, **fence.opened}
    rules.update(dict.fromkeys(("/dev", "/run", *TEMPORARY), "hide"))
    rules.update(dict.fromkeys((*KEPT_OF_RUN, *OF_NAMES), "read"))
    found = {fence.temp: _ALL, "/dev/pts": _READ_FILE | _WRITE_FILE | _IOCTL}
    found.update((f"/dev/{name}", _LOOK | _WRITE_FILE | _IOCTL) for name in _DEVICES)
    for path, access in _below("/", rules["/"], rules):
        found[path] = found.get(path, 0) | access
    return found


def _below(path: str, access: Access, rules: dict[str, Access]) -> Iterator[tuple[str, int]]:
    inside = [other for other in rules if other != path and other.startswith(f"{path.rstrip('/')}/")]
    if access == "write":
        yield path, _ALL
        return
    if access == "read" and all(rules[other] != "hide" for other in inside):
        yield path, _LOOK
        yield from ((other, _ALL) for other in inside if rules[other] == "write")
        return
    if access == "read":
        yield path, _READ_DIR  # this also shows the names below it, even hidden ones
    if not inside:
        return
    try:
        entries = sorted(os.scandir(path), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if not entry.is_symlink():  # its target has a rule of its own
            yield from _below(entry.path, rules.get(entry.path, access), rules)
