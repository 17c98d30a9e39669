"""Checks of an agent's values against the protocol's vocabulary. No I/O."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from os.path import normpath
from typing import Any, Final, get_args

from acp_tui.commands.doctor.findings import Finding, WireMessage, answers_to, params_of, shown
from acp_tui.protocol import dialects, version2
from acp_tui.protocol.json_values import as_list, member
from acp_tui.protocol.schema import (
    TOOL_KINDS,
    TOOL_STATUSES,
    AgentCapabilities,
    AuthCapabilities,
    CreateTerminalRequest,
    InitializeResponse,
    ListSessionsResponse,
    McpCapabilities,
    Model,
    NewSessionResponse,
    PermissionRequest,
    PromptCapabilities,
    PromptResponse,
    ReadTextFileRequest,
    SessionCapabilities,
    TerminalRequest,
    UnknownUpdate,
    Update,
    WriteTextFileRequest,
    camel,
)
from acp_tui.protocol.validation import complaints, read_updates, update_complaints
from acp_tui.session.questions import KINDS

_ANSWERS: Final[dict[str, type[Model]]] = {
    "initialize": InitializeResponse,
    "session/new": NewSessionResponse,
    "session/list": ListSessionsResponse,
    "session/prompt": PromptResponse,
}
_REQUESTS: Final[dict[str, type[Model]]] = {
    "session/request_permission": PermissionRequest,
    "fs/read_text_file": ReadTextFileRequest,
    "fs/write_text_file": WriteTextFileRequest,
    "terminal/create": CreateTerminalRequest,
    "terminal/output": TerminalRequest,
    "terminal/wait_for_exit": TerminalRequest,
    "terminal/kill": TerminalRequest,
    "terminal/release": TerminalRequest,
}
_TELLS: Final = frozenset({"session/update", "elicitation/complete", "$/cancel_request"})
_ASKS: Final = frozenset({*_REQUESTS, "elicitation/create"})
_STOPS: Final = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled")
_CALLS: Final = ("tool_call", "tool_call_update", "tool_call_patch")
_PLAN_STATUSES: Final = ("pending", "in_progress", "completed")
_PRIORITIES: Final = ("high", "medium", "low")
_CATEGORIES: Final = ("mode", "model", "model_config", "thought_level")


def _names(model: type[Model]) -> tuple[str, ...]:
    return tuple(camel(name) for name in model.model_fields if name != "meta")


_MARKERS: Final = {"sessionCapabilities": _names(SessionCapabilities), "auth": _names(AuthCapabilities)}
"""Capabilities that are objects, by group."""
_OFFERS: Final[dict[str, tuple[str, ...]]] = {
    "": _names(AgentCapabilities),
    "promptCapabilities": _names(PromptCapabilities),
    "mcpCapabilities": (*_names(McpCapabilities), "acp"),
    **_MARKERS,
}
"""Capabilities of the protocol, by group."""
_OLDER: Final = ("sessions", "prompts", "mcp")


def check_values(frames: Sequence[WireMessage], roots: Sequence[str]) -> Iterator[Finding]:
    """Run all checks of values."""
    updates = _updates(frames)
    yield from shapes(frames)
    yield from capabilities(frames)
    yield from turns(frames)
    yield from calls(updates, frames)
    yield from permissions(frames)
    yield from plans(updates)
    yield from options(updates, frames)
    yield from paths(updates, frames, roots)
    yield from methods(frames)


# ------------------------------------------------------------------ shapes


def shapes(frames: Sequence[WireMessage]) -> Iterator[Finding]:
    """Check objects for required fields and types. Source: ACP, schema."""
    for method, word in _ANSWERS.items():
        found = [text for answer in answers_to(frames, method) for text in complaints(word, answer)]
        if found:
            yield Finding(method, "broken", shown(found), "ignored")
    for method, word in _REQUESTS.items():
        found = [
            text for params in params_of(frames, method) for text in complaints(word, _in_a_session(params))
        ]
        if found:
            refused = "ignored, or the request is refused with -32602"
            yield Finding(method, "broken", shown(found), refused)
    found = [
        f"{version2.name_of(update.get('sessionUpdate', 'an update'))}: {text}"
        for update in _updates(frames)
        if not isinstance(_first(update), UnknownUpdate) or is_known(update)
        for text in update_complaints(update)
    ]
    if found:
        fallback = "ignored; an incomplete update is not shown in the chat"
        yield Finding("session/update", "broken", shown(found), fallback)


def is_known(update: Any) -> bool:
    """Return whether an update is of a known kind, readable or not."""
    name = update.get("sessionUpdate") if isinstance(update, dict) else None
    return isinstance(name, str) and name in _KINDS_OF_NEWS


_KINDS_OF_NEWS: Final = frozenset(
    name
    for model in get_args(get_args(Update)[0])
    if model is not UnknownUpdate
    for name in get_args(model.model_fields["session_update"].annotation)
)


def capabilities(frames: Sequence[WireMessage]) -> Iterator[Finding]:
    """Check the agent's capabilities. Source: ACP, page "initialization"."""
    for answer in answers_to(frames, "initialize"):
        offered = dialects.normalise("InitializeResponse", answer).get("agentCapabilities")
        if not isinstance(offered, dict):
            continue
        unknown, bare = [], []
        is_older = "agentCapabilities" not in answer
        for group, known in _OFFERS.items():
            held = member(offered, group) if group else offered
            for name in held if isinstance(held, dict) else ():
                place = f"{group}.{name}" if group else name
                camel = _camel(name)
                if name.startswith("_") or (not group and is_older and name in _OLDER):
                    continue
                if camel not in known:
                    unknown.append(place)
                elif camel in _MARKERS.get(group, ()) and isinstance(held[name], bool):
                    bare.append(place)
        if unknown:
            yield Finding("capabilities", "note", f"not in the protocol: {shown(unknown)}", "not used")
        if bare:
            text = f"true or false where an object belongs: {shown(bare)}"
            yield Finding("capabilities", "broken", text, "true is read as yes, false as no")


