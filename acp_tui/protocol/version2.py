"""Version 2 of the protocol, translated to version 1 for one connection.

The rest of the program knows version 1 and a few more objects, which only version 2 needs:
`MessageUpdate`, `ToolCallPatch`, `ToolCallContentChunk`, `AgentTerminal` and `StateUpdate` of `schema`. A
live connection and a replayed journal have one `Version2` each, which sees every frame: some have a meaning
only together.
"""

from __future__ import annotations

import base64
import binascii
import codecs
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from acp_tui.protocol import git_patch
from acp_tui.protocol.json_values import as_list, as_object, member
from acp_tui.protocol.jsonrpc import Call, ErrorObject, Message, Notification, Request, Response
from acp_tui.protocol.schema import REQUEST_CANCELLED, TAKEN_BACK, TOOL_STATUSES

Object = dict[str, Any]

VERSION: Final = 2
UNSUPPORTED: Final = -32022
"""Error code of an agent that does not support the requested version."""

_METHODS: Final = {"authenticate": "auth/login", "logout": "auth/logout"}
"""Methods of version 2 by their names in version 1, if only the name differs."""
_OLD_METHODS: Final = {new: old for old, new in _METHODS.items()}
_OWN_NAMES: Final = {"tool_call_patch": "tool_call_update", "agent_terminal": "terminal_update"}
_OPENING: Final = ("session/new", "session/load", "session/resume", "session/fork")
_NOT_OFFERED: Final = ("fs/", "terminal/")
_STATUSES: Final = (*TOOL_STATUSES, "paused", "cancelled")
_USER: Final = ("user_message", "user_message_chunk")
_SUBJECT_OF_CALL: Final = ("type", "toolCall", "_meta")


def is_spoken(result: Any) -> bool:
    """Return whether the answer to `initialize` comes from an agent that speaks version 2.

    Some agents return the requested number but speak version 1.
    """
    return (
        isinstance(result, dict)
        and result.get("protocolVersion") == VERSION
        and isinstance(result.get("info"), dict)
        and "agentCapabilities" not in result
    )


def begins(message: Message) -> bool:
    """Return whether a message is the answer that switches the connection to version 2."""
    return type(message) is Response and message.call.method == "initialize" and is_spoken(message.result)


def serves(method: str) -> bool:
    """Return whether the client serves a request in version 2, which has no files and no terminals."""
    return not method.startswith(_NOT_OFFERED)


def asked_call(params: Object, request_id: Any) -> Object:
    """Return the tool call of a permission request, or a stand-in for its subject."""
    subject = as_object(params.get("subject"))
    call = as_object(subject.get("toolCall"))
    if subject.get("type") == "tool_call" and "toolCallId" in call:
        others = {f"subject {name}": value for name, value in subject.items() if name not in _SUBJECT_OF_CALL}
        return {**others, **_call(call)}
    return _stand_in(request_id, params, subject)


def printed_text(data: Any) -> str:
    """Return the text of base64 data, or "" if it is invalid."""
    try:
        return _Output().add(data)
    except ValueError:
        return ""


def name_of(update: str) -> str:
    """Return the name of an update on the wire, which may differ from the program's name."""
    return _OWN_NAMES.get(update, update)


def handshake(request: Object) -> Object:
    """Return the params of `initialize` that ask for version 2 and include those of version 1."""
    offered = request["clientCapabilities"]
    capabilities: Object = {"elicitation": offered["elicitation"]} if "elicitation" in offered else {}
    if member(offered, "auth", "terminal"):
        capabilities["auth"] = {"terminal": {}}
    return {
        **request,
        "protocolVersion": VERSION,
        "info": request["clientInfo"],
        "capabilities": capabilities,
    }


def outgoing(method: str, params: Object) -> tuple[str, Object]:
    """Translate a request of version 1 to version 2."""
    if method in _OPENING and "mcpServers" in params:
        params = {**params, "mcpServers": [{"type": "stdio", **each} for each in params["mcpServers"]]}
    if method == "session/load":
        return "session/resume", {**params, "replayFrom": {"type": "start"}}
    if method == "session/set_config_option":
        return method, {**params, "type": "boolean" if isinstance(params.get("value"), bool) else "id"}
    return _METHODS.get(method, method), params


