"""Files of the workspace: an agent reads and writes text only inside the session's roots."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, NoReturn

from acp_tui.formatting import expand_home
from acp_tui.lazy_regex import regex
from acp_tui.platform import copy_attributes
from acp_tui.session.entries import absolute
from acp_tui.workspace.backups import Backups
from acp_tui.workspace.encodings import BINARY, UTF_8, decode
from acp_tui.workspace.file_versions import NOT_SEEN, FileVersions, Version
from acp_tui.workspace.real_paths import followed, is_deep, real_path

_OF_THE_BYTES: Final = frozenset({"security.capability", "security.ima", "security.evm"})
"""Attributes that describe the old content, such as capabilities of a program."""
_RUNS_AS_ANOTHER: Final = stat.S_ISUID | stat.S_ISGID
"""Setuid and setgid were meant for the old content: the system also drops them on a write."""


def copy_metadata(name: str, folder: int, before: os.stat_result, new: int) -> None:
    """Copy owner, mode, attributes and access lists from file `name` to the open file `new`.

    Setuid and setgid are not copied. Unsupported attributes are skipped.
    """
    with suppress(OSError):
        _copy_attributes(name, folder, new)
    made = os.fstat(new)
    if (made.st_uid, made.st_gid) != (before.st_uid, before.st_gid):
        with suppress(OSError):  # needs root; otherwise the user owns the file
            os.fchown(new, before.st_uid, before.st_gid)
    os.fchmod(new, stat.S_IMODE(before.st_mode) & ~_RUNS_AS_ANOTHER)


def _copy_attributes(name: str, folder: int, new: int) -> None:
    old = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    try:
        copy_attributes(old, new, _OF_THE_BYTES)
    finally:
        os.close(old)


class Target(NamedTuple):
    """The file behind a path at the time of a decision."""

    path: str
    """As requested."""
    real: str
    """The path with links resolved."""
    version: Version | None
    """None for no file."""
    linked: tuple[int, int] | None = None
    """Device and inode of a file with hard links."""


# FileError
# ├── OutsideRoots   relative, or outside every root once links are followed
# ├── NotFound       the file or a folder on the way to it is missing
# ├── NotAFile       a folder, a pipe, a device …
# ├── NotText        the bytes are not UTF-8
# ├── TooLarge       more than is read at once
# ├── NotAllowed     the system's permissions forbid it
# ├── Stale          the file changed since the agent last saw it
# ├── OtherTarget    the path or file is no longer the one decided about
# └── WriteFailed    the disk is full, read-only, broken …


class FileError(Exception):
    """A file could not be read or written; the message is for display."""


class OutsideRoots(FileError):
    """The path is relative or, with links resolved, outside every root."""


class NotFound(FileError):
    """The file or one of its folders is missing."""


class NotAFile(FileError):
    """The path is a folder, pipe, device or similar."""


class NotText(FileError):
    """The text is not UTF-8."""


class TooLarge(FileError):
    """The text is larger than the read limit."""


class NotAllowed(FileError):
    """Permission denied."""


class Stale(FileError):
    """The file changed since the agent last saw it; writing would lose the change."""

    def __init__(
        self,
        path: str,
        wanted: str,
        now: str | None,
        before: str | None,
        version: Version | None,
        encoding: str = UTF_8,
    ):
        super().__init__(f"“{path}” has changed on disk since you last read or wrote it.")
        self.path = path
        """As requested."""
        self.wanted = wanted
        """The new text."""
        self.now = now
        """The current text, or None."""
        self.before = before
        """The text last seen by the agent, if kept."""
        self.version = version
        """The current version; pass it to `write_text` to overwrite exactly that."""
        self.encoding = encoding
        """Encoding of `now`, for display; writes are always UTF-8."""


class OtherTarget(FileError):
    """The path or the file has changed since the decision."""

    def __init__(self, path: str):
        super().__init__(f"“{path}” is not the file that it was when this was decided.")


class WriteFailed(FileError):
    """The file could not be written; the old one is untouched."""


@dataclass(frozen=True)
class Written:
    """A written file, with the texts for a diff."""

    path: str
    """As requested."""
    old: str | None
    """The old text in any encoding, or None for a new or binary file."""
    new: str
    other_names: int = 0
    """Number of other hard links, which have the new text, too."""
    real: str = ""
    """The written file, links resolved."""


class _Old:
    """The current content of a file to be written."""

    def __init__(self, content: bytes | None) -> None:
        """Decode the content; None means no file or one too large."""
        read = decode(content) if content is not None else None
        self.content = content
        self.encoding = read.encoding if read is not None else UTF_8
        self.text = read.text if read is not None and read.encoding != BINARY else None
        """None without a file or text."""

    @property
    def as_seen(self) -> str | None:
        """The text as the agent could have read it: UTF-8 only."""
        return self.text if self.encoding == UTF_8 else None

    def is_like(self, content: str) -> bool:
        """Return whether the content equals the text to be written."""
        return self.content is not None and self.content == content.encode("utf-8", "replace")


_NOTHING: Final = _Old(None)

READ_LIMIT: Final = 32 << 20
SKIP_LIMIT: Final = 1 << 30
"""Maximum bytes before the requested lines: a sparse file takes no space, but hours to read."""
CHUNK: Final = 1 << 20
"""Bytes read at a time."""
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_SURROGATE: Final = regex("[\ud800-\udfff]")
_KINDS: Final[dict[int, type[FileError]]] = {
    errno.ENOENT: NotFound,
    errno.ENOTDIR: NotFound,
    errno.ELOOP: OutsideRoots,  # a component became a link after the check
    errno.ENAMETOOLONG: NotAFile,
    errno.EISDIR: NotAFile,
    errno.ENXIO: NotAFile,
    errno.EACCES: NotAllowed,
    errno.EPERM: NotAllowed,
}


class Files:
    """Reads and writes text files below some roots for one session.

    Links are resolved once, by `target`. Then each component is opened from its parent folder without
    following links, so that a link created in between is refused. Blocking: call it in a thread.

    Source: ACP, page "file system".
    """

    def __init__(
        self,
        roots: Sequence[str | os.PathLike[str]],
        read_limit: int = READ_LIMIT,
        backups: Backups | None = None,
        *,
        follows: bool = True,
    ) -> None:
        """Take the roots; without `follows` they are real paths, or no file is below them."""
        self.roots = tuple(dict.fromkeys(followed(root) if follows else str(root) for root in roots))
        """Real paths of the session's folder and of the additional ones."""
        self.read_limit = read_limit
        """Maximum bytes returned by one read."""
        self._seen = FileVersions()
        self._backups = backups

    def contains(self, path: str) -> bool:
        """Return whether a path, existing or not, is inside the roots with links resolved."""
        try:
            self._names(path, _real(path))
        except OutsideRoots:
            return False
        return True

    def target(self, path: str) -> Target:
        """Resolve a path to a file, to be decided about and then read or written.

        Raises:
            OutsideRoots
        """
        real = _real(path)
        self._names(path, real)
        try:
            status = os.lstat(real)
        except OSError:
            return Target(path, real, None)
        is_linked = stat.S_ISREG(status.st_mode) and status.st_nlink > 1
        linked = (status.st_dev, status.st_ino) if is_linked else None
        return Target(path, real, Version.of(status), linked)

    def read_text(self, target: str | Target, line: int | None = None, limit: int | None = None) -> str:
        """Return a file, or `limit` lines from line `line` (from 1), with line ends kept.

        Only the returned lines count towards the read limit.

        Raises:
            OutsideRoots, NotFound, NotAFile, NotText, TooLarge, NotAllowed
            OtherTarget: it is no longer the file of the target; only growth is allowed.
        """
        skip = max(0, (line or 1) - 1)
        target = self.target(target) if isinstance(target, str) else target
        path, before = target.path, target.version
        try:
            with self._errors(target), self._parent(target) as (folder, name):
                file = os.fdopen(_open_regular(name, folder), "rb", buffering=0)
                with file:
                    version = Version.of(os.fstat(file.fileno()))
                    if before is None or version is None or version.inode != before.inode:
                        raise OtherTarget(path)
                    data = self._read_lines(file, skip, limit)
        except NotFound:
            self._seen.record(target.real, None)
            raise
        text = _decoded(data, path)
        self._seen.record(target.real, version, text if not skip and limit is None else None)
        return text

    def compare(self, target: str | Target, content: str) -> tuple[Stale, bool]:
        """Return (the content that a write would replace, whether the agent has not seen it).

        Nothing is written, and the content still counts as unseen.

        Raises:
            OutsideRoots, NotAFile, NotAllowed
            OtherTarget: it is not the file of the target.
        """
        target = self.target(target) if isinstance(target, str) else target
        now, version = _NOTHING, None
        try:
            with self._errors(target), self._parent(target) as (folder, name):
                version = Version.of(_status(name, folder))
                now = self._old(name, folder) if version is not None else _NOTHING
        except NotFound:  # the folder may be missing, too
            pass
        if version != target.version:
            raise OtherTarget(target.path)
        path, real = target.path, target.real
        is_new = not now.is_like(content) and not self._seen.is_current(real, version, now.as_seen)
        return Stale(path, content, now.text, self._seen.text(real), version, now.encoding), is_new

    def write_text(
        self,
        target: str | Target,
        content: str,
        over: Stale | None = None,
        *,
        believed: str | None = None,
    ) -> Written:
        """Create or replace a file, all or nothing, with its folders.

        The mode of an old file is kept.

        Args:
            target: the file.
            content: its new text.
            over: the state that the user agreed to overwrite.
            believed: the text that the agent takes it to have, if the content is another one.

        Raises:
            OutsideRoots, NotAFile, NotAllowed, WriteFailed
            OtherTarget: it is not the file of the target, or it has changed since.
            Stale: the file is neither as last seen by the agent, nor as in `over`.
        """
        content = _SURROGATE.sub("\ufffd", content)
        believed = _SURROGATE.sub("\ufffd", believed) if believed is not None else content
        target = self.target(target) if isinstance(target, str) else target
        with self._errors(target, writing=True), self._parent(target, make=True) as (folder, name):
            before = _status(name, folder)
            if Version.of(before) != target.version:
                raise OtherTarget(target.path)
            old = self._old(name, folder) if before else _NOTHING
            self._check_seen(target, content, old, over)
            if not replace_file(name, folder, content.encode(), before, target.real, self._backups):
                raise OtherTarget(target.path)
            after = _status(name, folder)
            version = Version.of(after)
        self._seen.record(target.real, version if believed == content else NOT_SEEN, believed)
        return Written(target.path, old.text, content, after.st_nlink - 1 if after else 0, target.real)

    def _check_seen(self, target: Target, content: str, now: _Old, over: Stale | None) -> None:
        """Refuse to overwrite unseen content, unless nothing is lost or the user agreed."""
        path, real, version = target.path, target.real, target.version
        is_agreed = over is not None and over.version == version
        is_current = self._seen.is_current(real, version, now.as_seen)
        if not is_agreed and not now.is_like(content) and not is_current:
            raise Stale(path, content, now.text, self._seen.text(real), version, now.encoding)

    def _names(self, path: str, real: str) -> tuple[str, list[str]]:
        """Return the root of a real path, and the names below it; `path` is what was requested."""
        for root in self.roots:
            if Path(real).is_relative_to(root):
                return root, list(Path(real).relative_to(root).parts)
        raise OutsideRoots(f"“{path}” lies outside the workspace.")

    def _parent(self, target: Target, make: bool = False) -> AbstractContextManager[tuple[int, str]]:
        """Open the folder of a file; yield it with the file's name."""
        if followed(target.path) != target.real:
            raise OtherTarget(target.path)
        root, names = self._names(target.path, target.real)
        if not names:
            raise NotAFile(f"“{target.path}” is a folder.")
        return parent_of(root, names, make)

    def _read_lines(self, file: BinaryIO, skip: int, take: int | None) -> bytes:
        """Return `take` lines after the first `skip`, split at newlines."""
        wanted = bytearray()
        left, passed = take, 0
        while (left is None or left > 0) and (chunk := file.read(CHUNK)):
            start, skip = _after_lines(chunk, 0, skip)
            passed += start
            if skip and passed > SKIP_LIMIT:
                raise TooLarge(f"The requested lines begin after more than {SKIP_LIMIT:,} bytes.")
            end = len(chunk)
            if not skip and left is not None:
                end, left = _after_lines(chunk, start, left)
            wanted += chunk[start:end]
            if len(wanted) > self.read_limit:
                raise TooLarge(
                    f"The requested text is larger than {self.read_limit:,} bytes; request fewer lines."
                )
        return bytes(wanted)

    def _old(self, name: str, folder: int) -> _Old:
        try:
            with os.fdopen(_open_regular(name, folder), "rb", buffering=0) as file:
                return _Old(self._read_lines(file, 0, None))
        except (TooLarge, PermissionError):
            return _NOTHING

    @contextmanager
    def _errors(self, target: Target, writing: bool = False) -> Iterator[None]:
        try:
            yield
        except (OSError, NotAFile) as error:
            if self._leads_elsewhere(target):
                raise OtherTarget(target.path) from error
            if isinstance(error, NotAFile):
                raise
            _raise(error, target.path, writing)

    def _leads_elsewhere(self, target: Target) -> bool:
        try:
            return self.target(target.path) != target
        except OutsideRoots:
            return True


