"""Rule files: `rules.toml` in the config folder and `.acp-tui/rules.toml` in a workspace."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, Final, get_args

import tomlkit
import tomlkit.exceptions
import tomlkit.items

from acp_tui.formatting import expand_home, from_home
from acp_tui.lazy_regex import regex
from acp_tui.rules import command_rules, path_rules
from acp_tui.rules.model import TOOL_KINDS, Decision, Rule
from acp_tui.rules.trusted_files import contents
from acp_tui.store import toml_check
from acp_tui.store.plain_files import write_whole
from acp_tui.store.toml_check import Place, Problem, line_of

NAME: Final = "rules.toml"
WORKSPACE_FILE: Final = Path(".acp-tui") / NAME


@dataclass(frozen=True)
class RuleFile:
    """The content of a rule file when it was read."""

    path: Path
    rules: tuple[Rule, ...] = ()
    problems: tuple[Problem, ...] = ()
    digest: str = ""
    """The SHA-256 of its bytes; empty for a missing file."""
    is_readable: bool = True
    """False if its rules are unknown."""


def load(path: Path) -> RuleFile:
    """Return the rules of a file; a missing file has none.

    A rule with a mistake only asks. An unreadable file makes everything ask, since it may have denied
    anything.
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
        if _LONG_KEY.search(text):
            return _unreadable(path, None, "not valid here: a key has too many parts", digest)
        tables = tomllib.loads(text)
    except UnicodeDecodeError:
        return _unreadable(path, None, "not text in UTF-8", digest)
    except (ValueError, RecursionError) as error:  # tomllib has no error of its own for endless numbers
        found = _TOML_LINE.search(str(error))
        message = f"not valid TOML: {_TOML_LINE.sub('', str(error))}"
        return _unreadable(path, int(found[1]) if found else None, message, digest)
    return _read(path, text, tables, digest)


def signature(path: Path) -> tuple[int, ...]:
    """Return a tuple that changes whenever a file is written; empty for a missing file."""
    try:
        state = path.stat()
    except OSError:
        return ()
    return (state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino)


_LONG_KEY: Final = regex(r"(?:[\w\"'-]++[ \t]*+\.[ \t]*+){100}")
"""A dotted key that takes seconds to parse: the time grows with the square of its parts."""
_TOML_LINE: Final = regex(r" \(at line (\d+), column \d+\)$")


def _unreadable(path: Path, line: int | None, message: str, digest: str) -> RuleFile:
    mistake = f"{message}; everything is asked until this is fixed"
    rule = Rule("ask", file=path, where=_where(path, line), mistake=mistake)
    return RuleFile(path, (rule,), (Problem(path, line, rule.mistake),), digest, is_readable=False)


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
        findings = toml_check.Findings()
        place: Place = ("rules", number)
        rule, line = _rule(table, place, findings), line_of(text, place)
        rule = replace(rule, file=path, number=number, where=_where(path, line))
        lines = [(line_of(text, place), message) for place, message in findings.items]
        problems += [Problem(path, line, f"{message}{_and_so(message)}") for line, message in lines]
        rules.append(replace(rule, mistake="; ".join(message for _, message in lines)))
    return RuleFile(path, tuple(rules), tuple(problems), digest)


def _rule(table: Any, place: Place, findings: toml_check.Findings) -> Rule:
    """Return a rule; with a mistake, it keeps its valid conditions and asks."""
    try:
        usable = toml_check.read_table(table, _KINDS, place, findings)
    except toml_check.ShapeError as wrong:
        findings.add(place, f"a rule must be {wrong}")
        return Rule("ask")
    if "decision" not in usable and "decision" not in table:
        findings.add(place, "a decision is missing: allow, ask or deny")
    command = usable.get("command")
    mistake = command_rules.prefix_mistake(command) if command is not None and not findings.items else ""
    if mistake:
        findings.add(place, mistake)
        del usable["command"]  # it is not known which commands were meant
    return Rule(**{**usable, **({"decision": "ask"} if findings.items else {})})


def _where(path: Path, line: int | None) -> str:
    return from_home(str(path) if line is None else f"{path}:{line}")


def _filled(value: Any, place: Place, findings: toml_check.Findings) -> str:
    if not isinstance(value, str) or not value.strip():
        raise toml_check.ShapeError("a non-empty string")
    return value


def _folder(value: Any, place: Place, findings: toml_check.Findings) -> str:
    found = expand_home(_filled(value, place, findings))
    if not found.startswith("/"):
        raise toml_check.ShapeError("an absolute path, from / or ~")
    return os.path.normpath(found)


def _glob(value: Any, place: Place, findings: toml_check.Findings) -> str:
    found = _filled(value, place, findings)
    mistake = path_rules.glob_mistake(found)
    if mistake:
        raise toml_check.ShapeError(f"a path without {mistake}")
    return expand_home(found)


