"""Git trees of a workspace: a full look, and increments from known changes."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, NamedTuple

from acp_tui.changes.exact_names import ExactNames
from acp_tui.changes.git_store import NO_FILE, GitFailed, GitStalled, SnapshotStore
from acp_tui.changes.restore import read_content
from acp_tui.workspace.real_paths import followed

Reason = Literal["large", "repository", "unreadable", "too many"]

LARGEST: Final = 8 * 1024 * 1024
"""Largest file in a snapshot, in bytes."""
MOST: Final = 1_000
"""Maximum number of changed paths for an incremental snapshot."""

_REF: Final = "refs/now"


class Increment(NamedTuple):
    """The result of an incremental snapshot."""

    id: str
    left_out: dict[bytes, Reason | None]
    """Reasons for excluded paths; None for a path included or gone."""


class _Look(NamedTuple):
    """The state of a path."""

    reason: Reason | Literal["gone"] | None
    """Reason for its exclusion."""
    mode: int = 0
    size: int = 0

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)


class _Wanted(NamedTuple):
    """An update of a path: its new content, or None to remove it."""

    path: bytes
    content: bytes | None = None
    mode: int = 0


# A full look has git stat every file: 170 to 290 ms for 40,000 files, while a prompt waits 80 ms at most.
# Given the changed paths (from the watcher), `git fast-import` builds the next commit on the previous tree,
# so the cost depends on the changes alone. The index is bypassed and lags behind until the next full look.
# What paths alone do not show (a folder replaced by a file, too many paths) needs a full look.
async def take_increment(store: SnapshotStore, before: str, paths: set[bytes]) -> Increment | None:
    """Return a snapshot like `before` with some paths updated, or None if a full look is needed.

    The caller holds the store.

    Raises:
        GitFailed.
    """
    if len(paths) > MOST:
        return None
    known = await _known(store, before, paths)
    names = ExactNames(store.root)
    seen = await asyncio.to_thread(_looked_at, store.root, paths, names)
    if any(look.is_folder and known.get(path) == b"tree" for path, look in seen.items()):
        return None
    new = [path for path, look in seen.items() if path not in known and look.reason != "gone"]
    for path in await ignored_of(store, new):
        del seen[path]
    if await _is_respelled(store, before, seen, [path for path in new if path in seen], names):
        return None
    wanted = await asyncio.to_thread(_wanted, store.root, seen, known)
    left_out = {path: None if look.reason == "gone" else look.reason for path, look in seen.items()}
    if not wanted:
        return Increment(before, left_out)
    tree = (await store.git("rev-parse", f"{before}^{{tree}}")).strip()
    orders = b"".join(_orders(tree, wanted))
    out = await store.git("fast-import", "--quiet", "--force", "--date-format=now", given=orders)
    return Increment(out.decode().strip(), left_out)


async def _is_respelled(
    store: SnapshotStore, before: str, seen: Iterable[bytes], new: list[bytes], names: ExactNames
) -> bool:
    """Return whether a new path is another spelling of a path of the snapshot that was not looked at."""
    if not await asyncio.to_thread(_lenient, new, names):
        return False
    out = await store.git("ls-tree", "-r", "-z", "--name-only", "--full-tree", before)
    return bool(await asyncio.to_thread(names.respelled, set(out.split(b"\0")[:-1]).difference(seen), new))


def _lenient(paths: Iterable[bytes], names: ExactNames) -> bool:
    """Return whether another spelling may find any of the paths."""
    return not all(names.are_plain(path) for path in paths)


async def ignored_of(store: SnapshotStore, paths: Iterable[bytes]) -> set[bytes]:
    """Return the paths excluded by a .gitignore.

    Raises:
        GitFailed.
    """
    given = b"".join(b"./%s\0" % path for path in paths)  # a leading colon would be pathspec magic
    if not given:
        return set()
    out = await store.git("check-ignore", "-z", "--stdin", "--no-index", given=given, fine=(0, 1))
    return {path.removeprefix(b"./") for path in out.split(b"\0")[:-1]}


async def _known(store: SnapshotStore, before: str, paths: set[bytes]) -> dict[bytes, bytes]:
    """Return the kinds (`blob`, `tree`) of the paths that a snapshot contains."""
    names = [os.fsdecode(path) for path in paths]
    out = await store.git("--literal-pathspecs", "ls-tree", "-z", "-t", "--full-tree", before, "--", *names)
    found: dict[bytes, bytes] = {}
    for row in out.split(b"\0")[:-1]:
        facts, _, path = row.partition(b"\t")
        if path in paths:
            found[path] = facts.split(b" ")[1]
    return found


def _looked_at(root: Path, paths: Iterable[bytes], names: ExactNames) -> dict[bytes, _Look]:
    """Return the state of each path; a path behind a link counts as gone."""
    base = os.fsencode(root) + b"/"
    is_true: dict[bytes, bool] = {}
    seen: dict[bytes, _Look] = {}
    for path in sorted(paths):
        folder = (base + path).rpartition(b"/")[0]
        if folder not in is_true:
            is_true[folder] = followed(folder) == folder
        seen[path] = look_at(base, path, names) if is_true[folder] else _Look("gone")
    return seen


def look_at(base: bytes, path: bytes, names: ExactNames | None = None) -> _Look:
    """Return the state of one path; with `names`, another spelling of an existing name counts as gone."""
    try:
        found = os.lstat(base + path)
    except (FileNotFoundError, NotADirectoryError):
        return _Look("gone")
    except OSError:
        return _Look("unreadable")
    if names is not None and not names.hold(path):
        return _Look("gone")
    mode = found.st_mode
    if stat.S_ISLNK(mode):
        return _Look(None, mode)
    if stat.S_ISDIR(mode) and os.access(base + path, os.R_OK | os.X_OK):
        return _Look("gone")  # a folder: its files have paths of their own
    if not stat.S_ISREG(mode) or not os.access(base + path, os.R_OK):
        return _Look("unreadable", mode)
    return _Look("large" if found.st_size > LARGEST else None, mode, found.st_size)


def _wanted(root: Path, seen: dict[bytes, _Look], known: dict[bytes, bytes]) -> list[_Wanted]:
    """Return the updates of the tree."""
    wanted: list[_Wanted] = []
    for path, look in seen.items():
        content = _content(root, path, look.mode) if look.reason is None else None
        if content is not None or path in known:
            wanted.append(_Wanted(path, content, look.mode))
    return wanted


def _content(root: Path, path: bytes, mode: int) -> bytes | None:
    try:
        return read_content(root, os.fsdecode(path), mode)
    except OSError:  # gone again; the watcher reports that
        return None


def _orders(tree: bytes, wanted: list[_Wanted]) -> Iterator[bytes]:
    """Yield the input of `git fast-import`; the commit has no parent, so it keeps nothing alive."""
    yield b"commit %s\nmark :1\ncommitter acp-tui <acp-tui> now\ndata 9\nsnapshot\n\n" % _REF.encode()
    yield b'M 040000 %s ""\n' % tree
    for path, content, _ in wanted:
        if content is None:
            yield b"D %s\n" % _quoted(path)
    for path, content, mode in wanted:
        if content is not None:
            yield b"M %s inline %s\ndata %d\n" % (_mode(mode), _quoted(path), len(content))
            yield content
            yield b"\n"
    yield b"get-mark :1\n"


def _mode(mode: int) -> bytes:
    if stat.S_ISLNK(mode):
        return b"120000"
    return b"100755" if mode & stat.S_IXUSR else b"100644"


def _quoted(path: bytes) -> bytes:
    return b'"%s"' % path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")


Status = Literal["A", "M", "D", "R", "T"]


@dataclass(frozen=True)
class LeftOut:
    """A file or folder excluded from a snapshot."""

    path: str
    reason: Reason


@dataclass(frozen=True)
class Snapshot:
    """The files of a workspace at a moment, as a git commit."""

    id: str
    at: float
    """Seconds since the epoch."""
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True)
class ChangedFile:
    """A file that differs between two snapshots, in git's terms; paths are relative.

    The session lists it as a `DiskState`.
    """

    path: str
    """Path at the later moment; bytes outside UTF-8 are lone surrogates."""
    status: Status
    """Added, modified, deleted, renamed, or type changed (file, link)."""
    old_path: str
    """Path at the earlier moment."""
    old_mode: int
    new_mode: int
    """Mode in git's terms: 0o100644, 0o100755 (executable), 0o120000 (link); 0 for no file."""
    old_id: str
    new_id: str
    """Hash of the content; "" for no file or one too large."""
    binary: bool = False
    added: int = 0
    removed: int = 0
    """Counted in lines."""
    is_kept: bool = field(default=False, compare=False)
    """True if a restore must not delete it: it may be older than the snapshot, but ignored or left out."""

    @property
    def state(self) -> tuple[str, int]:
        """Content and mode at the later moment."""
        return self.new_id, self.new_mode


