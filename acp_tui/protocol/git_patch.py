"""Git patches of version 2 of the protocol, cut into the changes of its files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from acp_tui.patterns import regex
from acp_tui.protocol.unread import UNTOLD

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
_NO_NEWLINE: Final = "\\ No newline at end of file"
_GIT: Final = "diff --git "
_MOST_CHANGES: Final = 1_000
"""Most changes of a diff that are read: reading blocks the event loop, and nobody looks at more."""
_DEEPEST: Final = 100
"""Most folders of a path that are compared."""


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
    changes: list[dict[str, Any]] = []
    for each in diff["changes"][:_MOST_CHANGES]:
        is_change = isinstance(each, dict) and isinstance(each.get("path"), str)
        changes += [each] if is_change else []
        untold += [] if is_change and _is_plain(each) else [each]
    files = list(islice(_files(text), _MOST_CHANGES + 1)) if isinstance(text, str) else []
    if len(files) > _MOST_CHANGES or len(diff["changes"]) > _MOST_CHANGES:
        untold.insert(0, f"more than {_MOST_CHANGES:,} changes")
    if patch is not None and not isinstance(text, str):
        untold.append(patch)
    parts = _by_name(files)
    about_all = [_about(change["path"], parts) for change in changes]
    known = {id(one) for groups in about_all for group in groups for one in group}
    found: list[dict[str, Any]] = []
    shown: set[int] = set()
    for number, (change, groups) in enumerate(zip(changes, about_all, strict=True)):
        about = groups[0] if groups else []
        if not about and len(files) == len(changes) and id(files[number]) not in known:
            about = [files[number]]
        shown.update(map(id, about))
        untold += [said for each in about for said in each.untold(change)]
        hunks = [hunk for each in about for hunk in each.hunks]
        if not hunks and change.get("operation") in (None, "", "modify"):
            untold.append(f"no text of {change['path']}")
        found += _parts(change, hunks)
    for file in files:
        if id(file) not in shown:
            untold += [file.name or "a part without a name", *file.odd]
    if untold and found:
        found[0][UNTOLD] = untold
    return found or [diff]


def _by_name(files: Iterable[_FilePatch]) -> dict[str, list[_FilePatch]]:
    found: dict[str, list[_FilePatch]] = {}
    for each in files:
        if each.name:
            found.setdefault(each.name.removeprefix("/"), []).append(each)
    return found


def _about(path: str, parts: Mapping[str, list[_FilePatch]]) -> list[list[_FilePatch]]:
    """Return the parts of a patch whose names a path ends with, the longest name first."""
    words = path.removeprefix("/").split("/")[-_DEEPEST:]
    ends = ("/".join(words[start:]) for start in range(len(words)))
    return [parts[end] for end in ends if end in parts]


def _is_plain(change: dict[str, Any]) -> bool:
    """Return whether all of a change of the list is shown."""
    texts = all(isinstance(change.get(name), str | None) for name in ("operation", "oldPath"))
    return texts and change.keys() <= _CHANGE and change.get("fileType", "text") in ("text", None)


def _parts(change: dict[str, Any], hunks: list[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    diff: dict[str, Any] = {"type": "diff", "path": change["path"]}
    diff["operation"] = str(change.get("operation") or "modify")
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
            hunk, at = _hunk(lines, at + 1, *counts)
            part.hunks.append(hunk)
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
        if mark == "\\" and lines[at] == _NO_NEWLINE:
            _cut(lines[at - 1][:1], old, new)
        elif mark in ("-", "+", " ", ""):
            if mark != "+":
                old.append(line)
            if mark != "-":
                new.append(line)
        else:
            break
        at += 1
    if at < len(lines) and lines[at] == _NO_NEWLINE:
        _cut(lines[at - 1][:1], old, new)
        at += 1
    return ("".join(old), "".join(new)), at


def _cut(mark: str, old: list[str], new: list[str]) -> None:
    """Remove the newline of the last line: the file has none there."""
    for texts in (old, new):
        is_meant = mark not in ("-", "+") or texts is (old if mark == "-" else new)
        if is_meant and texts:
            texts[-1] = texts[-1].removesuffix("\n")
