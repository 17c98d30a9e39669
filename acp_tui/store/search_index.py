"""The search index: the words of all documents in all recorded sessions.

It is only a cache: a missing, old or damaged part is rebuilt from the journals. It consists of several
files, each for about `ROOM` bytes of journals, because SQLite cannot reliably remove words from a full text
index: when a journal is deleted, so is the file with its words, and the other journals in it are read again.

The id of a document is the second in which its journal began, and in the low 32 bits the offset of its first
row. So descending ids are newest first, and reading rows again adds no duplicates. No text is kept.
"""

from __future__ import annotations

import errno
import fcntl
import heapq
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from acp_tui.store import journal
from acp_tui.store.folders import private_folder, state_folder
from acp_tui.store.plain_files import open_plain, plain_file
from acp_tui.store.search_documents import COLUMNS, Document, DocumentReader
from acp_tui.store.search_query import Query, has_folder, indexed
from acp_tui.trusted_programs import own_command

VERSION: Final = 2
"""Version of the tables and of documents; a file with another one is rebuilt."""
ROOM: Final = 128 << 20
"""Bytes of journals in one file of the index, to be read again when one of the journals is deleted."""
SLICE: Final = 8 << 20
"""Bytes of a journal between two commits."""

_EPOCH: Final = 1_577_836_800  # 2020-01-01: seconds since then fit into 31 bits until 2088
_SCHEMA: Final = f"""
CREATE TABLE journals(key INTEGER PRIMARY KEY, path TEXT UNIQUE, inode INTEGER, seen INTEGER, read_to INTEGER,
                      agent TEXT, cwd TEXT, started REAL, latest REAL);
CREATE TABLE docs(id INTEGER PRIMARY KEY, end INTEGER, t REAL, session TEXT, call TEXT);
CREATE VIRTUAL TABLE texts USING fts5({", ".join(COLUMNS)}, content='', columnsize=0,
                                      tokenize='unicode61 remove_diacritics 2');
PRAGMA user_version={VERSION};
"""
_BESIDE: Final = ("", "-wal", "-shm", "-journal")
"""Suffixes of SQLite's files."""


class Hit(NamedTuple):
    """A document that was found."""

    id: int
    """Higher ids are newer."""
    path: Path
    offset: int
    end: int
    at: float
    """Seconds since the epoch."""
    session: str
    call: str
    agent: str
    cwd: str


class Progress(NamedTuple):
    """Bytes of journals in the index, and of all journals."""

    read: int
    total: int

    @property
    def is_complete(self) -> bool:
        """True if the index has all journals."""
        return self.read >= self.total


class Known(NamedTuple):
    """A journal in the index."""

    path: Path
    shard: Path
    key: int
    inode: int
    seen: int
    """Size of the journal when it was last read."""
    read_to: int
    """Offset up to which everything is in the index."""

    @property
    def is_gone(self) -> bool:
        """True if the journal was deleted or replaced."""
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return True
        except OSError:
            return False  # an unreadable folder may become readable again
        return found.st_ino != self.inode or found.st_size < self.read_to


def index_folder() -> Path:
    """Return the folder of the index, which the first build creates."""
    return state_folder() / "search"


def build_command() -> tuple[str, ...]:
    """Return the command line that brings the index up to date."""
    return own_command("search", "--index")


def has_full_text() -> bool:
    """Return whether this Python's SQLite has full text search."""
    try:
        with closing(sqlite3.connect(":memory:")) as db:
            db.execute("CREATE VIRTUAL TABLE temp.probe USING fts5(text)")
    except sqlite3.Error:
        return False
    return True


# ---------------------------------------------------------------------- searching


