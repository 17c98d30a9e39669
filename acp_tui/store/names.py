"""The names that the person gave sessions, kept from one run to the next."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from acp_tui.store.problem import Problem
from acp_tui.store.shared_json import SharedJson

KEPT: Final = 1000
"""Names that are kept; the oldest go first."""


Key = tuple[str, str]
"""A session: what the person calls its agent (`Launch.name`), and the agent's id for it.

The id alone would not do: agents that count their sessions all have a "1".
"""


class Names:
    """Names by session. A file that cannot be read is left to the person."""

    def __init__(self, path: Path | None) -> None:
        """Keep names in a file, or without one only for this run."""
        self._file = SharedJson(path) if path is not None else None
        self._names: dict[Key, str] | None = None

    def get(self, agent: str, session_id: str) -> str:
        """Return the person's name of a session; an empty text if there is none."""
        if self._names is None:
            self._names = {}
            if self._file is not None:
                with suppress(OSError):  # told when a name is to be kept
                    self._names = _named(self._file.read())
        return self._names.get((agent, session_id), "")

    def put(self, agent: str, session_id: str, name: str) -> Problem | None:
        """Keep a name, or forget it if it is empty; return why it is not kept for the next run."""

        def changed(found: object) -> list[list[str]]:
            self._names = _with(_named(found), (agent, session_id), name)
            return [[*key, value] for key, value in self._names.items()]

        if self._file is not None:
            try:
                self._file.change(changed)
            except OSError as error:
                self._names = _with(self._names or {}, (agent, session_id), name)
                return Problem(self._file.path, None, f"the name is not kept: {error.strerror}")
        else:
            self._names = _with(self._names or {}, (agent, session_id), name)
        return None


def _with(names: dict[Key, str], key: Key, name: str) -> dict[Key, str]:
    """Return names with one given anew, which makes it the newest, or taken away."""
    others = {each: value for each, value in names.items() if each != key}
    return dict([*others.items(), *([(key, name)] if name else [])][-KEPT:])


def _named(found: object) -> dict[Key, str]:
    """Return what can be used of a file that people may have edited."""
    return {(row[0], row[1]): row[2] for row in found if _is_row(row)} if isinstance(found, list) else {}


def _is_row(row: object) -> bool:
    """Whether a row of the file is an agent, a session and its name."""
    return isinstance(row, list) and len(row) == 3 and all(isinstance(word, str) for word in row)
