"""Undo: restore whole files or single hunks of a workspace without losing other work."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from acp_tui.changes.exact_names import ExactNames, folded
from acp_tui.changes.git_store import GitFailed, SnapshotError, SnapshotStore
from acp_tui.changes.git_tree import ChangedFile, Restored, Snapshot
from acp_tui.changes.restore import FirstMode, no_modes, put_back, read_content, read_file
from acp_tui.changes.snapshots import Snapshots
from acp_tui.workspace.encodings import from_utf_8, to_utf_8, wide_codec


class Hunk(NamedTuple):
    """A run of changed lines: `start` to `stop` (from 0, exclusive) in both texts."""

    old_start: int
    old_stop: int
    new_start: int
    new_stop: int


def revert_hunk(old: bytes, new: bytes, hunk: Hunk) -> bytes:
    """Return the new text with a hunk reverted.

    Lines end at a newline, in UTF-16 and UTF-32 too. Reverted lines take the line ends of the new text if
    both texts are consistent.
    """
    codec = wide_codec(old, new)
    texts = [to_utf_8(each, codec) for each in (old, new)] if codec else []
    before, after = texts or (None, None)
    if before is not None and after is not None:
        return from_utf_8(_without(before, after, hunk), codec)
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
    """Return whether all lines, and at least one, end with CR LF."""
    return 0 < text.count(b"\n") == text.count(b"\r\n")


def _joined(lines: list[bytes], end: bytes) -> bytes:
    """Join lines; a former last line without an end gets one."""
    return b"".join([*(line if line.endswith(b"\n") else line + end for line in lines[:-1]), *lines[-1:]])


_NO_WAY_BACK: Final = "its content is in no snapshot (too large, left out or unreadable), so it is kept"
_FOLDER: Final = "it is now a folder, so it is kept"
_CHANGED: Final = "{}: changed meanwhile"
_OLDER: Final = "it may have been there before, ignored or left out, so it is kept"
_CLOCK: Final = 0.05
"""Seconds by which file times may lag behind the clock."""
_ONE_NAME: Final = "{} and {} are one name to this file system; reject both changes together"
_OTHER_NAME: Final = "another spelling of this name exists now, so it is kept"


# The preview shown to the user may be out of date when it is confirmed. So a snapshot is taken first, as the
# way back; a change is undone only if it is still the one shown; and right before a file is replaced, it must
# still hold what the way back holds. Files that fail a check stay as they are and are reported.
async def restore(
    snapshots: Snapshots,
    before: Snapshot,
    changes: Sequence[ChangedFile],
    begun: Callable[[Snapshot], object] = lambda way_back: None,
    first_mode: FirstMode = no_modes,
) -> Restored:
    """Restore files to a snapshot if they are still as the user saw them.

    Args:
        snapshots: the workspace's snapshots.
        before: the snapshot.
        changes: the part of `snapshots.changes(before)` to undo, as shown in the preview.
        begun: called with the snapshot of the current state, before the first file is changed.
        first_mode: the permissions of files that must be created again: snapshots do not hold them.

    Raises:
        Unavailable, GitFailed: nothing was changed.
    """
    way_back = await snapshots.take()
    now = {change.path: change for change in await snapshots.changes(before)}
    twins = await asyncio.to_thread(_twins, snapshots.root, now.values())
    older = await maybe_older(snapshots, before, changes)
    begun(way_back)
    done: list[ChangedFile] = []
    problems: list[str] = []
    # additions first: a folder may have to be replaced by a file
    for change in sorted(changes, key=lambda each: each.status != "A"):
        problem = _CHANGED.format(change.path)
        twin = twins.get(change.path)
        if change.path in older:
            problem = f"{change.path}: {_OLDER}"
        elif now.get(change.path) == change and twin is None:
            problem = await _put_back(snapshots, change, first_mode)
        elif now.get(change.path) == change and twin is not None:
            problem = _ONE_NAME.format(change.path, twin.path)
            if twin in done:
                problem = ""
            elif change.status == "A" and twin in changes:
                problem = await _put_back(snapshots, _renamed(twin, change), first_mode)
        if problem:
            problems.append(problem)
        else:
            done.append(change)
    return Restored(way_back, tuple(done), tuple(problems))


async def maybe_older(snapshots: Snapshots, before: Snapshot, changes: Iterable[ChangedFile]) -> set[str]:
    """Return the added files that may be older than the snapshot, and so must not be deleted.

    Such a file was ignored or left out then, or it is older than the snapshot.

    Raises:
        Unavailable, GitFailed.
    """
    added = [change.path for change in changes if change.status == "A"]
    if not added:
        return set()
    hidden = await snapshots.hidden_before(before)
    left_out = {each.path.rstrip("/") for each in before.left_out}

    def is_older(path: str) -> bool:
        try:
            return os.lstat(snapshots.root / path).st_mtime < before.at - _CLOCK
        except OSError:
            return False

    def are_older() -> set[str]:
        above = {path: {path, *map(str, Path(path).parents)} for path in added}
        return {path for path in added if path in hidden or above[path] & left_out or is_older(path)}

    return await asyncio.to_thread(are_older)


def _twins(root: Path, changes: Iterable[ChangedFile]) -> dict[str, ChangedFile]:
    """Return, by path, the other half of each file listed as deleted and as added in another spelling."""
    names = ExactNames(root)
    changes = [*changes]
    gone = {folded(os.fsencode(each.path)): each for each in changes if each.status == "D"}
    twins: dict[str, ChangedFile] = {}
    for change in changes:
        twin = gone.get(folded(os.fsencode(change.path))) if change.status == "A" else None
        if twin is not None and names.are_one(change.path, twin.path):
            twins |= {change.path: twin, twin.path: change}
    return twins


def _renamed(gone: ChangedFile, added: ChangedFile) -> ChangedFile:
    """Return a deletion and an addition as one rename."""
    return replace(added, status="R", old_path=gone.path, old_mode=gone.old_mode, old_id=gone.old_id)


async def _put_back(snapshots: Snapshots, change: ChangedFile, first_mode: FirstMode) -> str:
    """Restore one file; return the problem, or ""."""
    if change.status == "R" and _is_inside_the_other(change.path, change.old_path):
        # One is a folder of the other: the new file has to be gone before there is room for the old one.
        added = replace(change, status="A", old_path=change.path, old_mode=0, old_id="")
        gone = replace(change, status="D", path=change.old_path, new_mode=0, new_id="")
        return await _put_back(snapshots, added, first_mode) or await _put_back(snapshots, gone, first_mode)
    try:
        old, new = await snapshots.texts(change)
        return await asyncio.to_thread(_put_back_now, snapshots, change, old, new, first_mode)
    except SnapshotError as error:  # earlier files are restored: report them, so that this can be undone
        return f"{change.path}: {error}"


def _is_inside_the_other(path: str, other: str) -> bool:
    return path.startswith(f"{other}/") or other.startswith(f"{path}/")


def _put_back_now(
    snapshots: Snapshots, change: ChangedFile, old: bytes | None, new: bytes | None, first_mode: FirstMode
) -> str:
    """Replace the file if its content is still that of the new snapshot."""
    root = snapshots.root
    unknown = _without_way_back(root, change)
    if unknown:
        return unknown
    if new is not None and not ExactNames(root).hold(os.fsencode(change.path)):
        return _CHANGED.format(change.path)
    try:
        seen = os.lstat(root / change.path) if new is not None else None
        now = read_content(root, change.path, change.new_mode) if new is not None else None
        if now != new:
            # Another name of the same file may have gone back already.
            is_back = now == old and change.status == "M" and change.old_mode == change.new_mode
            return "" if is_back else _CHANGED.format(change.path)
        backups = snapshots.store.backups
        put_back(root, change.path, change.old_path, old, change.old_mode, backups, seen, first_mode)
    except OSError as error:
        return f"{change.path}: {error.strerror or error}"
    return ""


async def reverse(
    snapshots: Snapshots, change: ChangedFile, hunk: Hunk, base: bytes | None = None
) -> Restored:
    """Revert one hunk in the current file; a conflict leaves it alone.

    The hunk is relative to `base`, by default the original text.

    Raises:
        Unavailable, GitFailed: nothing was changed.
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
    wanted = await _merged(snapshots.store, now, new, revert_hunk(old, new, hunk))
    if wanted is None:
        return Restored(way_back, (), (f"{change.path}: changed again in the same place",))
    problem = await asyncio.to_thread(_replace, snapshots, change, now, wanted)
    return Restored(way_back, (), (problem,)) if problem else Restored(way_back, (change,), ())


