"""What the frames of a connection mean for its sessions.

The same translation serves the live connection and a journal that is read back: whatever was sent or received
becomes the same events.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

from acp_tui.acp import reading
from acp_tui.acp.elicitation import ElicitationRequest
from acp_tui.acp.permissions import PermissionRequest
from acp_tui.acp.prompts import PromptRequest, PromptResponse
from acp_tui.acp.reading import Unreadable
from acp_tui.acp.sessions import NewSessionResponse, SessionSetup, SetConfigOptionResponse
from acp_tui.session import events
from acp_tui.session.events import Event
from acp_tui.session.questions import Elicitation, Permission
from acp_tui.wire.messages import Call, Message, Notification, Request, RequestId, Response

SessionEvent = tuple[str, Event]
"""A session's id, and what happened in it."""

OUTSIDE: Final = ""
"""The session id of what happens outside any session, such as a form during a login."""


def question_key(request_id: RequestId) -> str:
    """Return the key of the question that a request asks."""
    return json.dumps(request_id)


def called(call: Call) -> Iterator[SessionEvent]:
    """What a request of ours means."""
    params = call.params if isinstance(call.params, dict) else {}
    session_id = str(params.get("sessionId", OUTSIDE))
    match call.method:
        case "session/prompt":
            yield session_id, events.Prompted(reading.read(PromptRequest, params).prompt)
        case "session/set_mode":
            yield session_id, events.Setting("mode", params["modeId"])
        case "session/set_model":
            yield session_id, events.Setting("model", params["modelId"])
        case "session/set_config_option":
            yield session_id, events.Setting(params["configId"], params["value"])


def notified(method: str, params: Any) -> Iterator[SessionEvent]:
    """What a notification of ours means."""
    if method == "session/cancel":
        yield params["sessionId"], events.Cancelled()


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
            asked = reading.read(PermissionRequest, message.params)
            key = question_key(message.id)
            question = Permission(key, asked.tool_call.tool_call_id, asked.options)
            yield asked.session_id, events.Asked(question, asked.tool_call)
        case Request(method="elicitation/create"):
            wanted = reading.read(ElicitationRequest, message.params)
            yield wanted.session_id or OUTSIDE, events.Elicited(_elicitation(message.id, wanted))


def answered(request: Request, result: Any, by: str = "you") -> Iterator[SessionEvent]:
    """What our answer to a request of the agent means; `result` is None for an error."""
    session_id = str(_get(request.params, "sessionId") or OUTSIDE)
    key = question_key(request.id)
    if request.method == "session/request_permission":
        outcome = _get(result, "outcome")
        yield session_id, events.Answered(key, _get(outcome, "optionId"), by)
    elif request.method == "elicitation/create":
        visiting = _get(request.params, "mode") == "url" and _get(result, "action") == "accept"
        yield session_id, events.Answered(key, by=by, waiting=visiting)


# ------------------------------------------------------------------ parts


def _updated(params: Any) -> Iterator[SessionEvent]:
    session_id = _get(params, "sessionId")
    if session_id is None:
        session_id = _get(params, "session_id")
    if isinstance(session_id, str):
        yield session_id, reading.read_update(_get(params, "update"))


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
    if response.error is None:
        made = reading.read(NewSessionResponse, response.result)
        yield made.session_id, events.SetUp(made, response.call.params["cwd"])


def _attached(response: Response) -> Iterator[SessionEvent]:
    if response.error is None:
        setup = reading.read(SessionSetup, _object(response.result))  # older agents answer null
        params = response.call.params
        yield params["sessionId"], events.SetUp(setup, params["cwd"])


def _turn_ended(response: Response) -> Iterator[SessionEvent]:
    session_id = response.call.params["sessionId"]
    if response.error is not None:
        error = response.error
        yield session_id, events.Failed(error.code, error.message, error.data)
    else:
        yield session_id, events.Ended(reading.read(PromptResponse, _object(response.result)).stop_reason)


def _option_set(response: Response) -> Iterator[SessionEvent]:
    params = response.call.params
    option_id, value = _chosen(params)
    if response.error is not None:
        reason = f"The agent did not change it: {response.error.message}"
        yield params["sessionId"], events.SettingFailed(option_id, reason)
        return
    told = None
    if response.call.method == "session/set_config_option" and _get(response.result, "configOptions"):
        told = reading.read(SetConfigOptionResponse, response.result).config_options
    yield params["sessionId"], events.Set(option_id, value, told)


def _chosen(params: dict[str, Any]) -> tuple[str, str | bool]:
    if "configId" in params:
        return params["configId"], params["value"]
    return ("mode", params["modeId"]) if "modeId" in params else ("model", params["modelId"])


def _object(value: Any) -> dict[str, Any]:
    """Return a result as an object: null, nothing and oddities count as an empty one."""
    return value if isinstance(value, dict) else {}


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, dict) else None


_RESPONSES: Final[dict[str, Callable[[Response], Iterator[SessionEvent]]]] = {
    "session/new": _made,
    "session/fork": _made,
    "session/load": _attached,
    "session/resume": _attached,
    "session/prompt": _turn_ended,
    "session/set_mode": _option_set,
    "session/set_model": _option_set,
    "session/set_config_option": _option_set,
}
