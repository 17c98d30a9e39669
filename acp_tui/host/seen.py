"""What the agent of one session last saw of each file: the ground on which a write is stale or not."""

from __future__ import annotations

import os
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, NamedTuple

_TEXT: Final = 256 << 10
"""Characters of a text up to which it is kept whole, to show what changed since."""
_FILES: Final = 2_000
_TEXTS: Final = 64


class Version(NamedTuple):
    """Tells one content of a file from another without reading it."""

    inode: int
    size: int
    modified: int
    """Nanoseconds."""

    @classmethod
    def of(cls, status: os.stat_result | None) -> Version | None:
        """Return the version of a file; None where there is none."""
        return None if status is None else cls(status.st_ino, status.st_size, status.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class _Sight:
    version: Version | None
    digest: bytes | None
    """Of the text, if all of it was seen."""


class Seen:
    """Remembers versions, and the newest texts that are not large; bounded in both."""

    def __init__(self) -> None:
        self._sights: OrderedDict[str, _Sight] = OrderedDict()
        self._texts: OrderedDict[str, str] = OrderedDict()

    def saw(self, path: str, version: Version | None, text: str | None = None) -> None:
        """The agent has read or written a file.

        Args:
            path: absolute, links resolved.
            version: what was on disk; None: nothing was there.
            text: all of it; None when only a part was seen.
        """
        self._sights[path] = _Sight(version, None if text is None else _digest(text))
        self._sights.move_to_end(path)
        self._texts.pop(path, None)
        if text is not None and len(text) <= _TEXT:
            self._texts[path] = text
        while len(self._sights) > _FILES:
            self._texts.pop(self._sights.popitem(last=False)[0], None)
        while len(self._texts) > _TEXTS:
            self._texts.popitem(last=False)

    def is_current(self, path: str, version: Version | None, text: str | None) -> bool:
        """Whether this is what the agent last saw of a file; so is a file that it never saw."""
        sight = self._sights.get(path)
        if sight is None or sight.version == version:
            return True
        return text is not None and sight.digest is not None and sight.digest == _digest(text)

    def text(self, path: str) -> str | None:
        """Return what the agent last saw, as far as that is kept."""
        return self._texts.get(path)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
