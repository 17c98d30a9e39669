"""A pattern of a .gitignore, seen from a folder below the one that it stands in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple


class IgnorePattern(NamedTuple):
    """One line, taken apart."""

    line: bytes
    names: tuple[bytes, ...]
    """What the names of a path have to be like; one only: anywhere."""
    is_anchored: bool
    """Whether it speaks of a place, and not of a name."""
    brings_back: bool

    @classmethod
    def of(cls, line: bytes) -> IgnorePattern | None:
        """Read a line; None for a comment or nothing."""
        core = line.rstrip()
        if not core or core.startswith(b"#"):
            return None
        brings_back = core.startswith(b"!")
        core = core.removeprefix(b"!").rstrip(b"/")
        is_anchored = b"/" in core
        names = tuple(core.removeprefix(b"/").split(b"/"))
        return cls(line, names, is_anchored, brings_back)

    def fits(self, way: Sequence[bytes]) -> bool:
        """Whether it means a folder, named by the way from its own folder to that one."""
        return _fit(self.names, way) if self.is_anchored else _is_like(way[-1], self.names[0])

    def below(self, way: Sequence[bytes]) -> bytes | None:
        """Return the line that means the same from a folder below; None where it means nothing in there."""
        if not self.is_anchored:
            return self.line
        rest = list(self.names)
        for name in way:
            if rest[:1] == [b"**"]:
                break
            if not rest or not _is_like(name, rest.pop(0)):
                return None
        if not rest:
            return None
        end = b"/" if self.line.rstrip().endswith(b"/") else b""
        return b"!" * self.brings_back + b"/" + b"/".join(rest) + end

    def from_above(self, folder: bytes) -> bytes:
        """Return the line that means the same when it stands above the folder of this one."""
        if not folder:
            return self.line
        inside = re.sub(rb"([*?\[\\])", rb"\\\1", folder) + (b"/" if self.is_anchored else b"/**/")
        end = b"/" if self.line.rstrip().endswith(b"/") else b""
        return b"!" * self.brings_back + b"/" + inside + b"/".join(self.names) + end


def _fit(names: Sequence[bytes], way: Sequence[bytes]) -> bool:
    if not names:
        return not way
    if names[0] == b"**":
        return any(_fit(names[1:], way[skipped:]) for skipped in range(len(way) + 1))
    return bool(way) and _is_like(way[0], names[0]) and _fit(names[1:], way[1:])


def _is_like(name: bytes, wanted: bytes) -> bool:
    """Whether a name matches one part of a pattern."""
    if not any(sign in wanted for sign in b"*?[\\"):
        return name == wanted
    shell = re.sub(rb"\\(.)", rb"[\1]", wanted).replace(b"[^", b"[!")
    return fnmatchcase(name, shell)
