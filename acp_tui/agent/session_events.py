"""Session events: the frames of a connection, translated for its sessions.

A live connection and a replayed journal share the translation, so the same frames make the same sessions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from acp_tui.lazy_regex import regex
from acp_tui.protocol import schema, validation
from acp_tui.protocol.json_values import as_list, as_object, member
from acp_tui.protocol.jsonrpc import Call, Message, Notification, Request, RequestId, Response
from acp_tui.protocol.schema import (
    METHOD_NOT_FOUND,
    ElicitationRequest,
    NewSessionResponse,
    PatchPermissionRequest,
    PromptRequest,
    PromptResponse,
    SessionSetup,
    SetConfigOptionResponse,
    SetTitleResponse,
    TextContent,
)
from acp_tui.protocol.validation import Unreadable
from acp_tui.protocol.version2 import Inserted, Meaning
from acp_tui.session import events
from acp_tui.session.earlier_runs import Past
from acp_tui.session.entries import ToolCall
from acp_tui.session.events import Event
from acp_tui.session.questions import Elicitation, Permission
from acp_tui.session.session import Session


@dataclass(frozen=True, slots=True)
class SessionRequested:
    """The client requests a new session (outside any), or one that the agent has."""

    cwd: str = ""
    replays: bool = True
    """True if the agent replays the conversation; otherwise the known one is kept."""


@dataclass(frozen=True, slots=True)
class SessionContinued:
    """The session of an earlier process continues unchanged unless the agent refuses, even with a replay."""

    session: Session


@dataclass(frozen=True, slots=True)
class PastKnown:
    """The client knows more about a requested session than its agent reports; see `events.Recalled`."""

    past: Past


@dataclass(frozen=True, slots=True)
class SessionReady:
    """The request for a session was answered, or never will be."""

    ok: bool


@dataclass(frozen=True, slots=True)
class SessionForked:
    """The new session continues another one."""

    source: str


SessionEvent = Event | SessionRequested | SessionContinued | PastKnown | SessionReady | SessionForked
AddressedEvent = tuple[str, SessionEvent]
"""(session id, event in the session or about it)."""

STEERING: Final = "_session/steering"
"""Method that sends text into a running turn; an extension that several agents share."""
DRAIN: Final = "craft/drainMidTurnQueue"
"""Method that asks for text queued for the running turn; an extension of qwen."""

OUTSIDE: Final = ""
"""The session id of events outside any session, such as a form during a login."""


_SESSION: Final = regex(rb'"session_?[iI]d"\s*:\s*("(?:[^"\\]|\\.)*")')


def question_key(request_id: RequestId) -> str:
    """Return the key of the question that belongs to a request; it is the same for equal numbers."""
    if isinstance(request_id, float) and request_id.is_integer():
        request_id = int(request_id)
    return json.dumps(request_id)


def events_of_call(call: Call) -> Iterator[AddressedEvent]:
    """Yield the events of a request to the agent.

    Raises:
        Unreadable: it comes from a journal and has params that the client never sends.
    """
    session_id = session_of(call.params)
    match call.method:
        case "session/new" | "session/fork":
            yield OUTSIDE, SessionRequested()
        case "session/load" | "session/resume":
            yield session_id, SessionRequested(_cwd_of(call.params), replays=call.method == "session/load")
        case "session/prompt":
            yield session_id, events.Prompted(validation.read(PromptRequest, call.params).prompt)
        case "session/set_mode" | "session/set_model" | "session/set_config_option":
            yield session_id, events.OptionRequested(*_chosen(call.params))


def events_of_notification(method: str, params: Any) -> Iterator[AddressedEvent]:
    """Yield the events of a notification to the agent."""
    if method == "session/cancel":
        yield session_of(params), events.TurnCancelled()


def events_of_message(message: Meaning) -> Iterator[AddressedEvent]:
    """Yield the events of a message of the agent.

    Raises:
        Unreadable: a request's params cannot be read.
    """
    match message:
        case Inserted(call):
            yield from events_of_call(call)
        case Notification(method="session/update", params=params):
            yield from _updated(params, message.version)
        case Notification(method="elicitation/complete", params=params):
            yield OUTSIDE, events.Completed(str(member(params, "elicitationId")))
        case Response(call=call):
            answer = _RESPONSES.get(call.method)
            if answer is not None:
                yield from answer(message)
        case Request(method="session/request_permission"):
            asked = validation.read_permission(message.params, message.version)
            key = question_key(message.id)
            question = Permission(key, ToolCall(asked.tool_call.tool_call_id), asked.options)
            question.title, question.description = asked.title, asked.description or ""
            question.has_no_call = isinstance(asked, PatchPermissionRequest) and asked.has_no_call
            yield asked.session_id, events.Asked(question, asked.tool_call)
        case Request(method="elicitation/create"):
            wanted = validation.read(ElicitationRequest, message.params)
            yield wanted.session_id or OUTSIDE, events.Elicited(_elicitation(message.id, wanted))


_GROWTH: Final = ("agent_message_chunk", "agent_thought_chunk")


def is_growth(message: Message) -> bool:
    """Return whether a message is a piece of the agent's text, which can wait for the next frame."""
    if not isinstance(message, Notification) or message.method != "session/update":
        return False
    return member(message.params, "update", "sessionUpdate") in _GROWTH


