"""Starting a program in a session of its own, from its name to its process id."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

# StartFailed
# ├── ProgramNotFound   no such program on PATH, or no such file
# ├── NotExecutable     the file is there but cannot be run
# └── FolderUnusable    the working directory is missing, no directory or closed to us


class StartFailed(Exception):
    """A program could not be started; the message is made to be shown."""


class ProgramNotFound(StartFailed):
    """There is no such program on PATH, or no such file."""


class NotExecutable(StartFailed):
    """The program is a file that the system does not run."""


class FolderUnusable(StartFailed):
    """The working directory is missing, is no directory, or is closed to us."""


SHELL: Final = "/bin/sh"
_DEFAULTED: Final = [
    # Python ignores the first two, and a parent may have ignored the others; a child starts afresh.
    getattr(signal, name)
    for name in ("SIGPIPE", "SIGXFSZ", "SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGTSTP")
    if hasattr(signal, name)
]
_NOT_RUN: Final = (errno.ENOEXEC, errno.EACCES, errno.ENOENT)  # the last: what its first line names
_GATE: Final = 3  # the descriptor from which a child hears that it may begin
_CHANGE_FOLDER: Final = f'read -r _ <&{_GATE} && exec {_GATE}<&- && cd "$1" && shift && exec "$@"'
"""What a shell does before the program: posix_spawn can neither wait nor change the folder."""


def find_program(name: str, environment: Mapping[str, str], cwd: str | None = None) -> str:
    """Return the path of a program: found on PATH, or, when it has a slash, taken from `cwd`.

    Raises:
        ProgramNotFound, NotExecutable: saying which name was looked up.
    """
    if not name or "\0" in name:
        raise ProgramNotFound("No program was named.")
    if "/" not in name:
        found = shutil.which(name, path=environment.get("PATH", os.defpath))
        if found is None:
            raise ProgramNotFound(f"There is no program “{name}” on PATH.")
        return str(Path(found).absolute())
    path = Path(cwd or Path.cwd(), name)
    mode = _mode(path)
    if mode is None:
        raise ProgramNotFound(f"There is no file “{path}”.")
    if not stat.S_ISREG(mode) or not os.access(path, os.X_OK):
        raise NotExecutable(f"“{path}” is not an executable file.")
    return str(path)


def spawn(
    argv: Sequence[str],
    environment: Mapping[str, str],
    cwd: str | None,
    file_actions: Sequence[tuple[Any, ...]],
    before: Callable[[int], None] = lambda pid: None,
) -> int:
    """Start a program as leader of a new session and return its process id.

    `file_actions` are those of `os.posix_spawn`, which costs the same however large we are. `before` hears
    the id, and where there is a folder to begin in, it does so before the program begins.

    Raises:
        StartFailed: nothing was started.
    """
    if cwd is not None:
        _check_folder(cwd)
    command = [find_program(argv[0] if argv else "", environment, cwd), *argv[1:]]
    theirs, ours = _gate(argv[0])
    if cwd is not None:
        command = [SHELL, "-c", _CHANGE_FOLDER, SHELL, cwd, *command]
        file_actions = [*file_actions, (os.POSIX_SPAWN_DUP2, theirs, _GATE)]
    try:
        pid = os.posix_spawn(
            command[0],
            command,
            environment,
            file_actions=file_actions,
            setsid=True,
            setsigmask=[],
            setsigdef=_DEFAULTED,
        )
    except OSError as error:
        kind = NotExecutable if error.errno in _NOT_RUN else StartFailed
        raise kind(f"“{argv[0]}” could not be started: {error.strerror}.") from error
    except ValueError as error:  # a NUL, half a character, or an odd name of a variable
        raise StartFailed(f"“{argv[0]}” could not be started: {error}.") from error
    else:
        before(pid)
        with suppress(BrokenPipeError):  # it has ended
            os.write(ours, b"\n")
        return pid
    finally:
        os.close(theirs)
        os.close(ours)


def _gate(program: str) -> tuple[int, int]:
    try:
        return os.pipe()
    except OSError as error:
        raise StartFailed(f"“{program}” could not be started: {error.strerror}.") from error


def _check_folder(cwd: str) -> None:
    if not cwd.startswith("/") or "\0" in cwd:
        raise FolderUnusable(f"The working directory “{cwd}” is not an absolute path.")
    if not stat.S_ISDIR(_mode(Path(cwd)) or 0):
        raise FolderUnusable(f"The working directory “{cwd}” is not there, or is no directory.")
    if not os.access(cwd, os.X_OK):
        raise FolderUnusable(f"The working directory “{cwd}” may not be entered.")


def _mode(path: Path) -> int | None:
    """Return the mode of what is there; None also where a name is too long, or links go round."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return None
