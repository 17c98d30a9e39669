"""Git patches of version 2 of the protocol, cut into the changes of its files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from acp_tui.patterns import regex
from acp_tui.protocol.unread import UNTOLD

_HUNK: Final = regex(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_NEW_NAMES: Final = ("+++ ", "rename to ", "copy to ")
_NOWHERE: Final = "/dev/null"
_HEAD: Final = regex(
    r"diff --git |index [0-9a-f]+\.\.[0-9a-f]+|(?:---|\+\+\+) |(?:dis)?similarity index "
    r"|(?:rename|copy) (?:from|to) |new file mode 100644$|deleted file mode |\s*$"
)
"""A line of a head that changes nothing but what the changes name."""
_DIFF: Final = ("type", "changes", "patch", "_meta")
_CHANGE: Final = frozenset(("operation", "path", "oldPath", "fileType", "_meta"))


@dataclass(slots=True)
class _FilePatch:
    """The part of a patch about one file."""

    old_name: str = ""
    new_name: str = ""
    hunks: list[tuple[str, str]] = field(default_factory=list)
    """(old lines, new lines) of each hunk, with unchanged context."""
    odd: list[str] = field(default_factory=list)
    """Lines that tell something else."""

    def is_about(self, path: str) -> bool:
        """Return whether a path ends with the name of its file."""
        return bool(self.name) and path.endswith(f"/{self.name.removeprefix('/')}")

    @property
    def name(self) -> str:
        """The name of its file; the new one if it was moved."""
        return self.new_name if self.new_name not in ("", _NOWHERE) else self.old_name

    def take_name(self, line: str) -> None:
        """Take the name from a header line, if it has one; `a/` or `b/` may precede it."""
        if line.startswith("--- "):
            self.old_name = _name(line[4:])
        for start in _NEW_NAMES:
            if line.startswith(start):
                self.new_name = _name(line[len(start) :])


def changed_parts(diff: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the changes of a diff in version 1: one for each hunk, or one without text.

    The paths come from `changes`; the patch is read only for lines. What else it holds is in the field
    `untold` of the first one, so that no question hides it.
    """
    patch, untold = diff.get("patch"), [name for name in diff if name not in _DIFF]
    is_read = isinstance(patch, dict) and patch.get("format") == "git_patch"
    text = patch.get("text") if is_read and isinstance(patch, dict) else None
    changes = [
        each for each in diff["changes"] if isinstance(each, dict) and isinstance(each.get("path"), str)
    ]
    untold += [each for each in diff["changes"] if each not in changes or not each.keys() <= _CHANGE]
    files = list(_files(text)) if isinstance(text, str) else []
    if patch is not None and not isinstance(text, str):
        untold.append(patch)
    found: list[dict[str, Any]] = []
    shown: list[_FilePatch] = []
    for number, change in enumerate(changes):
        about = [each for each in files if each.is_about(change["path"])]
        longest = max((len(each.name) for each in about), default=0)
        about = [each for each in about if len(each.name) == longest]
        if not about and len(files) == len(changes) and not _is_known(files[number], changes):
            about = [files[number]]
            untold += [each.name for each in about if each.name]  # another name than the change has
        shown += about
        found += _parts(change, [hunk for each in about for hunk in each.hunks])
    untold += [each.name or "a part without a name" for each in files if each not in shown]
    untold += [line for each in files for line in each.odd]
    if untold and found:
        found[0][UNTOLD] = untold
    return found or [diff]


def _is_known(part: _FilePatch, changes: Sequence[dict[str, Any]]) -> bool:
    return any(part.is_about(change["path"]) for change in changes)


def _parts(change: dict[str, Any], hunks: list[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    told: dict[str, Any] = {"type": "diff", "path": change["path"]}
    told["operation"] = str(change.get("operation") or "modify")
    if isinstance(change.get("oldPath"), str):
        told["oldPath"] = change["oldPath"]
    if not hunks:
        yield {**told, "newText": ""}
    for old, new in hunks:
        is_new = told["operation"] == "add" and not old
        yield {**told, "oldText": None if is_new else old, "newText": new}


def _files(patch: str) -> Iterator[_FilePatch]:
    """Yield the parts of a patch, one for each file."""
    part: _FilePatch | None = None
    lines = patch.removesuffix("\n").split("\n")
    at, has_hunks = 0, False
    while at < len(lines):
        line = lines[at]
        begins = line.startswith("diff --git ") or (line.startswith("--- ") and (part is None or has_hunks))
        if begins or part is None:
            if part is not None:
                yield part
            part, has_hunks = _FilePatch(), False
        found = _HUNK.match(line)
        if found is not None:
            counts = int(found[1] or 1), int(found[2] or 1)
            hunk, at = _hunk(lines, at + 1, *counts)
            part.hunks.append(hunk)
            if tuple(text.count("\n") + (text[-1:] not in ("\n", "")) for text in hunk) != counts:
                part.odd.append(line)
            has_hunks = True
            continue
        part.take_name(line)
        if _HEAD.match(line) is None:
            part.odd.append(line)
        at += 1
    if part is not None:
        yield part


def _name(text: str) -> str:
    name = text.partition("\t")[0].strip()
    return re.sub(r"^[ab]/", "", name)


def _hunk(lines: list[str], at: int, old_count: int, new_count: int) -> tuple[tuple[str, str], int]:
    """Return the old and new text of a hunk, and the index of the line after it."""
    old: list[str] = []
    new: list[str] = []
    while at < len(lines) and (len(old) < old_count or len(new) < new_count):
        mark, line = lines[at][:1], lines[at][1:] + "\n"
        if mark == "\\":
            _cut(lines[at - 1][:1], old, new)
        elif mark in ("-", "+", " ", ""):
            if mark != "+":
                old.append(line)
            if mark != "-":
                new.append(line)
        else:
            break
        at += 1
    if at < len(lines) and lines[at].startswith("\\"):
        _cut(lines[at - 1][:1], old, new)
        at += 1
    return ("".join(old), "".join(new)), at


def _cut(mark: str, old: list[str], new: list[str]) -> None:
    """Remove the newline of the last line: the file has none there."""
    for texts in (old, new):
        is_meant = mark not in ("-", "+") or texts is (old if mark == "-" else new)
        if is_meant and texts:
            texts[-1] = texts[-1].removesuffix("\n")
