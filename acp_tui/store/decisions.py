"""The decision log: requests and answers, one JSON object per line, the latest last.

A row is `{"at", "session", "agent", "workspace", "tool_call", "kind", "title", "command", "paths", "options",
"chosen", "by", "detail", "waited", "inputs", "unasked", "led_to", "again", "tool", "subagent"}`; see
`Decision`.
All agents and running programs share the log.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import MISSING, asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from acp_tui.store.folders import private_folder
from acp_tui.store.journal import MASK, SECRET_LENGTH
from acp_tui.store.plain_files import NO_ROOM, append, locked, plain_bytes
from acp_tui.store.redaction import mask_tokens
from acp_tui.store.toml_check import Problem

NAME: Final = "decisions.ndjson"
OVERWRITE: Final = "overwrite"
"""Kind of a stale write; not a kind of tool."""
SIZE: Final = 2 << 20
"""Bytes after which the log is rotated."""
KEPT: Final = 4
"""Number of rotated files."""
AGE: Final = 400 * 86_400.0
"""Seconds after which a rotated file is deleted."""
_TEXT: Final = 4000
"""Characters kept of a title or command."""
_LOOKED_AT: Final = 16 * _TEXT
"""Characters searched for secrets, well beyond `_TEXT`."""
_PATHS: Final = 50
_HELD: Final = 1000
"""Maximum number of decisions held until there is disk space."""


@dataclass(frozen=True, slots=True)
class OfferedOption:
    """An option as offered by the agent."""

    id: str
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Decision:
    """A request, explicit or implicit, and the decision on it."""

    at: str
    """Time of the answer: ISO 8601, UTC."""
    session: str
    agent: str
    workspace: str
    tool_call: str
    kind: str
    title: str
    command: str | None
    paths: tuple[str, ...]
    options: tuple[OfferedOption, ...]
    chosen: OfferedOption | None
    """None if cancelled."""
    by: str
    """person, rule, policy, cancelled, withdrawn, agent ended or nobody."""
    detail: str
    """The key, rule or policy, or the reason for its end."""
    waited: float
    """Seconds from question to answer."""
    inputs: tuple[str, ...] = ()
    """Absolute paths named only by the tool's input; empty in older rows."""
    unasked: bool = False
    """True if the agent acted without a permission request."""
    led_to: tuple[str, ...] = ()
    """Real paths of files and of the folder of a command, if they differ because of links."""
    again: bool = False
    """True if it was asked again because its path led elsewhere; the earlier answer had no effect."""
    tool: str = ""
    """The tool's name in the agent, if the agent sent it."""
    subagent: str = ""
    """Name of the subagent that asked."""

    @property
    def is_allowed(self) -> bool:
        """True if the call was allowed."""
        return self.chosen is not None and self.chosen.kind.startswith("allow")

    @property
    def time(self) -> datetime:
        """Time of the answer."""
        return datetime.fromisoformat(self.at)


