"""Which rules files of workspaces the person trusts, by what is in them; kept between runs."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from acp_tui.store.folders import private_folder

NAME: Final = "trusted-rules.json"


class Trust:
    """The files that are trusted: a path, and the digest of the bytes that the person saw."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def has(self, file: Path, digest: str) -> bool:
        """Return whether a file is trusted as it is."""
        return bool(digest) and self._read().get(str(file)) == digest

    def give(self, file: Path, digest: str) -> None:
        """Trust a file as it is now.

        Raises:
            OSError: that cannot be written down.
        """
        self._write({**self._read(), str(file): digest})

    def take(self, file: Path) -> None:
        """Trust a file no longer.

        Raises:
            OSError: that cannot be written down.
        """
        self._write({name: digest for name, digest in self._read().items() if name != str(file)})

    def _read(self) -> dict[str, str]:
        try:
            found = json.loads(self._path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}  # nothing is trusted: the person is asked once more
        return found if isinstance(found, dict) else {}

    def _write(self, trusted: dict[str, str]) -> None:
        write_whole(self._path, json.dumps(trusted, indent=1).encode())


def write_whole(path: Path, data: bytes) -> None:
    """Put new contents in the place of a file, all or nothing; a link stays one, and a mode is kept.

    Raises:
        OSError: it cannot be written; the file is what it was.
    """
    path = Path(os.path.realpath(path))
    private_folder(path.parent)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        os.replace(name, path)  # noqa: PTH105
    except BaseException:
        with suppress(OSError):
            os.unlink(name)  # noqa: PTH108
        raise
