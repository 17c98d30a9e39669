"""Snapshots of a workspace: what its files were, what changed since, and the way back.

Not in a snapshot: files that .gitignore leaves out, other repositories inside, and very large files.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal

from acp_tui.host.merging import Hunk, without
from acp_tui.host.restoring import put_back, read_file
from acp_tui.host.snapshot_store import GitFailed, SnapshotStore
from acp_tui.host.successor import Reason, ignored_of, look_at, successor
from acp_tui.host.watcher import Watcher

Status = Literal["A", "M", "D", "R", "T"]

MOST_FILES: Final = 200_000

_REFS: Final = "refs/snapshots/"
_RENAMES: Final = 1_000  # files up to which renames are looked for
_NAMED: Final = 1_000  # folders that a command of git is given at once
_NO_FILE: Final = "0" * 40
_NO_WAY_BACK: Final = "what is there now is in no snapshot (too large, left out or unreadable), so it stays"
_FRESH: Final = "2.days.ago"  # what is younger may be shown somewhere just now


@dataclass(frozen=True)
class LeftOut:
    """A file, or a folder, that is not in a snapshot."""

    path: str
    reason: Reason


@dataclass(frozen=True)
class Snapshot:
    """The files of a workspace at a moment."""

    id: str
    at: float
    """Seconds since the epoch."""
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True)
class Changed:
    """One file that differs between two moments; paths are relative to the workspace."""

    path: str
    """As the file is called at the later moment; bytes that are no UTF-8 as lone surrogates."""
    status: Status
    """Added, modified, deleted, renamed, or of another type (file, link)."""
    old_path: str
    """As the file was called at the earlier moment."""
    old_mode: int
    new_mode: int
    """As git knows them: 0o100644, 0o100755 (executable), 0o120000 (link); 0 where there is no file."""
    old_id: str
    new_id: str
    """Content by its hash; empty where there is no file, or one that is too large."""
    binary: bool = False
    added: int = 0
    removed: int = 0
    """Lines."""

    @property
    def state(self) -> tuple[str, int]:
        """What the file is at the later moment."""
        return self.new_id, self.new_mode


@dataclass(frozen=True)
class Restored:
    """What came of going back."""

    way_back: Snapshot
    """How all files were just before."""
    done: tuple[Changed, ...]
    problems: tuple[str, ...]
    """Why the other files stay as they are, for people."""


@dataclass(frozen=True)
class _Listed:
    """What of the workspace differs from the index."""

    known: frozenset[bytes]
    others: tuple[bytes, ...]
    gone: frozenset[bytes]


class Snapshots:
    """Takes snapshots of one workspace and compares them."""

    def __init__(self, folder: Path, root: Path, without: Sequence[Path] = ()) -> None:
        """Begin with what earlier runs have left.

        Args:
            folder: where the stores of all workspaces are.
            root: the workspace.
            without: folders that are left out if they are in the workspace; `folder` always is.
        """
        self.root = root.resolve()
        self.store = SnapshotStore(folder, self.root, without)
        self.damaged: Path | None = None
        """Where the store is that was damaged, once that was found; its snapshots are lost."""
        self._turn = asyncio.Lock()
        self._watcher: Watcher | None = None
        self._latest = ""
        """How the workspace was when the watcher was asked last, if all that was known then."""
        self._kept: set[str] = set()
        self._left_out: dict[bytes, Reason] = {}

    async def watch(self) -> bool:
        """Let the system tell what changes from now on; return whether it can.

        Raises:
            Unavailable, GitFailed.
        """
        watcher = Watcher(self.root, self._ignored)
        try:
            if not await watcher.begin():
                return False
        except BaseException:
            watcher.close()
            raise
        self.close()
        self._watcher, self._latest = watcher, ""
        return True

    @property
    def has_news(self) -> bool:
        """Whether something may have changed since all was looked at; costs next to nothing."""
        return self._watcher is None or not self._latest or self._watcher.has_news

    @property
    def is_watching(self) -> bool:
        """Whether the system tells what changes."""
        return self._watcher is not None and not self._watcher.is_lost

    def doubt(self) -> None:
        """Look at every file the next time, whatever the system tells."""
        self._latest = ""

    def close(self) -> None:
        """Watch no more."""
        if self._watcher is not None:
            self._watcher.close()
            self._watcher = None

    async def take(self) -> Snapshot:
        """Remember all files as they are now; costs what changed since the last time.

        Raises:
            Unavailable, GitFailed.
        """
        if self._latest in self._kept and not self.has_news:
            return self._snapshot(self._latest)
        damaged = self.damaged
        try:
            async with self._open():
                return await self._take()
        except GitFailed:
            if self.damaged == damaged:
                raise
        async with self._open():
            return await self._take()

    async def changes(self, before: Snapshot, after: Snapshot | None = None) -> list[Changed]:
        """Return what differs between two snapshots, or between one and now.

        Raises:
            Unavailable, GitFailed.
        """
        options = ("-z", "--raw", "--numstat", "--no-abbrev", "-M", f"-l{_RENAMES}")
        async with self._open():
            if after is None:
                after = self._snapshot(await self._now())
            out = await self.store.git("diff-tree", "-r", *options, before.id, after.id)
        large = {each.path for each in after.left_out if each.reason == "large"}
        return await asyncio.to_thread(lambda: list(_with_large(_parsed(out), large)))

    async def texts(self, change: Changed) -> tuple[bytes | None, bytes | None]:
        """Return what the file was and what it became; None where there is none, or it is too large.

        Raises:
            Unavailable, GitFailed.
        """
        async with self._open():
            old, new = [
                await self._content(name) if name else None for name in (change.old_id, change.new_id)
            ]
        return old, new

    async def restore(self, before: Snapshot, changes: Sequence[Changed]) -> Restored:
        """Give files back what they were in a snapshot, as far as they are still what the person saw.

        Args:
            before: the snapshot.
            changes: what is to be undone, of `changes(before)`: that list is the preview.

        Raises:
            Unavailable, GitFailed: nothing was done.
        """
        way_back = await self.take()
        now = {change.path: change for change in await self.changes(before)}
        done: list[Changed] = []
        problems: list[str] = []
        for change in changes:
            if now.get(change.path) != change:
                problems.append(f"{change.path}: changed in the meantime")
                continue
            unknown = await asyncio.to_thread(_without_way_back, self.root, change)
            if unknown:
                problems.append(f"{unknown}: {_NO_WAY_BACK}")
                continue
            old, _ = await self.texts(change)
            try:
                await asyncio.to_thread(
                    put_back, self.root, change.path, change.old_path, old, change.old_mode
                )
                done.append(change)
            except OSError as error:
                problems.append(f"{change.path}: {error.strerror or error}")
        return Restored(way_back, tuple(done), tuple(problems))

    async def reverse(self, change: Changed, hunk: Hunk, base: bytes | None = None) -> Restored:
        """Take one hunk of a change back out of the file as it is now; what conflicts stays.

        The hunk is of `base` and the file; without a base, of what the file was and is.

        Raises:
            Unavailable, GitFailed: nothing was done.
        """
        old, new = await self.texts(change)
        old = base if base is not None else old
        way_back = await self.take()
        if old is None or new is None:
            return Restored(way_back, (), (f"{change.path}: there are no lines to compare",))
        if any(each.path == change.path for each in way_back.left_out):
            return Restored(way_back, (), (f"{change.path}: {_NO_WAY_BACK}",))
        try:
            now = await asyncio.to_thread(read_file, self.root, change.path)
            wanted = await self._merged(now, new, without(old, new, hunk))
            if wanted is None:
                return Restored(way_back, (), (f"{change.path}: changed again in the same place",))
            await asyncio.to_thread(put_back, self.root, change.path, change.path, wanted, change.new_mode)
        except OSError as error:
            return Restored(way_back, (), (f"{change.path}: {error.strerror or error}",))
        return Restored(way_back, (change,), ())

    async def prune(self, oldest: float, most_bytes: int) -> None:
        """Forget snapshots from before `oldest` (seconds since the epoch), and more if the store is large.

        Stores of other workspaces that nobody has opened since then are deleted.

        Raises:
            Unavailable, GitFailed.
        """
        await asyncio.to_thread(self.store.forget_others, oldest)
        async with self._open():
            size = await self._size()
            known = await self._known()
            old = [ref for ref, at in known if at < oldest]
            if size > most_bytes:
                old = [ref for ref, _ in known[: len(known) // 2]] or old
            if not old:
                return
            orders = "".join(f"delete {ref}\n" for ref in old)
            await self.store.git("update-ref", "--stdin", given=orders.encode())
            await self.store.git("prune", f"--expire={_FRESH}")
            await self.store.git("repack", "-A", "-d", "-q", f"--unpack-unreachable={_FRESH}")

    # ------------------------------------------------------------------ parts

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[None]:
        """Have the store for oneself; if something fails because it is damaged, begin it anew."""
        async with self._turn, self.store.open():
            try:
                yield
            except GitFailed:
                self._latest = ""
                if not await self.store.is_sound():
                    self._kept.clear()
                    self.damaged = await self.store.rebuild()
                raise

    async def _take(self) -> Snapshot:
        name = await self._now()
        if name not in self._kept:
            await self.store.git("update-ref", f"{_REFS}{time.time_ns()}", name)
            self._kept.add(name)
        return self._snapshot(name)

    def _snapshot(self, name: str) -> Snapshot:
        left_out = (LeftOut(os.fsdecode(path), reason) for path, reason in self._left_out.items())
        return Snapshot(name, time.time(), tuple(left_out))

    async def _now(self) -> str:
        """Return a commit of the files as they are now."""
        latest, self._latest = self._latest, ""
        changed = await self._watcher.changed() if self._watcher is not None else None
        if latest and changed is not None:
            if not changed:
                self._latest = latest
                return latest
            found = await successor(self.store, latest, changed)
            if found is not None:
                self._note_left_out(found.left_out)
                self._latest = found.id
                return found.id
        left_out = await self._update()
        self._left_out = {os.fsencode(each.path): each.reason for each in left_out}
        tree = (await self.store.git("write-tree")).decode().strip()
        made = await self.store.git("commit-tree", tree, given=b"snapshot\n")
        name = made.decode().strip()
        if changed is not None:
            self._latest = name
        return name

    def _note_left_out(self, found: dict[bytes, Reason | None]) -> None:
        for path, reason in found.items():
            if reason is None:
                self._left_out.pop(path, None)
            else:
                self._left_out[path] = reason

    async def _ignored(self, folders: Sequence[bytes]) -> set[bytes]:
        """Return those folders that are left out, and hold nothing that was not left out before."""
        try:
            ignored = await ignored_of(self.store, folders)
        except GitFailed:  # one of them has become a link in the meantime: they are watched for nothing
            return set()
        names = [os.fsdecode(folder) for folder in list(ignored)[:_NAMED]]
        known = await self.store.git("--literal-pathspecs", "ls-files", "-z", "--", *names) if names else b""
        return ignored - {path for path in ignored if (b"\0" + known).find(b"\0" + path + b"/") >= 0}

    async def _update(self) -> list[LeftOut]:
        """Make the index equal to the files; return what is left out."""
        listed = await self._list()
        count = (await self._count()) if len(listed.others) > 1_000 else 0
        put, drop, left_out = await asyncio.to_thread(_sorted, self.root, listed, MOST_FILES - count)
        if drop:
            orders = b"".join(b"0 %s\t%s\0" % (_NO_FILE.encode(), path) for path in drop)
            await self.store.git("update-index", "-z", "--index-info", given=orders)
        if put:
            paths = b"".join(path + b"\0" for path in put)
            await self.store.git(
                "update-index", "--add", "--remove", "--replace", "-z", "--stdin", given=paths
            )
        return left_out

    async def _list(self) -> _Listed:
        differing, others = await asyncio.gather(
            self.store.git("diff-files", "-z", "--name-status"),
            self.store.git("ls-files", "-z", "--others", "--exclude-standard"),
        )
        words = differing.split(b"\0")
        by_path = dict(zip(words[1::2], words[::2], strict=False))
        return _Listed(
            frozenset(path for path, status in by_path.items() if status != b"D"),
            tuple(others.split(b"\0")[:-1]),
            frozenset(path for path, status in by_path.items() if status == b"D"),
        )

    async def _count(self) -> int:
        return (await self.store.git("ls-files", "-z")).count(b"\0")

    async def _merged(self, now: bytes, base: bytes, wanted: bytes) -> bytes | None:
        """Return what is there now with what was changed from `base` to `wanted`; None for a conflict."""
        if now == base:
            return wanted
        with TemporaryDirectory(dir=self.store.path) as folder:
            names = [str(Path(folder, name)) for name in ("now", "base", "wanted")]
            for name, content in zip(names, (now, base, wanted), strict=True):
                await asyncio.to_thread(Path(name).write_bytes, content)
            try:
                return await self.store.git("merge-file", "-p", "-q", *names)
            except GitFailed:  # it ends with the number of conflicts
                return None

    async def _content(self, name: str) -> bytes:
        return await self.store.git("cat-file", "blob", name)

    async def _size(self) -> int:
        """Return how many bytes all content takes."""
        out = await self.store.git("count-objects", "-v")
        facts = dict(line.split(": ") for line in out.decode().splitlines())
        return 1024 * (int(facts["size"]) + int(facts["size-pack"]))

    async def _known(self) -> list[tuple[str, float]]:
        out = await self.store.git("for-each-ref", "--format=%(refname) %(committerdate:unix)", _REFS)
        rows = [line.split() for line in out.decode().splitlines()]
        return [(name, float(at)) for name, at in rows]


def _without_way_back(root: Path, change: Changed) -> str:
    """Return the path at which restoring would overwrite what no snapshot holds; nothing if there is none."""
    lost = change.old_path if change.old_path != change.path or not change.new_id else ""
    return lost if lost and os.path.lexists(root / lost) else ""


def _sorted(root: Path, listed: _Listed, room: int) -> tuple[list[bytes], list[bytes], list[LeftOut]]:
    """Return (what to put into the index, what to take out of it, what stays out)."""
    put: list[bytes] = []
    reason: Reason | Literal["gone"] | None
    drop = list(listed.gone)
    left_out: list[LeftOut] = []
    base = os.fsencode(root) + b"/"
    for path in [*listed.known, *listed.others]:
        is_known = path in listed.known
        reason = "repository" if path.endswith(b"/") else look_at(base, path).reason
        if reason is None and not is_known and len(put) >= room:
            reason = "too many"
        if reason is None:
            put.append(path)
        elif reason != "gone":
            left_out.append(LeftOut(os.fsdecode(path.rstrip(b"/")), reason))
        if reason is not None and is_known:
            drop.append(path)
    return put, drop, left_out


def _parsed(out: bytes) -> Iterator[Changed]:
    """Read `--raw --numstat -z`: first a row `:modes ids status` and its paths for each file, then counts."""
    words = iter(out.split(b"\0")[:-1])
    found: dict[str, Changed] = {}
    for word in words:
        if word.startswith(b":"):
            change = _change(word, words)
            found[change.path] = change
        else:
            _count_in(found, word, words)
    yield from found.values()


def _change(word: bytes, words: Iterator[bytes]) -> Changed:
    old_mode, new_mode, old_id, new_id, status = word[1:].decode().split()
    first = os.fsdecode(next(words))
    path = os.fsdecode(next(words)) if status[0] in "RC" else first
    return Changed(
        path,
        status[0],  # type: ignore[arg-type]  # git is not asked for others
        first,
        int(old_mode, 8),
        int(new_mode, 8),
        "" if old_id == _NO_FILE else old_id,
        "" if new_id == _NO_FILE else new_id,
    )


def _count_in(found: dict[str, Changed], word: bytes, words: Iterator[bytes]) -> None:
    added, removed, name = word.split(b"\t", 2)
    if not name:  # a rename: the old and the new name follow
        next(words)
        name = next(words)
    path = os.fsdecode(name)
    binary = added == b"-"
    counts = {} if binary else {"added": int(added), "removed": int(removed)}
    found[path] = Changed(**{**vars(found[path]), "binary": binary, **counts})


def _with_large(changes: Iterable[Changed], large: set[str]) -> Iterator[Changed]:
    """A file that grew too large is not deleted: its content is unknown."""
    for change in changes:
        if change.status == "D" and change.path in large:
            yield Changed(**{**vars(change), "status": "M", "binary": True, "new_mode": change.old_mode})
        else:
            yield change