class DecisionLog:
    """Appends to the log. It never raises: `problem` is the reason for a missing decision.

    Unwritten decisions are written with the next one.
    """

    def __init__(
        self, path: Path | None, secrets: Iterable[str] = (), clock: Callable[[], float] = time.time
    ) -> None:
        """Use a file (None: keep nothing), and mask the secrets."""
        self.path = path
        self.problem: Problem | None = None
        self.lacks_room = False
        """True if the only problem is a full disk."""
        self._held: list[bytes] = []
        """Unwritten lines, oldest first."""
        self._secrets = sorted({one for one in secrets if len(one) >= SECRET_LENGTH}, key=len, reverse=True)
        self._clock = clock

    def add(self, decision: Decision) -> None:
        """Write a decision."""
        if self.path is None:
            return
        self._held.append(json.dumps(self._row(decision)).encode() + b"\n")
        self.write_held()

    def write_held(self) -> None:
        """Try again to write the unwritten lines."""
        if self.path is None or not self._held:
            return
        try:
            private_folder(self.path.parent)
            with locked(self.path):
                if self._is_full():
                    self._begin_anew()
                append(self.path, b"".join(self._held), follows=False)
        except OSError as error:
            del self._held[:-_HELD]
            self.lacks_room = error.errno in NO_ROOM
            self.problem = Problem(
                self.path, None, f"the decision log cannot be written: {error.strerror or error}"
            )
        else:
            self._held.clear()
            self.problem, self.lacks_room = None, False

    def masked(self, text: str) -> str:
        """Return a text as it appears in the log."""
        text = text[:_LOOKED_AT]
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        text = mask_tokens(text, MASK)
        return text if len(text) <= _TEXT else f"{text[:_TEXT]}…"

    def _row(self, decision: Decision) -> dict[str, Any]:
        row = asdict(decision)
        for name in ("title", "tool", "subagent"):
            row[name] = self.masked(row[name])
        row["command"] = None if decision.command is None else self.masked(decision.command)
        for name in ("paths", "inputs", "led_to"):
            row[name] = [self.masked(path) for path in row[name][:_PATHS]]
        for option in (*row["options"], *([row["chosen"]] if row["chosen"] else ())):
            option["name"] = self.masked(option["name"])
        return row

    def _is_full(self) -> bool:
        assert self.path is not None
        try:
            return self.path.stat().st_size >= SIZE
        except FileNotFoundError:
            return False

    def _begin_anew(self) -> None:
        """Rotate the files; delete those beyond the number or age limit."""
        assert self.path is not None
        for number in range(KEPT, 0, -1):
            older = _numbered(self.path, number)
            with suppress(FileNotFoundError):
                if number == KEPT or self._clock() - older.stat().st_mtime > AGE:
                    older.unlink()
                else:
                    older.replace(_numbered(self.path, number + 1))
        self.path.replace(_numbered(self.path, 1))


class Decisions(Iterator[Decision]):
    """All decisions of a log, newest first; unreadable lines are counted and skipped."""

    def __init__(self, path: Path, holding: str = "") -> None:
        """Read all files; `holding` selects lines that contain a text in its JSON form.

        Raises:
            OSError: a file cannot be read. (A missing log is empty.)
        """
        self.broken = 0
        self._needle = json.dumps(holding)[1:-1].encode()
        self._files = [each for each in files(path) if each.exists()]
        self._lines = (
            line for file in self._files for line in _newest_first(plain_bytes(file), self._needle)
        )

    def __next__(self) -> Decision:
        """Return the next older decision."""
        for line in self._lines:
            decision = _decision(line)
            if decision is not None:
                return decision
            self.broken += bool(line.strip())
        raise StopIteration


def files(path: Path) -> list[Path]:
    """Return the paths of a log's files, newest first, existing or not."""
    return [path, *(_numbered(path, number) for number in range(1, KEPT + 1))]


def now() -> str:
    """Return the current time as in a decision."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}.{number}{path.suffix}")


def _newest_first(data: bytes, needle: bytes) -> Iterator[bytes]:
    """Yield the lines that contain `needle`, from the end."""
    end = len(data)
    while end > 0:
        found = data.rfind(needle, 0, end) if needle else end - 1
        if found < 0:
            return
        start = data.rfind(b"\n", 0, found) + 1
        stop = data.find(b"\n", found)
        yield data[start : stop if stop >= 0 else len(data)]
        end = start - 1 if start else 0


_NAMES: Final = frozenset(field.name for field in fields(Decision) if field.default is MISSING)


def _decision(line: bytes) -> Decision | None:
    """Parse a row, or return None."""
    try:
        row = json.loads(line)
        values = {name: row[name] for name in _NAMES}
        datetime.fromisoformat(values["at"])
        chosen = None if values["chosen"] is None else OfferedOption(**values["chosen"])
        return Decision(
            **{
                **values,
                "paths": tuple(values["paths"]),
                "inputs": tuple(row.get("inputs", ())),
                "led_to": tuple(row.get("led_to", ())),
                "unasked": bool(row.get("unasked", False)),
                "again": bool(row.get("again", False)),
                "tool": str(row.get("tool", "")),
                "subagent": str(row.get("subagent", "")),
                "options": tuple(OfferedOption(**option) for option in values["options"]),
                "chosen": chosen,
            }
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
