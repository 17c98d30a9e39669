"""Storage of sessions between two processes, in memory or in a folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

from acp_tui.demo.stage.connection import DemoConnection
from acp_tui.demo.stage.session import DemoSession

FOLDER_VARIABLE = "ACP_TUI_DEMO_SESSIONS"
"""Environment variable with the folder; without it, sessions end with the process."""


class SessionStore:
    """All sessions that can be listed and loaded."""

    def __init__(self, connection: DemoConnection, folder: str | None) -> None:
        self._connection = connection
        self._folder = Path(folder) if folder else None
        self._sessions: dict[str, DemoSession] = {}
        for path in sorted(self._folder.glob("*.json")) if self._folder else []:
            self._take(path)

    def all(self) -> list[DemoSession]:
        """Return all sessions, the latest first."""
        return sorted(self._sessions.values(), key=lambda session: session.updated_at, reverse=True)

    def get(self, session_id: str) -> DemoSession | None:
        """Return a session by id, or None."""
        return self._sessions.get(session_id)

    def put(self, session: DemoSession) -> None:
        """Save a session; an unwritable folder is only reported."""
        self._sessions[session.session_id] = session
        if self._folder is None or not session.history:
            return
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            half = self._folder / f"{session.session_id}.half"
            half.write_text(json.dumps(session.dump()), encoding="utf-8")
            os.replace(half, self._path(session.session_id))  # noqa: PTH105 (one step, as Path.replace)
        except OSError as error:
            os.write(2, f"demo: the session is not kept: {error}\n".encode())

    def remove(self, session_id: str) -> None:
        """Delete a session, if it exists."""
        if self._sessions.pop(session_id, None) is not None and self._folder is not None:
            self._path(session_id).unlink(missing_ok=True)

    def _path(self, session_id: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{session_id}.json"

    def _take(self, path: Path) -> None:
        try:
            session = DemoSession.restored(json.loads(path.read_text(encoding="utf-8")), self._connection)
        except (OSError, ValueError, KeyError, TypeError) as error:
            os.write(2, f"demo: {path.name} is left alone: {error!r}\n".encode())
        else:
            self._sessions[session.session_id] = session
