"""A session of the demo agent: history and options."""

from __future__ import annotations

import copy
from collections import Counter
from datetime import UTC, datetime
from typing import Any, Final

from acp_tui.demo.stage.connection import DemoConnection, Params
from acp_tui.demo.stage.options import DemoOptions

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
        if _text(update) and _text(last) and _message(update) == _message(last):
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

    def tell_usage(self) -> None:
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


def _text(update: Params) -> bool:
    return update.get("sessionUpdate") in _CHUNKS and update["content"].get("type") == "text"


def _message(update: Params) -> tuple[Any, Any]:
    return update["sessionUpdate"], update.get("messageId")


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