def _replace(snapshots: Snapshots, change: ChangedFile, now: bytes, wanted: bytes) -> str:
    """Replace a file if its content is still `now`; return the problem, or ""."""
    root = snapshots.root
    try:
        seen = os.lstat(root / change.path)
        if read_file(root, change.path) != now:
            return _CHANGED.format(change.path)
        put_back(root, change.path, change.path, wanted, change.new_mode, snapshots.store.backups, seen)
    except OSError as error:
        return f"{change.path}: {error.strerror or error}"
    return ""


async def _merged(store: SnapshotStore, now: bytes, base: bytes, wanted: bytes) -> bytes | None:
    """Merge the change from `base` to `wanted` into `now`; None for a conflict."""
    if now == base:
        return wanted
    codec = wide_codec(now, base, wanted)
    texts = [to_utf_8(each, codec) for each in (now, base, wanted)] if codec else []
    if texts and None not in texts:
        merged = await _merged_lines(store, texts)
        return from_utf_8(merged, codec) if merged is not None else None
    return await _merged_lines(store, (now, base, wanted))


async def _merged_lines(store: SnapshotStore, texts: Iterable[bytes | None]) -> bytes | None:
    with TemporaryDirectory(dir=store.path) as folder:
        names = [str(Path(folder, name)) for name in ("now", "base", "wanted")]
        for name, content in zip(names, texts, strict=True):
            await asyncio.to_thread(Path(name).write_bytes, content or b"")
        try:
            return await store.git("merge-file", "-p", "-q", *names)
        except GitFailed:  # the exit code is the number of conflicts
            return None