@dataclass(slots=True)
class Inserted:
    """A prompt that was queued by the agent and begins now."""

    call: Call


Meaning = Message | Inserted
"""A message of version 1, or one that has no equivalent there."""

_WAITING: Final = "session/prompt, waiting"
"""Method of a prompt that the agent has queued: it begins and ends no turn."""


@dataclass(slots=True)
class _Prompt:
    """A prompt whose turn has not ended."""

    call: Call
    text: str
    """Its text without spaces, by which the agent's copy is recognised."""
    message_id: str = ""
    """The agent's id of the message, once it was inserted."""
    is_copied: bool = False
    """True once the agent has sent its own copy."""


class _Output:
    """The output of a terminal: base64 data that is decoded to one text."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def add(self, data: Any, *, is_anew: bool = False) -> str:
        """Decode more data; an incomplete character waits for the next piece.

        Raises:
            ValueError: it is not base64.
        """
        if not isinstance(data, str):
            raise ValueError("no text")
        try:
            printed = base64.b64decode(data, validate=True)
        except binascii.Error as error:
            raise ValueError(str(error)) from error
        if is_anew:
            self._decoder.reset()
        return self._decoder.decode(printed)

    def end(self) -> str:
        """Return the text of an unfinished character at the end."""
        return self._decoder.decode(b"", final=True)


@dataclass(slots=True)
class _Held:
    """Updates of a user message that came before the agent said which prompt it belongs to."""

    updates: list[Object] = field(default_factory=list)
    text: str = ""
    """Their text without spaces."""


_MOST_HELD: Final = 2_000
"""Most held updates of one session; with more, all of them are shown as they are."""
_MOST_TALKS: Final = 10_000
"""Most known sessions; an agent may name any number."""


@dataclass(slots=True)
class _Talk:
    """The knowledge of one session."""

    prompts: list[_Prompt] = field(default_factory=list)
    """Prompts whose turns have not ended, oldest first."""
    known: set[str] = field(default_factory=set)
    """Ids of the user messages that are shown."""
    held: dict[str, _Held] = field(default_factory=dict)
    """User messages that may belong to an unanswered prompt, by message id."""
    early_end: Object | None = None
    """The end of a turn that came while user messages were held."""
    terminals: dict[str, _Output] = field(default_factory=dict)
    replays: bool = False
    """True from the request for an existing session to its answer."""
    last_state: Object | None = None
    """The last state in a replay."""
    reported: tuple[Any, Any] = (None, None)
    """Last reported state and stop reason of a subagent."""


class Version2:
    """The translation of one connection that speaks version 2."""

    def __init__(self) -> None:
        self._calls: dict[int, Call] = {}
        """The client's unanswered requests, in version 1."""
        self._talks: dict[str, _Talk] = {}
        self._parents: dict[str, str] = {}
        """The parent of each subagent, by session id."""

    def called(self, call: Call) -> Call:
        """Record a request that is sent; return it in version 1."""
        params = as_object(call.params)
        method = _OLD_METHODS.get(call.method, call.method)
        if method == "session/resume" and params.get("replayFrom") is not None:
            method = "session/load"
        ours = Call(call.id, method, call.params)
        self._calls[call.id] = ours
        talk = self._talk(params)
        if method in ("session/load", "session/resume"):
            talk.replays = True
        elif method == "session/prompt":
            ours.method = _WAITING if talk.prompts else method
            talk.prompts.append(_Prompt(ours, _squeezed(params.get("prompt"))))
        return ours

    def received(self, message: Message) -> Iterator[Meaning]:
        """Yield the messages of version 1 that are equivalent to one of version 2."""
        match message:
            case Response():
                yield from self._answered(message)
            case Notification(method="session/update", params=dict() as params) if isinstance(
                params.get("update"), dict
            ):
                yield from self._updated(str(params.get("sessionId")), params["update"])
            case Request(method="session/request_permission", params=dict() as params):
                yield from self._asked(message, params)
            case _:
                yield message

    def _talk(self, params: Object) -> _Talk:
        return self._talk_of(str(params.get("sessionId")))

    def _talk_of(self, session_id: str) -> _Talk:
        if session_id not in self._talks and len(self._talks) >= _MOST_TALKS:
            idle = next((name for name, talk in self._talks.items() if not talk.prompts), session_id)
            self._talks.pop(idle, None)
        return self._talks.setdefault(session_id, _Talk())

    def _root_of(self, session_id: str) -> str:
        seen = {session_id}
        while (parent := self._parents.get(session_id)) is not None and parent not in seen:
            session_id = parent
            seen.add(parent)
        return session_id

    # ------------------------------------------------------------------ answers

    def _answered(self, response: Response) -> Iterator[Meaning]:
        call = self._calls.pop(response.call.id, response.call)
        answer = replace(response, call=call)
        if call.method == "initialize":
            answer.result = _introduction(response.result) if is_spoken(response.result) else response.result
            yield answer
        elif call.method in ("session/prompt", _WAITING):
            yield from self._inserted(answer)
        elif call.method in _OPENING:
            yield from self._opened(answer)
        else:
            if call.method == "session/set_config_option":
                answer.result = _with_options(response.result)
            yield answer

    def _inserted(self, answer: Response) -> Iterator[Meaning]:
        """Handle the answer to a prompt: it was inserted, or never will be."""
        session_id = str(as_object(answer.call.params).get("sessionId"))
        talk = self._talk_of(session_id)
        prompt = next((each for each in talk.prompts if each.call is answer.call), None)
        if prompt is None:
            return  # its turn has already ended
        message_id = member(answer.result, "messageId")
        if answer.error is not None or not isinstance(message_id, str):
            talk.prompts.remove(prompt)
            if answer.error is not None and answer.error.code == REQUEST_CANCELLED:
                answer.result, answer.error = {"stopReason": TAKEN_BACK}, None
            elif answer.error is None:
                answer.error = ErrorObject(0, "The answer to session/prompt names no message.")
            yield answer
            yield from self._released(session_id, talk)
            return
        if not prompt.message_id:
            early_end = talk.early_end if message_id in talk.held else None
            keeps_place = message_id in talk.held
            yield from self._bound(session_id, talk, prompt, message_id, keeps_place=keeps_place)
            yield from self._released(session_id, talk)
            if early_end is not None:
                yield from self._ended(talk, early_end)

    def _released(self, session_id: str, talk: _Talk) -> Iterator[Meaning]:
        """Yield held messages that belong to no prompt."""
        if any(not each.message_id for each in talk.prompts):
            return
        talk.early_end = None
        yield from self._shown(session_id, talk)

    def _shown(self, session_id: str, talk: _Talk) -> Iterator[Meaning]:
        """Yield all held messages as they are."""
        held, talk.held = talk.held, {}
        for message_id, words in held.items():
            talk.known.add(message_id)
            for update in words.updates:
                yield _news(session_id, update)

    def _bound(
        self, session_id: str, talk: _Talk, prompt: _Prompt, message_id: str, *, keeps_place: bool = False
    ) -> Iterator[Meaning]:
        """Yield the start of a queued prompt, its id, and the updates of it so far."""
        prompt.message_id = message_id
        talk.known.add(message_id)
        if prompt.call.method == _WAITING:
            prompt.call.method = "session/prompt"
            yield Inserted(prompt.call)
        named: Object = {"sessionUpdate": "user_message", "messageId": message_id}
        yield _news(session_id, {**named, "keepsPlace": True} if keeps_place else named)
        for update in talk.held.pop(message_id, _Held()).updates:
            yield _news(session_id, _own_words(prompt, update))

    def _opened(self, answer: Response) -> Iterator[Meaning]:
        """Handle the answer that opens a session; yield its commands and the last state of a replay."""
        result, params = answer.result, answer.call.params
        session_id = str(params.get("sessionId")) if isinstance(params, dict) else ""
        if answer.call.method in ("session/new", "session/fork") and isinstance(result, dict):
            session_id = str(result.get("sessionId"))
        talk = self._talk_of(session_id)
        talk.replays = False
        answer.result = _with_options(result)
        yield answer
        if answer.error is None and isinstance(result, dict) and "availableCommands" in result:
            commands = _commands(result["availableCommands"])
            yield _news(
                session_id, {"sessionUpdate": "available_commands_update", "availableCommands": commands}
            )
        state, talk.last_state = talk.last_state, None
        if answer.error is None and state is not None:
            yield _news(session_id, _state(state))

    # ------------------------------------------------------------------ updates

    def _updated(self, session_id: str, update: Object) -> Iterator[Meaning]:
        """Yield the messages that are equivalent to an update."""
        talk = self._talk_of(session_id)
        kind = update.get("sessionUpdate")
        if kind == "state_update":
            yield from self._in_state(session_id, talk, update)
        elif kind in _USER and isinstance(update.get("messageId"), str):
            yield from self._words_of_user(session_id, talk, update)
        else:
            if kind == "subagent_update" and isinstance(update.get("sessionId"), str):
                self._announced(session_id, update)
            yield _news(session_id, _renamed(talk, update))

    def _announced(self, session_id: str, update: Object) -> None:
        child, state = update["sessionId"], update.get("state")
        self._parents.setdefault(child, session_id)
        if isinstance(state, dict):
            self._talk_of(child).reported = state.get("state"), state.get("stopReason")

    def _words_of_user(self, session_id: str, talk: _Talk, update: Object) -> Iterator[Meaning]:
        message_id = update["messageId"]
        prompt = next((each for each in talk.prompts if each.message_id == message_id), None)
        waiting = next((each for each in talk.prompts if not each.message_id), None)
        if prompt is not None:
            yield _news(session_id, _own_words(prompt, update))
        elif waiting is None or talk.replays or message_id in talk.known:
            talk.known.add(message_id)
            yield _news(session_id, update)
        else:
            held = talk.held.setdefault(message_id, _Held())
            held.updates.append(update)
            held.text += _squeezed(update.get("content"))
            if held.text and held.text == waiting.text:
                yield from self._bound(session_id, talk, waiting, message_id)
            elif sum(len(each.updates) for each in talk.held.values()) > _MOST_HELD:
                yield from self._shown(session_id, talk)

    def _in_state(self, session_id: str, talk: _Talk, update: Object) -> Iterator[Meaning]:
        parent = self._parents.get(session_id)
        reported = update.get("state"), update.get("stopReason")
        if parent is not None:
            # The parent reports it, too; a state in a replay is history.
            if reported != talk.reported and not self._talk_of(self._root_of(session_id)).replays:
                talk.reported = reported
                state = {name: value for name, value in update.items() if name != "sessionUpdate"}
                news = {"sessionUpdate": "subagent_update", "sessionId": session_id, "state": state}
                yield _news(parent, news)
            return
        if talk.replays:
            talk.last_state = update
            return
        yield _news(session_id, _state(update))
        if update.get("state") != "idle":
            talk.early_end = None
        elif update.get("stopReason") is not None:
            yield from self._ended(talk, update)
            if talk.held:
                talk.early_end = update

    def _ended(self, talk: _Talk, update: Object) -> Iterator[Response]:
        """Yield the answers to all inserted prompts: their turn is over."""
        over = [each for each in talk.prompts if each.message_id]
        talk.prompts = [each for each in talk.prompts if not each.message_id]
        for prompt in over:
            yield _end_of_turn(prompt.call, update)

    # ------------------------------------------------------------------ questions

    def _asked(self, request: Request, params: Object) -> Iterator[Meaning]:
        """Yield a permission request with its tool call; one about something else gets a stand-in."""
        subject, call = as_object(params.get("subject")), asked_call(params, request.id)
        is_call = subject.get("type") == "tool_call" and "toolCallId" in as_object(subject.get("toolCall"))
        ours = ("toolCall", "tool_call", "hasNoCall", "has_no_call", *(("subject",) if subject else ()))
        asked = {name: value for name, value in params.items() if name not in ours}
        # The agent's own fields of these names are in no version of the protocol.
        asked |= {f"own {name}": params[name] for name in ours[:4] if name in params}
        asked["title"] = params.get("title") or ""
        asked["hasNoCall"] = not is_call and not isinstance(subject.get("toolCallId"), str)
        request.params, request.version = {**asked, "toolCall": call}, 2
        yield request