def _real(path: str) -> str:
    """Return an absolute path with links followed."""
    if not path.startswith("/"):
        raise OutsideRoots(f"“{path}” is not an absolute path.")
    try:
        return real_path(path)
    except ValueError as error:
        raise OutsideRoots(f"“{path}” is not a path: {error}.") from error


def _raise(error: OSError, path: str, writing: bool) -> NoReturn:
    kind = _KINDS.get(error.errno or 0, WriteFailed if writing else FileError)
    if writing and kind is NotFound:  # a file in place of a folder, or a missing folder
        kind = NotAFile if error.errno == errno.ENOTDIR else WriteFailed
    verb = "written" if writing else "read"
    raise kind(f"“{path}” cannot be {verb}: {error.strerror or error}.") from error


@contextmanager
def parent_of(root: Path | str, names: Sequence[str], make: bool = False) -> Iterator[tuple[int, str]]:
    """Open the folder of a file below a root without following links; yield it with the file's name.

    Args:
        root: a folder, links resolved.
        names: the folders below it, and the file.
        make: True to create missing folders.

    Raises:
        OSError: a folder is a link or cannot be opened, or a name leads upwards.
    """
    if not names or not {"", ".", ".."}.isdisjoint(names):
        raise OSError(errno.EINVAL, "not a path below a folder")
    folder = os.open(root, _FOLDER)
    try:
        for name in names[:-1]:
            inner = _open_folder(name, folder, make)
            os.close(folder)
            folder = inner
        yield folder, names[-1]
    finally:
        os.close(folder)


