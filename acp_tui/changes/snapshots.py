"""Snapshots of a workspace's files, and the differences between them.

Excluded are ignored files, nested repositories and very large files.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import time
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from acp_tui.changes.git_store import NO_FILE, GitFailed, GitStalled, SnapshotStore
from acp_tui.changes.git_tree import (
    ChangedFile,
    LeftOut,
    Reason,
    Snapshot,
    ignored_of,
    look_at,
    take_increment,
    update_index,
)
from acp_tui.changes.ignore_patterns import IgnorePattern
from acp_tui.changes.watcher import Watcher
from acp_tui.workspace.real_paths import followed

_RENAMES: Final = 1_000  # maximum number of files for rename detection
COMPARE: Final = (
    "diff-tree", "-r", "-z", "--raw", "--numstat", "--no-abbrev", "-M", f"-l{_RENAMES}", "--ignore-cr-at-eol",
)  # fmt: skip
"""The git command whose output `changes_in` parses; two trees follow.

A change of line ends alone is not counted, as in the diff view.
"""


def changes_in(answer: bytes, left_out: Iterable[LeftOut]) -> list[ChangedFile]:
    """Parse the differences; `left_out` are files excluded from the later tree."""
    large = {each.path for each in left_out if each.reason == "large"}
    return list(_with_large(_parsed(answer), large))


def _parsed(out: bytes) -> Iterator[ChangedFile]:
    """Parse `--raw --numstat -z`: rows of modes, ids, status and paths, then the counts."""
    words = iter(out.split(b"\0")[:-1])
    found: dict[str, ChangedFile] = {}
    for word in words:
        if word.startswith(b":"):
            change = _change(word, words)
            found[change.path] = change
        else:
            _count_in(found, word, words)
    yield from found.values()


def _change(word: bytes, words: Iterator[bytes]) -> ChangedFile:
    old_mode, new_mode, old_id, new_id, status = word[1:].decode().split()
    first = os.fsdecode(next(words))
    path = os.fsdecode(next(words)) if status[0] in "RC" else first
    return ChangedFile(
        path,
        status[0],  # type: ignore[arg-type]  # no other letters are requested
        first,
        int(old_mode, 8),
        int(new_mode, 8),
        "" if old_id == NO_FILE else old_id,
        "" if new_id == NO_FILE else new_id,
    )


def _count_in(found: dict[str, ChangedFile], word: bytes, words: Iterator[bytes]) -> None:
    added, removed, name = word.split(b"\t", 2)
    if not name:  # a rename: old and new name follow
        next(words)
        name = next(words)
    path = os.fsdecode(name)
    binary = added == b"-"
    counts = {} if binary else {"added": int(added), "removed": int(removed)}
    found[path] = ChangedFile(**{**vars(found[path]), "binary": binary, **counts})


def _with_large(changes: Iterable[ChangedFile], large: set[str]) -> Iterator[ChangedFile]:
    """Turn the deletion of a file that grew too large into a change."""
    for change in changes:
        if change.status == "D" and change.path in large:
            yield ChangedFile(**{**vars(change), "status": "M", "binary": True, "new_mode": change.old_mode})
        else:
            yield change


_NOT_COMPRESSED: Final = ("core.looseCompression=0",)
"""Settings for objects so small that they take one disk block anyway."""
_REFS: Final = "refs/snapshots/"
_NAMED: Final = 1_000  # folders passed to one git command
MOST_LOOSE: Final = 1_000
"""Most loose objects in a store; with more it is repacked."""
MOST_PACKS: Final = 50
_FRESH: Final = "2.days.ago"  # newer objects may be in use


class Snapshots:
    """Takes and compares snapshots of one workspace."""

    def __init__(self, folder: Path, root: Path, without: Sequence[Path] = ()) -> None:
        """Use the store of earlier runs, if there is one.

        Args:
            folder: the folder of all stores.
            root: the workspace.
            without: further folders to exclude; `folder` always is.
        """
        self.root = Path(followed(root))
        self.store = SnapshotStore(folder, self.root, without)
        self.damaged: Path | None = None
        """New place of a damaged store, whose snapshots are lost."""
        self._turn = asyncio.Lock()
        self.obstacle = ""
        """The reason why the workspace cannot be watched, or ""."""
        self._watcher: Watcher | None = None
        self._latest = ""
        """Id of the latest snapshot, if all later changes are known from the watcher."""
        self._kept: set[str] = set()
        self._wanted: set[str] = set()
        """Ids of snapshots of earlier runs still in use."""
        self._left_out: dict[bytes, Reason] = {}
        self._touched: set[bytes] = set()

    async def watch(self) -> bool:
        """Start watching; return whether that is possible, else `obstacle` has the reason.

        Raises:
            Unavailable, GitFailed.
        """
        watcher = Watcher(self.root, self._ignored)
        try:
            if not await watcher.begin():
                self.obstacle = watcher.obstacle
                return False
        except BaseException:
            watcher.close()
            raise
        self.close()
        self._watcher, self._latest = watcher, ""
        return True

    @property
    def has_news(self) -> bool:
        """True if there was, or may have been, a change since the last look."""
        return self._watcher is None or not self._latest or self._watcher.woken.is_set()

    async def news(self) -> None:
        """Wait until something may have changed since the last look."""
        if self._watcher is not None and self._latest:
            await self._watcher.woken.wait()

    async def has_changed(self) -> bool:
        """Return whether something may have changed since the last look."""
        return self._watcher is None or not self._latest or await self._watcher.has_changed()

    @property
    def is_watching(self) -> bool:
        """True while the system reports changes."""
        return self._watcher is not None and not self._watcher.is_lost

    def distrust(self) -> None:
        """Look at every file next time."""
        self._latest = ""

    def close(self) -> None:
        """Stop watching."""
        if self._watcher is not None:
            self._watcher.close()
            self._watcher = None

    async def take(self) -> Snapshot:
        """Take a snapshot; the cost is proportional to the changes since the last one.

        Raises:
            Unavailable, GitFailed.
        """
        if self._latest in self._kept and not await self.has_changed():
            return self._snapshot(self._latest)
        damaged = self.damaged
        try:
            async with self._open():
                await self._read_rules()
                return await self._take()
        except GitFailed:
            if self.damaged == damaged:
                raise
        async with self._open():
            return await self._take()

    async def changes(self, before: Snapshot, after: Snapshot | None = None) -> list[ChangedFile]:
        """Return the differences between two snapshots, or between one and now.

        Raises:
            Unavailable, GitFailed.
        """
        async with self._open():
            if after is None:
                after = self._snapshot(await self._now())
            out = await self.store.git(*COMPARE, before.id, after.id)
        return await asyncio.to_thread(changes_in, out, after.left_out)

    def touched(self) -> set[bytes]:
        """Return and clear the files that may have changed since the last call."""
        touched, self._touched = self._touched, set()
        return touched

    async def files(self) -> list[bytes]:
        """Return the files of the latest snapshot.

        Raises:
            Unavailable, GitFailed.
        """
        async with self._open():
            return (await self.store.git("ls-files", "-z")).split(b"\0")[:-1]

    async def empty_folders(self) -> list[bytes]:
        """Return the folders without files, which no snapshot has; of nested ones the upper.

        Raises:
            Unavailable, GitFailed.
        """
        async with self._open():
            return await self.store.empty_folders()

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Files known to be excluded from snapshots."""
        found: dict[bytes, Reason] = {}
        if self._watcher is not None:
            found |= dict.fromkeys(self._watcher.inner, "repository")
            found |= dict.fromkeys(self._watcher.special, "unreadable")
        found |= self._left_out
        return tuple(LeftOut(os.fsdecode(path), reason) for path, reason in found.items())

    async def newly_hidden(self, before: Snapshot) -> list[str]:
        """Return files ignored now but not at a snapshot; looks at every file.

        Raises:
            Unavailable, GitFailed.
        """
        async with self._open():
            now = await self._now()
            known, rules = [
                (await self.store.git("ls-tree", "-r", "-z", "--name-only", name)).split(b"\0")
                for name in (now, before.id)
            ]
            shown = await self.store.others(await self._patterns_of(before, rules))
            hidden = shown - await self.store.others() - set(known)
        return sorted(os.fsdecode(path) for path in hidden if not path.endswith(b"/"))

    async def hidden_before(self, before: Snapshot) -> set[str]:
        """Return the current files that the ignore files of a snapshot exclude: they may be older than it.

        Raises:
            Unavailable, GitFailed.
        """
        async with self._open():
            rules = (await self.store.git("ls-tree", "-r", "-z", "--name-only", before.id)).split(b"\0")
            hidden = await self.store.hidden_in_index(await self._patterns_of(before, rules))
        return set(map(os.fsdecode, hidden))

    async def _patterns_of(self, before: Snapshot, paths: Iterable[bytes]) -> bytes:
        """Return the patterns of the ignore files among the paths of a snapshot, from its top."""
        lines: list[bytes] = []
        found_at = [path for path in paths if path.rpartition(b"/")[2] == b".gitignore"]
        for path in sorted(found_at, key=lambda path: path.count(b"/")):  # the deepest counts most
            content = await self.store.git("cat-file", "blob", f"{before.id}:{os.fsdecode(path)}")
            content = content.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n")
            found = map(IgnorePattern.of, content.split(b"\n"))
            lines += [each.from_above(path.rpartition(b"/")[0]) for each in found if each is not None]
        return b"\n".join(lines)

    async def texts(self, change: ChangedFile) -> tuple[bytes | None, bytes | None]:
        """Return a file's old and new content; None for no file or one too large.

        Raises:
            Unavailable, GitFailed.
        """
        names = [name for name in (change.old_id, change.new_id) if name]
        contents: list[bytes] = []
        async with self._open():
            given = "".join(f"{name}\n" for name in names).encode()
            out = await self.store.git("cat-file", "--batch=%(objecttype) %(objectsize)", given=given)
            end = 0
            for name in names:
                start = out.index(b"\n", end) + 1
                kind, _, size = out[end : start - 1].partition(b" ")
                if kind != b"blob":
                    raise GitFailed(f"{name} is not in the store.")
                end = start + int(size) + 1
                contents.append(out[start : end - 1])
        return contents[0] if change.old_id else None, contents[-1] if change.new_id else None

    async def count_lines(self, old: bytes, new: bytes) -> tuple[int, int]:
        """Return the lines added and removed between two UTF-8 texts.

        Raises:
            Unavailable, GitFailed.
        """
        async with self._open():
            names = [
                (await self.store.git("hash-object", "-w", "--stdin", given=text)).decode().strip()
                for text in (old, new)
            ]
            out = await self.store.git("diff", "--numstat", "--ignore-cr-at-eol", *names)
        added, removed = out.split(b"\t")[:2] if out else (b"0", b"0")
        return int(added), int(removed)

    async def line_differences(self, pairs: Sequence[tuple[str, str]]) -> bytes:
        """Return git's diffs without context of pairs of contents; each pair is named by its index.

        Contents are given by their hashes, "" for no file; a pair with a lost content is left out.

        Raises:
            Unavailable, GitFailed.
        """
        async with self._open():
            names = sorted({name for pair in pairs for name in pair if name})
            given = "".join(f"{name}\n" for name in names).encode()
            out = await self.store.git("cat-file", "--batch-check=%(objectname) %(objecttype)", given=given)
            there = {"", *(line.split()[0] for line in out.decode().splitlines() if line.endswith(" blob"))}
            known = [(number, pair) for number, pair in enumerate(pairs) if there.issuperset(pair)]
            trees: list[str] = []
            for side in (0, 1):
                rows = (f"100644 blob {pair[side]}\t{number}\n" for number, pair in known if pair[side])
                trees.append((await self.store.git("mktree", given="".join(rows).encode())).decode().strip())
            return await self.store.git("diff-tree", "-r", "-p", "-U0", "--no-renames", *trees)

    async def add_content(self, content: bytes) -> str:
        """Put a content into the store until the next clean-up; return its hash.

        Raises:
            Unavailable, GitFailed.
        """
        async with self._open():
            return (await self.store.git("hash-object", "-w", "--stdin", given=content)).decode().strip()

    async def content_in(self, snapshot: str, path: str) -> str | None:
        """Return the hash of a file in a snapshot, "" for no file; None if the snapshot is lost.

        Raises:
            Unavailable, GitFailed.
        """
        given = f"{snapshot}\n{snapshot}:{path}\n".encode("utf-8", "surrogateescape")
        async with self._open():
            out = await self.store.git("cat-file", "--batch-check=%(objectname) %(objecttype)", given=given)
        rows = out.split(b"\n")
        if not rows[0].endswith(b" commit"):
            return None
        return rows[1].split()[0].decode() if rows[1].endswith(b" blob") else ""

    async def keep(self, names: Collection[str]) -> set[str]:
        """Protect snapshots of earlier runs; return those that still exist.

        Raises:
            Unavailable, GitFailed.
        """
        if not names:
            return set()
        async with self._open():
            given = "".join(f"{name}\n" for name in names).encode()
            out = await self.store.git("cat-file", "--batch-check=%(objectname) %(objecttype)", given=given)
            rows = [line.split() for line in out.decode().splitlines()]
            there = {row[0] for row in rows if row[1:] == ["commit"]} & set(names)
            held = {name for _, _, name in await self._known()}
            now = time.time_ns()
            orders = [f"create {_REFS}{now + at} {name}\n" for at, name in enumerate(sorted(there - held))]
            if orders:
                await self.store.git("update-ref", "--stdin", given="".join(orders).encode())
            self._wanted |= there
        return there

    async def prune(self, oldest: float, most_bytes: int) -> None:
        """Delete snapshots from before `oldest` (seconds since the epoch), and more of a large store.

        Protected snapshots stay. Stores of other workspaces unused since then are deleted.

        Raises:
            Unavailable, GitFailed.
        """
        await asyncio.to_thread(self.store.forget_others, oldest)
        async with self._open():
            room = await self._room()
            known = [row for row in await self._known() if row[2] not in self._wanted]
            old = [ref for ref, at, _ in known if at < oldest]
            if 1024 * (room["size"] + room["size-pack"]) > most_bytes:
                old = [ref for ref, _, _ in known[: len(known) // 2]] or old
            if not old:
                await self._pack(room)
                return
            orders = "".join(f"delete {ref}\n" for ref in old)
            await self.store.git("update-ref", "--stdin", given=orders.encode())
            await self.store.git("prune", f"--expire={_FRESH}")
            await self.store.git("repack", "-A", "-d", "-q", f"--unpack-unreachable={_FRESH}")

    # ------------------------------------------------------------------ parts

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[None]:
        """Lock the store; after a failure, rebuild it if it is damaged."""
        async with self._turn, self.store.open():
            try:
                yield
            except GitFailed as error:
                self._latest = ""
                if not isinstance(error, GitStalled) and not await self.store.is_sound():
                    self._kept.clear()
                    self.damaged = await self.store.rebuild()
                raise

    async def _read_rules(self) -> None:
        """Restart from a full look after a change of the external ignore files.

        Called only by `take`: ignore files written by the agent hide nothing within the same turn.
        """
        try:
            is_news = await self.store.read_rules()
        except OSError:  # such as a full disk: keep the previous rules
            return
        if is_news:
            self._latest = ""
            self.close()

    async def _take(self) -> Snapshot:
        name = await self._now()
        if name not in self._kept:
            await self.store.git("update-ref", f"{_REFS}{time.time_ns()}", name)
            self._kept.add(name)
        return self._snapshot(name)

    def _snapshot(self, name: str) -> Snapshot:
        return Snapshot(name, time.time(), self.left_out)

    async def _now(self) -> str:
        """Return a commit of the current files."""
        # Three ways, the cheapest first: without changes the latest commit serves again; from a few changed
        # paths an increment is made; otherwise git looks at every file. `_latest` stays empty if any of it
        # fails, so that the next call looks at every file.
        latest, self._latest = self._latest, ""
        changed = await self._watcher.changed() if self._watcher is not None else None
        if latest and changed is not None:
            if not changed:
                self._latest = latest
                return latest
            self._touched |= changed
            found = await take_increment(self.store, latest, changed)
            if found is not None:
                self._note_left_out(found.left_out)
                self._latest = found.id
                return found.id
        left_out, touched = await update_index(self.store)
        self._touched |= touched
        listed = {os.fsencode(each.path): each.reason for each in left_out}
        self._left_out = {**self._special(), **listed}
        made_tree = await self.store.git("write-tree", settings=_NOT_COMPRESSED)
        tree = made_tree.decode().strip()
        made = await self.store.git("commit-tree", tree, given=b"snapshot\n")
        name = made.decode().strip()
        if changed is not None:
            self._latest = name
        return name

    def _special(self) -> dict[bytes, Reason]:
        """Return known pipes, sockets and devices, which git does not list."""
        base = os.fsencode(self.root) + b"/"
        known = [path for path, reason in self._left_out.items() if reason == "unreadable"]
        return {path: "unreadable" for path in known if look_at(base, path).reason == "unreadable"}

    def _note_left_out(self, found: dict[bytes, Reason | None]) -> None:
        for path, reason in found.items():
            if reason is None:
                self._left_out.pop(path, None)
            else:
                self._left_out[path] = reason

    async def _ignored(self, folders: Sequence[bytes]) -> set[bytes]:
        """Return those folders that are ignored and contain no tracked file."""
        try:
            ignored = await ignored_of(self.store, folders)
        except GitFailed:  # one has become a link: watch them all
            return set()
        names = [os.fsdecode(folder) for folder in list(ignored)[:_NAMED]]
        known = await self.store.git("--literal-pathspecs", "ls-files", "-z", "--", *names) if names else b""
        return ignored - {path for path in ignored if (b"\0" + known).find(b"\0" + path + b"/") >= 0}

    async def _pack(self, room: Mapping[str, int]) -> None:
        """Repack many loose objects or packs."""
        if room["packs"] > MOST_PACKS:
            await self.store.git("repack", "-a", "-d", "-k", "-q")
        elif room["count"] > MOST_LOOSE:
            await self.store.git("repack", "-d", "-q")

    async def _room(self) -> dict[str, int]:
        """Return git's counts of loose objects and packs, and their sizes in kilobytes."""
        out = await self.store.git("count-objects", "-v")
        rows = (line.partition(": ") for line in out.decode().splitlines())
        return {name: int(count) for name, _, count in rows if count.isdigit()}

    async def _known(self) -> list[tuple[str, float, str]]:
        out = await self.store.git(
            "for-each-ref", "--format=%(refname) %(committerdate:unix) %(objectname)", _REFS
        )
        rows = [line.split() for line in out.decode().splitlines()]
        return [(ref, float(at), name) for ref, at, name in rows]