def _news(session_id: str, update: Object) -> Notification:
    """Return an update as a message."""
    return Notification("session/update", {"sessionId": session_id, "update": update}, version=VERSION)


def _end_of_turn(call: Call, update: Object) -> Response:
    error = update.get("error")
    if isinstance(error, dict):
        code, said = error.get("code"), error.get("message")
        found = ErrorObject(code if type(code) is int else 0, str(said or "Unknown error"), error.get("data"))
        return Response(call, None, found)
    result = {name: update[name] for name in ("stopReason", "usage", "_meta") if update.get(name) is not None}
    if result.get("stopReason") == TAKEN_BACK:
        del result[
            "stopReason"
        ]  # the client's own word for a prompt that never began; agents must not use it
    return Response(call, result, None)


def _own_words(prompt: _Prompt, update: Object) -> Object:
    """Return an update of the agent's copy of a prompt: the first one replaces the sent text."""
    is_chunk = update["sessionUpdate"] == "user_message_chunk"
    if is_chunk and not prompt.is_copied:
        prompt.is_copied = True
        return {**update, "sessionUpdate": "user_message", "content": [update.get("content")]}
    prompt.is_copied = prompt.is_copied or "content" in update
    return update


def _squeezed(content: Any) -> str:
    """Return the text of content blocks without spaces."""
    blocks = content if isinstance(content, list) else [content]
    texts = (block.get("text") for block in blocks if isinstance(block, dict))
    return "".join("".join(text for text in texts if isinstance(text, str)).split())


