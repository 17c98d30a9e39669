"""Writes the person's rules into their files, and leaves all else there as it is: order, comments, blanks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from acp_tui.store import rules
from acp_tui.store.rules import RuleFile, WrittenRule
from acp_tui.store.shared_json import write_whole

if TYPE_CHECKING:
    from tomlkit import TOMLDocument
    from tomlkit.items import AoT, Table

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
    if rules.load(path).digest != now:
        raise CannotWrite(f"{path} was changed by something else since; edit it there.")
    _write(path, before if before is not None else b"")


def _open(path: Path) -> tuple[bytes | None, TOMLDocument]:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        data = rules.contents(path)
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
    if rules.load(file.path).digest != file.digest:
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
