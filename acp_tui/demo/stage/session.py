"""One conversation of the demo agent: what was said, and what is chosen."""

from __future__ import annotations

import copy
from collections import Counter
from datetime import UTC, datetime
from typing import Any, Final

from acp_tui.demo.stage.connection import DemoConnection, Params
from acp_tui.demo.stage.options import DemoOptions

_CHUNKS: Final = ("user_message_chunk", "agent_message_chunk", "agent_thought_chunk")
_REPLAYED: Final = (*_CHUNKS, "tool_call", "tool_call_update", "plan")
"""Kinds of update that belong to the conversation and are sent again when it is loaded."""

CONTEXT_SIZE: Final = 200_000
"""Tokens that the imaginary model can hold."""


class DemoSession:
    """One conversation; only its own turn and the reading thread, which never act at once, change it."""

    def __init__(self, session_id: str, cwd: str, roots: list[str], connection: DemoConnection) -> None:
        self.session_id = session_id
        self.cwd = cwd
        self.roots = roots
        self.title = ""
        self.updated_at = _now()
        self.options = DemoOptions()
        self.history: list[Params] = []
        self.outputs: dict[str, str] = {}
        """What each terminal showed at its end, since a terminal does not outlive its client."""
        self.always: set[str] = set()
        """Kinds of tool that the user allowed for the rest of the session."""
        self.used = 2_400
        self._connection = connection
        self._numbers: Counter[str] = Counter()

    def next_id(self, prefix: str) -> str:
        """Return a new id of this session: `call-1`, then `call-2`."""
        self._numbers[prefix] += 1
        return f"{prefix}-{self._numbers[prefix]}"

    def update(self, kind: str, /, **fields: Any) -> None:
        """Send a `session/update`, and keep it if it belongs to the conversation."""
        update = {"sessionUpdate": kind, **fields}
        if kind in _REPLAYED:
            self.remember(update)
        self._connection.notify("session/update", {"sessionId": self.session_id, "update": update})

    def remember(self, update: Params) -> None:
        """Keep an update for a later load; the pieces of one text become one."""
        self.updated_at = _now()
        last = self.history[-1] if self.history else {}
        if _text(update) and _text(last) and _message(update) == _message(last):
            last["content"]["text"] += update["content"]["text"]
        else:
            self.history.append(copy.deepcopy(update))

    def replay(self) -> None:
        """Send the conversation again, with the last output of terminals in place of the terminals."""
        for update in self.history:
            sent = {**update}
            if isinstance(sent.get("content"), list):
                sent["content"] = [self._without_terminal(item) for item in sent["content"]]
            self._connection.notify("session/update", {"sessionId": self.session_id, "update": sent})

    def rename(self, title: str) -> None:
        """Give the session a title and tell the client."""
        self.title = title
        self.update("session_info_update", title=title)

    def tell_usage(self) -> None:
        """Tell the client how full the context is and what the session has cost."""
        cost = {"amount": round(self.used * 0.000_004, 4), "currency": "USD"}
        self.update("usage_update", used=self.used, size=CONTEXT_SIZE, cost=cost)

    def info(self) -> Params:
        """Return the session's entry for `session/list`."""
        info: Params = {"sessionId": self.session_id, "cwd": self.cwd, "updatedAt": self.updated_at}
        if self.title:
            info["title"] = self.title
        return {**info, "additionalDirectories": self.roots} if self.roots else info

    def dump(self) -> Params:
        """Return all that a later process needs to go on."""
        kept = ("session_id", "cwd", "roots", "title", "updated_at", "history", "outputs", "used")
        always, numbers = sorted(self.always), dict(self._numbers)
        values = {name: getattr(self, name) for name in kept}
        return {**values, "chosen": self.options.chosen, "always": always, "numbers": numbers}

    @classmethod
    def restored(cls, values: Params, connection: DemoConnection) -> DemoSession:
        """Return the session that `dump` described."""
        session = cls(values["session_id"], values["cwd"], values["roots"], connection)
        for name in ("title", "updated_at", "history", "outputs", "used"):
            setattr(session, name, values[name])
        session.options = DemoOptions(values["chosen"])
        session.always = set(values["always"])
        session._numbers = Counter(values["numbers"])
        return session

    def copy(self, session_id: str, cwd: str, roots: list[str]) -> DemoSession:
        """Return a session that begins with all of this one."""
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
