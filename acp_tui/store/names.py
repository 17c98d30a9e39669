"""The names that the person gave sessions, kept from one run to the next."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from acp_tui.store.folders import private_folder
from acp_tui.store.problem import Problem

KEPT: Final = 1000
"""Names that are kept; the oldest go first."""


Key = tuple[str, str]
"""A session: what the person calls its agent (`Launch.name`), and the agent's id for it.

The id alone would not do: agents that count their sessions all have a "1".
"""


class Names:
    """Names by session. Every change reads the file again: another acp-tui may have named something, too."""

    def __init__(self, path: Path | None) -> None:
        """Keep names in a file, or without one only for this run."""
        self._path = path
        self._names: dict[Key, str] | None = None

    def get(self, agent: str, session_id: str) -> str:
        """Return the person's name of a session; an empty text if there is none."""
        if self._names is None:
            self._names = self._read()
        return self._names.get((agent, session_id), "")

    def put(self, agent: str, session_id: str, name: str) -> Problem | None:
        """Keep a name, or forget it if it is empty; return why it is not kept for the next run."""
        names = self._read()
        names.pop((agent, session_id), None)
        if name:
            names[agent, session_id] = name
        self._names = dict(list(names.items())[-KEPT:])
        return self._write(self._names)

    def _read(self) -> dict[Key, str]:
        """Return what the file holds; nothing if it is none of ours."""
        if self._path is None:
            return dict(self._names or {})
        import json  # after the first frame

        try:
            found = json.loads(self._path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return dict(self._names or {})
        rows = found if isinstance(found, list) else []
        return {(row[0], row[1]): row[2] for row in rows if _is_row(row)}

    def _write(self, names: dict[Key, str]) -> Problem | None:
        """Write the file, whole or not at all."""
        if self._path is None:
            return None
        new = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        import json  # after the first frame

        try:
            private_folder(self._path.parent)
            new.write_text(json.dumps([[*key, name] for key, name in names.items()]), encoding="utf-8")
            new.replace(self._path)
        except OSError as error:
            return Problem(self._path, None, f"the name is not kept: {error.strerror}")
        return None


def _is_row(row: object) -> bool:
    """Whether a row of the file is an agent, a session and its name."""
    return isinstance(row, list) and len(row) == 3 and all(isinstance(word, str) for word in row)
