"""Path completion: the paths that start as typed, as in a shell."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, NamedTuple

from acp_tui.formatting import expand_home
from acp_tui.lazy_regex import regex

_WORD: Final = regex(r"\S*$")
_SHELL_WORD: Final = regex(r"(?:\\.|[^\s\\'\"|&;<>()])*$")
_ESCAPED: Final = regex(r"\\(.)")
_SPECIAL: Final = regex(r"([^\w./~%+=:,@-])")
_MOST: Final = 2_000
"""Most entries of a folder that are read."""


class TypedPath(NamedTuple):
    """The start of a path before the cursor."""

    length: int
    """Number of characters before the cursor that it takes."""
    text: str
    """The path itself, without shell escapes."""
    in_shell: bool

    def written(self, path: str) -> str:
        """Return a path as the user would type it here."""
        return _SPECIAL.sub(r"\\\1", path) if self.in_shell else path


def typed_path(before: str, *, in_shell: bool) -> TypedPath | None:
    """Return the path that the text before the cursor ends with; None without one.

    Args:
        before: the text of the line before the cursor.
        in_shell: True if the line is a command for a shell.
    """
    found = (_SHELL_WORD if in_shell else _WORD).search(before)
    word = found[0].removeprefix("!") if found is not None else ""
    if word.startswith("@") or not (word or (in_shell and before.strip(" !"))):
        return None
    return TypedPath(len(word), _ESCAPED.sub(r"\1", word) if in_shell else word, in_shell)


def paths_of(typed: str, cwd: str) -> list[str]:
    """Return the paths that begin as typed, sorted; those of folders end with `/`.

    Hidden ones are left out unless their dot is typed. Blocking: call it in a thread.
    """
    folder, slash, name = typed.rpartition("/")
    found: list[str] = []
    try:
        with os.scandir(Path(cwd, Path(expand_home(f"{folder}{slash}")))) as entries:
            for entry, _ in zip(entries, range(_MOST), strict=False):
                is_hidden = entry.name.startswith(".") and not name.startswith(".")
                if entry.name.startswith(name) and not is_hidden and entry.name.isprintable():
                    found.append(f"{folder}{slash}{entry.name}{'/' if entry.is_dir() else ''}")
    except (OSError, ValueError):  # no such folder, or an unreadable one
        return []
    return sorted(found)


def common_start(paths: list[str]) -> str:
    """Return the common prefix of all paths."""
    first, last = min(paths), max(paths)
    length = next(
        (at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first)
    )
    return first[:length]
