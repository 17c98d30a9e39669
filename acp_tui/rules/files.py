"""Files of the person's rules: `rules.toml` in the config folder, `.acp-tui/rules.toml` in a workspace."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from acp_tui.store import shape
from acp_tui.store.folders import Problem, SharedJson, write_whole
from acp_tui.store.shape import Place, line_of

if TYPE_CHECKING:
    from tomlkit import TOMLDocument
    from tomlkit.items import AoT, Table


NAME: Final = "rules.toml"
WORKSPACE_FILE: Final = Path(".acp-tui") / NAME

TOOL_KINDS: Final = (
    "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other",
)  # fmt: skip

Decision = Literal["allow", "ask", "deny"]

_LARGEST: Final = 1 << 20
"""Bytes of a file of rules that are read."""


@dataclass(frozen=True)
class WrittenRule:
    """One rule as it stands in a file; a field that is None matches anything."""

    decision: Decision = "ask"
    agent: str | None = None
    tool_kind: str | None = None
    path: str | None = None
    """A glob; `**` matches folders, too."""
    command: str | None = None
    """The first words of a command."""
    mode: str | None = None
    workspace: str | None = None
    """The only folder that it is for, absolute."""
    expires: datetime | None = None
    """When it ends to count, with a time zone."""
    note: str = ""
    """The person's own remark."""
    file: Path | None = None
    number: int = 0
    """Its position in the file, from 0."""
    line: int | None = None
    mistake: str = ""
    """What is wrong with it, if anything: then it only asks."""

    @property
    def where(self) -> str:
        """Where it stands, as `file:line`."""
        return str(self.file) if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True)
class RuleFile:
    """One file of rules as it is now."""

    path: Path
    rules: tuple[WrittenRule, ...] = ()
    problems: tuple[Problem, ...] = ()
    digest: str = ""
    """Of its bytes; empty where there is no file."""


def load(path: Path) -> RuleFile:
    """Return the rules of a file; a missing file has none.

    A rule with a mistake only asks, and so does everything when the file cannot be read at all: what it may
    have forbidden is not known.
    """
    try:
        data = contents(path)
    except (FileNotFoundError, NotADirectoryError):
        return RuleFile(path)
    except OSError as error:
        return _unreadable(path, None, f"cannot be read ({error.strerror})", "")
    digest = hashlib.sha256(data).hexdigest()
    try:
        text = data.decode("utf-8-sig")
        tables = tomllib.loads(text)
    except UnicodeDecodeError:
        return _unreadable(path, None, "not text in UTF-8", digest)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = _TOML_LINE.search(str(error))
        message = f"not valid TOML: {_TOML_LINE.sub('', str(error))}"
        return _unreadable(path, int(found[1]) if found else None, message, digest)
    return _read(path, text, tables, digest)


def contents(path: Path) -> bytes:
    """Return the bytes of a file of rules, which may come with a workspace and be anything.

    Raises:
        OSError: it cannot be read, is no plain file (a pipe would never end), or is far too large.
    """
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no plain file")
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise OSError(errno.EFBIG, "it is larger than 1 MB")
    return data


def signature(path: Path) -> tuple[int, ...]:
    """Return what changes when a file is written; empty where there is none."""
    try:
        state = path.stat()
    except OSError:
        return ()
    return (state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino)


_TOML_LINE: Final = re.compile(r" \(at line (\d+), column \d+\)$")


def _unreadable(path: Path, line: int | None, message: str, digest: str) -> RuleFile:
    rule = WrittenRule(file=path, line=line, mistake=f"{message}; everything is asked until that is mended")
    return RuleFile(path, (rule,), (Problem(path, line, rule.mistake),), digest)


