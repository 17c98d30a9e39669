"""Git patches of version 2 of the protocol, cut into the changes of its files."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from acp_tui.lazy_regex import regex
from acp_tui.protocol.unknown_parts import UNTOLD

_HUNK: Final = regex(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_NAMES: Final = ("--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to ")
_NEW_NAMES: Final = ("+++ ", "rename to ", "copy to ")
_NOWHERE: Final = "/dev/null"
_HARMLESS: Final = regex(
    r"(?:index [0-9a-f]+\.\.[0-9a-f]+(?: 100(?:644|755))?|(?:dis)?similarity index \d+%|\s*)$"
)
"""A line of a head that changes nothing."""
_MODES: Final = {
    "new file mode 100644": ("add", "copy"),
    "deleted file mode 100644": ("delete",),
    "deleted file mode 100755": ("delete",),
}
"""Lines of a head that say no more than these operations."""
_DIFF: Final = ("type", "changes", "patch", "_meta")
_CHANGE: Final = frozenset(("operation", "path", "oldPath", "fileType", "_meta"))
_WITH_TEXT: Final = (None, "", "modify", "add")
"""Operations that need lines; a file that is added may be empty."""
_LONGEST: Final = 4_096
"""Characters of the longest path that is looked for in a patch."""
_DEEPEST: Final = 100
"""Steps at the end of such a path."""
_MOST_CHANGES: Final = 1_000
"""Changes of one diff, and characters of its patch, that are read: it blocks the event loop."""
_MOST_TEXT: Final = 2 << 20
_NO_NEWLINE: Final = "\\ No newline at end of file"
_GIT: Final = "diff --git "


@dataclass(slots=True)
class _FilePatch:
    """The part of a patch about one file."""

    old_name: str = ""
    new_name: str = ""
    names: list[str] = field(default_factory=list)
    """All names in its head."""
    hunks: list[tuple[str, str]] = field(default_factory=list)
    """(old lines, new lines) of each hunk, with unchanged context."""
    modes: list[str] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)
    """Lines that tell something else."""

    @property
    def name(self) -> str:
        """The name of its file, the new one if it has moved."""
        return self.new_name if self.new_name not in ("", _NOWHERE) else self.old_name

    def take(self, line: str) -> None:
        """Take a line of its head; names may have `a/` or `b/` in front."""
        if line.startswith(_GIT):
            self.names += _git_names(line.removeprefix(_GIT)) or [line]
            self.old_name = self.new_name = self.names[-1]
        elif line in _MODES:
            self.modes.append(line)
        elif not line.startswith(_NAMES):
            if _HARMLESS.match(line) is None:
                self.odd.append(line)
        else:
            start = next(each for each in _NAMES if line.startswith(each))
            name = _name(line[len(start) :])
            self.names.append(name)
            if start in _NEW_NAMES:
                self.new_name = name
            else:
                self.old_name = name

    def untold(self, change: dict[str, Any]) -> list[str]:
        """Return what it says besides a change of the list: other names, modes, lines."""
        paths = [str(change[key]) for key in ("path", "oldPath") if key in change]
        names = [each for each in dict.fromkeys(self.names) if each != _NOWHERE]
        others = [each for each in names if not any(_ends_with(path, each) for path in paths)]
        modes = [each for each in self.modes if change.get("operation") not in _MODES[each]]
        return [*others, *modes, *self.odd]


def _ends_with(path: str, name: str) -> bool:
    return f"/{path}".endswith(f"/{name.removeprefix('/')}")


def _git_names(text: str) -> list[str]:
    """Return the two names of a `diff --git` line; none if they cannot be told apart."""
    half = len(text) // 2
    if len(text) % 2 and text[half] == " " and _name(text[:half]) == _name(text[half + 1 :]):
        return [_name(text[:half])]
    names = text.split(" ")
    return list(map(_name, names)) if len(names) == 2 else []


def changed_parts(diff: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the changes of a diff in version 1: one for each hunk, or one without text.

    The paths come from `changes`; the patch is read only for lines. What else it holds is in the field
    `untold` of the first one, so that no question hides it.
    """
    patch, untold = diff.get("patch"), [name for name in diff if name not in _DIFF]
    is_read = isinstance(patch, dict) and patch.get("format") == "git_patch"
    text = patch.get("text") if is_read and isinstance(patch, dict) else None
    if isinstance(text, str) and len(text) > _MOST_TEXT:
        untold.append(f"a patch of {len(text):,} characters")
        text = None
    elif patch is not None and not isinstance(text, str):
        untold.append(patch)
    listed = diff["changes"][:_MOST_CHANGES]
    if len(diff["changes"]) > _MOST_CHANGES:
        untold.append(f"{len(diff['changes']) - _MOST_CHANGES:,} more changes")
    changes = [each for each in listed if isinstance(each, dict) and isinstance(each.get("path"), str)]
    untold += [each for each in listed if not (isinstance(each, dict) and _is_plain(each))]
    parts = list(_files(text)) if isinstance(text, str) else []
    shown: set[int] = set()
    found: list[dict[str, Any]] = []
    for change, about in _matched(changes, parts):
        untold += [said for each in about for said in each.untold(change)]
        hunks = [hunk for each in about for hunk in each.hunks]
        if not hunks and change.get("operation") in ((None, "", "modify") if about else _WITH_TEXT):
            untold.append(f"no text of {change['path']}")
        found += _parts(change, hunks)
        shown.update(map(id, about))
    for each in parts:
        if id(each) not in shown:
            untold += [each.name or "a part without a name", *each.odd]
    if untold and found:
        found[0][UNTOLD] = untold
    return found or [diff]