# ------------------------------------------------------------------ words


def turns(frames: Sequence[WireMessage]) -> Iterator[Finding]:
    """Check stop reasons. Source: ACP, page "prompt turn"."""
    ended = answers_to(frames, "session/prompt")
    reasons = [answer.get("stopReason", answer.get("stop_reason")) for answer in ended]
    strange = _strange(reasons, _STOPS)
    if None in reasons:
        yield Finding("stop reason", "broken", "a turn ends without one", "read as end_turn")
    if unknown := [reason for reason in strange if dialects.stop_reason(reason) not in _STOPS]:
        text = f"not in the protocol: {shown(unknown)}"
        yield Finding("stop reason", "broken", text, "the turn is over, and the chat shows the reason")
    if older := [reason for reason in strange if reason not in unknown]:
        yield Finding("dialect", "note", f"stop reasons with older names: {shown(older)}", "translated")


def calls(updates: Sequence[Any], frames: Sequence[WireMessage]) -> Iterator[Finding]:
    """Check the vocabulary of tool calls. Source: ACP, page "tool calls"."""
    check, every = "tool calls", _calls(updates, frames)
    if kinds := _strange((call.get("kind") for call in every), TOOL_KINDS):
        yield Finding(check, "broken", f"kinds not in the protocol: {shown(kinds)}", "shown as “tool”")
    statuses = _strange((call.get("status") for call in every), TOOL_STATUSES)
    if older := [word for word in statuses if dialects.tool_status(word) in (*TOOL_STATUSES, "cancelled")]:
        text = f"statuses of tool calls with other names: {shown(older)}"
        yield Finding("dialect", "note", text, "understood")
    if unknown := [word for word in statuses if word not in older]:
        text = f"statuses not in the protocol: {shown(unknown)}"
        yield Finding(check, "broken", text, "the status before stays")
    if untitled := sum(not call.get("title") for call in _of_kind(updates, "tool_call")):
        text = f"announced without a title: {untitled}"
        yield Finding(check, "broken", text, "titled by what else is known of them")
    known: set[str] = set()
    unannounced: list[str] = []
    for call in _of_kind(updates, *_CALLS):
        name = str(call.get("toolCallId"))
        if call["sessionUpdate"] == "tool_call_update" and name not in known:
            unannounced.append(name)
        known.add(name)
    if unannounced:
        text = f"updates of calls that were not announced: {shown(unannounced)}"
        yield Finding(check, "note", text, "shown as new ones")


def permissions(frames: Sequence[WireMessage]) -> Iterator[Finding]:
    """Check the offered answers. Source: ACP, page "tool calls", requesting permission."""
    offered = [as_list(asked.get("options")) for asked in _asked(frames)]
    if not all(offered):
        text = "requested without options"
        yield Finding("permissions", "broken", text, "answered as cancelled, or refused with -32602")
    if odd := _strange((member(choice, "kind") for choices in offered for choice in choices), KINDS):
        text = f"kinds of answers not in the protocol: {shown(odd)}"
        fallback = "“allow”, “deny” and “reject” are understood; others are shown, and allow nothing"
        yield Finding("permissions", "broken", text, fallback)