def _read(path: Path, text: str, tables: Mapping[str, Any], digest: str) -> RuleFile:
    problems: list[Problem] = []
    for name in tables:
        if name != "rules":
            message = f"unknown setting '{name}'; a rule begins with [[rules]]"
            problems.append(Problem(path, line_of(text, (name,)), message))
    written = tables.get("rules", [])
    if not isinstance(written, list):
        return _unreadable(path, line_of(text, ("rules",)), "'rules' must be a list: write [[rules]]", digest)
    rules = []
    for number, table in enumerate(written):
        findings = shape.Findings()
        place: Place = ("rules", number)
        rule = replace(_rule(table, place, findings), file=path, number=number, line=line_of(text, place))
        lines = [(line_of(text, place), message) for place, message in findings.items]
        problems += [Problem(path, line, f"{message}{_and_so(message)}") for line, message in lines]
        rules.append(replace(rule, mistake="; ".join(message for _, message in lines)))
    return RuleFile(path, tuple(rules), tuple(problems), digest)


def _rule(table: Any, place: Place, findings: shape.Findings) -> WrittenRule:
    """Return a rule; one with a mistake keeps the conditions that can be read, and asks."""
    try:
        usable = shape.read_table(table, _KINDS, place, findings)
    except shape.ShapeError as wrong:
        findings.add(place, f"a rule must be {wrong}")
        return WrittenRule()
    if "decision" not in usable and "decision" not in table:
        findings.add(place, "a decision is missing: allow, ask or deny")
    return WrittenRule(**{**usable, **({"decision": "ask"} if findings.items else {})})


def _filled(value: Any, place: Place, findings: shape.Findings) -> str:
    if not isinstance(value, str) or not value.strip():
        raise shape.ShapeError("a text that is not empty")
    return value


def _folder(value: Any, place: Place, findings: shape.Findings) -> str:
    found = os.path.expanduser(_filled(value, place, findings))  # noqa: PTH111 - "~" only, links stay
    if not found.startswith("/"):
        raise shape.ShapeError("a whole path, from / or ~")
    return os.path.normpath(found)


def _glob(value: Any, place: Place, findings: shape.Findings) -> str:
    found = _filled(value, place, findings)
    if {"..", "."} & set(found.split("/")):
        raise shape.ShapeError("a path without . and ..")
    return os.path.expanduser(found)  # noqa: PTH111


def _moment(value: Any, place: Place, findings: shape.Findings) -> datetime:
    """Read a date, which counts to the end of that day, or a moment; without a zone it is meant here."""
    if isinstance(value, datetime):
        return value.astimezone()
    if isinstance(value, date):
        return datetime.combine(value, time.max).astimezone()
    raise shape.ShapeError("a date such as 2030-12-31, or a date and time such as 2030-12-31T18:00:00")


_KINDS: Final[Mapping[str, shape.Kind]] = {
    "decision": shape.one_of(*get_args(Decision)),
    "agent": _filled,
    "tool_kind": shape.one_of(*TOOL_KINDS),
    "path": _glob,
    "command": _filled,
    "mode": _filled,
    "workspace": _folder,
    "expires": _moment,
    "note": shape.text,
}


def _and_so(message: str) -> str:
    """Return how a message about a rule goes on: what comes of the mistake."""
    return " This rule asks." if message.endswith("?") else "; this rule asks"


_FIELDS: Final = ("decision", "agent", "tool_kind", "command", "path", "mode", "workspace", "expires", "note")

_HEAD: Final = """\
# What agents may do unasked. Deny wins over ask, ask over allow; a key that is left out matches anything.
"""


class CannotWrite(Exception):
    """A file of rules cannot be changed; the text says why and what to do."""


def add(path: Path, rule: WrittenRule) -> bytes | None:
    """Put a rule behind all others; return what the file held before, None without one.

    Raises:
        CannotWrite.
    """
    before, document = _open(path)
    _rules(document).append(_table(rule))
    return _close(path, before, document)


def change(file: RuleFile, old: WrittenRule, rule: WrittenRule) -> bytes | None:
    """Put a rule in the place of another; return what the file held before.

    Raises:
        CannotWrite.
    """
    before, document = _open_unchanged(file)
    table = _rules(document)[old.number]
    new = _table(rule)
    for name in _FIELDS:
        if name not in new:
            table.pop(name, None)
        elif name not in table or getattr(rule, name) != getattr(old, name):
            table[name] = new[name]
    return _close(file.path, before, document)


