"""Blame: finds the turn and the tool call that wrote each line of a file, in all recorded sessions.

The journals have a step for each observed change: the hashes of the content before and after it, and
the lines that differ. The steps are followed back from the current file, from hash to hash, until each
line has its step. Contents are needed only for gaps in the chain: when a file was changed while no
session was open, or by a version of acp-tui that wrote no lines.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from itertools import groupby
from math import inf
from pathlib import Path
from typing import Any, Final, Literal

from acp_tui.changes.git_store import SnapshotError
from acp_tui.changes.line_steps import hunks_of
from acp_tui.changes.snapshot_log import line_step
from acp_tui.changes.snapshots import Snapshots
from acp_tui.lazy_regex import regex
from acp_tui.protocol import frames
from acp_tui.protocol.json_values import as_list, as_object, member
from acp_tui.session.events import Hunk, LineStep
from acp_tui.store.plain_files import plain_bytes
from acp_tui.workspace.real_paths import followed

_ROWS: Final = regex(rb'"(?:snapped|kept)": |"session/prompt"')
"""Keys of the rows that are read; each is near the start of its row."""
_PROMPT: Final = 200
"""Characters kept of a prompt."""

Kind = Literal["step", "outside", "earlier", "unknown"]


@dataclass(frozen=True)
class RecordedStep:
    """A change of a file, as recorded by a session."""

    path: str
    """Absolute, links resolved."""
    step: LineStep
    at: float
    """Seconds since the epoch."""
    journal: Path
    t: float
    """Seconds since the start of the journal."""
    session: str
    agent: str
    cwd: str
    turn: int = 0
    """Turn (from 1), or 0 outside any turn."""
    call: str = ""
    """Id of the tool call, or ""."""
    title: str = ""
    """Title of the tool call."""
    prompt: str = ""
    """The beginning of the prompt, on one line."""
    start: str = ""
    """Snapshot of the start of the session, or ""."""
    prompt_at: tuple[int, int] = (0, 0)
    """Byte offsets of the prompt's row in the journal: start and end."""

    @property
    def weight(self) -> int:
        """Rank among sessions that recorded the same change: higher if more is known of its author."""
        return (2 if self.call else 1) if self.turn else 0


@dataclass(frozen=True)
class Author:
    """The origin of some lines."""

    kind: Kind
    """A step of a session, outside any session, before all of them, or unknown because a content is lost."""
    step: RecordedStep | None = None
    since: float = 0.0
    """For lines without a step: when the file was last seen without them, in seconds since the epoch."""
    until: float = inf
    """For lines without a step: when the file was first seen with them."""


@dataclass(frozen=True)
class Run:
    """Neighbouring lines of one origin."""

    author: Author
    start: int
    """Counted from 0."""
    stop: int


@dataclass
class BlamedFile:
    """A file with the origin of each of its lines."""

    lines: list[bytes]
    """Without line ends."""
    runs: list[Run] = field(default_factory=list)

    def author(self, line: int) -> Author | None:
        """Return the origin of a line, counted from 0."""
        return next((run.author for run in self.runs if run.start <= line < run.stop), None)


async def blame(path: Path, journals: Path, stores: Path) -> BlamedFile:
    """Return the author of each line of a file.

    Args:
        path: the file.
        journals: the folder of the journals.
        stores: the folder of all snapshot stores.

    Raises:
        OSError: the file cannot be read.
    """
    content, real, steps = await asyncio.to_thread(_read, path, journals)
    lines = content.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    walk = _Walk(real, content, steps, stores, len(lines))
    await walk.run()
    return BlamedFile([line.removesuffix(b"\r") for line in lines], list(_runs(walk.authors)))


def place_in(text: str, folder: Path = Path()) -> tuple[Path, int | None]:
    """Parse `app.py:12`: return the file, relative to `folder`, and the line (from 1)."""
    name, colon, number = text.rpartition(":")
    if colon and number.isdecimal() and not (folder / text).exists():
        return Path(name), int(number)
    return Path(text), None


