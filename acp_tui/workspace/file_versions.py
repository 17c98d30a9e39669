"""File versions: the one of each file that the agent last read, to detect stale writes."""

from __future__ import annotations

import os
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final, NamedTuple

MAX_TEXT: Final = 256 << 10
"""Longest text, in characters, kept for showing later changes."""


MOST_FILES: Final = 2_000
"""Files whose versions are remembered."""


MOST_TEXTS: Final = 64
"""Number of files whose texts are kept, the latest ones."""


class Version(NamedTuple):
    """The identity of a file's content, without reading it."""

    inode: int
    size: int
    modified: int
    """Nanoseconds."""

    @classmethod
    def of(cls, status: os.stat_result | None) -> Version | None:
        """Return the version of a file, or None for no file."""
        return None if status is None else cls(status.st_ino, status.st_size, status.st_mtime_ns)


NOT_SEEN: Final = Version(0, -1, 0)
"""A version that matches no file."""


@dataclass(frozen=True, slots=True)
class _Sight:
    version: Version | None
    digest: bytes | None
    """Digest of the text, if the whole file was read."""


class FileVersions:
    """The version of each file the agent last read, to detect stale writes.

    The latest short texts are kept, too. The number of both is limited.
    """

    def __init__(self) -> None:
        self._sights: OrderedDict[str, _Sight] = OrderedDict()
        self._texts: OrderedDict[str, str] = OrderedDict()

    def record(self, path: str, version: Version | None, text: str | None = None) -> None:
        """Record a read or write by the agent.

        Args:
            path: absolute, links resolved.
            version: the version on disk, or None for no file.
            text: the whole text, or None if only a part was read.
        """
        self._sights[path] = _Sight(version, None if text is None else _digest(text))
        self._sights.move_to_end(path)
        self._texts.pop(path, None)
        if text is not None and len(text) <= MAX_TEXT:
            self._texts[path] = text
        while len(self._sights) > MOST_FILES:
            self._texts.pop(self._sights.popitem(last=False)[0], None)
        while len(self._texts) > MOST_TEXTS:
            self._texts.popitem(last=False)

    def is_current(self, path: str, version: Version | None, text: str | None) -> bool:
        """Return whether the agent has seen this version, or never read the file."""
        sight = self._sights.get(path)
        if sight is None or sight.version == version:
            return True
        return text is not None and sight.digest is not None and sight.digest == _digest(text)

    def text(self, path: str) -> str | None:
        """Return the text last seen by the agent, if kept."""
        return self._texts.get(path)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
