"""Past requests: requests of agents in recorded sessions, to test rules on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from acp_tui.agent.client_methods import implicit_request_of
from acp_tui.agent.permissions.authorization import tool_use_of
from acp_tui.agent.permissions.grants import is_about
from acp_tui.agent.replay import replay
from acp_tui.agent.session_events import question_key
from acp_tui.protocol.jsonrpc import Request
from acp_tui.protocol.validation import Unreadable
from acp_tui.rules.model import ToolUse
from acp_tui.session.entries import ToolCall
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session
from acp_tui.store import recordings
from acp_tui.store.folders import plain_file

_METHODS = (b'"session/request_permission"', b'"terminal/create"', b'"fs/write_text_file"')


@dataclass(frozen=True)
class PastRequest:
    """A permission request of a recorded session, or an implicit request."""

    ask: ToolUse
    title: str
    options: tuple[tuple[str, str], ...]
    """(id, kind) as the agent offered them."""
    at: datetime | None
    """The time when its connection started."""
    journal: Path


def past_requests(journals: Iterable[recordings.RecordedSession]) -> Iterator[PastRequest]:
    """Yield the requests of each journal; one that cannot be read is skipped."""
    for journal in journals:
        try:
            if _holds_requests(journal.path):
                yield from _of(journal)
        except OSError:
            continue


def _holds_requests(path: Path) -> bool:
    """Return whether a journal holds a request; most do not, and need not be read in full."""
    with plain_file(path) as file:
        return any(word in line for line in file for word in _METHODS)


def _of(journal: recordings.RecordedSession) -> list[PastRequest]:
    found: list[PastRequest] = []

    def asked(session: Session, request: Request) -> None:
        call, options = _permission(session, request)
        call = call or _implicit(session, request)
        if call is not None:
            ask = tool_use_of(call, session, journal.agent)
            found.append(PastRequest(ask, call.title, options, journal.started, journal.path))

    replay(recordings.read(journal.path), asked)
    return found


def _permission(session: Session, request: Request) -> tuple[ToolCall | None, tuple[tuple[str, str], ...]]:
    """Return the tool call of a permission request and its options."""
    question = session.questions.get(question_key(request.id))
    if not isinstance(question, Permission):
        return None, ()
    options = tuple((option.option_id, option.kind) for option in question.options)
    return question.call, options


def _implicit(session: Session, request: Request) -> ToolCall | None:
    """Return an implicit request as a tool call, unless a permission was asked for it."""
    try:
        implicit = implicit_request_of(request)
    except Unreadable:
        return None
    calls = [entry for entry in session.entries if isinstance(entry, ToolCall) and entry.decision]
    if implicit is None or any(is_about(call, implicit, session.cwd) for call in calls):
        return None
    return implicit.as_call()