class SearchIndex:
    """Reads the index of a folder of journals; several threads may use it in turn."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[tuple[Path, int], sqlite3.Connection] = {}
        self._lock = threading.Lock()

    def search(self, query: Query, limit: int) -> list[Hit]:
        """Return the newest matching documents; blocks for some milliseconds."""
        if query.is_empty:
            return []
        with self._lock:
            found = [_rows(db, query, limit) for db in self._connections()]
            newest = heapq.nlargest(limit, (hit for hits in found for hit in hits), attrgetter("id"))
        there = {path: path.exists() for path in {hit.path for hit in newest}}
        return [hit for hit in newest if there[hit.path]]

    def known(self) -> dict[Path, Known]:
        """Return the journals in the index, by path."""
        with self._lock:
            return {
                one.path: one
                for shard, db in self._by_shard()
                for one in _known(db, shard)
                if not one.is_gone
            }

    def documents_of(self, known: Known) -> set[int]:
        """Return the offsets of a journal's documents that are in the index, but after its `read_to`."""
        low = known.key << 32
        with self._lock:
            for shard, db in self._by_shard():
                if shard == known.shard:
                    rows = _all(
                        db,
                        "SELECT id FROM docs WHERE id >= ? AND id < ?",
                        low + known.read_to,
                        low + (1 << 32),
                    )
                    return {number - low for (number,) in rows}
        return set()

    def progress(self, journals: Path) -> Progress:
        """Return how much of the journals the index contains."""
        known = self.known()
        sizes = dict(journal_sizes(journals))
        read = sum(min(known[path].seen, size) for path, size in sizes.items() if path in known)
        return Progress(read, sum(sizes.values()))

    def close(self) -> None:
        """Close all files."""
        with self._lock:
            for db in self._open.values():
                db.close()
            self._open = {}

    def _connections(self) -> Iterator[sqlite3.Connection]:
        return (db for _, db in self._by_shard())

    def _by_shard(self) -> Iterator[tuple[Path, sqlite3.Connection]]:
        """Yield connections to the files of the index; replaced files are opened again."""
        there = dict(_shards(self._folder))
        for key in [key for key in self._open if there.get(key[0]) != key[1]]:
            self._open.pop(key).close()
        for key in there.items():
            if key not in self._open:
                db = _connection(key[0], writes=False)
                if db is None:
                    continue
                self._open[key] = db
            yield key[0], self._open[key]


def _rows(db: sqlite3.Connection, query: Query, limit: int) -> list[Hit]:
    """Return the newest matching documents of one file."""
    conditions = ["texts MATCH ?", "texts.rowid < ?", "started + t >= ?", "started + t < ?"]
    values: list[Any] = [query.fts(), (_second(query.until) + 1) << 32, query.since, query.until]
    wanted = (
        "SELECT key FROM journals WHERE latest >= ? AND instr(lower(agent), lower(?)) AND in_folder(?, cwd)"
    )
    conditions.append(f"(texts.rowid >> 32) IN ({wanted})")
    values += [query.since, query.agent, query.folder]
    found = _all(
        db,
        "SELECT texts.rowid, path, end, started + t, session, call, agent, cwd FROM texts"
        " CROSS JOIN docs ON docs.id = texts.rowid CROSS JOIN journals ON key = texts.rowid >> 32"
        f" WHERE {' AND '.join(conditions)} ORDER BY texts.rowid DESC LIMIT ?",
        *values,
        limit,
    )
    return [
        Hit(number, Path(path), number & 0xFFFFFFFF, end, at, session, call, agent, cwd)
        for number, path, end, at, session, call, agent, cwd in found
    ]


def _known(db: sqlite3.Connection, shard: Path) -> list[Known]:
    rows = _all(db, "SELECT path, key, inode, seen, read_to FROM journals")
    return [Known(Path(path), shard, *rest) for path, *rest in rows]


def _all(db: sqlite3.Connection, order: str, *values: Any) -> list[Any]:
    """Return the rows of a query; none from a file that is being created. A damaged file is deleted."""
    try:
        return db.execute(order, values).fetchall()
    except sqlite3.OperationalError:
        return []
    except sqlite3.DatabaseError:
        for _, _, name in db.execute("PRAGMA database_list"):
            _delete(Path(name))
        return []


