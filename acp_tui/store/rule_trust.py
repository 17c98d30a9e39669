"""Which rules files of workspaces the person trusts, by what is in them; kept between runs."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from acp_tui.store.shared_json import SharedJson

NAME: Final = "trusted-rules.json"


class Trust:
    """The files that are trusted: a path, and the digest of the bytes that the person saw."""

    def __init__(self, path: Path) -> None:
        self._file = SharedJson(path)

    def has(self, file: Path, digest: str) -> bool:
        """Return whether a file is trusted as it is."""
        return bool(digest) and self._read().get(str(file)) == digest

    def give(self, file: Path, digest: str) -> None:
        """Trust a file as it is now.

        Raises:
            OSError: that cannot be written down.
        """
        self._file.change(lambda found: {**_trusted(found), str(file): digest})

    def take(self, file: Path) -> None:
        """Trust a file no longer.

        Raises:
            OSError: that cannot be written down.
        """
        self._file.change(
            lambda found: {name: digest for name, digest in _trusted(found).items() if name != str(file)}
        )

    def _read(self) -> dict[str, str]:
        try:
            return _trusted(self._file.read())
        except OSError:
            return {}  # nothing is trusted: the person is asked once more


def _trusted(found: object) -> dict[str, str]:
    return found if isinstance(found, dict) else {}