def plans(updates: Sequence[Any]) -> Iterator[Finding]:
    """Check the vocabulary of plans. Source: ACP, page "agent plan"."""
    entries = (step for plan in _of_kind(updates, "plan") for step in as_list(plan.get("entries")))
    steps = [step for step in entries if isinstance(step, dict)]
    statuses = _strange((step.get("status") for step in steps), _PLAN_STATUSES)
    if understood := [word for word in statuses if word in ("done", "failed")]:
        text = f"statuses not in the protocol: {shown(understood)}"
        yield Finding("plan", "broken", text, "understood")
    if unknown := [word for word in statuses if word not in understood]:
        yield Finding("plan", "broken", f"statuses not in the protocol: {shown(unknown)}", "shown as pending")
    if odd := _strange((step.get("priority") for step in steps), _PRIORITIES):
        text = f"priorities not in the protocol: {shown(odd)}"
        yield Finding("plan", "broken", text, "shown without a mark")
    if lacking := [key for key in ("status", "priority") if any(key not in step for step in steps)]:
        text = f"steps without {' and '.join(lacking)}"
        yield Finding("plan", "broken", text, "read as pending, of medium priority")


# ------------------------------------------------------------------ values


def options(updates: Sequence[Any], frames: Sequence[WireMessage]) -> Iterator[Finding]:
    """Check that current values of modes and options are offered. Source: ACP, "session config options"."""
    setups = answers_to(frames, "session/new")
    holders = [*setups, *_of_kind(updates, "config_option_update")]
    listed = (option for holder in holders for option in as_list(holder.get("configOptions")))
    every = [option for option in listed if isinstance(option, dict)]
    categories = _strange((option.get("category") for option in every), _CATEGORIES)
    if unknown := [word for word in categories if not word.startswith("_")]:
        text = f"categories not in the protocol: {shown(unknown)}"
        yield Finding("options", "note", text, "listed with all others, without their own key")
    strays = [
        f"{option.get('id')} = {option.get('currentValue')}"
        for option in every
        if option.get("type") == "select" and option.get("currentValue") not in _values(option)
    ]
    modes = [value for option in every if _is_mode(option) for value in _values(option)]
    for setup in setups:
        for group, current, offered, name in _OLDER_OPTIONS:
            if isinstance(held := setup.get(group), dict):
                ids = [member(each, name) for each in as_list(held.get(offered))]
                strays += [] if held.get(current) in ids else [f"{current} = {held.get(current)}"]
                modes += ids if group == "modes" else []
    if strays:
        text = f"set to what is not offered: {shown(strays)}"
        yield Finding("options", "broken", text, "shown as it is named")
    entered = [str(update.get("currentModeId")) for update in _of_kind(updates, "current_mode_update")]
    if moved := [mode for mode in entered if mode not in modes]:
        text = f"goes to modes that are not offered: {shown(moved)}"
        yield Finding("options", "broken", text, "shown as it is named")


_OLDER_OPTIONS: Final = (
    ("modes", "currentModeId", "availableModes", "id"),
    ("models", "currentModelId", "availableModels", "modelId"),
)


def _is_mode(option: dict[str, Any]) -> bool:
    return "mode" in (option.get("category"), option.get("id"))


def _values(option: dict[str, Any]) -> list[Any]:
    """Return the values of an option, flat or grouped."""
    held = [each for each in as_list(option.get("options")) if isinstance(each, dict)]
    grouped = (choice for group in held for choice in as_list(group.get("options")))
    return [member(choice, "value") for choice in (*held, *grouped) if member(choice, "value") is not None]


# ------------------------------------------------------------------ places


