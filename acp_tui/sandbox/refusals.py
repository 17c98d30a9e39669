"""Refusals of the sandbox, found in the output of programs: the system does not report them.

A hidden place looks missing to a program, so missing paths are looked up in the rules.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from acp_tui.lazy_regex import regex
from acp_tui.sandbox.fence import Access, Fence

_SEARCHED: Final = 20_000
"""Number of characters at the end of a text that are searched."""
_MOST: Final = 5
"""Most refusals of one text that are reported."""
_LONGEST_LINE: Final = 2_000
_REFUSED: Final = regex(
    r"read-only file ?system|\bEROFS\b|permission denied|\bEACCES\b|operation not permitted|\bEPERM\b", re.I
)
_MISSING: Final = regex(r"no such file or directory|\bENOENT\b", re.I)
_QUOTED: Final = regex(r"""['‘"`“]([^'’"`”\n]{1,1000})['’"`”]""")
_BARE: Final = regex(r"(?:^|(?<=[\s:=(]))(~?/[^\s:'\"`()<>|;&]{1,1000})")


class FenceRefusal(NamedTuple):
    """A place that a program inside could not access."""

    path: str
    """The absolute path in the output."""
    place: str
    """The place to open for it."""
    access: Access
    """The right that was missing: `write` or `read`."""


def refusals_in(text: str, fence: Fence, cwd: str) -> list[FenceRefusal]:
    """Return the first few refusals in a text, each place once.

    Args:
        text: output of a program.
        fence: the rules; a path that they allow was refused by something else.
        cwd: the folder that relative paths start from.
    """
    found: dict[str, FenceRefusal] = {}
    for line in text[-_SEARCHED:].splitlines():
        is_refused = _REFUSED.search(line) is not None
        if not is_refused and _MISSING.search(line) is None:
            continue
        for path in _paths_in(line[:_LONGEST_LINE], fence.home, cwd):
            access = fence.access(path)
            if access == "hide":
                place = fence.place(path)
                if place == fence.home:  # opening all of it is more than was needed
                    place = path
                if place != path or os.path.lexists(path):
                    found.setdefault(place, FenceRefusal(path, place, "read"))
            elif access == "read" and is_refused and not fence.is_private(path):
                found.setdefault(path, FenceRefusal(path, path, "write"))
        if len(found) >= _MOST:
            break
    return list(found.values())[:_MOST]


def own_place(path: str, home: str) -> str:
    """Return the folder below the home that belongs to the program of a file, "" for a file elsewhere.

    For `~/.mine/log` that is `~/.mine`, for `~/.config/mine/settings` it is `~/.config/mine`.
    """
    if not path.startswith(f"{home.rstrip('/')}/."):
        return ""
    names = path[len(home.rstrip("/")) + 1 :].split("/")
    size = 3 if names[0] == ".local" else 2 if names[0] in (".config", ".cache") else 1
    return f"{home.rstrip('/')}/{'/'.join(names[:size])}" if len(names) >= size else ""


def _paths_in(line: str, home: str, cwd: str) -> Iterator[str]:
    for pattern in (_QUOTED, _BARE):
        for match in pattern.finditer(line):
            named = match[1].strip()
            if "\0" in named or ("/" not in named and pattern is _BARE):
                continue
            absolute = home + named[1:] if named.startswith("~/") else os.path.join(cwd, named)  # noqa: PTH118
            yield os.path.normpath(absolute)