def journal_sizes(journals: Path) -> Iterator[tuple[Path, int]]:
    """Yield the journals of a folder with their sizes, the newest first."""
    found: list[tuple[float, str, int]] = []
    with suppress(OSError), os.scandir(journals) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):  # already deleted
                if entry.name.endswith(".ndjson") and entry.is_file(follow_symlinks=False):
                    facts = entry.stat(follow_symlinks=False)
                    found.append((facts.st_mtime, entry.path, facts.st_size))
    return ((Path(path), size) for _, path, size in sorted(found, reverse=True))


def _scan(
    journals: Path, index: SearchIndex, known: Mapping[Path, Known], query: Query
) -> Iterator[Hit | int]:
    """Yield matching documents that the index does not have yet, the newest first.

    Before each journal it yields the highest id that the following documents can have.
    """
    for path, size in journal_sizes(journals):
        one = known.get(path)
        if one is not None and size <= one.read_to:
            continue
        with suppress(OSError), plain_file(path) as file:
            reader = DocumentReader()
            for line in file:
                list(reader.take(line))
                break  # the note of the start
            facts = _Facts.of(reader, file)
            yield (_second(facts.started) + 1) << 32
            if query.has_session(facts.agent, facts.cwd):
                yield from _scanned(file, path, facts, query, one, index)


def _scanned(
    file: BinaryIO, path: Path, facts: _Facts, query: Query, one: Known | None, index: SearchIndex
) -> list[Hit]:
    """Return the matching documents of a journal that are not in the index, the newest first."""
    skipped = index.documents_of(one) if one is not None else set()
    reader = DocumentReader(one.read_to if one is not None else 0)
    file.seek(reader.offset)
    key = one.key if one is not None else _second(facts.started)
    hits: list[Hit] = []
    for document in _documents(file, reader, facts.size, is_over=True):
        at = facts.started + document.t
        if document.offset not in skipped and query.since <= at < query.until and query.fits(document):
            place = key << 32 | document.offset
            said = document.session, document.call, facts.agent, facts.cwd
            hits.append(Hit(place, path, document.offset, document.end, at, *said))
    return sorted(hits, key=attrgetter("id"), reverse=True)


def newest_first(index: SearchIndex, journals: Path, query: Query, limit: int) -> Iterator[Hit]:
    """Yield matching documents, also from journals that are not in the index yet, which may take long."""
    known = index.known()  # before the search, so that documents indexed meanwhile are not missed
    indexed_hits = deque(index.search(query, limit) if has_full_text() else [])
    known = {path: one for path, one in known.items() if one.shard.exists()}  # the file is not damaged
    yielded: set[tuple[Path, int]] = set()
    scanned = _scan(journals, index, known, query) if not query.is_empty else iter(())
    for found in chain(scanned, (-1,)):
        bound = found if isinstance(found, int) else found.id
        while indexed_hits and indexed_hits[0].id > bound:
            yielded.add((indexed_hits[0].path, indexed_hits[0].offset))
            yield indexed_hits.popleft()
        if isinstance(found, Hit) and (found.path, found.offset) not in yielded:
            yielded.add((found.path, found.offset))
            yield found
        if len(yielded) >= limit:
            return


# ---------------------------------------------------------------------- writing


def build(journals: Path, folder: Path) -> bool:
    """Bring the index up to date, the newest journals first; return False if another program does it.

    Raises:
        OSError: the index cannot be written.
        sqlite3.Error: the same, or this SQLite has no full text search.
    """
    private_folder(folder)
    with _alone(folder) as is_alone:
        if is_alone:
            for shard, _ in list(_shards(folder)):
                if not _is_usable(shard):
                    _delete(shard)
            writer = _Writer(folder)
            try:
                for path, size in journal_sizes(journals):
                    writer.update(path, size)
            finally:
                writer.close()
            forget(folder)  # journals that were deleted while they were read
    return is_alone


def forget(folder: Path, paths: Iterable[Path] = ()) -> None:
    """Remove the words of deleted journals from the index.

    Args:
        folder: the folder of the index.
        paths: journals that are deleted; others that are missing are found.
    """
    gone = set(paths)
    for shard, _ in list(_shards(folder)):
        db = _connection(shard, writes=False)
        if db is None:
            continue
        with closing(db):
            has_gone = any(one.path in gone or one.is_gone for one in _known(db, shard))
        if has_gone:
            _delete(shard)


