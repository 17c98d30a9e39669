"""Recorded sessions: rows of a journal for a replay, heads of the latest journals for a list."""

from __future__ import annotations

import heapq
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final

from acp_tui.lazy_regex import regex
from acp_tui.protocol import frames as json_line
from acp_tui.protocol.json_values import as_list, member
from acp_tui.store.journal_overflow import kept_rows
from acp_tui.store.plain_files import plain_file

_PIECE: Final = 1 << 20
"""Bytes read at a time."""
_HEAD_ROWS: Final = 32 << 20
"""Maximum bytes of a journal that are read."""
_LINE: Final = 4 << 20
"""Maximum size of a line, in bytes: a prompt may contain images."""
_BEGINNING: Final = 200
"""Bytes of a row that contain the method, as this program writes it."""
_OURS: Final = b', "dir": "out", "msg": '
_LOOK: Final = b', "dir": "note", "msg": {"snapped": '
"""Start of a row of changed files, as this program writes it."""
_OPENS: Final = regex(rb'"session/(?:fork|load|resume)"|"result":')
_METHODS: Final = ("session/prompt", "session/load", "session/resume")


@dataclass
class PromptedSession:
    """A session of a journal with at least one prompt."""

    session_id: str
    """The id, or "" if unknown."""
    at: float
    """Seconds from the start of the journal to the first prompt."""
    latest: float
    """Seconds from the start of the journal to the latest prompt."""
    prompt: Any
    """The content blocks of the first prompt."""
    is_resumed: bool = False
    """True if the session began in an earlier journal."""


def prompted_sessions(path: Path) -> list[PromptedSession]:
    """Return the sessions with prompts, by the time of their latest prompt.

    Raises:
        OSError: the file cannot be read.
    """
    found: dict[str, PromptedSession] = {}
    taken_up: set[str] = set()
    for at, method, params in _requests(path):
        session_id = str(params.get("sessionId") or "")
        if method != "session/prompt":
            taken_up.add(session_id)
            continue
        known = found.pop(session_id, None)
        known = known or PromptedSession(session_id, at, at, params.get("prompt"), session_id in taken_up)
        found[session_id] = replace(known, latest=at)
    return list(found.values())


def _requests(path: Path) -> Iterator[tuple[float, str, dict[str, Any]]]:
    """Yield (time, method, params) of the client's session requests."""
    for line in _lines(path, _ours):
        try:
            row = json_line.read(line)
            at, method, params = float(row["t"]), row["msg"].get("method"), row["msg"].get("params")
            is_ours = row["dir"] == "out"  # a message of the agent may contain the same words
        except (ValueError, TypeError, KeyError, AttributeError):
            continue
        if is_ours and method in _METHODS and isinstance(params, dict):
            yield at, method, params


def changed_lines(recorded: RecordedSession) -> tuple[int, int]:
    """Return the number of lines added and removed in a session, as recorded.

    Blocking.

    Raises:
        OSError: a file cannot be read.
    """
    found: dict[str, tuple[int, int]] = {}
    for path in (*recorded.earlier, recorded.path):
        for line in _lines(path, _looks):
            row = _row(line)
            if row is None or row.direction != "note" or member(row.msg, "session") != recorded.session_id:
                continue
            for item in as_list(member(row.msg, "snapped")):
                counts = member(item, "added") or 0, member(item, "removed") or 0
                if all(type(count) is int for count in counts):
                    found[str(member(item, "path"))] = counts
            for gone in as_list(member(row.msg, "gone")):
                found.pop(str(gone), None)
    return sum(added for added, _ in found.values()), sum(removed for _, removed in found.values())


def _lines(path: Path, pick: Callable[[bytes], Iterator[bytes]]) -> Iterator[bytes]:
    """Yield the lines that `pick` selects from batches of whole lines."""
    with plain_file(path) as file:
        rest, seen = b"", 0
        while seen < _HEAD_ROWS and (piece := file.read(_PIECE)):
            seen += len(piece)
            whole, _, rest = (rest + piece).rpartition(b"\n")
            if len(rest) > _LINE:
                rest = b""  # drop the rest of an overlong line
            yield from pick(whole)
        yield from pick(rest)


