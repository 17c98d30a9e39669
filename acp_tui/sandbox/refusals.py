"""Refusals of the fence, found in what programs print: the system tells of none.

A place that is hidden reads as missing, so a path that is not there is looked up in the rules.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from acp_tui.patterns import regex
from acp_tui.sandbox.fence import Access, Fence

_SEARCHED: Final = 20_000
"""Characters at the end of a text that are searched."""
_MOST: Final = 5
"""Refusals of one text that are told."""
_LONGEST_LINE: Final = 2_000
_REFUSED: Final = regex(
    r"read-only file ?system|\bEROFS\b|permission denied|\bEACCES\b|operation not permitted|\bEPERM\b", re.I
)
_MISSING: Final = regex(r"no such file or directory|\bENOENT\b", re.I)
_QUOTED: Final = regex(r"""['‘"`“]([^'’"`”\n]{1,1000})['’"`”]""")
_BARE: Final = regex(r"(?:^|(?<=[\s:=(]))(~?/[^\s:'\"`()<>|;&]{1,1000})")


class FenceRefusal(NamedTuple):
    """A place that something inside wanted and did not get."""

    path: str
    """The path that was named, absolute."""
    place: str
    """The place to be opened for it."""
    access: Access
    """The right that was missing: `write` or `read`."""


def refusals_in(text: str, fence: Fence, cwd: str) -> list[FenceRefusal]:
    """Return the refusals that a text tells, the first few, each place once.

    Args:
        text: printed by a program.
        fence: the rules; a path that they do not refuse is somebody else's refusal.
        cwd: the folder that relative paths begin at.
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
                if place == fence.home:  # all of it is more than anybody asked for
                    place = path
                if place != path or os.path.lexists(path):
                    found.setdefault(place, FenceRefusal(path, place, "read"))
            elif access == "read" and is_refused and not fence.is_private(path):
                found.setdefault(path, FenceRefusal(path, path, "write"))
        if len(found) >= _MOST:
            break
    return list(found.values())[:_MOST]


def own_place(path: str, home: str) -> str:
    """Return the folder below the home that a program keeps a file of its own in, "" for a file elsewhere.

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