def paths(updates: Sequence[Any], frames: Sequence[WireMessage], roots: Sequence[str]) -> Iterator[Finding]:
    """Check that paths are absolute and inside the session's folders. Source: ACP, "file system"."""
    every = _calls(updates, frames)
    places = _texts(member(place, "path") for call in every for place in as_list(call.get("locations")))
    diffs = _texts(
        member(item, "path")
        for call in every
        for item in as_list(call.get("content"))
        if member(item, "type") == "diff"
    )
    wanted = {
        method: _texts(member(params, key) for params in params_of(frames, method))
        for method, key in (
            ("fs/read_text_file", "path"),
            ("fs/write_text_file", "path"),
            ("terminal/create", "cwd"),
        )
    }
    in_words = "taken from the session's folder"
    for what, found, fallback in (
        ("places of tool calls", places, in_words),
        ("differences", diffs, in_words),
        *((method, named, "refused with -32602") for method, named in wanted.items()),
    ):
        if relative := [path for path in found if not path.startswith("/")]:
            yield Finding("paths", "broken", f"relative in {what}: {shown(relative)}", fallback)
    outside = {name: [path for path in found if _is_outside(path, roots)] for name, found in wanted.items()}
    if writes := outside["fs/write_text_file"]:
        yield Finding(
            "paths", "broken", f"writes outside the workspace: {shown(writes)}", "refused with -32602"
        )
    if reads := outside["fs/read_text_file"]:
        yield Finding("paths", "note", f"reads outside the workspace: {shown(reads)}", "refused with -32602")
    if commands := outside["terminal/create"]:
        text = f"runs commands outside the workspace: {shown(commands)}"
        yield Finding("paths", "note", text, "you are asked, also where a rule would allow the command")
    if changed := [path for path in diffs if _is_outside(path, roots)]:
        text = f"reports changes outside the workspace: {shown(changed)}"
        yield Finding("paths", "note", text, "shown with its call; not in snapshots")


def _is_outside(path: str, roots: Sequence[str]) -> bool:
    """Return whether an absolute path is lexically outside all folders."""
    at = normpath(path)
    return path.startswith("/") and not any(
        at == root or at.startswith(f"{root.rstrip('/')}/") for root in roots
    )


# ------------------------------------------------------------------ methods


def methods(frames: Sequence[WireMessage]) -> Iterator[Finding]:
    """Check the methods called on the client. Source: ACP, "protocol overview"."""
    sent = [frame.msg for frame in frames if frame.direction == "in" and "method" in frame.msg]
    asks = [str(msg["method"]) for msg in sent if "id" in msg and msg["method"] not in _ASKS]
    tells = [str(msg["method"]) for msg in sent if "id" not in msg and msg["method"] not in _TELLS]
    for names, text, fallback in (
        (asks, "asks for what is not offered", "refused with -32601"),
        (tells, "notifications not in the protocol", "not shown in the chat, only in the protocol log"),
    ):
        private = [name for name in names if name.startswith("_")]
        if others := [name for name in names if name not in private]:
            yield Finding("methods", "broken", f"{text}: {shown(others)}", fallback)
        if private:
            yield Finding("methods", "note", f"{text}: {shown(private)}", fallback)


def unassigned(names: Sequence[str]) -> Iterator[Finding]:
    """Report messages without `sessionId`, by method."""
    if names:
        text = f"without sessionId: {shown(names)}"
        fallback = "taken to mean the open session, if there is only one; else refused or dropped"
        yield Finding("methods", "broken", text, fallback)


# ------------------------------------------------------------------ looking things up


def _updates(frames: Sequence[WireMessage]) -> list[Any]:
    return [member(params, "update") for params in params_of(frames, "session/update")]


def _first(update: Any) -> Any:
    return next(iter(read_updates(update)), None)


def _in_a_session(params: Any) -> Any:
    """Return params with a session id; a missing one is reported elsewhere."""
    return {"sessionId": "", **params} if isinstance(params, dict) and "session_id" not in params else params


def _strange(words: Iterable[Any], known: Container[str]) -> list[str]:
    """Return unknown values; non-strings are reported elsewhere."""
    return [word for word in words if isinstance(word, str) and word not in known]


def _of_kind(updates: Sequence[Any], *kinds: str) -> list[dict[str, Any]]:
    return [update for update in updates if isinstance(update, dict) and update.get("sessionUpdate") in kinds]


def _asked(frames: Sequence[WireMessage]) -> list[dict[str, Any]]:
    """Return the params of permission requests."""
    return [params for params in params_of(frames, "session/request_permission") if isinstance(params, dict)]


def _calls(updates: Sequence[Any], frames: Sequence[WireMessage]) -> list[dict[str, Any]]:
    """Return all tool calls and updates, including those in permission requests."""
    asked = (params.get("toolCall") for params in _asked(frames))
    return [*_of_kind(updates, *_CALLS), *(call for call in asked if isinstance(call, dict))]


def _texts(values: Iterable[Any]) -> list[str]:
    return [value for value in values if isinstance(value, str)]


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