def _open_folder(name: str, folder: int, make: bool) -> int:
    """Open a subfolder without following a link, creating it if wanted."""
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise
    try:
        os.mkdir(name, dir_fd=folder)
    except FileExistsError:  # another program has just created it
        pass
    return os.open(name, _FOLDER, dir_fd=folder)


def _open_regular(name: str, folder: int) -> int:
    """Open a regular file for reading; pipes and devices are not even opened."""
    _status(name, folder, missing_ok=False)
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # another program has just replaced it
        os.close(descriptor)
        raise NotAFile(f"“{name}” is not a regular file.")
    return descriptor


def _status(name: str, folder: int, missing_ok: bool = True) -> os.stat_result | None:
    """Return the status of a regular file, or None for no file."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        if missing_ok:
            return None
        raise
    if stat.S_ISDIR(status.st_mode):
        raise NotAFile(f"“{name}” is a folder.")
    if not stat.S_ISREG(status.st_mode):
        raise NotAFile(f"“{name}” is not a regular file.")
    return status


def replace_file(
    name: str,
    folder: int,
    data: bytes,
    before: os.stat_result | None,
    real: str,
    backups: Backups | None,
    permissions: int | None = None,
) -> bool:
    """Write a new file and rename it over the old one, keeping mode and attributes.

    A file with several hard links is written in place instead, with a backup. Return False if the
    old file was replaced meanwhile: nothing was written.

    Args:
        name: the file.
        folder: its open folder.
        data: the new content.
        before: the old file's status, or None for no file.
        real: its path, absolute and links resolved.
        backups: holds the backup; without it, the hard link is broken.
        permissions: for a new file; None for the default ones.
    """
    if before is not None:
        _check_writable(name, folder)
        if before.st_nlink > 1 and backups is not None:
            written = _write_in_place(name, folder, data, before, real, backups)
            if written is not None:
                return written
    beside = f".acp-tui-{secrets.token_hex(8)}"
    # Private until its permissions are set.
    mode = 0o666 if permissions is None else 0o600
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if before is None and permissions is not None:
                os.fchmod(file.fileno(), permissions)
            if before is not None:
                copy_metadata(name, folder, before, file.fileno())
            os.fsync(file.fileno())
        is_same = Version.of(_status(name, folder)) == Version.of(before)
        if is_same:
            os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
        else:
            os.unlink(beside, dir_fd=folder)
    except BaseException:
        os.unlink(beside, dir_fd=folder)
        raise
    return is_same


def _write_in_place(
    name: str, folder: int, data: bytes, before: os.stat_result, real: str, backups: Backups
) -> bool | None:
    """Write a file in place; return False if it was replaced meanwhile, None if that is impossible.

    A running program cannot be written.
    """
    try:
        file = os.open(name, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ETXTBSY, errno.EACCES):
            return None
        raise
    try:
        if Version.of(os.fstat(file)) != Version.of(before):
            return False
        if before.st_mode & _RUNS_AS_ANOTHER:  # the system does that for all users except root
            os.fchmod(file, stat.S_IMODE(before.st_mode) & ~_RUNS_AS_ANOTHER)
        backups.write(real, file, data)
    finally:
        os.close(file)
    return True


def _check_writable(name: str, folder: int) -> None:
    """Raise OSError for a read-only file, which a rename would replace."""
    try:
        os.close(os.open(name, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder))
    except OSError as error:
        if error.errno != errno.ETXTBSY:  # a running program cannot be written, but can be replaced
            raise


def _after_lines(data: bytes, start: int, count: int) -> tuple[int, int]:
    """Return the end of `count` lines from `start`, and the number of lines still missing."""
    there = data.count(b"\n", start)
    if there < count:
        return len(data), count - there
    for _ in range(count):
        start = data.index(b"\n", start) + 1
    return start, 0


def _decoded(data: bytes, path: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise NotText(f"“{path}” is not UTF-8 text (byte {error.start:,}).") from error


def below(real: str, folder: str) -> str:
    """Return a real path as a path below `folder` if it is in it, even if `folder` is an alias."""
    real_folder = followed(folder)
    if real == real_folder or real.startswith(f"{real_folder.rstrip('/')}/"):
        return folder.rstrip("/") + real[len(real_folder.rstrip("/")) :]
    return real


def link_target(path: str, real: str, cwd: str) -> str:
    """Return where a path leads if it differs from the path because of links, else "".

    Args:
        path: as the agent writes it.
        real: the same with its links followed.
        cwd: the folder of the session, whose path may contain links.
    """
    named = below(real, cwd) if real else ""
    plain = os.path.normpath(absolute(expand_home(path), cwd))
    return "" if named == plain else named


def with_targets(paths: Iterable[str], folder: str) -> tuple[str, ...]:
    """Return absolute paths, each followed by its real path if different.

    A real path in `folder` is written as a path below `folder`, even if that is an alias.
    """
    found = []
    for path in paths:
        found.append(path)
        if is_deep(path):
            continue
        try:
            real = below(real_path(path), folder)
        except ValueError:  # no valid path on this machine
            continue
        if real != path and ".." not in path.split("/"):
            found.append(real)
    return tuple(dict.fromkeys(found))
