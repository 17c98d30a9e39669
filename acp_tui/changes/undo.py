"""Undoing what changed in a workspace: whole files, or one hunk of a file, as far as nothing is lost."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, NamedTuple

from acp_tui.changes.git_store import GitFailed, SnapshotError, SnapshotStore
from acp_tui.changes.restore import put_back, read_file
from acp_tui.changes.tree import ChangedFile, Restored, Snapshot
from acp_tui.workspace.encodings import narrow, wide, wide_codec

if TYPE_CHECKING:
    from acp_tui.changes.snapshots import Snapshots


class Hunk(NamedTuple):
    """A run of lines that changed: lines `start` to `stop` (from 0, the last not included) of both texts."""

    old_start: int
    old_stop: int
    new_start: int
    new_stop: int


def without(old: bytes, new: bytes, hunk: Hunk) -> bytes:
    """Return the new text with the old lines in the place of the hunk's.

    Lines end at a newline, in UTF-16 and UTF-32 too. Old lines get the line ends of the new text where all
    of both are of one kind.
    """
    codec = wide_codec(old, new)
    texts = [narrow(each, codec) for each in (old, new)] if codec else []
    before, after = texts or (None, None)
    if before is not None and after is not None:
        return wide(_without(before, after, hunk), codec)
    return _without(old, new, hunk)


def _without(old: bytes, new: bytes, hunk: Hunk) -> bytes:
    before, after = _lines(old), _lines(new)
    lines = before[hunk.old_start : hunk.old_stop]
    if _is_crlf(new) and not _is_crlf(old) and b"\r\n" not in old:
        lines = [line.replace(b"\n", b"\r\n") for line in lines]
    elif _is_crlf(old) and b"\r\n" not in new and b"\n" in new:
        lines = [line.replace(b"\r\n", b"\n") for line in lines]
    end = b"\r\n" if _is_crlf(new) else b"\n"
    return _joined([*after[: hunk.new_start], *lines, *after[hunk.new_stop :]], end)


def _lines(text: bytes) -> list[bytes]:
    lines = [line + b"\n" for line in text.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _is_crlf(text: bytes) -> bool:
    """Whether every line ends with CR and LF, and there is one."""
    return 0 < text.count(b"\n") == text.count(b"\r\n")


def _joined(lines: list[bytes], end: bytes) -> bytes:
    """Join lines; one that had no end because it was the last gets one if it is not the last any more."""
    return b"".join([*(line if line.endswith(b"\n") else line + end for line in lines[:-1]), *lines[-1:]])


_NO_WAY_BACK: Final = "what is there now is in no snapshot (too large, left out or unreadable), so it stays"
_FOLDER: Final = "a folder is there now, so it stays"
_CHANGED: Final = "{}: changed in the meantime"


async def restore(snapshots: Snapshots, before: Snapshot, changes: Sequence[ChangedFile]) -> Restored:
    """Give files back what they were in a snapshot, as far as they are still what the person saw.

    `changes` is what is to be undone, of `snapshots.changes(before)`: that list is the preview.

    Raises:
        Unavailable, GitFailed: nothing was done.
    """
    way_back = await snapshots.take()
    now = {change.path: change for change in await snapshots.changes(before)}
    done: list[ChangedFile] = []
    problems: list[str] = []
    for change in sorted(changes, key=lambda each: each.status != "A"):  # a folder gives way to a file first
        problem = _CHANGED.format(change.path)
        if now.get(change.path) == change:
            problem = await _put_back(snapshots, change)
        if problem:
            problems.append(problem)
        else:
            done.append(change)
    return Restored(way_back, tuple(done), tuple(problems))


async def _put_back(snapshots: Snapshots, change: ChangedFile) -> str:
    """Give one file back what it was; return why it stays as it is, if it does."""
    try:
        old, new = await snapshots.texts(change)
        return await asyncio.to_thread(_put_back_now, snapshots, change, old, new)
    except SnapshotError as error:  # files before it are done: that must be told, and can be undone
        return f"{change.path}: {error}"


def _put_back_now(snapshots: Snapshots, change: ChangedFile, old: bytes | None, new: bytes | None) -> str:
    """Look whether the file is what the way back holds, and replace it at once."""
    root = snapshots.root
    unknown = _without_way_back(root, change)
    if unknown:
        return unknown
    try:
        if new is not None and _content(root, change) != new:
            return _CHANGED.format(change.path)
        put_back(root, change.path, change.old_path, old, change.old_mode, snapshots.store.backups)
    except OSError as error:
        return f"{change.path}: {error.strerror or error}"
    return ""


def _content(root: Path, change: ChangedFile) -> bytes:
    """Return what is at a path now, of a link where it leads.

    Raises:
        OSError: there is nothing, or something else than what changed.
    """
    if stat.S_ISLNK(change.new_mode):
        return os.readlink(os.fsencode(root / change.path))  # noqa: PTH115 - bytes, also those of no text
    return read_file(root, change.path)


async def reverse(
    snapshots: Snapshots, change: ChangedFile, hunk: Hunk, base: bytes | None = None
) -> Restored:
    """Take one hunk of a change back out of the file as it is now; what conflicts stays.

    The hunk is of `base` and the file; without a base, of what the file was and is.

    Raises:
        Unavailable, GitFailed: nothing was done.
    """
    old, new = await snapshots.texts(change)
    old = base if base is not None else old
    try:
        now: bytes | str = await asyncio.to_thread(read_file, snapshots.root, change.path)
    except OSError as error:
        now = f"{change.path}: {error.strerror or error}"
    way_back = await snapshots.take()
    if isinstance(now, str):
        return Restored(way_back, (), (now,))
    if old is None or new is None:
        return Restored(way_back, (), (f"{change.path}: there are no lines to compare",))
    if any(each.path == change.path for each in way_back.left_out):
        return Restored(way_back, (), (f"{change.path}: {_NO_WAY_BACK}",))
    wanted = await _merged(snapshots.store, now, new, without(old, new, hunk))
    if wanted is None:
        return Restored(way_back, (), (f"{change.path}: changed again in the same place",))
    problem = await asyncio.to_thread(_replace, snapshots, change, now, wanted)
    return Restored(way_back, (), (problem,)) if problem else Restored(way_back, (change,), ())


def _replace(snapshots: Snapshots, change: ChangedFile, now: bytes, wanted: bytes) -> str:
    """Replace a file if it is still what was read before the way back was made; return why it stays."""
    root = snapshots.root
    try:
        if read_file(root, change.path) != now:
            return _CHANGED.format(change.path)
        put_back(root, change.path, change.path, wanted, change.new_mode, snapshots.store.backups)
    except OSError as error:
        return f"{change.path}: {error.strerror or error}"
    return ""


async def _merged(store: SnapshotStore, now: bytes, base: bytes, wanted: bytes) -> bytes | None:
    """Return what is there now with what was changed from `base` to `wanted`; None for a conflict."""
    if now == base:
        return wanted
    codec = wide_codec(now, base, wanted)
    texts = [narrow(each, codec) for each in (now, base, wanted)] if codec else []
    if texts and None not in texts:
        merged = await _merged_lines(store, texts)
        return wide(merged, codec) if merged is not None else None
    return await _merged_lines(store, (now, base, wanted))


async def _merged_lines(store: SnapshotStore, texts: Iterable[bytes | None]) -> bytes | None:
    with TemporaryDirectory(dir=store.path) as folder:
        names = [str(Path(folder, name)) for name in ("now", "base", "wanted")]
        for name, content in zip(names, texts, strict=True):
            await asyncio.to_thread(Path(name).write_bytes, content or b"")
        try:
            return await store.git("merge-file", "-p", "-q", *names)
        except GitFailed:  # it ends with the number of conflicts
            return None


def _without_way_back(root: Path, change: ChangedFile) -> str:
    """Return why restoring would overwrite what no snapshot holds; nothing if it would not."""
    lost = change.old_path if change.old_path != change.path or not change.new_id else ""
    if not lost or not os.path.lexists(root / lost):
        return ""
    is_folder = (root / lost).is_dir() and not (root / lost).is_symlink()
    return f"{lost}: {_FOLDER if is_folder else _NO_WAY_BACK}"


class Reviewed:
    """Remembers, for each file, the text that was agreed to; what differs from it is open.

    A kept hunk goes into that text, as `git add -p` does with the index: when the file changes again, also in
    the same place, that is a new change.
    """

    def __init__(self) -> None:
        self._agreed: dict[str, bytes | None] = {}
        self._done: dict[str, tuple[str, int]] = {}

    def is_done(self, change: ChangedFile) -> bool:
        """Whether nothing of a file is open any more."""
        return self._done.get(change.path) == change.state

    def base(self, change: ChangedFile, old: bytes | None) -> bytes | None:
        """Return what a file is to be compared with: what was agreed to, else what it was (`old`)."""
        return self._agreed.get(change.path, old)

    def has_kept(self, change: ChangedFile) -> bool:
        """Whether something of a file was kept."""
        return change.path in self._agreed

    def keep(self, change: ChangedFile, old: bytes, new: bytes, hunk: Hunk) -> None:
        """Keep one hunk.

        Args:
            change: the file.
            old: what it was at the beginning.
            new: what it is.
            hunk: the lines, of `base(change, old)` and of `new`.
        """
        base = self.base(change, old) or b""
        turned = Hunk(hunk.new_start, hunk.new_stop, hunk.old_start, hunk.old_stop)
        self._agreed[change.path] = without(new, base, turned)
        self.settle(change, old, new)

    def keep_file(self, change: ChangedFile, new: bytes | None) -> None:
        """Keep all of a file as it is: its text, its mode, or that it is gone.

        Without its text, which may not have been read: nothing is open now; once it changes again, all is.
        """
        if new is not None or change.status == "D":
            self._agreed[change.path] = new
        else:
            self._agreed.pop(change.path, None)
        self._done[change.path] = change.state

    def settle(self, change: ChangedFile, old: bytes | None, new: bytes | None) -> None:
        """Note that nothing is open where what was agreed to is what there is."""
        if self.has_kept(change) and self.base(change, old) == new:
            self._done[change.path] = change.state