def _matched(
    changes: Sequence[dict[str, Any]], parts: Sequence[_FilePatch]
) -> Iterator[tuple[dict[str, Any], Sequence[_FilePatch]]]:
    """Yield each change of the list with the parts of the patch that are about its file.

    A part belongs to the first change that it fits. If none fits, it is the part at the same place, unless
    another change claims that.
    """
    by_name: dict[str, list[_FilePatch]] = {}
    for part in parts:
        if part.name:
            by_name.setdefault(part.name.removeprefix("/"), []).append(part)
    about = [by_name.pop(_longest(change["path"], by_name), ()) for change in changes]
    left = {id(part) for named in by_name.values() for part in named}
    left |= {id(part) for part in parts if not part.name}
    for number, change in enumerate(changes):
        is_free = len(parts) == len(changes) and not about[number] and id(parts[number]) in left
        yield change, [parts[number]] if is_free else about[number]


def _longest(path: str, names: Container[str]) -> str:
    """Return the longest name that a path ends with, from a slash on; or ""."""
    steps = path.removeprefix("/").split("/") if len(path) <= _LONGEST else []
    tails = ("/".join(steps[at:]) for at in range(max(0, len(steps) - _DEEPEST), len(steps)))
    return next((tail for tail in tails if tail in names), "")


def _is_plain(change: dict[str, Any]) -> bool:
    """Return whether all of a change of the list is shown."""
    return (
        change.keys() <= _CHANGE
        and isinstance(change.get("path"), str)
        and isinstance(change.get("oldPath"), str | None)
        and isinstance(change.get("operation"), str | None)
        and change.get("fileType", "text") in ("text", None)
    )


def _parts(change: dict[str, Any], hunks: list[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    diff: dict[str, Any] = {"type": "diff", "path": change["path"]}
    operation = change.get("operation")
    diff["operation"] = operation if operation and isinstance(operation, str) else "modify"
    if isinstance(change.get("oldPath"), str):
        diff["oldPath"] = change["oldPath"]
    if not hunks:
        yield {**diff, "newText": ""}
    for old, new in hunks:
        is_new = diff["operation"] == "add" and not old
        yield {**diff, "oldText": None if is_new else old, "newText": new}


def _files(patch: str) -> Iterator[_FilePatch]:
    """Yield the parts of a patch, one for each file."""
    part: _FilePatch | None = None
    lines = patch.removesuffix("\n").split("\n")
    at, has_hunks = 0, False
    while at < len(lines):
        line = lines[at]
        begins = line.startswith(_GIT) or (line.startswith("--- ") and (part is None or has_hunks))
        if begins or part is None:
            if part is not None:
                yield part
            part, has_hunks = _FilePatch(), False
        found = _HUNK.match(line)
        if found is not None:
            counts = int(found[1] or 1), int(found[2] or 1)
            first = at + 1
            hunk, at = _hunk(lines, first, *counts)
            part.hunks.append(hunk)
            part.odd += [each for each in lines[first:at] if each[:1] == "\\" and each != _NO_NEWLINE]
            if tuple(text.count("\n") + (text[-1:] not in ("\n", "")) for text in hunk) != counts:
                part.odd.append(line)
            has_hunks = True
            continue
        part.take(line)
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