def _state(update: Object) -> Object:
    kept = ("sessionUpdate", "state", "stopReason", "background", "_meta")
    return {name: update[name] for name in kept if name in update}


# ---------------------------------------------------------------------- objects


def _introduction(result: Object) -> Object:
    """Translate the answer to `initialize` to version 1."""
    capabilities = as_object(result.get("capabilities"))
    session = capabilities.get("session")
    methods = [_login(each) for each in as_list(result.get("authMethods")) if isinstance(each, dict)]
    can: Object = {name: value for name, value in capabilities.items() if name not in ("session", "auth")}
    can["auth"] = {**as_object(capabilities.get("auth")), **({"logout": {}} if methods else {})}
    if isinstance(session, dict):
        prompt, mcp = as_object(session.get("prompt")), as_object(session.get("mcp"))
        others = {name: value for name, value in session.items() if name not in ("prompt", "mcp")}
        can |= {
            "loadSession": True,
            "promptCapabilities": {name: isinstance(value, dict) for name, value in prompt.items()},
            "mcpCapabilities": {"http": isinstance(mcp.get("http"), dict)},
            "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, **others},
        }
    rest = {name: value for name, value in result.items() if name not in ("info", "capabilities")}
    return {**rest, "agentInfo": result["info"], "agentCapabilities": can, "authMethods": methods}


