"""Landlock, by which a thread, and all that it starts, gives up rights for good.

Beside bubblewrap it shuts what no view of the file system shuts: signals to processes outside, and sockets
without a path. Without bubblewrap it is a fence of its own, a partial one.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeVar

from acp_tui.sandbox.fence import Access, Fence
from acp_tui.sandbox.places import KEPT_OF_RUN, TEMPORARY

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""System calls, the same on all machines."""
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE, _IOCTL = 1, 2, 4, 8, 1 << 14, 1 << 15
_LOOK: Final = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
"""Rights that a rule about a file, not a folder, may name."""
_MAKE_DEVICES: Final = 1 << 6 | 1 << 11
_ALL: Final = (1 << 16) - 1 - _MAKE_DEVICES
_RIGHTS_SINCE: Final = ((1, 1 << 13), (2, 1 << 14), (3, 1 << 15), (5, 1 << 16))
"""Versions, and the number above all rights that they know."""
_CONNECT_TCP: Final = 2
_BIND_TCP: Final = 1
_TCP_SINCE: Final = 4
SCOPES_SINCE: Final = 6
"""The version from which signals and abstract sockets can be shut."""
FILES_SINCE: Final = 3
"""The version from which a file cannot be emptied by a right that nobody gave."""
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
    """Return the version of Landlock here, 0 for none."""
    try:
        return _call(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    except (OSError, AttributeError):  # no such call, or another system
        return 0


class Landlock:
    """Rights that are given up by a thread before it starts a command."""

    def __init__(self, grants: dict[str, int] | None, *, network: bool) -> None:
        """Make the rules once, for all commands.

        Args:
            grants: rights by path; None leaves files alone, so that bubblewrap can still mount.
            network: False to shut TCP.

        Raises:
            OSError: the kernel refuses.
        """
        self._descriptor = _made(grants, network=network)

    def within(self, call: Callable[[], T]) -> T:
        """Return the result of a call that is made by a thread which has given up the rights.

        What the call starts inherits that. Nothing else is ever done by this thread.

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
        """Free the rules; what has been started keeps to them."""
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
        except OSError:  # not there, or closed to us
            continue
        try:
            access &= handled if Path(path).is_dir() else handled & _OF_FILES
            _call(_ADD_RULE, descriptor, 1, ctypes.byref(_Beneath(access, place)), 0)
        finally:
            os.close(place)
    return descriptor


# Rights only grow on the way down: what can be written can be so to its last file, and a folder that can be
# read with something hidden below is granted entry by entry. What is made in it later cannot be read.
def grants(fence: Fence) -> dict[str, int]:
    """Return the rights of a fence that is made of Landlock alone, by path."""
    rules: dict[str, Access] = {**fence.rules, **fence.opened}
    rules.update(dict.fromkeys(("/dev", "/run", *TEMPORARY), "hide"))
    rules.update(dict.fromkeys(KEPT_OF_RUN, "read"))
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
        yield path, _READ_DIR  # and with it the names below, also of what is hidden
    if not inside:
        return
    try:
        entries = sorted(os.scandir(path), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if not entry.is_symlink():  # what it leads to has a rule of its own
            yield from _below(entry.path, rules.get(entry.path, access), rules)