@dataclass(frozen=True)
class Restored:
    """The result of a restore."""

    way_back: Snapshot
    """Snapshot right before it."""
    done: tuple[ChangedFile, ...]
    problems: tuple[str, ...]
    """Reasons for the files left as they are, for display."""


MOST_FILES: Final = 200_000
BATCH: Final = 10_000
"""Files added by one command, which compares each file with those before it."""
_MANY: Final = 1_000
"""Number of new files from which on an empty store adds all at once."""
_NAMED: Final = 50
"""Most excluded files that are named to git, which compares each of them with every path."""
_PACKED_FROM: Final = 500
"""Number of files from which on their contents go into one pack."""
_PACKED: Final = ("core.bigFileThreshold=1", "pack.compression=1")
"""Settings that write contents above one byte straight into a pack."""
A_PACK: Final = 10_000
"""Approximate number of contents in one pack: git searches for each among those before it."""
_SMALLER: Final = 4
"""Approximate factor by which a pack shrinks contents."""
SMALLEST_PACK: Final = 256 << 10  # bytes


@dataclass(frozen=True)
class _Listed:
    """Differences between the workspace and the index."""

    known: frozenset[bytes]
    others: tuple[bytes, ...]
    gone: frozenset[bytes]


class _Sorted(NamedTuple):
    """The paths of a full look: to add, to remove, or left out."""

    put: list[bytes]
    drop: list[bytes]
    left_out: list[LeftOut]
    size: int
    """Total bytes of `put`."""