def events_of_answer(request: Request, result: Any, by: str = "you") -> Iterator[AddressedEvent]:
    """Yield the events of an answer to the agent; `result` is None for an error."""
    session_id = session_of(request.params)
    key = question_key(request.id)
    if request.method == "session/request_permission":
        option_id = member(result, "outcome", "optionId")
        yield session_id, events.Answered(key, option_id, by)
    elif request.method == "elicitation/create":
        visiting = member(request.params, "mode") == "url" and member(result, "action") == "accept"
        yield session_id, events.Answered(key, by=by, waiting=visiting)
    elif request.method == DRAIN:
        for text in as_list(member(result, "messages")):
            yield session_id, events.Steered([TextContent(text=str(text))])


# ------------------------------------------------------------------ parts


def _updated(params: Any, version: int) -> Iterator[AddressedEvent]:
    session_id = session_of(params)
    if session_id != OUTSIDE:
        for update in validation.read_updates(member(params, "update")):
            if isinstance(update, schema.MessageUpdate):
                update.version = version
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


def _made(response: Response) -> Iterator[AddressedEvent]:
    if response.error is not None:
        yield OUTSIDE, SessionReady(ok=False)
        return
    try:
        made = validation.read(NewSessionResponse, response.result)
    except Unreadable:
        yield OUTSIDE, SessionReady(ok=False)
        raise
    is_new = response.call.method == "session/new"
    yield made.session_id, events.SetUp(made, _cwd_of(response.call.params), is_new, is_made=True)
    yield OUTSIDE, SessionReady(ok=True)


def _forked(response: Response) -> Iterator[AddressedEvent]:
    """Yield the events of the answer to a fork: a new session. Source: ACP, the draft of `session/fork`."""
    source = session_of(response.call.params)
    for session_id, event in _made(response):
        yield session_id, event
        if isinstance(event, events.SetUp) and session_id != source:
            yield session_id, SessionForked(source)


def _attached(response: Response) -> Iterator[AddressedEvent]:
    session_id = session_of(response.call.params)
    if response.error is None:
        setup = validation.read(SessionSetup, as_object(response.result))  # older agents answer with null
        yield session_id, events.SetUp(setup, _cwd_of(response.call.params))
    yield session_id, SessionReady(ok=response.error is None)


def _turn_ended(response: Response) -> Iterator[AddressedEvent]:
    session_id = session_of(response.call.params)
    if response.error is not None:
        error = response.error
        yield session_id, events.TurnFailed(error.code, error.message, error.data)
    else:
        end = validation.read(PromptResponse, as_object(response.result))
        yield session_id, events.TurnEnded(end.stop_reason, tuple(end.content), end.usage)


def _titled(response: Response) -> Iterator[AddressedEvent]:
    if response.error is None:
        title = validation.read(SetTitleResponse, response.result).title
        yield session_of(response.call.params), schema.SessionInfoUpdate(title=title)


def _steered(response: Response) -> Iterator[AddressedEvent]:
    outcome = member(response.result, "outcome") if response.error is None else None
    if outcome in ("injected", "startedNewTurn"):
        params = response.call.params
        yield session_of(params), events.Steered(validation.read(PromptRequest, params).prompt)


def _option_set(response: Response) -> Iterator[AddressedEvent]:
    session_id = session_of(response.call.params)
    option_id, value = _chosen(response.call.params)
    if response.error is not None:
        reason = f"The agent did not change it: {response.error.message}"
        unknown = response.error.code == METHOD_NOT_FOUND
        yield session_id, events.OptionRefused(option_id, reason, unknown)
        return
    options = None
    if member(response.result, "configOptions"):
        options = validation.read(SetConfigOptionResponse, response.result).config_options or None
    yield session_id, events.OptionSet(option_id, value, options)


def _chosen(params: Any) -> tuple[str, str | bool]:
    """Return the option and the value that a request sets."""
    for option_id, name in (("mode", "modeId"), ("model", "modelId"), (member(params, "configId"), "value")):
        value = member(params, name)
        if isinstance(option_id, str) and isinstance(value, str | bool):
            return option_id, value
    raise Unreadable("value", "missing")


def session_of(params: Any) -> str:
    """Return the session that params name, in either spelling, or `OUTSIDE`."""
    for key in ("sessionId", "session_id"):
        session_id = member(params, key)
        if isinstance(session_id, str):
            return session_id
    return OUTSIDE


def session_named_in(head: bytes) -> str:
    """Return the session named in the first bytes of a message that is too large to parse."""
    found = _SESSION.search(head)
    try:
        return str(json.loads(found[1])) if found is not None else OUTSIDE
    except ValueError:
        return OUTSIDE


def _cwd_of(params: Any) -> str:
    cwd = member(params, "cwd")
    return cwd if isinstance(cwd, str) else ""


_RESPONSES: Final[dict[str, Callable[[Response], Iterator[AddressedEvent]]]] = {
    "session/new": _made,
    "session/fork": _forked,
    "session/load": _attached,
    "session/resume": _attached,
    "session/prompt": _turn_ended,
    STEERING: _steered,
    "session/set_title": _titled,
    "session/set_mode": _option_set,
    "session/set_model": _option_set,
    "session/set_config_option": _option_set,
}
