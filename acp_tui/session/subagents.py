"""Subagents and the messages between sessions. Source: ACP, the pages on subagent sessions."""

from __future__ import annotations

from acp_tui.protocol.schema import (
    SessionMessageChunk,
    SessionMessageUpdate,
    SubagentUpdate,
    as_text,
    error_text,
    has,
)
from acp_tui.session.entries import Entry, SessionMessage, Subagent
from acp_tui.session.messages import append_block, parts_of


class Subagents:
    """The subagents of a session, and its messages from and to other sessions, by id."""

    def __init__(self, entries: list[Entry]) -> None:
        self._entries = entries
        self._places: dict[str, int] = {}
        self._messages: dict[str, int] = {}

    def knows(self, session_id: str) -> bool:
        """Return whether a subagent with this id was announced here."""
        return session_id in self._places

    def find(self, session_id: str) -> tuple[int, Subagent] | None:
        """Return the index and the entry of a subagent."""
        index = self._places.get(session_id)
        entry = self._entries[index] if index is not None else None
        return (index, entry) if index is not None and isinstance(entry, Subagent) else None

    def all(self) -> list[Subagent]:
        """Return all subagents, in the order of their announcement."""
        found = (self._entries[index] for index in self._places.values())
        return [entry for entry in found if isinstance(entry, Subagent)]

    def update(self, news: SubagentUpdate, at: float) -> tuple[int, Subagent]:
        """Merge an update, appending a new entry if needed; return its index and the entry.

        Absent fields keep, null clears, and values replace.
        """
        if news.session_id not in self._places:
            number = len(self._places) + 1
            self._places[news.session_id] = len(self._entries)
            self._entries.append(Subagent(news.session_id, number, at=at))
        index = self._places[news.session_id]
        one = self._entries[index]
        assert isinstance(one, Subagent)
        given = news.model_fields_set
        if "title" in given:
            one.title = news.title or ""
        if "description" in given:
            one.description = news.description or ""
        if "capabilities" in given:
            one.can_cancel = news.capabilities is not None and has(news.capabilities.cancel)
        if "cwd" in given:
            one.cwd = news.cwd or ""
        if "state" in given:
            _set_state(one, news, at)
        return index, one

    def lose(self) -> tuple[int, ...]:
        """Mark the state of working subagents as out of date; return their indices."""
        found = [one for one in self.all() if one.state != "idle"]
        for one in found:
            one.is_lost, one.can_cancel = True, False
        return tuple(self._places[one.session_id] for one in found)

    def knows_message(self, message_id: str) -> bool:
        """Return whether a message has an entry."""
        return message_id in self._messages

    def message(self, news: SessionMessageUpdate | SessionMessageChunk, at: float) -> int:
        """Merge a message or a chunk of one, in any order; return its index."""
        if news.message_id not in self._messages:
            self._messages[news.message_id] = len(self._entries)
            self._entries.append(SessionMessage(news.message_id, at=at))
        index = self._messages[news.message_id]
        one = self._entries[index]
        assert isinstance(one, SessionMessage)
        if isinstance(news, SessionMessageChunk):
            append_block(one.parts, news.content)
            return index
        given = news.model_fields_set
        if "sender_session_id" in given:
            one.sender = news.sender_session_id or ""
        if "recipient_session_id" in given:
            one.recipient = news.recipient_session_id or ""
        if "content" in given:
            one.parts = parts_of(news.content or ())
        return index


def _set_state(one: Subagent, news: SubagentUpdate, at: float) -> None:
    state = news.state
    before, one.is_lost = one.state, False
    if state is None:
        one.state = ""
        return
    if state.state == "unknown" and before:
        one.is_lost = True  # the last one is kept
        return
    one.state = state.state
    if state.state in ("running", "requires_action"):
        if before not in ("running", "requires_action") or one.started is None:
            one.started = at
        one.ended, one.stop_reason, one.error = None, "", ""
    elif state.state == "idle":
        one.ended = at if one.ended is None else one.ended
        one.stop_reason, one.spent = state.stop_reason or "", state.usage
        one.error = _error(state.error)


def _error(error: object) -> str:
    if not isinstance(error, dict):
        return ""
    said = error.get("message")
    detail = error_text(error.get("data"))
    return ": ".join(filter(None, (as_text(said) if isinstance(said, str) else "", detail)))
