"""What the frames of a connection mean for its sessions.

The same translation serves the live connection and a journal that is read back: whatever was sent or received
becomes the same events.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from acp_tui.agent.capabilities import as_object
from acp_tui.protocol import validation
from acp_tui.protocol.jsonrpc import Call, Message, Notification, Request, RequestId, Response
from acp_tui.protocol.schema import (
    METHOD_NOT_FOUND,
    ElicitationRequest,
    NewSessionResponse,
    PermissionRequest,
    PromptRequest,
    PromptResponse,
    SessionSetup,
    SetConfigOptionResponse,
)
from acp_tui.protocol.validation import Unreadable
from acp_tui.session import events
from acp_tui.session.change import SessionChange
from acp_tui.session.entries import ToolCall
from acp_tui.session.events import Event
from acp_tui.session.past import Past
from acp_tui.session.questions import Elicitation, Permission
from acp_tui.session.session import Session


@dataclass(frozen=True, slots=True)
class Opening:
    """We ask for a session: for a new one (outside any), or to take up one that the agent has."""

    cwd: str = ""
    replays: bool = True
    """The agent tells all that was said; otherwise what we know already stays."""


@dataclass(frozen=True, slots=True)
class Continued:
    """What an earlier process left goes on, unless the agent refuses; a journal holds one process only."""

    session: Session


@dataclass(frozen=True, slots=True)
class Known:
    """More is known of a session that is asked for than its agent will tell; see `events.Recalled`."""

    past: Past


@dataclass(frozen=True, slots=True)
class Opened:
    """That request has its answer, or will have none."""

    ok: bool


@dataclass(frozen=True, slots=True)
class Forked:
    """The session that was just made goes on from another one."""

    source: str


Happening = Event | Opening | Continued | Known | Opened | Forked
SessionEvent = tuple[str, Happening]
"""A session's id, and what happened in it or to it."""

OUTSIDE: Final = ""
"""The session id of what happens outside any session, such as a form during a login."""


_SESSION: Final = re.compile(rb'"session_?[iI]d"\s*:\s*("(?:[^"\\]|\\.)*")')


def question_key(request_id: RequestId) -> str:
    """Return the key of the question that a request asks."""
    return json.dumps(request_id)


def called(call: Call) -> Iterator[SessionEvent]:
    """What a request of ours means.

    Raises:
        Unreadable: it is from a journal, and its params are none that we would send.
    """
    session_id = session_of(call.params)
    match call.method:
        case "session/new" | "session/fork":
            yield OUTSIDE, Opening()
        case "session/load" | "session/resume":
            yield session_id, Opening(_cwd_of(call.params), replays=call.method == "session/load")
        case "session/prompt":
            yield session_id, events.Prompted(validation.read(PromptRequest, call.params).prompt)
        case "session/set_mode" | "session/set_model" | "session/set_config_option":
            yield session_id, events.OptionRequested(*_chosen(call.params))


def notified(method: str, params: Any) -> Iterator[SessionEvent]:
    """What a notification of ours means."""
    if method == "session/cancel":
        yield session_of(params), events.TurnCancelled()


def received(message: Message) -> Iterator[SessionEvent]:
    """What a message of the agent means.

    Raises:
        Unreadable: a request's params cannot be read.
    """
    match message:
        case Notification(method="session/update", params=params):
            yield from _updated(params)
        case Notification(method="elicitation/complete", params=params):
            yield OUTSIDE, events.Completed(str(_get(params, "elicitationId")))
        case Response(call=call):
            answer = _RESPONSES.get(call.method)
            if answer is not None:
                yield from answer(message)
        case Request(method="session/request_permission"):
            asked = validation.read(PermissionRequest, message.params)
            key = question_key(message.id)
            question = Permission(key, ToolCall(asked.tool_call.tool_call_id), asked.options)
            yield asked.session_id, events.Asked(question, asked.tool_call)
        case Request(method="elicitation/create"):
            wanted = validation.read(ElicitationRequest, message.params)
            yield wanted.session_id or OUTSIDE, events.Elicited(_elicitation(message.id, wanted))


def answered(request: Request, result: Any, by: str = "you") -> Iterator[SessionEvent]:
    """What our answer to a request of the agent means; `result` is None for an error."""
    session_id = session_of(request.params)
    key = question_key(request.id)
    if request.method == "session/request_permission":
        option_id = _get(_get(result, "outcome"), "optionId")
        yield session_id, events.Answered(key, option_id, by)
    elif request.method == "elicitation/create":
        visiting = _get(request.params, "mode") == "url" and _get(result, "action") == "accept"
        yield session_id, events.Answered(key, by=by, waiting=visiting)


