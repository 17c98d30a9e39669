"""A session of the demo agent, and the store of all, in memory or in a folder."""

from __future__ import annotations

import copy
import json
import os
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from acp_tui.demo.connection import DemoConnection, Params
from acp_tui.demo.options import DemoOptions

_CHUNKS: Final = ("user_message_chunk", "agent_message_chunk", "agent_thought_chunk")
_REPLAYED: Final = (*_CHUNKS, "tool_call", "tool_call_update", "plan")
"""Kinds of updates replayed on load."""

CONTEXT_SIZE: Final = 200_000
"""Context size of the imaginary model, in tokens."""


class DemoSession:
    """A session, changed by its turn or the reading thread, never by both at once."""

    def __init__(self, session_id: str, cwd: str, roots: list[str], connection: DemoConnection) -> None:
        self.session_id = session_id
        self.cwd = cwd
        self.roots = roots
        self.title = ""
        self.updated_at = _now()
        self.options = DemoOptions()
        self.history: list[Params] = []
        self.outputs: dict[str, str] = {}
        """Final output of terminals, which do not outlive the client."""
        self.always: set[str] = set()
        """Kinds of tools allowed for the rest of the session."""
        self.used = 2_400
        self._connection = connection
        self._numbers: Counter[str] = Counter()

    def next_id(self, prefix: str) -> str:
        """Return a new id: `call-1`, then `call-2`."""
        self._numbers[prefix] += 1
        return f"{prefix}-{self._numbers[prefix]}"

    def update(self, kind: str, /, **fields: Any) -> None:
        """Send a `session/update`, and record it for a replay."""
        update = {"sessionUpdate": kind, **fields}
        if kind in _REPLAYED:
            self.remember(update)
        self._connection.notify("session/update", {"sessionId": self.session_id, "update": update})

    def remember(self, update: Params) -> None:
        """Record an update, joining chunks of one text."""
        self.updated_at = _now()
        last = self.history[-1] if self.history else {}
        if _is_text(update) and _is_text(last) and _message(update) == _message(last):
            last["content"]["text"] += update["content"]["text"]
        else:
            self.history.append(copy.deepcopy(update))

    def replay(self) -> None:
        """Send the history again, with final outputs in place of terminals."""
        for update in self.history:
            sent = {**update}
            if isinstance(sent.get("content"), list):
                sent["content"] = [self._without_terminal(item) for item in sent["content"]]
            self._connection.notify("session/update", {"sessionId": self.session_id, "update": sent})

    def rename(self, title: str) -> None:
        """Set the title."""
        self.title = title
        self.update("session_info_update", title=title)

    def send_usage(self) -> None:
        """Send the usage."""
        cost = {"amount": round(self.used * 0.000_004, 4), "currency": "USD"}
        self.update("usage_update", used=self.used, size=CONTEXT_SIZE, cost=cost)

    def info(self) -> Params:
        """Return the entry for `session/list`."""
        info: Params = {"sessionId": self.session_id, "cwd": self.cwd, "updatedAt": self.updated_at}
        if self.title:
            info["title"] = self.title
        return {**info, "additionalDirectories": self.roots} if self.roots else info

    def dump(self) -> Params:
        """Return the state for a later process."""
        kept = ("session_id", "cwd", "roots", "title", "updated_at", "history", "outputs", "used")
        always, numbers = sorted(self.always), dict(self._numbers)
        values = {name: getattr(self, name) for name in kept}
        return {**values, "chosen": self.options.chosen, "always": always, "numbers": numbers}

    @classmethod
    def restored(cls, values: Params, connection: DemoConnection) -> DemoSession:
        """Return the session of a `dump`."""
        session = cls(values["session_id"], values["cwd"], values["roots"], connection)
        for name in ("title", "updated_at", "history", "outputs", "used"):
            setattr(session, name, values[name])
        session.options = DemoOptions(values["chosen"])
        session.always = set(values["always"])
        session._numbers = Counter(values["numbers"])
        return session

    def copy(self, session_id: str, cwd: str, roots: list[str]) -> DemoSession:
        """Return a copy with another id and other folders."""
        values = copy.deepcopy(self.dump())
        return DemoSession.restored(
            {**values, "session_id": session_id, "cwd": cwd, "roots": roots}, self._connection
        )

    def _without_terminal(self, item: Params) -> Params:
        if item["type"] != "terminal":
            return item
        output = self.outputs.get(item["terminalId"], "")
        return {"type": "content", "content": {"type": "text", "text": f"```console\n{output}\n```"}}


def _is_text(update: Params) -> bool:
    return update.get("sessionUpdate") in _CHUNKS and update["content"].get("type") == "text"


def _message(update: Params) -> tuple[Any, Any]:
    return update["sessionUpdate"], update.get("messageId")


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


FOLDER_VARIABLE: Final = "ACP_TUI_DEMO_SESSIONS"
"""Environment variable with the folder; without it, sessions end with the process."""


class SessionStore:
    """All sessions that can be listed and loaded."""

    def __init__(self, connection: DemoConnection, folder: str | None) -> None:
        self._connection = connection
        self._folder = Path(folder) if folder else None
        self._sessions: dict[str, DemoSession] = {}
        for path in sorted(self._folder.glob("*.json")) if self._folder else []:
            self._load(path)

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
            unfinished = self._folder / f"{session.session_id}.half"
            unfinished.write_text(json.dumps(session.dump()), encoding="utf-8")
            unfinished.replace(self._path(session.session_id))
        except OSError as error:
            os.write(2, f"demo: the session is not saved: {error}\n".encode())

    def remove(self, session_id: str) -> None:
        """Delete a session, if it exists."""
        if self._sessions.pop(session_id, None) is not None and self._folder is not None:
            self._path(session_id).unlink(missing_ok=True)

    def _path(self, session_id: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{session_id}.json"

    def _load(self, path: Path) -> None:
        try:
            session = DemoSession.restored(json.loads(path.read_text(encoding="utf-8")), self._connection)
        except (OSError, ValueError, KeyError, TypeError) as error:
            os.write(2, f"demo: {path.name} cannot be read: {error!r}\n".encode())
        else:
            self._sessions[session.session_id] = session