class _Facts(NamedTuple):
    """Facts about a journal that are not in its documents."""

    agent: str
    cwd: str
    started: float
    size: int
    inode: int

    @classmethod
    def of(cls, reader: DocumentReader, file: BinaryIO) -> _Facts:
        found, start = os.fstat(file.fileno()), reader.start
        try:
            started = datetime.fromisoformat(str(start.get("at"))).timestamp()
        except (ValueError, OverflowError):
            started = found.st_mtime
        agent, cwd = str(start.get("agent") or ""), str(start.get("cwd") or "")
        return cls(agent, cwd, started, found.st_size, found.st_ino)


class _Writer:
    """Writes the index; one program at a time has one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._db: sqlite3.Connection | None = None
        self._at: Path | None = None
        self._known: dict[Path, Known] = {}
        self._room: dict[Path, int] = {}
        for shard, _ in _shards(folder):
            db = self._shard(shard)
            self._known |= {one.path: one for one in _known(db, shard)}
        for one in self._known.values():
            self._room[one.shard] = self._room.get(one.shard, ROOM) - one.seen

    def update(self, path: Path, size: int) -> None:
        """Add the new documents of a journal."""
        is_over = not journal.is_open(path)  # before it is read: later rows are read the next time
        one = self._known.get(path)
        if one is not None and one.is_gone:
            return  # a replaced journal is indexed again once its old words are removed
        if one is not None and size <= one.seen and (one.read_to >= size or not is_over):
            return
        try:
            with suppress(OSError), plain_file(path) as file:
                self._take_in(path, file, one, is_over)
        except sqlite3.OperationalError:
            raise  # the disk is full, or the folder read-only
        except sqlite3.DatabaseError:
            self._drop_damaged()
        if not path.exists():
            forget(self._folder, [path])

    def _drop_damaged(self) -> None:
        """Delete the file that was last written; its journals are read again the next time."""
        shard = self._at
        self.close()
        if shard is not None:
            _delete(shard)
            self._room.pop(shard, None)
            self._known = {path: one for path, one in self._known.items() if one.shard != shard}

    def close(self) -> None:
        """Close the file that was last written."""
        if self._db is not None:
            self._db.close()
        self._db = self._at = None

    def _take_in(self, path: Path, file: BinaryIO, one: Known | None, is_over: bool) -> None:
        reader = DocumentReader(one.read_to if one is not None else 0)
        file.seek(reader.offset)
        has_more = True
        while has_more:
            until = reader.offset + SLICE
            size = os.fstat(file.fileno()).st_size
            done = list(_documents(file, reader, min(until, size), is_over=False))
            has_more = reader.offset >= until
            if not has_more and is_over:
                done += reader.finish()
            if one is None:
                facts = _Facts.of(reader, file)
                shard = self._shard_with_room(facts.size)
                one = Known(path, shard, self._begin(shard, path, facts), facts.inode, 0, 0)
            self._write(
                one,
                reader,
                sorted(done, key=attrgetter("offset")),
                min(size, reader.offset) if has_more else size,
            )

    def _write(self, one: Known, reader: DocumentReader, done: list[Document], seen: int) -> None:
        db, first = self._shard(one.shard), one.key << 32
        read_to = reader.unfinished_from()
        low = first + (done[0].offset if done else 0)
        db.execute("BEGIN IMMEDIATE")
        try:
            known = db.execute("SELECT id FROM docs WHERE id >= ? AND id < ?", (low, first + (1 << 32)))
            old = {number - first for (number,) in known} if done else set()
            new = [each for each in done if each.offset not in old and each.offset < 1 << 32]
            db.executemany(
                f"INSERT INTO texts(rowid, {', '.join(COLUMNS)}) VALUES(?{', ?' * len(COLUMNS)})",
                ((first + each.offset, *(indexed(each.text(column)) for column in COLUMNS)) for each in new),
            )
            db.executemany(
                "INSERT INTO docs VALUES(?, ?, ?, ?, ?)",
                ((first + each.offset, each.end, each.t, each.session, each.call) for each in new),
            )
            latest = max((each.t for each in new), default=0.0)
            db.execute(
                "UPDATE journals SET seen = ?, read_to = ?, latest = max(latest, started + ?) WHERE key = ?",
                (seen, read_to, latest, one.key),
            )
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise

    def _begin(self, shard: Path, path: Path, facts: _Facts) -> int:
        """Add a journal; return its key."""
        db, key = self._shard(shard), _second(facts.started)
        while db.execute("SELECT 1 FROM journals WHERE key = ?", (key,)).fetchone():
            key += 1  # another journal began in the same second
        row = (key, str(path), facts.inode, 0, 0, facts.agent, facts.cwd, facts.started, facts.started)
        db.execute("INSERT INTO journals VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        return key

    def _shard_with_room(self, size: int) -> Path:
        """Return a file of the index with room for a journal, a new one if there is none."""
        found = next((shard for shard, room in self._room.items() if room >= size), self._folder)
        if found == self._folder:
            number = 1
            while (found := self._folder / f"{number}.sqlite").exists():
                number += 1
            _make(found)
            self._room[found] = ROOM
        self._room[found] -= size
        return found

    def _shard(self, shard: Path) -> sqlite3.Connection:
        if self._db is None or self._at != shard:
            self.close()
            self._db, self._at = _connection(shard, writes=True), shard
            if self._db is None:
                raise OSError(errno.EIO, "the search index cannot be opened", str(shard))
        return self._db


def _documents(file: BinaryIO, reader: DocumentReader, until: int, *, is_over: bool) -> Iterator[Document]:
    """Yield the documents up to an offset in a journal; with `is_over` also unfinished ones."""
    while reader.offset < until and (line := file.readline()).endswith(b"\n"):
        yield from reader.take(line)
    if is_over:
        yield from reader.finish()


# ---------------------------------------------------------------------- files


def _shards(folder: Path) -> Iterator[tuple[Path, int]]:
    """Yield the files of the index with their inodes."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".sqlite"):
                yield Path(entry.path), entry.inode()