def _looks(lines: bytes) -> Iterator[bytes]:
    """Yield the rows of looks at the changed files."""
    found = lines.find(_LOOK)
    while found >= 0:
        start, end = lines.rfind(b"\n", 0, found) + 1, lines.find(b"\n", found)
        end = len(lines) if end < 0 else end
        yield lines[start:end]
        found = lines.find(_LOOK, end)


def _ours(lines: bytes) -> Iterator[bytes]:
    """Yield the client's lines that may contain a session method."""
    found = lines.find(_OURS)
    while found >= 0:
        start, end = lines.rfind(b"\n", 0, found) + 1, lines.find(b"\n", found)
        end = len(lines) if end < 0 else end
        if b'"session/' in lines[found : min(end, found + _BEGINNING)]:
            yield lines[start:end]
        found = lines.find(_OURS, end)


_HEAD: Final = 64 * 1024
"""Bytes of a file read for a list."""

_TITLE_LENGTH: Final = 200


@dataclass(frozen=True)
class JournalRow:
    """A row of a journal."""

    t: float
    """Seconds since the start of the connection."""
    direction: str
    """`out`, `in`, `raw`, `err` or `note`."""
    msg: Any


@dataclass(frozen=True)
class RecordedSession:
    """A session in a journal, as listed."""

    path: Path
    agent: str
    """Name of the agent or its program, or ""."""
    argv: tuple[str, ...]
    """The agent's command line, or ()."""
    cwd: str
    title: str
    """The session's title, else its first prompt, else ""."""
    started: datetime | None
    size: int
    """Bytes of the journal."""
    session_id: str = ""
    """Id of the session opened last, or ""."""
    is_resumed: bool = False
    """True if the session began in an earlier journal."""
    is_silent: bool = False
    """True without any prompt."""
    title_of: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """The agent's titles of sessions, by id."""
    earlier: tuple[Path, ...] = field(default=(), repr=False, compare=False)
    """The journals in which the session began, oldest first."""
    changed: datetime | None = field(default=None, compare=False)
    """The time of the last change, if known."""

    @property
    def used(self) -> datetime | None:
        """The time at which the session was last used; lists are sorted by it."""
        return self.changed or self.started


class JournalReader(Iterator[JournalRow]):
    """The rows of a journal, in order; invalid lines are counted and skipped."""

    def __init__(self, file: BinaryIO, beside: Iterator[bytes]) -> None:
        self.broken = 0
        self._file = file
        self._beside = beside

    def __next__(self) -> JournalRow:
        """Return the next valid row; close the file after the last."""
        for line in chain(self._file, self._beside) if not self._file.closed else ():
            row = _row(line)
            if row is not None:
                return row
            self.broken += bool(line.strip())
        self._file.close()
        raise StopIteration


def read(path: Path) -> JournalReader:
    """Return the rows of a journal.

    Raises:
        OSError: the file cannot be opened.
    """
    return JournalReader(plain_file(path), kept_rows(path))


def head_of(path: Path) -> RecordedSession | None:
    """Return the session described by the head of a journal, or None."""
    try:
        status = path.stat()
        with plain_file(path) as file:
            head = file.read(_HEAD)
    except OSError:
        return None
    size = status.st_size
    rows = [row for line in head.split(b"\n") if (row := _row(line))]
    start = next((row.msg for row in rows if row.direction == "note" and isinstance(row.msg, dict)), {})
    argv = _argv(start.get("start"))
    titles = _titles(rows)
    session_id, is_resumed = next(reversed(_opened(rows).items()), ("", False))
    return RecordedSession(
        path=path,
        agent=str(start.get("agent") or (Path(argv[0]).name if argv else "")),
        argv=argv,
        cwd=str(start.get("cwd") or _found(rows, "session/new", "cwd") or ""),
        title=next(reversed(titles.values()), "") or _first_words(_found(rows, "session/prompt", "prompt")),
        started=_time(start.get("at")),
        size=size,
        session_id=session_id,
        is_resumed=is_resumed,
        is_silent=size <= _HEAD and _found(rows, "session/prompt", "prompt") is None,
        title_of=titles,
        changed=datetime.fromtimestamp(status.st_mtime).astimezone(),
    )


