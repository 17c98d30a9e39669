"""The files of one session: text read and written inside its roots, and nowhere else."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import secrets
import stat
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, NoReturn

from acp_tui.workspace.encodings import BINARY, UTF_8, decoded

_OF_THE_BYTES: Final = frozenset({"security.capability", "security.ima", "security.evm"})
"""Attributes that speak of what stood in the file, as the rights of a program do."""


def copy_metadata(name: str, folder: int, before: os.stat_result, new: int) -> None:
    """Give the open file `new` what the file `name` has, as far as the system lets us.

    Access lists are among the attributes. Where attributes do not exist, or not for these files, there is
    nothing to lose.
    """
    with suppress(OSError):
        _copy_attributes(name, folder, new)
    made = os.fstat(new)
    if (made.st_uid, made.st_gid) != (before.st_uid, before.st_gid):
        with suppress(OSError):  # only root may; the file is then ours
            os.fchown(new, before.st_uid, before.st_gid)
    os.fchmod(new, stat.S_IMODE(before.st_mode))


def _copy_attributes(name: str, folder: int, new: int) -> None:
    if not hasattr(os, "listxattr"):  # only Linux has them in Python
        return
    old = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    try:
        for attribute in os.listxattr(old):
            if attribute not in _OF_THE_BYTES:
                with suppress(OSError):
                    os.setxattr(new, attribute, os.getxattr(old, attribute))
    finally:
        os.close(old)


_TEXT: Final = 256 << 10
"""Characters of a text up to which it is kept whole, to show what changed since."""
_FILES: Final = 2_000
_TEXTS: Final = 64


class Version(NamedTuple):
    """Tells one content of a file from another without reading it."""

    inode: int
    size: int
    modified: int
    """Nanoseconds."""

    @classmethod
    def of(cls, status: os.stat_result | None) -> Version | None:
        """Return the version of a file; None where there is none."""
        return None if status is None else cls(status.st_ino, status.st_size, status.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class _Sight:
    version: Version | None
    digest: bytes | None
    """Of the text, if all of it was seen."""


class FileVersions:
    """Remembers versions, and the newest texts that are not large; bounded in both."""

    def __init__(self) -> None:
        self._sights: OrderedDict[str, _Sight] = OrderedDict()
        self._texts: OrderedDict[str, str] = OrderedDict()

    def saw(self, path: str, version: Version | None, text: str | None = None) -> None:
        """The agent has read or written a file.

        Args:
            path: absolute, links resolved.
            version: what was on disk; None: nothing was there.
            text: all of it; None when only a part was seen.
        """
        self._sights[path] = _Sight(version, None if text is None else _digest(text))
        self._sights.move_to_end(path)
        self._texts.pop(path, None)
        if text is not None and len(text) <= _TEXT:
            self._texts[path] = text
        while len(self._sights) > _FILES:
            self._texts.pop(self._sights.popitem(last=False)[0], None)
        while len(self._texts) > _TEXTS:
            self._texts.popitem(last=False)

    def is_current(self, path: str, version: Version | None, text: str | None) -> bool:
        """Whether this is what the agent last saw of a file; so is a file that it never saw."""
        sight = self._sights.get(path)
        if sight is None or sight.version == version:
            return True
        return text is not None and sight.digest is not None and sight.digest == _digest(text)

    def text(self, path: str) -> str | None:
        """Return what the agent last saw, as far as that is kept."""
        return self._texts.get(path)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


_PAGE: Final = 4096
"""Bytes that are written at one go, as far as one can know."""


class _Record(NamedTuple):
    """What a backup holds."""

    path: str
    device: int
    inode: int
    old: bytes
    new: bytes


class Backups:
    """The backups of one folder of ours; each lives as long as its write."""

    def __init__(self, folder: Path) -> None:
        """Make the folder when it is needed."""
        self.folder = folder

    def write(self, path: str, file: int, new: bytes) -> None:
        """Replace the content of an open file; all of it or nothing.

        Args:
            path: absolute, links resolved.
            file: the file, open for reading and writing.
            new: its bytes from now on.

        Raises:
            OSError: it holds what it held before.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = os.fstat(file)
        old = _read(file)
        head = {
            "path": path,
            "device": status.st_dev,
            "inode": status.st_ino,
            "old": len(old),
            "new": len(new),
        }
        place = self.folder / secrets.token_hex(8)
        backup = os.open(place, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(backup, fcntl.LOCK_EX)  # whoever restores passes over what is being written
            _put(backup, b"%s\n%s%s" % (json.dumps(head).encode(), old, new))
            try:
                _put(file, new)
            except OSError:
                _put(file, old)
                raise
        finally:
            with suppress(OSError):
                place.unlink()
            os.close(backup)

    def restore(self) -> Sequence[str]:
        """Give files that were left half-written what they held before; return their paths."""
        try:
            places = list(self.folder.iterdir())
        except OSError:
            return ()
        return [path for place in places if (path := _restored(place)) is not None]


def _restored(place: Path) -> str | None:
    """Use up one backup; return the path of the file if that was half-written."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        backup = os.open(place, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            fcntl.flock(backup, fcntl.LOCK_EX | fcntl.LOCK_NB)
            record = _record(_read(backup))
            is_half = record is not None and _give_back(record)
            place.unlink()
            return record.path if record is not None and is_half else None
        finally:
            os.close(backup)
    return None


def _record(content: bytes) -> _Record | None:
    """Read a backup; None where it was not written to its end, so that the file was not touched."""
    line, _, rest = content.partition(b"\n")
    if not rest and not line.endswith(b"}"):
        return None
    head = json.loads(line)
    cut = int(head["old"])
    if len(rest) != cut + int(head["new"]):
        return None
    return _Record(str(head["path"]), int(head["device"]), int(head["inode"]), rest[:cut], rest[cut:])


def _give_back(record: _Record) -> bool:
    """Write what was there into a file that is half-written; return whether it was."""
    try:
        file = os.open(record.path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        status = os.fstat(file)
        is_it = (status.st_dev, status.st_ino) == (record.device, record.inode)
        if not is_it or not stat.S_ISREG(status.st_mode) or not _is_half(_read(file), record):
            return False
        _put(file, record.old)
        return True
    finally:
        os.close(file)


def _is_half(now: bytes, record: _Record) -> bool:
    """Whether a file is between its two contents; what somebody wrote since then is not touched."""
    old, new = record.old, record.new
    if now in (old, new):
        return False
    for start in range(0, len(now), _PAGE):
        page = now[start : start + _PAGE]
        before, after = old[start : start + _PAGE], new[start : start + _PAGE]
        pairs = enumerate(zip(page, after, strict=False))
        same = next((place for place, (one, other) in pairs if one != other), min(len(page), len(after)))
        if not after.startswith(page) and page[same:] != before[same : len(page)]:
            return False
    return True


def _read(file: int) -> bytes:
    os.lseek(file, 0, os.SEEK_SET)
    content = bytearray()
    while part := os.read(file, 1 << 20):
        content += part
    return bytes(content)


def _put(file: int, content: bytes) -> None:
    """Make this the content of an open file, on disk."""
    os.lseek(file, 0, os.SEEK_SET)
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]
    os.ftruncate(file, len(content))
    os.fsync(file)


# FileError
# ├── OutsideRoots   relative, or outside every root once links are followed
# ├── NotFound       the file or a folder on the way to it is missing
# ├── NotAFile       a folder, a pipe, a device …
# ├── NotText        the bytes are not UTF-8
# ├── TooLarge       more than is read at once
# ├── NotAllowed     the system's permissions forbid it
# ├── Stale          the file is not what the agent last saw of it
# └── WriteFailed    the disk is full, read-only, broken …


class FileError(Exception):
    """A file could not be read or written; the message is made to be shown."""


class OutsideRoots(FileError):
    """The path is relative, or leaves every root once links are followed."""


class NotFound(FileError):
    """The file, or a folder on the way to it, is missing."""


class NotAFile(FileError):
    """What is there is a folder, a pipe, a device or the like."""


class NotText(FileError):
    """What was asked for is not UTF-8 text."""


class TooLarge(FileError):
    """What was asked for is more than is read at once."""


class NotAllowed(FileError):
    """The permissions of the file or its folder forbid it."""


class Stale(FileError):
    """The file is not what the agent last saw of it; a write would lose what is there."""

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
        """As it was asked for."""
        self.wanted = wanted
        """What was to be written."""
        self.now = now
        """What is there; None where there is no file, or no text that we read."""
        self.before = before
        """What the agent last saw, as far as that is kept."""
        self.version = version
        """Of what is there: to write over exactly that, give it to `write_text`."""
        self.encoding = encoding
        """How `now` was read, for people; empty for UTF-8, in which everything is written."""


class WriteFailed(FileError):
    """The file could not be written; the old one is untouched."""


@dataclass(frozen=True)
class Written:
    """A file that was written, with what a diff needs."""

    path: str
    """As it was asked for."""
    old: str | None
    """The text before, whatever its encoding; None when the file is new, or was no text."""
    new: str
    other_names: int = 0
    """How many other names (hard links) the file has: they show the new text as well."""


class _Old:
    """What stands in a file that is to be written."""

    def __init__(self, content: bytes | None) -> None:
        """Read the bytes as text; None: there are none, or more than are read."""
        read = decoded(content) if content is not None else None
        self.content = content
        self.encoding = read.encoding if read is not None else UTF_8
        self.text = read.text if read is not None and read.encoding != BINARY else None
        """None where there is nothing, or no text."""

    @property
    def as_seen(self) -> str | None:
        """The text, if an agent can have read it: as UTF-8."""
        return self.text if self.encoding == UTF_8 else None

    def is_like(self, content: str) -> bool:
        """Whether these are the bytes of a text that is to be written."""
        return self.content is not None and self.content == content.encode("utf-8", "replace")


_NOTHING: Final = _Old(None)

READ_LIMIT: Final = 32 << 20
_CHUNK: Final = 1 << 20
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_KINDS: Final[dict[int, type[FileError]]] = {
    errno.ENOENT: NotFound,
    errno.ENOTDIR: NotFound,
    errno.ELOOP: OutsideRoots,  # a component became a link after it was checked
    errno.ENAMETOOLONG: NotAFile,
    errno.EISDIR: NotAFile,
    errno.ENXIO: NotAFile,
    errno.EACCES: NotAllowed,
    errno.EPERM: NotAllowed,
}


class Files:
    """Reads and writes the text files below some roots, for the agent of one session.

    Links are resolved first; then every component is opened without following links, each from the
    folder before it, so that a link put there in between is refused. Blocking: call it in a thread.

    Source: ACP, page "file system".
    """

    def __init__(
        self,
        roots: Sequence[str | os.PathLike[str]],
        read_limit: int = READ_LIMIT,
        backups: Backups | None = None,
    ) -> None:
        self.roots = tuple(dict.fromkeys(os.path.realpath(root) for root in roots))
        """The real paths of the session's folder and of the additional ones."""
        self.read_limit = read_limit
        """Bytes that one read returns at most."""
        self._seen = FileVersions()
        self._backups = backups

    def contains(self, path: str) -> bool:
        """Return whether a path, existing or not, lies in the roots once links are followed."""
        try:
            self._locate(path)
        except OutsideRoots:
            return False
        return True

    def read_text(self, path: str, line: int | None = None, limit: int | None = None) -> str:
        """Return a file, or `limit` lines of it from line `line` (the first is 1), line ends kept.

        Only the lines asked for count for the limit in bytes.

        Raises:
            OutsideRoots, NotFound, NotAFile, NotText, TooLarge, NotAllowed
        """
        skip = max(0, (line or 1) - 1)
        try:
            with self._errors(path), self._parent(path) as (folder, name):
                file = os.fdopen(_open_regular(name, folder), "rb", buffering=0)
                with file:
                    version = Version.of(os.fstat(file.fileno()))
                    data = self._read_lines(file, skip, limit)
        except NotFound:
            self._seen.saw(os.path.realpath(path), None)
            raise
        text = _decoded(data, path)
        self._seen.saw(os.path.realpath(path), version, text if not skip and limit is None else None)
        return text

    def compare(self, path: str, content: str) -> tuple[Stale, bool]:
        """Return what a write would lose, for people, and whether the agent has not seen that.

        Nothing is written, and to the agent it stays unseen.

        Raises:
            OutsideRoots, NotAFile, NotAllowed
        """
        now, version = _NOTHING, None
        try:
            with self._errors(path), self._parent(path) as (folder, name):
                version = Version.of(_status(name, folder))
                now = self._old(name, folder) if version is not None else _NOTHING
        except NotFound:  # nor is its folder there
            pass
        real = os.path.realpath(path)
        is_new = not now.is_like(content) and not self._seen.is_current(real, version, now.as_seen)
        return Stale(path, content, now.text, self._seen.text(real), version, now.encoding), is_new

    def write_text(self, path: str, content: str, over: Stale | None = None) -> Written:
        """Replace a file by `content`, or make it and the folders it needs; all of it or nothing.

        The bytes are those of `content`, the mode is that of the old file. `over` is what the person has
        seen and gives up.

        Raises:
            OutsideRoots, NotAFile, NotAllowed, WriteFailed
            Stale: the file is neither what was last read or written here, nor what `over` shows.
        """
        content = _SURROGATE.sub("\ufffd", content)
        with self._errors(path, writing=True), self._parent(path, make=True) as (folder, name):
            before = _status(name, folder)
            old = self._old(name, folder) if before else _NOTHING
            self._check_seen(path, content, old, Version.of(before), over)
            real = os.path.realpath(path)
            replace_file(name, folder, content.encode(), before, real, self._backups)
            after = _status(name, folder)
            version = Version.of(after)
        self._seen.saw(os.path.realpath(path), version, content)
        return Written(path, old.text, content, after.st_nlink - 1 if after else 0)

    def _check_seen(
        self, path: str, content: str, now: _Old, version: Version | None, over: Stale | None
    ) -> None:
        """Stop a write over what the agent has never seen, unless nothing is lost or the person said so."""
        real = os.path.realpath(path)
        is_agreed = over is not None and over.version == version
        is_current = self._seen.is_current(real, version, now.as_seen)
        if not is_agreed and not now.is_like(content) and not is_current:
            raise Stale(path, content, now.text, self._seen.text(real), version, now.encoding)

    def _locate(self, path: str) -> tuple[str, list[str]]:
        """Return the root a path lies in and the names from there, links followed."""
        if not path.startswith("/"):
            raise OutsideRoots(f"“{path}” is not an absolute path.")
        try:
            real = Path(os.path.realpath(path))
        except ValueError as error:  # a NUL, or half a character
            raise OutsideRoots(f"“{path}” is no path: {error}.") from error
        for root in self.roots:
            if real.is_relative_to(root):
                return root, list(real.relative_to(root).parts)
        raise OutsideRoots(f"“{path}” lies outside the workspace.")

    def _parent(self, path: str, make: bool = False) -> AbstractContextManager[tuple[int, str]]:
        """Give the open folder of a file, and its name in there."""
        root, names = self._locate(path)
        if not names:
            raise NotAFile(f"“{path}” is a folder.")
        return parent_of(root, names, make)

    def _read_lines(self, file: BinaryIO, skip: int, take: int | None) -> bytes:
        """Return `take` lines after the first `skip`; a line ends at a newline."""
        wanted = bytearray()
        left = take
        while (left is None or left > 0) and (chunk := file.read(_CHUNK)):
            start, skip = _after_lines(chunk, 0, skip)
            end = len(chunk)
            if not skip and left is not None:
                end, left = _after_lines(chunk, start, left)
            wanted += chunk[start:end]
            if len(wanted) > self.read_limit:
                raise TooLarge(
                    f"More than {self.read_limit:,} bytes of text were asked for; ask for fewer lines."
                )
        return bytes(wanted)

    def _old(self, name: str, folder: int) -> _Old:
        try:
            with os.fdopen(_open_regular(name, folder), "rb", buffering=0) as file:
                return _Old(self._read_lines(file, 0, None))
        except (TooLarge, PermissionError):
            return _NOTHING

    @contextmanager
    def _errors(self, path: str, writing: bool = False) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            _raise(error, path, writing)


def _raise(error: OSError, path: str, writing: bool) -> NoReturn:
    kind = _KINDS.get(error.errno or 0, WriteFailed if writing else FileError)
    if writing and kind is NotFound:  # a file stands where a folder has to be, or a folder went away
        kind = NotAFile if error.errno == errno.ENOTDIR else WriteFailed
    verb = "written" if writing else "read"
    raise kind(f"“{path}” cannot be {verb}: {error.strerror or error}.") from error


@contextmanager
def parent_of(root: Path | str, names: Sequence[str], make: bool) -> Iterator[tuple[int, str]]:
    """Give the open folder of a file below a root, never through a link, and the file's name in there.

    Args:
        root: a folder, its own links resolved.
        names: the folders below it, and the file.
        make: whether folders that are not there are made.

    Raises:
        OSError: a folder is a link or cannot be opened, or a name would lead up.
    """
    if not names or not {"", ".", ".."}.isdisjoint(names):
        raise OSError(errno.EINVAL, "that is no path below a folder")
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
    """Open a folder inside an open one, never through a link; make it if that is wanted."""
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise
    try:
        os.mkdir(name, dir_fd=folder)
    except FileExistsError:  # somebody else was quicker
        pass
    return os.open(name, _FOLDER, dir_fd=folder)


def _open_regular(name: str, folder: int) -> int:
    """Open a plain file for reading; a pipe or device is not even opened."""
    _status(name, folder, missing_ok=False)
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):  # it was exchanged in between
        os.close(descriptor)
        raise NotAFile(f"“{name}” is not a plain file.")
    return descriptor