def in_words(author: Author) -> str:
    """Return a short description of an author."""
    step = author.step
    match author.kind:
        case "step" if step is not None and step.turn:
            return f"turn {step.turn}: {step.title or step.prompt}"
        case "step" if step is not None:
            return "outside any turn"
        case "outside":
            return f"outside, after {_minute(author.since)}"
        case "unknown":
            return f"not known, before {_minute(author.until)}" if author.until < inf else "not known"
    return "before the recorded sessions" if author.until < inf else "in no recorded session"


def _minute(at: float) -> str:
    return f"{datetime.fromtimestamp(at):%Y-%m-%d %H:%M}"


def _read(path: Path, journals: Path) -> tuple[bytes, str, list[RecordedStep]]:
    """Return a file's content, its path with links resolved, and its recorded steps; blocking."""
    content, real = plain_bytes(path), followed(path)
    return content, real, sorted(recorded_steps(journals, real), key=lambda one: one.at)


class _Walk:
    """Follows the steps back from the current content of a file."""

    def __init__(
        self, path: str, content: bytes, steps: Sequence[RecordedStep], stores: Path, count: int
    ) -> None:
        self._content = content
        self._steps = steps
        self._stores = stores
        self._opened: dict[str, Snapshots | None] = {}
        self.authors: list[Author | None] = [None] * count
        self._left = [(0, 0, count)] if count else []
        """Lines without an author: (first line now, first line in the content reached, count)."""
        self._path = path
        self._id = _hash(content)
        self._bound = inf
        """The time of the last step; earlier steps follow."""

    async def run(self) -> None:
        """Go back until each line has an author; other tasks run in between."""
        while self._left and self._id:
            await asyncio.sleep(0)
            reached = self._reached()
            if reached is not None:
                if not await self._take(reached):
                    break
            elif not await self._bridge():
                break
        self._give_rest(Author("earlier", until=self._bound))

    def _reached(self) -> RecordedStep | None:
        """Return the step that made the content reached: the one with the highest weight, then the first."""
        same = (one for one in self._before() if one.step.id == self._id)
        return min(same, key=lambda one: (-one.weight, one.at), default=None)

    def _before(self) -> Iterator[RecordedStep]:
        return (one for one in self._steps if one.at < self._bound and one.path == self._path)

    async def _take(self, one: RecordedStep) -> bool:
        """Go back over one step; return False if there is none before it."""
        step, was, hunks = one.step, one.step.was, one.step.hunks
        if was == UNRECORDED:
            was = await self._at_start(one)
        if hunks is None:
            hunks = await self._compared(was, self._id, one)
        self._bound = one.at
        if hunks is None:
            self._give_rest(Author("unknown", one, until=one.at))
            return False
        self._go_back(hunks, Author("step", one))
        self._id = was
        self._path = step.moved_from or self._path
        return True

    async def _bridge(self) -> bool:
        """Go back over changes that no session recorded; return False if there is nothing before them."""
        older = max(self._before(), key=lambda one: one.at, default=None)
        if older is None:
            return False
        hunks = await self._compared(older.step.id, self._id, older)
        if hunks is None:
            self._give_rest(Author("unknown", since=older.at, until=self._bound))
            return False
        self._go_back(hunks, Author("outside", since=older.at, until=self._bound))
        self._id = older.step.id
        return True

    def _go_back(self, hunks: Sequence[Hunk], author: Author) -> None:
        """Assign the new lines of a step to its author, and renumber the others as before the step."""
        left: list[tuple[int, int, int]] = []
        ahead = iter(hunks)
        moved, hunk = 0, next(ahead, _NO_MORE)
        for line, place, count in self._left:
            end = place + count
            while place < end:
                while hunk[3] <= place:
                    moved, hunk = hunk[1] - hunk[3], next(ahead, _NO_MORE)
                _, _, start, stop = hunk
                if start <= place:
                    reach = stop if stop < end else end
                    self._give(line, line + reach - place, author)
                else:
                    reach = start if start < end else end
                    left.append((line, place + moved, reach - place))
                line, place = line + reach - place, reach
        self._left = left

    def _give_rest(self, author: Author) -> None:
        for line, _, count in self._left:
            self._give(line, line + count, author)
        self._left = []

    def _give(self, start: int, stop: int, author: Author) -> None:
        self.authors[start:stop] = [author] * (stop - start)

    async def _compared(self, old: str, new: str, one: RecordedStep) -> tuple[Hunk, ...] | None:
        """Return the hunks between two contents, from the snapshots of a session's folder; None if lost."""
        snapshots = self._snapshots(one.cwd)
        if snapshots is None or old == UNRECORDED:
            return None
        with suppress(SnapshotError):
            if new == _hash(self._content):
                new = await snapshots.add_content(self._content)
            return (await hunks_of(snapshots, [(old, new)]))[0]
        return None

    async def _at_start(self, one: RecordedStep) -> str:
        """Return the content of a file at the start of a session whose journal lacks it."""
        snapshots, found = self._snapshots(one.cwd), None
        if snapshots is not None and one.start and Path(self._path).is_relative_to(snapshots.root):
            with suppress(SnapshotError):
                path = str(Path(self._path).relative_to(snapshots.root))
                found = await snapshots.content_in(one.start, path)
        return UNRECORDED if found is None else found

    def _snapshots(self, cwd: str) -> Snapshots | None:
        """Return the snapshots of a folder, if there are any."""
        if cwd not in self._opened:
            made = Snapshots(self._stores, Path(cwd)) if cwd and Path(cwd).is_dir() else None
            self._opened[cwd] = made if made is not None and made.store.path.is_dir() else None
        return self._opened[cwd]