def remove(file: RuleFile, rule: WrittenRule) -> bytes | None:
    """Take a rule out; return what the file held before.

    Raises:
        CannotWrite.
    """
    before, document = _open_unchanged(file)
    _rules(document).pop(rule.number)
    return _close(file.path, before, document)


def put_back(path: Path, before: bytes | None, now: str) -> None:
    """Undo a change: write what a file held before, if it still has the digest `now`.

    Raises:
        CannotWrite: it was changed since.
    """
    if load(path).digest != now:
        raise CannotWrite(f"{path} was changed by something else since; edit it there.")
    _write(path, before if before is not None else b"")


def _open(path: Path) -> tuple[bytes | None, TOMLDocument]:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        data = contents(path)
    except (FileNotFoundError, NotADirectoryError):
        return None, tomlkit.parse(_HEAD)
    except OSError as error:
        raise CannotWrite(f"{path} cannot be read: {error.strerror}.") from None
    try:
        return data, tomlkit.parse(data)
    except (TOMLKitError, ValueError) as error:
        raise CannotWrite(f"{path} is not valid TOML ({error}); mend it first.") from None


def _open_unchanged(file: RuleFile) -> tuple[bytes | None, TOMLDocument]:
    """Return what a file holds, if that is what was read from it: a rule is known by its position."""
    if load(file.path).digest != file.digest:
        raise CannotWrite(f"{file.path} was changed by something else meanwhile; look at its rules again.")
    return _open(file.path)


def _rules(document: TOMLDocument) -> AoT:
    """Return the array of rules, which becomes one of `[[rules]]` if it is missing."""
    import tomlkit
    from tomlkit.items import AoT

    found = document.get("rules")
    if found is None:
        found = tomlkit.aot()
        document.append("rules", found)
        found = document["rules"]
    if not isinstance(found, AoT):
        raise CannotWrite("The rules of this file are not written as [[rules]]; edit it in an editor.")
    return found


def _table(rule: WrittenRule) -> Table:
    import tomlkit

    table = tomlkit.table()
    for name in _FIELDS:
        value = getattr(rule, name)
        if value not in (None, ""):
            table.append(name, value.replace(microsecond=0) if name == "expires" else value)
    return table


def _close(path: Path, before: bytes | None, document: TOMLDocument) -> bytes | None:
    import tomlkit

    _write(path, tomlkit.dumps(document).encode())
    return before


def _write(path: Path, data: bytes) -> None:
    try:
        write_whole(path, data)
    except OSError as error:
        raise CannotWrite(f"{path} cannot be written: {error.strerror}.") from None


TRUST_NAME: Final = "trusted-rules.json"


class Trust:
    """The files that are trusted: a path, and the digest of the bytes that the person saw."""

    def __init__(self, path: Path) -> None:
        self._file = SharedJson(path)

    def has(self, file: Path, digest: str) -> bool:
        """Return whether a file is trusted as it is."""
        return bool(digest) and self._read().get(str(file)) == digest

    def give(self, file: Path, digest: str) -> None:
        """Trust a file as it is now.

        Raises:
            OSError: that cannot be written down.
        """
        self._file.change(lambda found: {**_trusted(found), str(file): digest})

    def take(self, file: Path) -> None:
        """Trust a file no longer.

        Raises:
            OSError: that cannot be written down.
        """
        self._file.change(
            lambda found: {name: digest for name, digest in _trusted(found).items() if name != str(file)}
        )

    def _read(self) -> dict[str, str]:
        try:
            return _trusted(self._file.read())
        except OSError:
            return {}  # nothing is trusted: the person is asked once more


def _trusted(found: object) -> dict[str, str]:
    return found if isinstance(found, dict) else {}