def _login(method: Object) -> Object:
    variables = [each for each in as_list(method.get("env")) if isinstance(member(each, "name"), str)]
    named = {"id": method.get("methodId"), **method}
    return {**named, "env": {each["name"]: each.get("value") for each in variables}} if variables else named


def _with_options(value: Any) -> Any:
    """Return an object with its config options as named in version 1."""
    if not isinstance(value, dict) or not isinstance(value.get("configOptions"), list):
        return value
    return {**value, "configOptions": [_option(each) for each in value["configOptions"]]}


def _option(option: Any) -> Any:
    if not isinstance(option, dict):
        return option
    named = {"id": option.get("configId"), **option}
    if isinstance(option.get("options"), list):
        named["options"] = [
            {"group": each["groupId"], **each} if isinstance(each, dict) and "groupId" in each else each
            for each in option["options"]
        ]
    return named


def _commands(commands: Any) -> list[Object]:
    """Return the commands of the one known type; drop an input of another type."""
    known = [each for each in as_list(commands) if isinstance(each, dict)]
    return [
        {
            **each,
            "input": each["input"] if as_object(each.get("input")).get("type", "text") == "text" else None,
        }
        if "input" in each
        else each
        for each in known
        if each.get("type", "command") == "command"
    ]


def _renamed(talk: _Talk, update: Object) -> Object:
    """Return an update with the names and values of version 1."""
    match update.get("sessionUpdate"):
        case "tool_call_update":
            return {**_call(update), "sessionUpdate": "tool_call_patch"}
        case "tool_call_content_chunk":
            return {**update, "content": items_of([update.get("content")])}
        case "terminal_update" | "terminal_output_chunk":
            return _terminal(talk, update)
        case "available_commands_update":
            return {**update, "availableCommands": _commands(update.get("availableCommands"))}
        case "config_option_update":
            return as_object(_with_options(update))
        case "usage_update" if update.get("cost", "") is None:
            return {**update, "clearsCost": True}
        case _:
            return update


