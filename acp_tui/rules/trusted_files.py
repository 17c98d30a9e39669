"""Trusted files: files of a workspace that apply once the user has seen them, rules and system prompts."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Final

from acp_tui.store.plain_files import SharedJson, plain_file

TRUST_NAME: Final = "trusted-rules.json"

_MAX_BYTES: Final = 1 << 18
"""Size of the largest file that is read."""


def contents(path: Path) -> bytes:
    """Return the bytes of a file that may come with a workspace, and is not trusted yet.

    Raises:
        OSError: it cannot be read, is no regular file (a pipe would never end), or is far too large.
    """
    with plain_file(path) as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise OSError(errno.EFBIG, "it is larger than 256 KB")
    return data


class Trust:
    """The trusted files: the path of each, and the digest of the bytes that the user saw."""

    def __init__(self, path: Path) -> None:
        self._file = SharedJson(path)

    def has(self, file: Path, digest: str) -> bool:
        """Return whether a file with this digest is trusted."""
        return bool(digest) and self._read().get(str(file)) == digest

    def give(self, file: Path, digest: str) -> None:
        """Trust a file with this digest.

        Raises:
            OSError: it cannot be saved.
        """
        self._file.change(lambda found: {**_trusted(found), str(file): digest})

    def take(self, file: Path) -> None:
        """Stop trusting a file.

        Raises:
            OSError: it cannot be saved.
        """
        self._file.change(
            lambda found: {name: digest for name, digest in _trusted(found).items() if name != str(file)}
        )

    def _read(self) -> dict[str, str]:
        try:
            return _trusted(self._file.read())
        except OSError:
            return {}  # nothing is trusted, and the user is asked again


def _trusted(found: object) -> dict[str, str]:
    return found if isinstance(found, dict) else {}