def _make(shard: Path) -> None:
    """Create a file of the index; it gets its name once it is complete."""
    made = shard.with_suffix(".new")
    _delete(made)
    os.close(open_plain(made, os.O_RDWR | os.O_CREAT))
    with closing(sqlite3.connect(made, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.executescript(_SCHEMA)
    made.rename(shard)


def _connection(shard: Path, *, writes: bool) -> sqlite3.Connection | None:
    """Open a file of the index; None if it is damaged or of another version."""
    mode = "rw" if writes else "ro"
    db = None
    try:
        db = sqlite3.connect(
            f"{shard.as_uri()}?mode={mode}",
            uri=True,
            isolation_level=None,
            timeout=5,
            check_same_thread=False,
        )
        db.create_function("in_folder", 2, has_folder, deterministic=True)
        if db.execute("PRAGMA user_version").fetchone()[0] == VERSION:
            if writes:
                db.execute("PRAGMA synchronous=OFF")  # it can be rebuilt
            return db
    except sqlite3.Error:
        pass
    if db is not None:
        db.close()
    return None


def _is_usable(shard: Path) -> bool:
    """Return whether a file of the index has this version, and no deleted journal."""
    db = _connection(shard, writes=False)
    if db is None:
        return False
    with closing(db):
        return not any(one.is_gone for one in _known(db, shard)) and shard.exists()


def _delete(shard: Path) -> None:
    for end in _BESIDE:
        shard.with_name(shard.name + end).unlink(missing_ok=True)


@contextmanager
def _alone(folder: Path) -> Iterator[bool]:
    """Hold the lock of the index; yields False if another program holds it."""
    lock = open_plain(folder / "lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
    else:
        yield True
    finally:
        os.close(lock)


def _second(at: float) -> int:
    """Return the key of a journal that began at a time."""
    return max(0, min(int(at) - _EPOCH, (1 << 31) - 2))