def _call(call: Object) -> Object:
    """Translate a tool call to version 1; null stays null."""
    translated = dict(call)
    if isinstance(call.get("content"), list):
        translated["content"] = items_of(call["content"])
    if isinstance(call.get("status"), str) and call["status"] not in _STATUSES:
        translated["status"] = "in_progress"  # a word of a later version counts as in progress
    return translated


def items_of(items: list[Any]) -> list[Any]:
    """Return the content of a tool call in version 1: a diff becomes one for each hunk."""
    found: list[Any] = []
    for item in items:
        is_diff = (
            isinstance(item, dict) and item.get("type") == "diff" and isinstance(item.get("changes"), list)
        )
        found += git_patch.changed_parts(item) if is_diff else [item]
    return found


def _terminal(talk: _Talk, update: Object) -> Object:
    """Return an update of a terminal with its output as text; unreadable parts are left as they are."""
    terminal_id = update.get("terminalId")
    if not isinstance(terminal_id, str):
        return update
    output = talk.terminals.setdefault(terminal_id, _Output())
    kept = ("terminalId", "command", "cwd", "capabilities", "_meta")
    translated: Object = {name: update[name] for name in kept if name in update}
    translated["sessionUpdate"] = "agent_terminal"
    try:
        if update["sessionUpdate"] == "terminal_output_chunk":
            translated["printed"] = output.add(update.get("data"))
        elif "output" in update:
            translated["printed"] = output.add(as_object(update["output"]).get("data", ""), is_anew=True)
            translated["isAnew"] = True
    except ValueError:
        return update
    if "exitStatus" in update and update["sessionUpdate"] == "terminal_update":
        status = update["exitStatus"]
        translated["hasEnded"] = isinstance(status, dict)
        translated["exitCode"] = member(status, "exitCode")
        translated["exitSignal"] = member(status, "signal")
        translated["printed"] = translated.get("printed", "") + output.end()
    return translated


def _stand_in(request_id: Any, params: Object, subject: Object) -> Object:
    """Return a tool call as a stand-in for the subject of a question."""
    call_id = subject.get("toolCallId")
    call: Object = {"toolCallId": call_id if isinstance(call_id, str) else f"question {request_id!r}"}
    if subject.get("type") == "command" and isinstance(subject.get("command"), str):
        call["kind"] = "execute"
        named = ("type", "toolCallId", "terminalId", "_meta")
        call["rawInput"] = {name: value for name, value in subject.items() if name not in named}
        if not isinstance(call_id, str):
            call["title"] = subject["command"]
        if isinstance(subject.get("terminalId"), str) and not isinstance(call_id, str):
            call["content"] = [{"type": "terminal", "terminalId": subject["terminalId"]}]
        return call
    call["title"] = str(params.get("title") or "")
    rest = {name: value for name, value in subject.items() if name != "_meta"}
    return {**call, "kind": "other", **({"rawInput": rest} if rest else {})}
