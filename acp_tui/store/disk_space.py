"""Disk space of recorded sessions: sizes, budgets and deletion."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from acp_tui.store.journal import is_open
from acp_tui.store.journal_overflow import paths_beside, remove_overflow
from acp_tui.store.plain_files import SharedJson, open_plain
from acp_tui.store.recordings import RecordedSession, recent
from acp_tui.store.search_index import forget, index_folder

YOUNG: Final = 30.0
"""Days for which a journal is exempt from the limit of the total size."""
DAY: Final = 86_400.0
NAME: Final = "kept.json"
"""File of the kept journals, beside the folder of journals."""
_ALL: Final = 1_000_000


@dataclass(frozen=True)
class JournalFile:
    """A journal and its disk space."""

    recorded: RecordedSession
    used: float
    """Time of the last write to any part of its session, in seconds since the epoch."""
    size: int
    """Bytes, including its companion files."""
    is_open: bool
    """True while a program writes any part of its session."""
    is_kept: bool
    """True if the user keeps any part of its session."""

    @property
    def id(self) -> str:
        """The id used by commands."""
        return self.recorded.path.stem

    @property
    def is_deletable(self) -> bool:
        """True if it may be deleted."""
        return not (self.is_open or self.is_kept)


class Deletion(NamedTuple):
    """The result of a deletion."""

    deleted: tuple[JournalFile, ...]
    left: tuple[tuple[JournalFile, str], ...]
    """Journals that could not be deleted, with the reasons."""


class KeptJournals:
    """The journals kept by the user, by id."""

    def __init__(self, path: Path) -> None:
        self._file = SharedJson(path)

    def read(self) -> frozenset[str]:
        """Return the ids.

        Raises:
            OSError: they cannot be read, so nothing may be deleted.
        """
        return frozenset(_texts(self._file.read()))

    def change(self, ids: Collection[str], *, keep: bool) -> None:
        """Add or remove ids.

        Raises:
            OSError: the change was not saved.
        """

        def changed(found: object) -> list[str]:
            others = [one for one in _texts(found) if one not in ids]
            return [*others, *ids] if keep else others

        self._file.change(changed)


def journal_files(folder: Path, kept: Collection[str]) -> list[JournalFile]:
    """Return the journals of a folder, newest first. Blocking: reads the head of each."""
    heads = recent(folder, _ALL)
    used: dict[tuple[str, str], float] = {}
    open_ones: set[tuple[str, str]] = set()
    kept_ones: set[tuple[str, str]] = set()
    for head in heads:
        name = _session_of(head)
        used[name] = max(used.get(name, 0.0), _written(head.path))
        if is_open(head.path):
            open_ones.add(name)
        if head.path.stem in kept:
            kept_ones.add(name)
    return [
        JournalFile(
            head,
            used[_session_of(head)],
            head.size + sum(map(_size, paths_beside(head.path))),
            _session_of(head) in open_ones,
            _session_of(head) in kept_ones,
        )
        for head in heads
    ]


def beyond_budget(
    files: Iterable[JournalFile], max_size: int, max_age: float, now: float | None = None
) -> list[JournalFile]:
    """Return the journals beyond a budget, oldest first.

    Args:
        files: all journals.
        max_size: total size in bytes, or 0; recent journals are exempt.
        max_age: days since the last use, or 0.
        now: in seconds since the epoch.
    """
    at = time.time() if now is None else now
    oldest_first = sorted(files, key=lambda one: one.used)
    total = sum(one.size for one in oldest_first)
    beyond: list[JournalFile] = []
    for one in oldest_first:
        days = (at - one.used) / DAY
        is_old = bool(max_age) and days > max_age
        is_too_much = bool(max_size) and total > max_size and days > YOUNG
        if one.is_deletable and (is_old or is_too_much):
            beyond.append(one)
            total -= one.size
    return beyond


def oldest(files: Iterable[JournalFile], size: int) -> list[JournalFile]:
    """Return the oldest deletable journals with a total of at least `size` bytes."""
    found: list[JournalFile] = []
    freed = 0
    for one in sorted(files, key=lambda each: each.used):
        if freed >= size:
            break
        if one.is_deletable:
            found.append(one)
            freed += one.size
    return found


def delete(files: Sequence[JournalFile]) -> Deletion:
    """Delete journals with the files beside them and their words in the search index, except open ones."""
    deleted: list[JournalFile] = []
    left: list[tuple[JournalFile, str]] = []
    for one in files:
        path = one.recorded.path
        try:
            descriptor = open_plain(path)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
            finally:
                os.close(descriptor)
        except BlockingIOError:
            left.append((one, "it is open"))
            continue
        except FileNotFoundError:  # already deleted
            continue
        except OSError as error:
            left.append((one, error.strerror or str(error)))
            continue
        remove_overflow(path)
        deleted.append(one)
    if deleted:
        forget(index_folder(), [one.recorded.path for one in deleted])
    return Deletion(tuple(deleted), tuple(left))


def clean(folder: Path, marks: KeptJournals, max_size: int, max_age: float) -> Deletion:
    """Delete the journals beyond a budget. Blocking.

    Raises:
        OSError: the kept journals are unknown, so nothing was deleted.
    """
    return delete(beyond_budget(journal_files(folder, marks.read()), max_size, max_age))


def _session_of(head: RecordedSession) -> tuple[str, str]:
    return (head.agent, head.session_id) if head.session_id else ("", head.path.stem)


def _written(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return time.time()


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0


def _texts(found: object) -> list[str]:
    if not isinstance(found, list | None):
        raise OSError(errno.EINVAL, "it is not a list of marks")
    return [one for one in found or () if isinstance(one, str)]