async def update_index(store: SnapshotStore) -> tuple[list[LeftOut], frozenset[bytes]]:
    """Look at every file; return (excluded files, files that may have changed).

    The caller holds the store.

    Raises:
        GitFailed.
    """
    listed = await _list(store)
    names = ExactNames(store.root)
    known: list[bytes] = []
    if len(listed.others) > _MANY or await asyncio.to_thread(_lenient, listed.others, names):
        known = (await store.git("ls-files", "-z")).split(b"\0")[:-1]
    # On some file systems git finds a file by its old name after a rename that changes only capitals.
    respelled = frozenset(await asyncio.to_thread(names.respelled, known, listed.others))
    listed = _Listed(listed.known - respelled, listed.others, listed.gone | respelled)
    sorted_files = await asyncio.to_thread(_sorted, store.root, listed, MOST_FILES - len(known))
    put, drop, left_out = sorted_files.put, sorted_files.drop, sorted_files.left_out
    if drop:
        lines = b"".join(b"0 %s\t%s\0" % (NO_FILE.encode(), path) for path in drop)
        await store.git("update-index", "-z", "--index-info", given=lines)
    is_first = len(listed.others) > _MANY and not known
    if is_first and len(left_out) <= _NAMED and await _add_all(store, sorted_files):
        return left_out, listed.known
    settings = _PACKED if len(put) >= _PACKED_FROM else ()
    for begun in range(0, len(put), BATCH):
        paths = b"".join(path + b"\0" for path in put[begun : begun + BATCH])
        orders = ("--add", "--remove", "--replace", "-z", "--stdin")
        await store.git("update-index", *orders, given=paths, settings=settings)
    return left_out, listed.known


async def _add_all(store: SnapshotStore, files: _Sorted) -> bool:
    """Add all files except those left out; return False if git could not add some.

    `git add` takes half the time of `git update-index` for many new files.
    """
    without = [f":(exclude,literal,top){each.path}" for each in files.left_out]
    settings = (*_PACKED, f"pack.packSizeLimit={_size_of_packs(len(files.put), files.size)}")
    try:
        await store.git("add", "--all", "--ignore-errors", "--", ".", *without, settings=settings)
    except GitStalled:
        raise
    except GitFailed:
        return False
    return True


def _size_of_packs(count: int, size: int) -> int:
    """Return the size of one pack in bytes, for `count` files of `size` bytes in all."""
    packs = max(1, count // A_PACK)
    return max(size // packs // _SMALLER, SMALLEST_PACK)


async def _list(store: SnapshotStore) -> _Listed:
    try:
        async with asyncio.TaskGroup() as both:  # neither outlives the lock on the store
            listing = both.create_task(store.git("ls-files", "-z", "--others", "--exclude-standard"))
            # A repository that took the place of a file while it was added is a submodule to git, which would
            # run `git status` in it, with the programs of its settings.
            options = ("--ignore-submodules=all", "-z", "--name-status")
            differing = both.create_task(store.git("diff-files", *options))
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
    words = differing.result().split(b"\0")
    by_path = dict(zip(words[1::2], words[::2], strict=False))
    return _Listed(
        frozenset(path for path, status in by_path.items() if status != b"D"),
        tuple(listing.result().split(b"\0")[:-1]),
        frozenset(path for path, status in by_path.items() if status == b"D"),
    )


def _sorted(root: Path, listed: _Listed, room: int) -> _Sorted:
    """Sort the paths by what is to be done with them."""
    put: list[bytes] = []
    drop = list(listed.gone)
    left_out: list[LeftOut] = []
    size = 0
    base = os.fsencode(root) + b"/"
    for path in [*listed.known, *listed.others]:
        is_known = path in listed.known
        look = _Look("repository") if path.endswith(b"/") else look_at(base, path)
        reason = look.reason
        if reason is None and not is_known and len(put) >= room:
            reason = "too many"
        if reason is None:
            put.append(path)
            size += look.size
        elif reason != "gone":
            left_out.append(LeftOut(os.fsdecode(path.rstrip(b"/")), reason))
        if reason is not None and is_known:
            drop.append(path)
    return _Sorted(put, drop, left_out, size)
