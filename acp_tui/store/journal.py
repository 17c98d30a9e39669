"""The journal of a connection: all its lines in order, one JSON object per line.

A row is `{"t": seconds since the start, "dir": …, "msg": …}`. `dir` is `out` (client to agent), `in` (agent
to client), `raw` (a line on stdout that is not a message), `err` (a line on stderr) or `note` (ours). The
first row is the note of the start: `{"start": argv, "agent": …, "cwd": …, "version": …, "at": …}`. A line
survives a crash once `write` has returned. All rows are valid JSON without control characters. Of
`raw` and `err` the first and the latest rows are kept, with the note `{"dropped": bytes, "of": …}` between.
So are those of a journal at its maximum size: the note `{"full": bytes}` follows the first rows.
"""

from __future__ import annotations

import base64
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

from acp_tui.formatting import size
from acp_tui.lazy_regex import regex
from acp_tui.store.folders import private_folder
from acp_tui.store.journal_overflow import Overflow, kept_rows, remove_overflow
from acp_tui.store.plain_files import NO_ROOM, open_plain
from acp_tui.store.toml_check import Problem

MAX_JOURNAL_BYTES: Final = 256 << 20
"""Bytes of a journal after which only the latest rows are kept."""

MAX_FIRST_BYTES: Final = 1 << 20
"""Bytes of `raw` and of `err` rows after which only the latest are kept."""

MAX_HELD_BYTES: Final = 32 << 20
"""Most bytes waiting for disk space."""

RETRY: Final = 5.0
"""Seconds between attempts to write to a full disk."""

MASK: Final = "•••"
"""Replacement of a secret."""

SECRET_LENGTH: Final = 8
"""Minimum length of a secret: masking shorter values would tear up ordinary text."""

# Old journals have this as a notice of the chat. A replay finds it by these words, so they must not change.
_FULL: Final = "the recording of this session has"

_PART: Final = 2 << 20
"""Bytes searched or written at a time."""

_SECRET_NAME: Final = regex(
    r"KEY|TOKEN|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTHORIZATION|COOKIE"
)
_NOT_IN_A_NAME: Final = regex(r"[^A-Za-z0-9._-]+")


_TERMINAL: Final = b'"terminal_'
_DATA: Final = regex(rb'("data"\s*:\s*")([A-Za-z0-9+/=]+)"')


def full_notice(recorded: int) -> str:
    """Return the notice for a journal that has reached its maximum size, in bytes."""
    return f"{_FULL} {size(recorded)}. Of what follows only the latest part is recorded."


def is_full_notice(text: str) -> bool:
    """Return whether a text contains a notice of `full_notice`, of this version or an older one."""
    return _FULL in text


def secrets_of(environment: Mapping[str, str]) -> list[str]:
    """Return the values of variables or headers whose names suggest secrets."""
    return [value for name, value in environment.items() if _SECRET_NAME.search(name.upper())]


def journal_path(folder: Path, agent: str, at: datetime) -> Path:
    """Return the path for a connection starting at `at`; names sort by time."""
    name = _NOT_IN_A_NAME.sub("-", agent)[:40].strip("-.") or "agent"
    return folder / f"{at:%Y%m%d-%H%M%S}-{name}-{os.getpid()}-{at.microsecond:06}.ndjson"


def is_open(path: Path) -> bool:
    """Return whether a program is writing a journal; True in doubt."""
    try:
        descriptor = open_plain(path)
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