def _status(name: str, folder: int, missing_ok: bool = True) -> os.stat_result | None:
    """Return the status of a plain file, or None if there is nothing."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        if missing_ok:
            return None
        raise
    if stat.S_ISDIR(status.st_mode):
        raise NotAFile(f"“{name}” is a folder.")
    if not stat.S_ISREG(status.st_mode):
        raise NotAFile(f"“{name}” is not a plain file.")
    return status


def replace_file(
    name: str, folder: int, data: bytes, before: os.stat_result | None, real: str, backups: Backups | None
) -> None:
    """Write beside the old file, then put the new one in its place, with the mode and attributes of the old.

    A file with several names (hard links) stays one: it is written in place, beside a backup.

    Args:
        name: the file.
        folder: its open folder.
        data: what it shall hold.
        before: the status of the file that is there; None: there is none.
        real: its path, absolute and links resolved.
        backups: where the backup is meanwhile; without one, this name becomes a file of its own.
    """
    if before is not None:
        _check_writable(name, folder)
        if before.st_nlink > 1 and backups is not None and _wrote_in_place(name, folder, data, real, backups):
            return
    beside = f".acp-tui-{secrets.token_hex(8)}"
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if before is not None:
                copy_metadata(name, folder, before, file.fileno())
            os.fsync(file.fileno())
        os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        os.unlink(beside, dir_fd=folder)
        raise


def _wrote_in_place(name: str, folder: int, data: bytes, real: str, backups: Backups) -> bool:
    """Write a file that keeps its inode; False where that cannot be done, as while it runs or is not read."""
    try:
        file = os.open(name, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ETXTBSY, errno.EACCES):
            return False
        raise
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise NotAFile(f"“{name}” is not a plain file.")
        backups.write(real, file, data)
    finally:
        os.close(file)
    return True


def _check_writable(name: str, folder: int) -> None:
    """Refuse what may not be written, since a rename would not ask."""
    try:
        os.close(os.open(name, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder))
    except OSError as error:
        if error.errno != errno.ETXTBSY:  # a running program may be replaced
            raise


def _after_lines(data: bytes, start: int, count: int) -> tuple[int, int]:
    """Return where the first `count` lines from `start` end in `data`, and how many are still to come."""
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


def with_targets(paths: Iterable[str], folder: str) -> tuple[str, ...]:
    """Return absolute paths, each with the place it leads to where links make that another one.

    What leads into `folder`, by whichever alias that is known, is named below `folder`.
    """
    real_folder = os.path.realpath(folder)
    found = []
    for path in paths:
        found.append(path)
        try:
            real = os.path.realpath(path)
        except ValueError:  # a zero in it, or half a character: no path of this machine
            continue
        if real == real_folder or real.startswith(f"{real_folder.rstrip('/')}/"):
            real = folder.rstrip("/") + real[len(real_folder.rstrip("/")) :]
        if real != path and ".." not in path.split("/"):
            found.append(real)
    return tuple(dict.fromkeys(found))
