"""Makes all calls fail that not every system has, in each Python that starts with this folder on its path.

Python imports a module of this name when it starts. `pytest --portable` imports it too, and puts the folder
on the path of the programs that tests start.
"""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import shutil
import sys
from typing import Any

_NOT_EVERYWHERE: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (os, ("O_PATH", "pidfd_open", "listxattr", "getxattr", "setxattr", "posix_fallocate", "waitid")),
    (resource, ("prlimit", "RLIMIT_RTTIME")),
    (fcntl, ("F_SETSIG",)),
    (shutil, ("_copyxattr",)),
)
_BETWEEN = (__name__, "os", "pathlib", "pathlib._local")
"""Modules through which a call comes."""


def refuse() -> None:
    for module, names in _NOT_EVERYWHERE:
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    library: Any = shutil
    library._copyxattr = lambda *args, **options: None  # as it is where files have no attributes
    spawn, readlink = os.posix_spawn, os.readlink

    def posix_spawn(*args: Any, setsid: bool = False, **options: Any) -> int:
        if setsid:
            raise NotImplementedError("posix_spawn: no setsid")  # as Python does on macOS
        return spawn(*args, **options)

    def read_link(path: Any, **options: Any) -> Any:
        _refuse_proc(path)
        return readlink(path, **options)

    calls: Any = os
    calls.posix_spawn, calls.readlink = posix_spawn, read_link
    sys.addaudithook(_audit)


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if event in ("open", "os.listdir", "os.scandir"):
        _refuse_proc(args[0])


def _refuse_proc(path: Any) -> None:
    """Act as if there were no `/proc`, but for acp-tui alone: tests look at it."""
    if isinstance(path, str | bytes | os.PathLike):
        text = os.fsdecode(path)
        if (text == "/proc" or text.startswith("/proc/")) and _is_asked_by_acp_tui():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), text)


def _is_asked_by_acp_tui() -> bool:
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__") in _BETWEEN:
        frame = frame.f_back
    return str(frame.f_globals.get("__name__")).partition(".")[0] == "acp_tui"


refuse()