class Journal:
    """Writes one journal. It never raises: `problem` is the reason for missing rows.

    While the disk is full, rows are held and written later.
    """

    def __init__(
        self, path: Path | None, secrets: Iterable[str] = (), clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.path = path
        """The file, or None to keep nothing."""
        self.problem: Problem | None = None
        """Reason why nothing is written at present."""
        self._secrets: list[tuple[bytes, bytes]] = []
        self._clock = clock
        self._start = clock()
        self._rows: list[tuple[float, str, bytes]] = []
        self._file: int | None = None
        self._flushing: Iterator[bool] | None = None
        """The flush in progress; later rows follow it."""
        self._retry: float | None = None
        """Time of the next attempt to write, while the disk is full."""
        self._held = 0
        """Bytes recorded since the disk is full."""
        self._size = 0
        """Bytes recorded."""
        self._full: Problem | None = None
        """The problem of a journal at its maximum size."""
        self._beside = {"raw": 0, "err": 0, "output": 0}
        self._overflow: Overflow | None = None
        self.add_secrets(secrets)
        self._open()

    def add_secrets(self, secrets: Iterable[str]) -> None:
        """Mask more values from now on, in every JSON form."""
        known = dict(self._secrets)
        for secret in secrets:
            if len(secret) >= SECRET_LENGTH:
                known.update((form, _MASK) for form in _forms(secret))
                known.update((form, _ESCAPED_MASK) for form in _escaped_forms(secret) if form not in known)
        self._secrets = sorted(known.items(), key=lambda item: -len(item[0]))

    def masked(self, text: str) -> str:
        """Return a text with all secrets masked."""
        return self._masked(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")

    def record(self, direction: str, line: bytes) -> None:
        """Record a message as sent, without parsing it. `direction` is `out` or `in`."""
        if self._file is None:
            return
        if self._full is not None:
            self._add_beside(direction, line)
            return
        self._rows.append((self._clock() - self._start, direction, line))
        self._size += len(line)
        if self._size > MAX_JOURNAL_BYTES:
            self._fill()
        if self._retry is not None:
            self._held += len(line)
            if self._held > MAX_HELD_BYTES:
                self._give_up("too much was said to keep until the disk has free space")

    def _fill(self) -> None:
        """Keep only the latest rows from now on, and note that in the journal."""
        assert self.path is not None
        self._rows.append((self._clock() - self._start, "note", _encoded({"full": self._size})))
        self._full = Problem(self.path, None, full_notice(self._size))
        self.problem = self.problem or self._full

    @property
    def lacks_room(self) -> bool:
        """True while waiting for disk space."""
        return self._retry is not None

    def note(self, msg: Mapping[str, Any]) -> None:
        """Record a note of the client."""
        self.record("note", _encoded(msg))

    def output(self, msg: Mapping[str, Any]) -> None:
        """Record a piece of a command's output; of very many pieces the first and the latest are kept."""
        if self._file is None or self.path is None:
            return
        row = _encoded(msg)
        if self._beside["output"] < MAX_FIRST_BYTES:
            self._beside["output"] += len(row)
            self.record("note", row)
        else:
            self._add_beside("note", row)

    def raw(self, text: str) -> None:
        """Record a line of the agent's stdout that is not a message."""
        self._record_beside("raw", [text])

    def err(self, *lines: str) -> None:
        """Record lines of the agent's stderr."""
        self._record_beside("err", lines)

    def _record_beside(self, direction: str, lines: Sequence[str]) -> None:
        """Record the first such lines in the journal, later ones beside it."""
        if self._file is None or self.path is None:
            return
        if self._beside[direction] < MAX_FIRST_BYTES:
            for line in lines:
                row = _encoded(line)
                self._beside[direction] += len(row)
                self.record(direction, row)
            return
        self._add_beside(direction, _encoded("\n".join(lines)))

    def _add_beside(self, direction: str, line: bytes) -> None:
        """Record a line beside the journal, where only the latest rows are kept."""
        assert self.path is not None
        self._overflow = self._overflow or Overflow(self.path)
        row = _row((self._clock() - self._start, direction, line))
        self._overflow.add(self._masked(_inert(row)))

    def flush(self) -> None:
        """Write all rows."""
        while self.flush_some():
            pass

    def flush_some(self) -> bool:
        """Write for a few milliseconds at most; return whether there is more.

        Masking and writing a line of many megabytes takes a hundred milliseconds.
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
        """Mask and write rows; yields True between slices, False on a full disk."""
        data = _inert(b"".join(_row((at, kind, self._decoded(line))) for at, kind, line in rows))
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
            self.problem, self._retry = self._full, None
            if len(view) > _PART:
                yield True

    def close(self) -> None:
        """Write the rest and close the file; further calls do nothing."""
        self._retry = None if self._retry is None else self._clock()
        self.flush()
        if self._overflow is not None:
            self._take_in(self._overflow)
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _take_in(self, overflow: Overflow) -> None:
        """Append the rows kept beside the journal."""
        overflow.close()
        self._overflow = None
        if self._file is None or self.path is None:
            return
        view = memoryview(b"".join(kept_rows(self.path, overflow.dropped)))
        try:
            while view:
                view = view[os.write(self._file, view) :]
        except OSError:
            return  # they remain beside it, where readers find them
        remove_overflow(self.path)

    def _decoded(self, line: bytes) -> bytes:
        """Mask secrets in terminal output of version 2, which is base64."""
        return _DATA.sub(self._masked_data, line) if _TERMINAL in line and self._secrets else line

    def _masked_data(self, found: re.Match[bytes]) -> bytes:
        try:
            printed = base64.b64decode(found[2], validate=True)
        except ValueError:
            return found[0]
        masked = self._masked(printed)
        return found[0] if masked == printed else found[1] + base64.b64encode(masked) + b'"'

    def _masked(self, data: bytes) -> bytes:
        for secret, mask in self._secrets:
            data = data.replace(secret, mask)
        return data

    def _open(self) -> None:
        if self.path is None:
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        try:
            private_folder(self.path.parent)
            self._file = open_plain(self.path, flags)
            with suppress(OSError):  # the file system has no locks
                fcntl.flock(
                    self._file, fcntl.LOCK_SH
                )  # a clean-up holds the exclusive lock only for a moment
        except OSError as error:
            self._give_up(error.strerror or str(error))

    def _wait_or_give_up(self, error: OSError) -> None:
        """Keep the unwritten rest and wait for disk space, or give up."""
        why = error.strerror or str(error)
        if error.errno not in NO_ROOM:
            self._give_up(why)
            return
        if self._retry is None:
            assert self.path is not None
            self._held = 0
            self.problem = Problem(self.path, None, f"nothing is recorded until there is free space: {why}")
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
    """Escape DEL and C1 controls, which JSON does not escape."""
    if b"\xc2" not in rows and b"\x7f" not in rows:
        return rows
    return _RAW_CONTROLS.sub(lambda found: b"\\u00%02x" % found[0][-1], rows)


_RAW_CONTROLS: Final = regex(rb"\xc2[\x80-\x9f]|\x7f")


def _encoded(value: object) -> bytes:
    """Return JSON in UTF-8, with lone surrogates escaped."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def _forms(secret: str) -> set[bytes]:
    """Return the forms of a secret in JSON with Unicode; some encoders escape slashes."""
    plain = _encoded(secret)[1:-1]
    return {secret.encode("utf-8", "surrogatepass"), plain, plain.replace(b"/", b"\\/")}


def _escaped_forms(secret: str) -> set[bytes]:
    """Return the forms of a secret in ASCII JSON, with hex digits in either case."""
    lower = json.dumps(secret).encode()[1:-1]
    upper = re.sub(rb"\\u[0-9a-f]{4}", lambda found: b"\\u" + found[0][2:].upper(), lower)
    return {form for plain in (lower, upper) for form in (plain, plain.replace(b"/", b"\\/"))}


HEAD: Final = 64 << 10
"""Bytes kept of the start of a line; the rest is only counted."""
_FOOT: Final = 256
"""Bytes kept of the end of a longer line."""
_CHUNK: Final = 128 << 10


class TailLine(NamedTuple):
    """A complete line of a file."""

    offset: int
    size: int
    """Bytes, without the newline."""
    head: bytes
    """The line, or its first 64 KiB."""
    foot: bytes
    """The end of a longer line, else empty."""


class JournalTail:
    """The lines of a growing file."""

    def __init__(self, path: Path, last: int | None = None) -> None:
        """Open a file at its start, or `last` bytes before its end.

        Raises:
            OSError: the file cannot be opened.
        """
        self._file = open_plain(path)
        size = os.fstat(self._file).st_size
        self.skipped = self._line_start(max(0, size - last)) if last is not None else 0
        """Bytes before the first line read."""
        self._offset = self._at = self.skipped
        self._size = 0
        self._head = bytearray()
        self._foot = b""

    def read(self) -> tuple[list[TailLine], bool]:
        """Return the complete lines in the next 128 KiB, and whether there is more."""
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
        """Close the file; further calls do nothing."""
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
        """Return the start of the line that contains `offset`."""
        while offset > 0:
            before = max(0, offset - _CHUNK)
            found = os.pread(self._file, offset - before, before).rfind(b"\n")
            if found >= 0:
                return before + found + 1
            offset = before
        return 0