def sessions_in(head: RecordedSession) -> list[RecordedSession]:
    """Return the sessions with prompts in a journal, the latest first.

    Without any, or for an unreadable file, the head stands for the journal.
    """
    try:
        said = prompted_sessions(head.path)
    except OSError:
        said = []
    if not said or (len(said) == 1 and said[0].session_id in ("", head.session_id)):
        return [head]
    latest = max(one.latest for one in said)
    return [_one_of(head, one, is_latest=one.latest == latest) for one in reversed(said)]


def _one_of(head: RecordedSession, said: PromptedSession, *, is_latest: bool) -> RecordedSession:
    """Return one of several sessions of a journal; the time of a change is that of the latest."""
    session_id = said.session_id or head.session_id
    is_last = session_id == head.session_id
    started = head.started and head.started + timedelta(seconds=said.at)
    return replace(
        head,
        session_id=session_id,
        title=head.title_of.get(session_id) or _first_words(said.prompt),
        started=started,
        is_resumed=head.is_resumed if is_last else said.is_resumed,
        is_silent=False,
        changed=head.changed if is_latest else head.started and head.started + timedelta(seconds=said.latest),
    )


def recent(folder: Path, limit: int) -> list[RecordedSession]:
    """Return the latest journals of a folder, newest first, from their heads."""
    found: list[tuple[float, str]] = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):  # already deleted
                if entry.name.endswith(".ndjson") and entry.is_file():
                    found.append((entry.stat().st_mtime, entry.path))
    latest = (head_of(Path(path)) for _, path in heapq.nlargest(limit, found))
    return [recorded for recorded in latest if recorded is not None]


def _row(line: bytes) -> JournalRow | None:
    try:
        fields = json_line.read(line)
        return JournalRow(float(fields["t"]), str(fields["dir"]), fields["msg"])
    except (ValueError, KeyError, TypeError):
        return None


def _opened(rows: list[JournalRow]) -> dict[str, bool]:
    """Return by session id whether it began in an earlier journal, the latest session last."""
    opened: dict[str, bool] = {}
    asked: set[str] = set()
    for row in rows:
        method, number = member(row.msg, "method"), json.dumps(member(row.msg, "id"))
        if row.direction == "out" and method in ("session/new", "session/fork"):
            asked.add(number)
        elif row.direction == "out" and method in ("session/load", "session/resume"):
            session_id = str(member(row.msg, "params", "sessionId"))
            opened[session_id] = opened.pop(session_id, True)
        elif row.direction == "in" and method is None and number in asked:
            opened[str(member(row.msg, "result", "sessionId") or "")] = False
    opened.pop("", None)  # its creation failed
    return opened


def _argv(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _time(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text))
    except ValueError:
        return None


def _titles(rows: list[JournalRow]) -> dict[str, str]:
    """Return the latest title of each session by id, the latest last."""
    titles: dict[str, str] = {}
    for row in rows:
        update = member(row.msg, "params", "update")
        title = member(update, "title")
        if row.direction == "in" and title and member(update, "sessionUpdate") == "session_info_update":
            session_id = str(member(row.msg, "params", "sessionId"))
            titles.pop(session_id, None)
            titles[session_id] = _one_line(title)
    return titles


def _first_words(prompt: Any) -> str:
    """Return the first text of a prompt on one line."""
    blocks = prompt if isinstance(prompt, list) else []
    return _one_line(next((text for block in blocks if (text := member(block, "text"))), ""))


def _found(rows: list[JournalRow], method: str, name: str) -> Any:
    """Return a parameter of the client's first request with a method."""
    requests = (row.msg for row in rows if row.direction == "out" and member(row.msg, "method") == method)
    return member(next(requests, None), "params", name)