# ------------------------------------------------------------------ parts


def _updated(params: Any) -> Iterator[SessionEvent]:
    session_id = session_of(params)
    if session_id != OUTSIDE:
        for update in validation.read_updates(_get(params, "update")):
            yield session_id, update


def _elicitation(request_id: RequestId, wanted: ElicitationRequest) -> Elicitation:
    if wanted.mode == "form" and wanted.requested_schema is None:
        raise Unreadable("requestedSchema", "missing")
    if wanted.mode == "url" and wanted.url is None:
        raise Unreadable("url", "missing")
    if wanted.mode not in ("form", "url"):
        raise Unreadable("mode", f"not offered: {wanted.mode}")
    return Elicitation(
        question_key(request_id),
        wanted.message,
        schema=wanted.requested_schema if wanted.mode == "form" else None,
        url=wanted.url if wanted.mode == "url" else None,
        elicitation_id=wanted.elicitation_id,
        tool_call_id=wanted.tool_call_id,
    )


def _made(response: Response) -> Iterator[SessionEvent]:
    if response.error is not None:
        yield OUTSIDE, Opened(ok=False)
        return
    try:
        made = validation.read(NewSessionResponse, response.result)
    except Unreadable:
        yield OUTSIDE, Opened(ok=False)
        raise
    yield made.session_id, events.SetUp(made, _cwd_of(response.call.params))
    yield OUTSIDE, Opened(ok=True)


def _forked(response: Response) -> Iterator[SessionEvent]:
    """What a fork is answered with: a new session. Source: ACP, the draft of `session/fork`."""
    source = session_of(response.call.params)
    for session_id, event in _made(response):
        yield session_id, event
        if isinstance(event, events.SetUp) and session_id != source:
            yield session_id, Forked(source)


def _attached(response: Response) -> Iterator[SessionEvent]:
    session_id = session_of(response.call.params)
    if response.error is None:
        setup = validation.read(SessionSetup, as_object(response.result))  # older agents answer null
        yield session_id, events.SetUp(setup, _cwd_of(response.call.params))
    yield session_id, Opened(ok=response.error is None)


def _turn_ended(response: Response) -> Iterator[SessionEvent]:
    session_id = session_of(response.call.params)
    if response.error is not None:
        error = response.error
        yield session_id, events.TurnFailed(error.code, error.message, error.data)
    else:
        end = validation.read(PromptResponse, as_object(response.result))
        yield session_id, events.TurnEnded(end.stop_reason, tuple(end.content))


def _option_set(response: Response) -> Iterator[SessionEvent]:
    session_id = session_of(response.call.params)
    option_id, value = _chosen(response.call.params)
    if response.error is not None:
        reason = f"The agent did not change it: {response.error.message}"
        unknown = response.error.code == METHOD_NOT_FOUND
        yield session_id, events.OptionRefused(option_id, reason, unknown)
        return
    told = None
    if _get(response.result, "configOptions"):
        told = validation.read(SetConfigOptionResponse, response.result).config_options or None
    yield session_id, events.OptionSet(option_id, value, told)


def _chosen(params: Any) -> tuple[str, str | bool]:
    """Return the option and the value that a request of ours sets."""
    for option_id, name in (("mode", "modeId"), ("model", "modelId"), (_get(params, "configId"), "value")):
        value = _get(params, name)
        if isinstance(option_id, str) and isinstance(value, str | bool):
            return option_id, value
    raise Unreadable("value", "missing")


def session_of(params: Any) -> str:
    """Return the session that params name, in either spelling, or `OUTSIDE`."""
    for key in ("sessionId", "session_id"):
        session_id = _get(params, key)
        if isinstance(session_id, str):
            return session_id
    return OUTSIDE


def session_named_in(head: bytes) -> str:
    """Return the session that the beginning of a message names, which cannot be read as a whole."""
    found = _SESSION.search(head)
    try:
        return str(json.loads(found[1])) if found is not None else OUTSIDE
    except ValueError:
        return OUTSIDE


def _cwd_of(params: Any) -> str:
    cwd = _get(params, "cwd")
    return cwd if isinstance(cwd, str) else ""


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


_RESPONSES: Final[dict[str, Callable[[Response], Iterator[SessionEvent]]]] = {
    "session/new": _made,
    "session/fork": _forked,
    "session/load": _attached,
    "session/resume": _attached,
    "session/prompt": _turn_ended,
    "session/set_mode": _option_set,
    "session/set_model": _option_set,
    "session/set_config_option": _option_set,
}


log = logging.getLogger(__name__)

EARLY: Final = 16
"""Sessions whose news may come before the answer that names them."""