_NO_MORE: Final = (0, 0, sys.maxsize, sys.maxsize)
"""A hunk after the last line, as a sentinel."""

UNRECORDED: Final = "?"
"""Hash of a content that an older acp-tui did not record."""


def recorded_steps(journals: Path, path: str) -> list[RecordedStep]:
    """Return the recorded changes of a file, also under its earlier names; blocking."""
    found: list[RecordedStep] = []
    looked_for: set[str] = set()
    wanted = {path}
    while new := wanted - looked_for:
        looked_for |= new
        steps = [one for one in _steps_of(journals, new) if one.path in new]
        found += steps
        wanted |= {one.step.moved_from for one in steps if one.step.moved_from}
    return found


def _steps_of(journals: Path, paths: Iterable[str]) -> Iterator[RecordedStep]:
    """Yield the steps of these files in all journals."""
    needles = [_needle(path) for path in paths]
    with suppress(OSError), os.scandir(journals) as entries:
        for entry in entries:
            if entry.name.endswith(".ndjson"):
                data = b""
                with suppress(OSError):
                    data = plain_bytes(Path(entry.path))
                if any(needle in data for needle in needles):
                    yield from _JournalSteps(Path(entry.path), data)


def _needle(path: str) -> bytes:
    """Return the end of a path as it is encoded in a journal."""
    name = os.path.basename(path)  # noqa: PTH119
    try:
        return json.dumps(name, ensure_ascii=False)[1:].encode()
    except UnicodeEncodeError:
        return json.dumps(name)[1:].encode()


