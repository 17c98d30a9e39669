"""The arguments of bubblewrap, a program that gives a command its own view of the file system."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from acp_tui.sandbox.fence import Fence, upwards
from acp_tui.sandbox.places import KEPT_OF_RUN, OF_NAMES, TEMPORARY
from acp_tui.trusted_programs import own_program
from acp_tui.workspace.real_paths import followed

PROGRAM: Final = "bwrap"
_OF_ROOT: Final = ("/proc/sys", "/proc/sysrq-trigger")
"""Files through which root, even without capabilities, can have the kernel start a program outside."""
_SOCKETS: Final = "/proc/net/unix"
_MOST_SOCKETS: Final = 500
_MOST_ENTRIES: Final = 1_000
"""Most entries of a home that are bound one by one."""


def program() -> str | None:
    """Return the path of bubblewrap, or None if it is not installed."""
    return own_program(PROGRAM)


# bubblewrap runs as two processes: one that the client starts, which waits, and the first process of the
# new process namespace, which reaps the others. Without --die-with-parent the second one lives as long as
# anything runs inside, so a server that a command leaves behind keeps running, as without a sandbox. It is
# ended by the client's own search for processes, or by a kill of that first process, which ends all others.
def arguments(fence: Fence, cwd: str, *, network: bool, has_proc: bool, info: int) -> list[str]:
    """Return the arguments, without the command.

    Args:
        fence: the places.
        cwd: the working directory, as named inside.
        network: False for a network of its own with nothing in it.
        has_proc: use a process namespace, which most containers forbid.
        info: the descriptor to which it writes the id of its first process.
    """
    args = ["--unshare-user", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    args += ["--cap-drop", "ALL"]  # root would keep its capabilities, and could unmount what hides files
    args += [] if network else ["--unshare-net"]
    args += ["--unshare-pid", "--info-fd", str(info)] if has_proc else []
    args += ["--ro-bind", "/", "/", "--dev", "/dev", *(["--proc", "/proc"] if has_proc else [])]
    if os.geteuid() == 0:
        args += [word for path in _OF_ROOT for word in ("--ro-bind-try", path, path)]
    args += ["--tmpfs", "/run"]
    kept = (*KEPT_OF_RUN, *(OF_NAMES if network else ()))
    args += [word for path in kept for word in ("--ro-bind-try", path, path)]
    args += [word for path in TEMPORARY for word in ("--bind", fence.temp, path)]
    args += [word for each in _mounts(fence) for word in each]
    args += [word for path in _sockets_outside(fence) for word in ("--ro-bind", fence.empty, path)]
    args += [word for path in fence.sockets if Path(path).exists() for word in ("--bind", path, path)]
    return [*args, "--chdir", cwd]


# A read-only mount does not stop a connection to a socket. Those in /run and /tmp are not there inside; the
# system lists all others that programs listen on, wherever they are.
def _sockets_outside(fence: Fence) -> list[str]:
    """Return the sockets of programs outside that would be reachable inside and are not allowed."""
    try:
        lines = Path(_SOCKETS).read_text("utf-8", "surrogateescape").split("\n")[1:]
    except OSError:
        return []
    named = {words[7] for line in lines if len(words := line.split(None, 7)) == 8}
    paths = sorted({followed(path) for path in named if path.startswith("/")} - {*fence.sockets})
    return [path for path in paths if _is_open(path, fence)][:_MOST_SOCKETS]


def _is_open(path: str, fence: Fence) -> bool:
    if fence.access(path) != "read" or fence.is_private(path) or path.startswith("/run/"):
        return False
    return stat.S_ISSOCK(_mode(path))


def _mounts(fence: Fence) -> Iterator[Sequence[str]]:
    rules: dict[str, str] = {**fence.rules, **fence.opened}
    if _needs_closed_home(fence, rules):
        yield from _closed_home(fence.home)
        rules.pop(fence.home, None)
    # A folder above a mount can be renamed and replaced; a mount itself cannot. So every folder between
    # a writable folder and a place in it that is not writable is also a mount.
    for path, access in list(rules.items()):
        if access == "write":
            continue
        for parent in islice(upwards(path), 1, None):
            if parent in rules or fence.access(parent) != "write":
                break
            rules[parent] = "write"
    covered: list[str] = []
    for path, access in sorted(rules.items(), key=lambda rule: rule[0].count("/")):
        mode = _mode(path)
        if path == "/" or not mode or stat.S_ISLNK(mode):
            continue
        above = fence.access(str(Path(path).parent))
        if access == above == "hide":
            continue  # not even its name exists inside
        if access == "hide" and stat.S_ISDIR(mode):
            yield "--perms", "0555", "--tmpfs", path
            if path != fence.home:  # where a program cannot create a file, it saves the old one in place
                covered.append(path)
        elif access == "hide":
            yield "--ro-bind", fence.empty, path
        else:
            yield "--bind" if access == "write" else "--ro-bind", path, path
    for path in covered:  # read-only last: a place in it may have been mounted
        yield "--remount-ro", path


def _mode(path: str) -> int:
    """Return the mode of a path, 0 if it does not exist."""
    try:
        return os.lstat(path).st_mode
    except OSError:
        return 0


def _needs_closed_home(fence: Fence, rules: dict[str, str]) -> bool:
    """Return whether an agent keeps a file (not a folder) directly in the home."""
    own = [
        path for path, access in rules.items() if access == "write" and str(Path(path).parent) == fence.home
    ]
    return fence.home != "/" and rules.get(fence.home) == "read" and any(map(os.path.isfile, own))


# A file that is a mount cannot be replaced by rename, which is how programs save it. On a read-only file
# system they give up; where they may not create a file, they write the old one in place.
def _closed_home(home: str) -> Iterator[Sequence[str]]:
    """Yield mounts that show the current entries of a home read-only and allow no new ones."""
    try:
        entries = sorted(os.scandir(home), key=lambda entry: entry.name)
    except OSError:
        return
    if len(entries) > _MOST_ENTRIES:
        return
    yield "--perms", "0555", "--tmpfs", home
    for entry in entries:
        if entry.is_symlink():
            yield "--symlink", str(Path(entry.path).readlink()), entry.path
        elif entry.is_dir() or entry.is_file():
            yield "--ro-bind-try", entry.path, entry.path  # a temporary file may be gone by then