class Sessions:
    """Makes sessions as they are asked for, and applies to each what happens in it."""

    def __init__(
        self, on_change: Callable[[str, SessionChange], None], *, title_is_command: bool = False
    ) -> None:
        self.by_id: dict[str, Session] = {}
        self.outside = Session(OUTSIDE)
        """What belongs to no session, such as a form during a login."""
        self._on_change = on_change
        self.title_is_command = title_is_command
        """See `ToolCall.title_is_command`; for the sessions that are made from now on."""
        self._makings = 0
        self._early: dict[str, Session] = {}
        self._before: dict[str, Session | None] = {}
        """What stood in the place of a session that is being taken up."""
        self._pasts: dict[str, Past] = {}
        """What is known here of sessions that are being taken up and told anew."""

    def find(self, session_id: str) -> Session | None:
        """Return a session by its id, also one that the agent has only hinted at."""
        if session_id == OUTSIDE:
            return self.outside
        return self.by_id.get(session_id) or self._early.get(session_id)

    def note(self, session_id: str, event: Happening, at: float) -> None:
        """Take in an event at `at` (seconds). One that cannot be applied is logged and harms nothing else."""
        try:
            self._note(session_id, event, at)
        except Exception:  # a mistake in one session must not end the connection of all
            log.exception("%s in session %r", type(event).__name__, session_id)

    def disconnect(self, reason: str, detail: str, at: float, *, is_wanted: bool = False) -> None:
        """The agent is gone: end what is open in every session; `is_wanted` by us."""
        self._makings = 0
        self._early.clear()
        for session_id in list(self._before):
            self._opened(session_id, False, at)
        for session in [self.outside, *self.by_id.values()]:
            if session.connected:
                self.note(session.id, events.Disconnected(reason, detail, is_wanted), at)

    def _note(self, session_id: str, event: Happening, at: float) -> None:
        match event:
            case Opening():
                self._opening(session_id, event)
            case Continued():
                self._before[session_id] = None
                self.by_id[session_id] = event.session
                self._apply(event.session, events.Resumed(), at)
            case Known():
                self._pasts[session_id] = event.past
            case Opened():
                self._opened(session_id, event.ok, at)
            case Forked():
                source = self.by_id.get(event.source)
                entries = tuple(source.entries) if source is not None else ()
                subject = source.subject if source is not None else ""
                self._apply(self.by_id[session_id], events.Inherited(entries, subject), at)
            case events.Completed():
                # It names no session: an address may have been asked for in any.
                for session in [self.outside, *self.by_id.values(), *self._early.values()]:
                    self._apply(session, event, at)
            case _:
                known = self._made(session_id, event)
                if known is None:
                    log.info("news of a session that nobody asked for: %s", session_id)
                else:
                    self._apply(known, event, at)

    def _opening(self, session_id: str, event: Opening) -> None:
        if session_id == OUTSIDE:
            self._makings += 1
            return
        before = self.by_id.get(session_id)
        self._before.setdefault(session_id, before)
        if event.replays or before is None:
            if before is not None:
                self._pasts.setdefault(session_id, before.past())
            self.by_id[session_id] = self._new(session_id, event.cwd)

    def _opened(self, session_id: str, ok: bool, at: float) -> None:
        if session_id == OUTSIDE:
            self._makings = max(0, self._makings - 1)
            if not self._makings:
                self._early.clear()
        elif session_id in self._before:
            before, past = self._before.pop(session_id), self._pasts.pop(session_id, None)
            if ok and past is not None:
                self._apply(self.by_id[session_id], events.PastLoaded(past), at)
            elif not ok:
                self._put_back(session_id, before)

    def _put_back(self, session_id: str, before: Session | None) -> None:
        """Leave nothing of a replay that failed."""
        if before is None:
            self.by_id.pop(session_id, None)
        else:
            self.by_id[session_id] = before

    def _made(self, session_id: str, event: events.Event) -> Session | None:
        """Return the session of an event; make it if the agent may tell of one that we do not know yet."""
        if isinstance(event, events.SetUp) and session_id not in self.by_id and self._makings:
            self.by_id[session_id] = self._early.pop(session_id, self._new(session_id))
        session = self.find(session_id)
        if session is None and self._makings and len(self._early) < EARLY:
            session = self._early[session_id] = self._new(session_id)
        return session

    def _new(self, session_id: str, cwd: str = "") -> Session:
        return Session(session_id, cwd, title_is_command=self.title_is_command)

    def _apply(self, session: Session, event: events.Event, at: float) -> None:
        change = session.apply(event, at)
        if change is not None and session.id not in self._early:
            self._on_change(session.id, change)