def _one_line(text: object) -> str:
    return " ".join(str(text).split())[:_TITLE_LENGTH]


_LOOKED_AT: Final = 200
"""Number of latest journals searched for the parts of a session."""


_RECENT: Final = 50
"""Number of latest journals whose sessions are offered."""


def recent_sessions(folder: Path, limit: int = _RECENT) -> list[RecordedSession]:
    """Return the sessions with prompts in the latest journals, newest first.

    A journal may contain several sessions. A session continued in several journals is listed once, as its
    latest journal with its first title. Blocking: takes a second for very long journals.

    Args:
        folder: the folder of journals.
        limit: the maximum number of journals.
    """
    return [
        replace(parts[-1], title=_title(parts), earlier=tuple(part.path for part in parts[:-1]))
        for parts in _sessions(folder, limit)
    ]


def rows_of(recorded: RecordedSession) -> Iterator[JournalRow]:
    """Return the rows of a session from all its journals, in order.

    Raises:
        OSError: the file cannot be opened.
    """
    earlier = [recorded]
    if recorded.is_resumed:
        same = (recorded.path, recorded.session_id)
        sessions = _sessions(recorded.path.parent, _LOOKED_AT)
        earlier = next(
            (parts for parts in sessions if (parts[-1].path, parts[-1].session_id) == same), earlier
        )
    if _earlier_source(earlier[0].path, recorded.session_id):
        return rows_about(recorded.path.parent, recorded.agent, recorded.session_id)
    newest = read(recorded.path)
    return chain(*(read(part.path) for part in earlier[:-1]), newest) if earlier[:-1] else newest


def rows_about(folder: Path, agent: str, session_id: str) -> Iterator[JournalRow]:
    """Return the rows of all journals of a session, even those without prompts.

    Blocking.

    Raises:
        OSError: a file cannot be opened.
    """
    parts: list[RecordedSession] = []
    for journal in recent(folder, _LOOKED_AT):
        if journal.agent != agent:
            continue
        found = next((one for one in sessions_in(journal) if one.session_id == session_id), None)
        if found is not None:
            parts.insert(0, found)
            if not found.is_resumed:
                session_id = _earlier_source(found.path, session_id)
                if not session_id:
                    break
    return chain.from_iterable(read(part.path) for part in parts)


def _earlier_source(path: Path, session_id: str) -> str:
    """Return the source of a fork that was made in a journal, if that began in an earlier one; else ""."""
    resumed: set[str] = set()
    forks: dict[str, str] = {}
    for line in _lines(path, _opening):
        row = _row(line)
        if row is None:
            continue
        method, number = member(row.msg, "method"), json.dumps(member(row.msg, "id"))
        named = str(member(row.msg, "params", "sessionId"))
        if row.direction == "out" and method == "session/fork":
            forks[number] = named
        elif row.direction == "out" and method in ("session/load", "session/resume"):
            resumed.add(named)
        elif (
            row.direction == "in" and method is None and member(row.msg, "result", "sessionId") == session_id
        ):
            source = forks.get(number, "")
            return source if source in resumed else ""
    return ""


def _opening(lines: bytes) -> Iterator[bytes]:
    """Yield the rows that may open a session, and their answers."""
    yield from (line for line in lines.split(b"\n") if _OPENS.search(line, 0, _BEGINNING))


def _sessions(folder: Path, limit: int) -> list[list[RecordedSession]]:
    """Return the journals of each session, oldest first; the latest session first."""
    sessions: list[list[RecordedSession]] = []
    unfinished: dict[tuple[str, str], list[RecordedSession]] = {}
    for journal in recent(folder, limit):
        for session in sessions_in(journal):
            if session.is_silent:
                continue
            name = (session.agent, session.session_id)
            parts = unfinished.pop(name, None)
            if parts is None:
                sessions.append(parts := [])
            parts.insert(0, session)
            if session.is_resumed:
                unfinished[name] = parts
    return sessions


def _title(parts: list[RecordedSession]) -> str:
    return next((part.title for part in parts if part.title), "")