class _JournalSteps:
    """Iterates over the steps in a journal, in order."""

    def __init__(self, journal: Path, data: bytes) -> None:
        self._journal = journal
        self._data = data
        start = as_object(_row(data, 0, _end(data, 0)).get("msg"))
        try:
            self._began = datetime.fromisoformat(str(start.get("at"))).timestamp()
        except (ValueError, OverflowError):
            self._began = journal.stat().st_mtime
        self._agent, self._cwd = str(start.get("agent") or ""), str(start.get("cwd") or "")
        self._snapshots: dict[str, tuple[str, str]] = {}
        """The folder of each session, and the snapshot of its start."""
        self._prompts: dict[str, tuple[int, int]] = {}
        """The row of the latest prompt of each session."""
        self._texts: dict[tuple[int, int], str] = {}
        self._latest: dict[tuple[str, str], str] = {}
        """The latest content of each file in each session."""
        self._real = cache(followed)

    def __iter__(self) -> Iterator[RecordedStep]:
        at = 0
        while (found := _ROWS.search(self._data, at)) is not None:
            begin, at = self._data.rfind(b"\n", 0, found.start()) + 1, _end(self._data, found.start())
            row = _row(self._data, begin, at)
            msg = as_object(row.get("msg"))
            session = str(msg.get("session"))
            if row.get("dir") == "out" and msg.get("method") == "session/prompt":
                params = msg.get("params")
                if isinstance(params, dict):
                    self._prompts[str(params.get("sessionId"))] = (begin, at)
            elif row.get("dir") == "note" and "kept" in msg:
                if not msg.get("turn") or session not in self._snapshots:
                    self._snapshots[session] = str(msg.get("cwd") or self._cwd), str(msg["kept"])
            elif row.get("dir") == "note" and isinstance(msg.get("snapped"), list):
                for item in msg["snapped"]:
                    if isinstance(item, dict) and isinstance(item.get("path"), str):
                        yield from self._steps(item, session, float(row["t"]))

    def _steps(self, item: dict[str, Any], session: str, t: float) -> Iterator[RecordedStep]:
        """Yield the step of a file in a row, if its content has changed."""
        key = session, item["path"]
        step = line_step(item) or LineStep(self._latest.get(key, UNRECORDED), str(item.get("id", "")))
        self._latest[key] = step.id
        if step.was == step.id:
            return  # only its mode has changed
        origin: dict[str, Any] = item["origin"] if isinstance(item.get("origin"), dict) else {}
        turn = origin.get("turn") if item.get("outside") is not True else 0
        turn = turn if type(turn) is int else 0
        cwd, snapshot = self._snapshots.get(session, (self._cwd, ""))
        where = self._prompts.get(session, (0, 0))
        yield RecordedStep(
            self._real(item["path"]),
            step._replace(moved_from=self._real(step.moved_from) if step.moved_from else ""),
            self._began + t,
            self._journal,
            t,
            session,
            self._agent,
            cwd,
            turn,
            str(origin.get("tool_call_id", "")) if turn else "",
            str(origin.get("title", "")) if turn else "",
            self._prompt(where) if turn else "",
            snapshot,
            where,
        )

    def _prompt(self, where: tuple[int, int]) -> str:
        """Return the start of a prompt, on one line."""
        if where not in self._texts:
            blocks = as_list(member(_row(self._data, *where), "msg", "params", "prompt"))
            texts = [str(block.get("text") or "") for block in blocks if isinstance(block, dict)]
            self._texts[where] = " ".join(" ".join(texts)[: 2 * _PROMPT].split())[:_PROMPT]
        return self._texts[where]


def _row(data: bytes, start: int, end: int) -> dict[str, Any]:
    try:
        row = frames.read(data[start:end])
        float(row["t"])
    except (ValueError, KeyError, TypeError):
        return {}
    return as_object(row)


def _end(data: bytes, start: int) -> int:
    """Return the offset after a row."""
    end = data.find(b"\n", start)
    return len(data) if end < 0 else end + 1


def _hash(content: bytes) -> str:
    """Return git's hash of a content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _runs(authors: Sequence[Author | None]) -> Iterator[Run]:
    at = 0
    for author, lines in groupby(authors):
        count = len(list(lines))
        yield Run(author or Author("earlier"), at, at + count)
        at += count
