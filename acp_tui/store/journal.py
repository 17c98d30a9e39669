"""The journal of a connection: every line that went over it, as it happened, one JSON object a line.

A row is `{"t": seconds since the start, "dir": …, "msg": …}`. `dir` is `out` (client to agent), `in`
(agent to client), `raw` (a line on stdout that is no message), `err` (a line on stderr) or `note` (ours).
The first row is the note of the start: `{"start": argv, "agent": …, "cwd": …, "version": …, "at": …}`.
A line is safe once `write` has returned. All rows are valid JSON, and nothing in them acts on a terminal.
Of `raw` and `err` the first and the newest rows are kept, and the note `{"dropped": bytes, "of": …}` between.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from acp_tui.store.folders import NO_ROOM, Problem, private_folder

ROOM: Final = 4 << 20
"""Bytes of the newest rows that are kept, at least."""
_WHAT: Final = "what was said beside the protocol"


# Lines that are not messages have no bound: an agent in a loop writes gigabytes. The first MiB of `raw`
# and of `err` goes into the journal. Later rows go to two files beside it, used in turn: when one has 4 MiB,
# the other is emptied and used, so the newest 4 to 8 MiB remain. Each file begins with the number of bytes
# dropped so far. `Journal.close` appends both to the journal, after a note with that number.
class Overflow:
    """Writes the two files. Never fails its owner: what cannot be written is dropped, and counted."""

    def __init__(self, journal: Path) -> None:
        self.dropped = 0
        """Bytes that are kept nowhere."""
        self._paths = paths_beside(journal)
        self._sizes = [0, 0]
        self._now = 1
        self._file: int | None = None
        self._rows: list[bytes] = []

    def add(self, row: bytes) -> None:
        """Keep a row, in the place of the oldest ones."""
        self._rows.append(row)

    def flush(self) -> None:
        """Hand what was added to the system."""
        if not self._rows:
            return
        data = b"".join(self._rows)
        self._rows.clear()
        try:
            if self._file is None or self._sizes[self._now] >= ROOM:
                self._turn()
            assert self._file is not None
            begin = os.fstat(self._file).st_size
            if os.write(self._file, data) < len(data):
                os.ftruncate(self._file, begin)  # half a row would take the next one with it
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            self.dropped += len(data)
        else:
            self._sizes[self._now] += len(data)

    def close(self) -> None:
        """Write the rest; more calls do nothing."""
        self.flush()
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _turn(self) -> None:
        """Go on in the other file, without what it holds."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        self._now = 1 - self._now
        self.dropped += self._sizes[self._now]
        self._sizes[self._now] = 0
        private_folder(self._paths[self._now].parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        file = os.open(self._paths[self._now], flags, 0o600)
        try:
            os.write(file, b"%d\n" % self.dropped)
        except OSError:
            os.close(file)
            raise
        self._file = file


def kept_rows(journal: Path, dropped: int | None = None) -> Iterator[bytes]:
    """Yield a remark on how much was dropped, and then the rows that are kept beside a journal.

    Args:
        journal: the journal.
        dropped: bytes, where it is known better than the files tell.
    """
    kept: list[tuple[int, bytes]] = []
    for path in paths_beside(journal):
        with suppress(OSError, ValueError):
            count, _, data = path.read_bytes().partition(b"\n")
            kept.append((int(count), data))
    kept.sort(key=lambda one: one[0])  # what was begun later has seen more dropped
    lines = [line for _, data in kept for line in data.splitlines(keepends=True)]
    if lines:
        t = 0.0
        with suppress(ValueError, KeyError, TypeError):
            t = float(json.loads(lines[0])["t"])
        told = {"dropped": kept[-1][0] if dropped is None else dropped, "of": _WHAT}
        yield json.dumps({"t": t, "dir": "note", "msg": told}).encode() + b"\n"
        yield from lines


def remove(journal: Path) -> None:
    """Delete what is kept beside a journal."""
    for path in paths_beside(journal):
        with suppress(OSError):
            path.unlink()


def paths_beside(journal: Path) -> tuple[Path, Path]:
    """Return the two files beside a journal, which may be missing."""
    return journal.with_suffix(".beside-0"), journal.with_suffix(".beside-1")


MASK: Final = "•••"
"""What stands in the file where a secret stood on the wire."""

SECRET_LENGTH: Final = 8
"""Shorter values are no secrets: replacing them would tear up ordinary text."""

RETRY: Final = 5.0
"""Seconds after which a disk that was full is tried again."""

HELD: Final = 32 << 20
"""Bytes at most that wait for room on the disk."""

BESIDE: Final = 1 << 20
"""Bytes of `raw` and of `err` rows, each, after which only the newest are kept."""

_PART: Final = 2 << 20
"""Bytes that are searched or written at one go."""

_SECRET_NAME: Final = re.compile(
    r"KEY|TOKEN|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTHORIZATION|COOKIE"
)
_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")


def secrets_of(environment: Mapping[str, str]) -> list[str]:
    """Return the values of the variables (or headers) whose name says that they are secret."""
    return [value for name, value in environment.items() if _SECRET_NAME.search(name.upper())]


def journal_path(folder: Path, agent: str, at: datetime) -> Path:
    """Return the file for a connection that starts now; names sort by time."""
    name = _NOT_IN_A_NAME.sub("-", agent)[:40].strip("-.") or "agent"
    return folder / f"{at:%Y%m%d-%H%M%S}-{name}-{os.getpid()}-{at.microsecond:06}.ndjson"


class Journal:
    """Writes one journal. It never fails its owner: when the file cannot be written, `problem` says why.

    While the disk is full, what was recorded is held, and written when there is room again.
    """

    def __init__(
        self, path: Path | None, secrets: Iterable[str] = (), clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.path = path
        """The file; None when the person wants no journal, and then nothing is kept."""
        self.problem: Problem | None = None
        """Why nothing is written, while that is so."""
        self._secrets: list[tuple[bytes, bytes]] = []
        self._clock = clock
        self._start = clock()
        self._rows: list[tuple[float, str, bytes]] = []
        self._file: int | None = None
        self._flushing: Iterator[bool] | None = None
        """A flush that is not at its end; what is recorded meanwhile comes after it."""
        self._retry: float | None = None
        """When the disk is tried again, while it is full."""
        self._held = 0
        """Bytes that were recorded since then."""
        self._beside = {"raw": 0, "err": 0}
        self._overflow: Overflow | None = None
        self.hide(secrets)
        self._open()

    def hide(self, secrets: Iterable[str]) -> None:
        """Keep more values out of the file from now on, in each way JSON may write them."""
        known = dict(self._secrets)
        for secret in secrets:
            if len(secret) >= SECRET_LENGTH:
                known.update((form, _MASK) for form in _forms(secret))
                known.update((form, _ESCAPED_MASK) for form in _escaped_forms(secret) if form not in known)
        self._secrets = sorted(known.items(), key=lambda item: -len(item[0]))

    def hidden(self, text: str) -> str:
        """Return a text with all secrets masked, for another file."""
        return self._masked(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def record(self, direction: str, line: bytes) -> None:
        """Keep one message as it went over the wire, without reading it. `direction` is `out` or `in`."""
        if self._file is None:
            return
        self._rows.append((self._clock() - self._start, direction, line))
        if self._retry is not None:
            self._held += len(line)
            if self._held > HELD:
                self._give_up("more was said than can be held until there is room on the disk")

    @property
    def lacks_room(self) -> bool:
        """Whether it is only room on the disk that is waited for."""
        return self._retry is not None

    def note(self, msg: Mapping[str, Any]) -> None:
        """Keep a remark of our own."""
        self.record("note", _encoded(msg))

    def raw(self, text: str) -> None:
        """Keep a line of the agent's stdout that is no message."""
        self._record_beside("raw", [text])

    def err(self, *lines: str) -> None:
        """Keep lines of the agent's stderr."""
        self._record_beside("err", lines)

    def _record_beside(self, direction: str, lines: Sequence[str]) -> None:
        """Keep lines that are no messages: the first in the journal, later the newest beside it."""
        if self._file is None or self.path is None:
            return
        if self._beside[direction] < BESIDE:
            for line in lines:
                row = _encoded(line)
                self._beside[direction] += len(row)
                self.record(direction, row)
            return
        self._overflow = self._overflow or Overflow(self.path)
        row = _row((self._clock() - self._start, direction, _encoded("\n".join(lines))))
        self._overflow.add(self._masked(_inert(row)))

    def flush(self) -> None:
        """Hand all that was recorded to the system."""
        while self.flush_some():
            pass

    def flush_some(self) -> bool:
        """Do a part of `flush` that takes a few milliseconds at most; return whether there is more to do.

        A line of many megabytes takes a hundred of them to search for secrets and to write.
        """
        if self._overflow is not None:
            self._overflow.flush()
        if self._retry is not None and self._clock() < self._retry:
            return False
        if self._flushing is None:
            if self._file is None or not self._rows:
                return False
            rows, self._rows = self._rows, []
            self._flushing = self._flushed(rows)
        goes_on = next(self._flushing, None)
        if goes_on is None:
            self._flushing = None
        return goes_on is not False and (self._flushing is not None or bool(self._rows))

    def _flushed(self, rows: list[tuple[float, str, bytes]]) -> Iterator[bool]:
        """Write rows, all secrets masked; yields where a part of the work is done, False: it has to wait."""
        data = _inert(b"".join(map(_row, rows)))
        searched = 0
        for secret, mask in self._secrets:
            if secret in data:
                data = data.replace(secret, mask)
            searched += len(data)
            if searched > _PART:
                searched = 0
                yield True
        view = memoryview(data)
        while view and self._file is not None:
            try:
                view = view[os.write(self._file, view[:_PART]) :]
            except OSError as error:
                self._wait_or_give_up(error)
                yield False
                continue
            self.problem = self._retry = None
            if len(view) > _PART:
                yield True

    def close(self) -> None:
        """Write the rest and close the file; more calls do nothing."""
        self._retry = None if self._retry is None else self._clock()
        self.flush()
        if self._overflow is not None:
            self._take_in(self._overflow)
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _take_in(self, overflow: Overflow) -> None:
        """Write what was kept beside the journal behind its last row."""
        overflow.close()
        self._overflow = None
        if self._file is None or self.path is None:
            return
        view = memoryview(b"".join(kept_rows(self.path, overflow.dropped)))
        try:
            while view:
                view = view[os.write(self._file, view) :]
        except OSError:
            return  # it stays beside it, and is read from there
        remove(self.path)

    def _masked(self, data: bytes) -> bytes:
        for secret, mask in self._secrets:
            data = data.replace(secret, mask)
        return data

    def _open(self) -> None:
        if self.path is None:
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            private_folder(self.path.parent)
            self._file = os.open(self.path, flags, 0o600)
            with suppress(OSError):  # a file system without locks
                fcntl.flock(self._file, fcntl.LOCK_SH)  # who frees space holds another for a moment only
        except OSError as error:
            self._give_up(error.strerror or str(error))

    def _wait_or_give_up(self, error: OSError) -> None:
        """The rest of what was to be written stays where it is: a line that was begun goes on there."""
        why = error.strerror or str(error)
        if error.errno not in NO_ROOM:
            self._give_up(why)
            return
        if self._retry is None:
            assert self.path is not None
            self._held = 0
            self.problem = Problem(self.path, None, f"nothing is recorded until there is room: {why}")
        self._retry = self._clock() + RETRY

    def _give_up(self, why: str) -> None:
        assert self.path is not None
        self.problem = Problem(self.path, None, f"the session is not recorded: {why}")
        self._rows.clear()
        self._retry = None
        if self._file is not None:
            os.close(self._file)
            self._file = None


_MASK: Final = MASK.encode()
_ESCAPED_MASK: Final = MASK.encode("ascii", "backslashreplace")


def _row(row: tuple[float, str, bytes]) -> bytes:
    seconds, direction, line = row
    return b'{"t": %.3f, "dir": "%s", "msg": %s}\n' % (seconds, direction.encode(), line.rstrip(b"\r\n"))


def _inert(rows: bytes) -> bytes:
    """Return rows with DEL and the controls above it escaped, which JSON takes as they are."""
    if b"\xc2" not in rows and b"\x7f" not in rows:
        return rows
    return _RAW_CONTROLS.sub(lambda found: b"\\u00%02x" % found[0][-1], rows)


_RAW_CONTROLS: Final = re.compile(rb"\xc2[\x80-\x9f]|\x7f")


def _encoded(value: object) -> bytes:
    """Return JSON in UTF-8; halves of characters stay escaped, so that the file is valid."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def _forms(secret: str) -> set[bytes]:
    """Return how a JSON encoder that keeps Unicode may write it; some put a backslash before a slash."""
    plain = _encoded(secret)[1:-1]
    return {secret.encode("utf-8", "surrogatepass"), plain, plain.replace(b"/", b"\\/")}


def _escaped_forms(secret: str) -> set[bytes]:
    """Return how a JSON encoder that writes only ASCII may write it, with hex digits in either case."""
    lower = json.dumps(secret).encode()[1:-1]
    upper = re.sub(rb"\\u[0-9a-f]{4}", lambda found: b"\\u" + found[0][2:].upper(), lower)
    return {form for plain in (lower, upper) for form in (plain, plain.replace(b"/", b"\\/"))}


HEAD: Final = 64 << 10
"""Bytes of a line that are kept while reading; the rest is only counted."""
_FOOT: Final = 256
"""Bytes of the end of a longer line that are kept."""
_CHUNK: Final = 128 << 10


class TailLine(NamedTuple):
    """One complete line of a file."""

    offset: int
    size: int
    """Bytes, without the line end."""
    head: bytes
    """The line, or its first 64 KiB."""
    foot: bytes
    """The end of a line that is longer; else empty."""


class JournalTail:
    """The lines of one file; close it after use."""

    def __init__(self, path: Path, last: int | None = None) -> None:
        """Open a file, to read all of it or the lines in its last `last` bytes.

        Raises:
            OSError: the file cannot be opened.
        """
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        size = os.fstat(self._file).st_size
        self.skipped = self._line_start(max(0, size - last)) if last is not None else 0
        """Bytes before the first line that is read."""
        self._offset = self._at = self.skipped
        self._size = 0
        self._head = bytearray()
        self._foot = b""

    def read(self) -> tuple[list[TailLine], bool]:
        """Return the lines that are complete in the next 128 KiB, and whether the file goes on after them."""
        data = os.pread(self._file, _CHUNK, self._at)
        self._at += len(data)
        return list(self._lines(data)), len(data) == _CHUNK

    def line(self, offset: int, size: int, most: int | None = None) -> bytes:
        """Return a line again, or its first `most` bytes."""
        wanted = size if most is None else min(size, most)
        pieces: list[bytes] = []
        while wanted > 0:
            piece = os.pread(self._file, wanted, offset)
            if not piece:
                break
            pieces.append(piece)
            offset += len(piece)
            wanted -= len(piece)
        return b"".join(pieces)

    def close(self) -> None:
        """Close the file; more calls do nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _lines(self, data: bytes) -> Iterator[TailLine]:
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._add(data[start:end])
            yield TailLine(
                self._offset, self._size, bytes(self._head), self._foot if self._size > HEAD else b""
            )
            self._offset += self._size + 1
            self._size, self._foot = 0, b""
            self._head.clear()
            start = end + 1
        self._add(data[start:])

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        self._head += piece[: HEAD - len(self._head)]
        self._foot = (self._foot + piece[-_FOOT:])[-_FOOT:]

    def _line_start(self, offset: int) -> int:
        """Return where the line starts that `offset` is in."""
        while offset > 0:
            before = max(0, offset - _CHUNK)
            found = os.pread(self._file, offset - before, before).rfind(b"\n")
            if found >= 0:
                return before + found + 1
            offset = before
        return 0