def _without_way_back(root: Path, change: ChangedFile) -> str:
    """Return a problem if restoring would overwrite a file outside all snapshots."""
    lost = change.old_path if change.old_path != change.path or not change.new_id else ""
    if not lost or not os.path.lexists(root / lost):
        return ""
    names = ExactNames(root)
    if names.are_one(change.path, lost):
        return ""
    if not names.hold(os.fsencode(lost)):
        return f"{lost}: {_OTHER_NAME}"
    is_folder = (root / lost).is_dir() and not (root / lost).is_symlink()
    return f"{lost}: {_FOLDER if is_folder else _NO_WAY_BACK}"


_STEPS: Final = 100
"""Most steps that can be undone."""


class _Step(NamedTuple):
    """The accepted texts before a step."""

    depth: int
    agreed: dict[str, bytes | None]
    done: dict[str, tuple[str, int]]


class Reviewed:
    """The accepted text of each file; differences from it are open.

    A kept hunk is added to that text, as `git add -p` adds to the index; a later change in the same place is
    a new one.
    """

    def __init__(self) -> None:
        self._agreed: dict[str, bytes | None] = {}
        self._done: dict[str, tuple[str, int]] = {}
        self._steps: deque[_Step] = deque(maxlen=_STEPS)

    def is_done(self, change: ChangedFile) -> bool:
        """Return whether a file has no open change."""
        return self._done.get(change.path) == change.state

    def base(self, change: ChangedFile, old: bytes | None) -> bytes | None:
        """Return the accepted text of a file, else its original text `old`."""
        return self._agreed.get(change.path, old)

    def has_kept(self, change: ChangedFile) -> bool:
        """Return whether any part of a file was kept."""
        return change.path in self._agreed

    def begin_step(self, depth: int) -> None:
        """Save the accepted texts; `depth` is the number of rejections that can be undone."""
        self._steps.append(_Step(depth, dict(self._agreed), dict(self._done)))

    def go_back(self, depth: int) -> bool:
        """Restore the accepted texts of the last step; return False if a rejection came after it."""
        if not self._steps or self._steps[-1].depth < depth:
            return False
        _, self._agreed, self._done = self._steps.pop()
        return True

    def keep(self, change: ChangedFile, old: bytes, new: bytes, hunk: Hunk) -> None:
        """Accept one hunk.

        Args:
            change: the file.
            old: its original text.
            new: its current text.
            hunk: lines of `base(change, old)` and of `new`.
        """
        base = self.base(change, old) or b""
        turned = Hunk(hunk.new_start, hunk.new_stop, hunk.old_start, hunk.old_stop)
        self._agreed[change.path] = revert_hunk(new, base, turned)
        self.settle(change, old, new)

    def keep_file(self, change: ChangedFile, new: bytes | None) -> None:
        """Accept a file as it is: text, mode or deletion.

        Without its text, any later change reopens the whole file.
        """
        if new is not None or change.status == "D":
            self._agreed[change.path] = new
        else:
            self._agreed.pop(change.path, None)
        self._done[change.path] = change.state

    def settle(self, change: ChangedFile, old: bytes | None, new: bytes | None) -> None:
        """Mark a file as done if its accepted text equals the current one."""
        if self.has_kept(change) and self.base(change, old) == new:
            self._done[change.path] = change.state