def _moment(value: Any, place: Place, findings: toml_check.Findings) -> datetime:
    """Parse a time, or a date as the end of that day; without a zone it is local."""
    try:
        if isinstance(value, datetime):
            return value.astimezone()
        if isinstance(value, date):
            return datetime.combine(value, time.max).astimezone()
    except (ValueError, OverflowError):  # the first or the last year
        raise toml_check.ShapeError("a time between the years 2 and 9998") from None
    raise toml_check.ShapeError("a date such as 2030-12-31, or a date and time such as 2030-12-31T18:00:00")


_KINDS: Final[Mapping[str, toml_check.Kind]] = {
    "decision": toml_check.one_of(*get_args(Decision)),
    "agent": _filled,
    "tool_kind": toml_check.one_of(*TOOL_KINDS),
    "tool_name": _filled,
    "path": _glob,
    "command": _filled,
    "mode": _filled,
    "workspace": _folder,
    "expires": _moment,
    "note": toml_check.text,
}


def _and_so(message: str) -> str:
    """Append the consequence of a mistake to its message."""
    return " This rule asks." if message.endswith("?") else "; this rule asks"


_FIELDS: Final = (
    *("decision", "agent", "tool_kind", "tool_name", "command", "path", "mode"),
    *("workspace", "expires", "note"),
)

_HEAD: Final = """\
# Permission rules. Deny wins over ask, ask over allow; a missing key matches anything.
"""


class CannotWrite(Exception):
    """A rule file cannot be changed; the message says why and what to do."""


def add(path: Path, rule: Rule) -> bytes | None:
    """Append a rule; return the bytes of the file before, None for a missing file.

    Raises:
        CannotWrite.
    """
    before, document = _open(path)
    _rules(document).append(_table(rule))
    return _close(path, before, document)


def change(file: RuleFile, old: Rule, rule: Rule) -> bytes | None:
    """Replace a rule; return the bytes of the file before.

    Raises:
        CannotWrite.
    """
    before, document = _open_unchanged(file)
    table = _rules(document)[_place(document, old)]
    new = _table(rule)
    for name in _FIELDS:
        if name not in new:
            table.pop(name, None)
        elif name not in table or getattr(rule, name) != getattr(old, name):
            table[name] = new[name]
    return _close(file.path, before, document)


def remove(file: RuleFile, rule: Rule) -> bytes | None:
    """Remove a rule; return the bytes of the file before.

    Raises:
        CannotWrite.
    """
    before, document = _open_unchanged(file)
    _rules(document).pop(_place(document, rule))
    return _close(file.path, before, document)


def put_back(path: Path, before: bytes | None, now: str) -> None:
    """Undo a change: write the bytes from before, if the file still has the digest `now`.

    Raises:
        CannotWrite: it was changed since.
    """
    if load(path).digest != now:
        raise CannotWrite(f"{path} was changed by another program since; edit it there.")
    _write(path, before if before is not None else b"")


def _open(path: Path) -> tuple[bytes | None, tomlkit.TOMLDocument]:
    try:
        data = contents(path)
    except (FileNotFoundError, NotADirectoryError):
        return None, tomlkit.parse(_HEAD)
    except OSError as error:
        raise CannotWrite(f"{path} cannot be read: {error.strerror}.") from None
    try:
        return data, tomlkit.parse(data)
    except (tomlkit.exceptions.TOMLKitError, ValueError) as error:
        raise CannotWrite(f"{path} is not valid TOML ({error}); fix it first.") from None


def _open_unchanged(file: RuleFile) -> tuple[bytes | None, tomlkit.TOMLDocument]:
    """Open a file that is still as it was read: a rule is identified by its position."""
    if load(file.path).digest != file.digest:
        raise CannotWrite(f"{file.path} was changed by another program meanwhile; check its rules again.")
    return _open(file.path)


def _place(document: tomlkit.TOMLDocument, rule: Rule) -> int:
    """Return the position of a rule in its file."""
    if rule.number >= len(_rules(document)):
        raise CannotWrite(f"{rule.file} no longer contains this rule.")
    return rule.number


def _rules(document: tomlkit.TOMLDocument) -> tomlkit.items.AoT:
    """Return the array of `[[rules]]`, created if it is missing."""
    found = document.get("rules")
    if found is None:
        found = tomlkit.aot()
        document.append("rules", found)
        found = document["rules"]
    if not isinstance(found, tomlkit.items.AoT):
        raise CannotWrite("The rules of this file are not written as [[rules]]; edit it in an editor.")
    return found


def _table(rule: Rule) -> tomlkit.items.Table:
    table = tomlkit.table()
    for name in _FIELDS:
        value = getattr(rule, name)
        if value not in (None, ""):
            table.append(name, value.replace(microsecond=0) if name == "expires" else value)
    return table


def _close(path: Path, before: bytes | None, document: tomlkit.TOMLDocument) -> bytes | None:
    _write(path, tomlkit.dumps(document).encode())
    return before


def _write(path: Path, data: bytes) -> None:
    try:
        write_whole(path, data)
    except OSError as error:
        raise CannotWrite(f"{path} cannot be written: {error.strerror}.") from None
