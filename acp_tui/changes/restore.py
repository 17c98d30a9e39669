"""Restore single files of a workspace, without following links or leaving half a file."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from acp_tui.changes.exact_names import ExactNames
from acp_tui.workspace.backups import Backups
from acp_tui.workspace.file_versions import Version
from acp_tui.workspace.files import parent_of, replace_file

_EXECUTABLE: Final = 0o111
_SAVED: Final = "changed meanwhile"

FirstMode = Callable[[str], int | None]
"""Returns the first permissions of a file or folder, by relative path; None if they are not known."""


def no_modes(path: str) -> int | None:
    """Return None: no permissions are known."""


def put_back(
    root: Path,
    path: str,
    old_path: str,
    content: bytes | None,
    mode: int,
    backups: Backups | None = None,
    seen: os.stat_result | None = None,
    first_mode: FirstMode = no_modes,
) -> None:
    """Restore `old_path`, and remove `path` if it is new.

    Args:
        root: the workspace, links resolved.
        path: the current path, relative to the workspace.
        old_path: the original path; differs only for a renamed file.
        content: the original bytes or link target, or None for no file.
        mode: the original mode, in git's terms.
        backups: holds a backup while a file with hard links is written.
        seen: the status of `path` when its content was verified; None: there was no file.
        first_mode: the permissions of files and folders that must be created again.

    Raises:
        OSError: a folder became a link, access is denied, the disk is full, or another program has saved the
            file; it is untouched.
    """
    if content is not None and ExactNames(root).are_one(path, old_path):
        _respell(root, path, old_path, content, mode, backups)
        return
    if content is not None:
        _make_folders(root, old_path, first_mode)
        with parent_of(root, old_path.split("/"), make=True) as (folder, name):
            before = _status(name, folder)
            if Version.of(before) != Version.of(seen if old_path == path else None):
                raise OSError(errno.EBUSY, _SAVED)
            _write(name, folder, content, mode, str(root / old_path), backups, before, first_mode(old_path))
    if content is None or old_path != path:
        remove(root, path, first_mode, seen)


def _make_folders(root: Path, path: str, first_mode: FirstMode) -> None:
    """Create the missing folders above a file, with their former permissions if known."""
    for above in reversed(list(Path(path).parents)[:-1]):
        mode = first_mode(str(above))
        if mode is not None:
            with parent_of(root, above.parts, make=True) as (folder, name), suppress(FileExistsError):
                os.mkdir(name, mode, dir_fd=folder)


def _respell(
    root: Path, path: str, old_path: str, content: bytes, mode: int, backups: Backups | None
) -> None:
    """Restore a file and the old spelling of its name. Both spellings find one file, so none is removed."""
    above, _, old_name = old_path.rpartition("/")
    if path.rpartition("/")[0] != above:
        raise OSError(errno.EINVAL, f"a folder was renamed only in its spelling; rename it to {above} first")
    with parent_of(root, path.split("/")) as (folder, name):
        _write(name, folder, content, mode, str(root / path), backups, _status(name, folder))
        # A direct rename does nothing on some systems: both names are one file to them.
        between = f".acp-tui-{secrets.token_hex(8)}"
        os.rename(name, between, src_dir_fd=folder, dst_dir_fd=folder)
        try:
            os.rename(between, old_name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            os.rename(between, name, src_dir_fd=folder, dst_dir_fd=folder)
            raise


def read_file(root: Path, path: str) -> bytes:
    """Return a file's content; raise OSError for a link or a file behind one."""
    with parent_of(root, path.split("/")) as (folder, name):
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise OSError(errno.EISDIR, "it is now a folder, or not a regular file")
        with os.fdopen(descriptor, "rb") as file:
            return file.read()


def read_content(root: Path, path: str, mode: int) -> bytes:
    """Return the content of a file, or the target of a link if the mode is that of one.

    Raises:
        OSError: there is nothing, or a different kind of file.
    """
    if stat.S_ISLNK(mode):
        return os.readlink(os.fsencode(root / path))  # noqa: PTH115 - bytes, also those of no text
    return read_file(root, path)


def remove(
    root: Path, path: str, first_mode: FirstMode = no_modes, seen: os.stat_result | None = None
) -> None:
    """Delete a file and the folders left empty, but for those that were there at first.

    Raises:
        OSError: the file has changed since it was `seen`; it is untouched.
    """
    with suppress(FileNotFoundError), parent_of(root, path.split("/")) as (folder, name):
        now = _status(name, folder)
        if now is not None and seen is not None and Version.of(now) != Version.of(seen):
            raise OSError(errno.EBUSY, _SAVED)
        os.unlink(name, dir_fd=folder)
    for above in list(Path(path).parents)[:-1]:
        if first_mode(str(above)) is not None:
            return
        with suppress(FileNotFoundError), parent_of(root, above.parts) as (folder, name):
            try:
                os.rmdir(name, dir_fd=folder)
            except OSError:  # not empty
                return


def _status(name: str, folder: int) -> os.stat_result | None:
    """Return the status of a file or a link; None for none."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _write(
    name: str,
    folder: int,
    content: bytes,
    mode: int,
    real: str,
    backups: Backups | None,
    before: os.stat_result | None,
    permissions: int | None = None,
) -> None:
    """Write a file or a link over the one `before`; a new file gets `permissions` if given.

    Raises:
        OSError: the file has changed meanwhile; nothing was written.
    """
    is_file = before is not None and stat.S_ISREG(before.st_mode)
    if before is not None and (stat.S_ISLNK(mode) or not is_file):
        os.unlink(name, dir_fd=folder)
    if stat.S_ISLNK(mode):
        os.symlink(content, name, dir_fd=folder)
        return
    if not replace_file(name, folder, content, before if is_file else None, real, backups, permissions):
        raise OSError(errno.EBUSY, _SAVED)
    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    try:
        now = stat.S_IMODE(os.fstat(file).st_mode)
        if bool(mode & _EXECUTABLE) != bool(now & stat.S_IXUSR):
            readers = (now & 0o444) >> 2
            os.fchmod(file, now | readers if mode & _EXECUTABLE else now & ~_EXECUTABLE)
    finally:
        os.close(file)
