"""Older and private dialects of the protocol, normalised to the current version.

Each function returns its argument unchanged (the same object) if there is nothing to do. The update functions
never see valid updates: validation calls them only after the strict pass has failed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from acp_tui.lazy_regex import regex

Object = dict[str, Any]

_UPDATE_NAMES: Final = {
    "message": "agent_message_chunk",
    "text_delta": "agent_message_chunk",
    "messageChunk": "agent_message_chunk",
    "agent_message": "agent_message_chunk",
    "message_delta": "agent_message_chunk",
    "thought": "agent_thought_chunk",
    "thoughtChunk": "agent_thought_chunk",
    "thought_delta": "agent_thought_chunk",
    "thinking_delta": "agent_thought_chunk",
    "toolCall": "tool_call",
    "toolCallUpdate": "tool_call_update",
    "planUpdate": "plan",
}
"""Current names of updates by their names in older documents."""

_NAMED_BY: Final = ("sessionUpdate", "session_update", "type", "kind")
"""Fields that may name an update."""
_CHUNKS: Final = ("user_message_chunk", "agent_message_chunk", "agent_thought_chunk")
_TOOLS: Final = ("tool_call", "tool_call_update")
_KNOWN: Final = frozenset(
    (
        *(*_UPDATE_NAMES.values(), *_CHUNKS, *_TOOLS),
        *("available_commands_update", "current_mode_update", "config_option_update"),
        *("session_info_update", "usage_update"),
    )
)
_TOOL_DATA: Final = frozenset(("arguments", "input", "output", "toolCall"))
"""Fields of older tool calls for today's `rawInput` and `rawOutput`."""
_CONTENT_TYPES: Final = ("text", "image", "audio", "resource", "resource_link")
_STATUSES: Final = {
    "running": "in_progress",
    "error": "failed",
    "success": "completed",
    "done": "completed",
    "canceled": "cancelled",
}
_UNSAID: Final = regex(
    r"<(session_context|environment_context|user_instructions|system-reminder)>.*</\1>"
    r"|\[Function Response: [^\]\n]*\]",
    re.DOTALL,
)
_OPTION_KINDS: Final = {"allow": "allow_once", "deny": "reject_once", "reject": "reject_once"}


def tool_status(status: str) -> str:
    """Return a tool call's status in current terms."""
    return _STATUSES.get(status, status)


def stop_reason(reason: str) -> str:
    """Return a stop reason in current terms: `done`, `stop` and `endTurn` become `end_turn`."""
    if reason in ("done", "stop"):
        return "end_turn"
    return _snake(reason)


def update_name(raw: Any) -> str:
    """Return the name of an unknown update, from whichever field has it."""
    if isinstance(raw, dict):
        names = (raw.get(key) for key in _NAMED_BY)
        only = str(next(iter(raw))) if len(raw) == 1 and not raw.keys() & set(_NAMED_BY) else ""
        return next((name for name in names if isinstance(name, str) and name), only)
    return ""


def is_injected(text: str) -> bool:
    """Return whether a replayed prompt is context that the agent itself has added for its model.

    Agents keep both in one history; gemini replays all of it.
    """
    return _UNSAID.fullmatch(text.strip()) is not None


def ends_own_work(meta: Object | None, *, has_cost: bool) -> bool:
    """Return whether a usage update of Claude ends work that it did without a prompt."""
    origin = (meta or {}).get("_claude/origin")
    return has_cost and isinstance(origin, dict) and origin.get("kind") == "task-notification"


def leaves_running(meta: Object | None) -> bool:
    """Return whether a tool call of Claude has left a command running; its end is never reported."""
    claude = (meta or {}).get("claudeCode")
    response = claude.get("toolResponse") if isinstance(claude, dict) else None
    return isinstance(response, dict) and isinstance(response.get("backgroundTaskId"), str)


def is_idle(meta: Object | None) -> bool:
    """Return whether a session update of Codex or pi says that the agent is idle."""
    codex, pi = (meta or {}).get("codex"), (meta or {}).get("piAcp")
    status = codex.get("threadStatus") if isinstance(codex, dict) else None
    is_pi_idle = isinstance(pi, dict) and pi.get("running") is False
    return is_pi_idle or (isinstance(status, dict) and status.get("type") == "idle")


def unsaid(texts: Sequence[str]) -> re.Pattern[str] | None:
    """Return the pattern of texts that are not shown; `*` stands for the rest of a line.

    None if there are no such texts.
    """
    lines = "|".join(re.escape(text).replace(r"\*", ".*") for text in texts)
    return re.compile(lines) if lines else None


def normalise(model: str, value: Any) -> Any:
    """Return an object of the named model in current terms."""
    function = _MODELS.get(model)
    return function(value) if function is not None and isinstance(value, dict) else value


def is_older_call(extra: Object) -> bool:
    """Return whether a valid tool call's unknown fields are those of an older dialect."""
    return not _TOOL_DATA.isdisjoint(extra)


def single_blocks(value: Any) -> list[Any]:
    """Split an update with a list of content blocks into one update for each."""
    value = _inside_out(value) if isinstance(value, dict) else value
    content = value.get("content") if isinstance(value, dict) else None
    if isinstance(content, dict) and "type" not in content:
        content = content.get("content")
    if not isinstance(content, list) or len(content) < 2 or _update_name(value) not in _CHUNKS:
        return [value]
    name = _update_name(value)
    return [{**value, "sessionUpdate": name, "content": block} for block in content]


def normalise_update(value: Any) -> Any:
    """Return an invalid update in current terms."""
    if not isinstance(value, dict):
        return value
    update = dict(_inside_out(value))
    name = _update_name(update)
    if "session_update" not in update and "sessionUpdate" not in update and "type" not in update:
        update.pop("kind", None)  # here "kind" is the name of the update, not the kind of a tool
    if name in _KNOWN and _update_name({"type": update.get("type")}) == name:
        del update["type"]
    update.pop("session_update", None)
    update["sessionUpdate"] = name
    if name in _CHUNKS:
        _chunk(update)
    elif name in _TOOLS:
        _lift(update)
        _tool_call(update)
    elif name == "plan":
        _plan(update)
    elif name == "current_mode_update":
        _lift(update)
        update.setdefault("currentModeId", update.get("modeId"))
    elif name == "available_commands_update":
        _lift(update)
        _commands(update)
    return update


# ------------------------------------------------------------------ updates


def _inside_out(update: Object) -> Object:
    """Return an update of the form `{name: fields}`, as some encode unions, as fields with a name."""
    names = [key for key in update if key not in ("_meta", "meta")]
    if len(names) != 1 or names[0] in _NAMED_BY:
        return update
    name, inner = names[0], update[names[0]]
    if name not in _KNOWN and name not in _UPDATE_NAMES and _snake(name) not in _KNOWN:
        return update
    fields = inner if isinstance(inner, dict) else {"content": inner}
    return {**fields, "sessionUpdate": _UPDATE_NAMES.get(name) or _snake(name)}


def _update_name(update: Object) -> str:
    for key in _NAMED_BY:
        name = update.get(key)
        if isinstance(name, str):
            name = _UPDATE_NAMES.get(name) or _snake(name)
            if name == "agent_message_chunk" and _role(update) == "user":
                name = "user_message_chunk"
            if name in _KNOWN:
                return name
    return str(update.get("sessionUpdate"))


def _snake(name: str) -> str:
    """Return a name in snake case: some agents write `agentMessageChunk`."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def _role(update: Object) -> Any:
    content = update.get("content")
    return update.get("role") or (content.get("role") if isinstance(content, dict) else None)


def _chunk(update: Object) -> None:
    content = update.get("content")
    if content is None:
        content = update.pop("delta", None) or update.pop("chunk", None) or update.pop("text", None)
    if isinstance(content, dict) and "content" in content and "type" not in content:
        content = content["content"]  # {role, content: [...]}
    if isinstance(content, dict) and isinstance(content.get("thought"), str):
        content = content["thought"]
    if isinstance(content, list):
        content = _joined(content)
    if isinstance(content, str):
        content = {"type": "text", "text": content}
    if content is not None:
        update["content"] = _block(content)


def _joined(blocks: list[Any]) -> Any:
    """Join a list of texts into one block; from a mixed list, return the first block."""
    texts = [block.get("text") if isinstance(block, dict) else block for block in blocks]
    words = [text for text in texts if isinstance(text, str)]
    return "".join(words) if len(words) == len(texts) else blocks[0]


def _block(block: Any) -> Any:
    """Unwrap nested blocks, nest flat ones, and add a missing type."""
    if not isinstance(block, dict):
        return block
    if "type" not in block:
        name = next((name for name in _CONTENT_TYPES if isinstance(block.get(name), dict)), "")
        if name and "uri" not in block[name]:
            block = {**block[name], "type": name}
        elif name or isinstance(block.get("text"), str):
            block = {**block, "type": name or "text"}
    kind, source = block.get("type"), block.get("source")
    if kind in ("image", "audio") and "data" not in block and isinstance(source, dict):
        media = source.get("mediaType") or source.get("media_type") or source.get("mimeType")
        return {**block, "data": source.get("data"), "mimeType": media}
    if kind == "resource" and "resource" not in block and "uri" in block:
        nested = {key: block[key] for key in ("uri", "text", "blob", "mimeType") if key in block}
        return {"type": "resource", "resource": nested}
    if kind == "resource_link" and "name" not in block and isinstance(block.get("uri"), str):
        return {**block, "name": block["uri"].rstrip("/").rpartition("/")[2] or block["uri"]}
    return block


def _lift(update: Object) -> None:
    """Move the fields of an update out of its `content`; leave content blocks there."""
    content = update.get("content")
    if not isinstance(content, dict) or content.get("type") in _CONTENT_TYPES:
        return
    update.pop("content")
    for key, value in content.items():
        if key != "type":
            update.setdefault(key, value)


def _tool_call(update: Object) -> None:
    is_older = is_older_call(update) or ("toolCallId" not in update and "tool_call_id" not in update)
    nested = update.pop("toolCall", None)
    if isinstance(nested, dict):
        update.update({key: value for key, value in nested.items() if key not in update})
    if isinstance(update.get("function"), dict):
        function = update.pop("function")
        update.update({key: value for key, value in function.items() if key not in update})
    if "toolCallId" not in update and "tool_call_id" not in update and "id" in update:
        update["toolCallId"] = update.pop("id")
    for key in ("toolCallId", "tool_call_id"):
        if type(update.get(key)) is int:
            update[key] = str(update[key])
    if is_older and "title" not in update and isinstance(update.get("name"), str):
        update["title"] = update["name"]
    _tool_data(update)
    if isinstance(update.get("content"), list):
        update["content"] = [_tool_content(item) for item in update["content"]]


def _tool_data(update: Object) -> None:
    for key in ("arguments", "input"):
        if key in update and "rawInput" not in update:
            update["rawInput"] = _parsed(update.pop(key))
    if "output" in update and "rawOutput" not in update:
        update["rawOutput"] = output = update.pop("output")
        if update["sessionUpdate"] == "tool_call_update":
            update.setdefault("status", "completed")  # older agents report the end only by a result
        if isinstance(output, str) and "content" not in update:
            update["content"] = [{"type": "text", "text": output}]


def _parsed(value: Any) -> Any:
    """Decode a JSON string; return other values unchanged."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            pass
    return value


def _tool_content(item: Any) -> Any:
    if isinstance(item, str):
        item = {"type": "text", "text": item}
    if isinstance(item, dict) and "type" not in item:
        item = _typed_item(item)
    if isinstance(item, dict) and item.get("type") in _CONTENT_TYPES:
        return {"type": "content", "content": _block(item)}
    if isinstance(item, dict) and item.get("type") == "content":
        return {**item, "content": _block(item.get("content"))}
    return item


def _typed_item(item: Object) -> Object:
    """Return an item of a tool call without a type, with the type that its fields suggest."""
    item = item["diff"] if isinstance(item.get("diff"), dict) else item
    inner = item.get("content")
    if isinstance(inner, dict) and "type" not in inner and "content" in inner:
        inner = inner["content"]
    if inner is not None:
        return {**item, "type": "content", "content": inner}
    if "newText" in item or "new_text" in item:
        return {**item, "type": "diff"}
    if "terminalId" in item or "terminal_id" in item:
        return {**item, "type": "terminal"}
    typed: Object = _block(item)
    return typed


def _plan(update: Object) -> None:
    candidates = (update.get(key) for key in ("entries", "steps", "plan", "content", "chunk", "text"))
    steps = next((each for each in candidates if each is not None), None)
    if isinstance(steps, dict):
        steps = steps.get("entries") or steps.get("steps")
    if isinstance(steps, str):
        lines = (line.strip().lstrip("-*• ") for line in steps.splitlines())
        steps = [line for line in lines if line]
    if isinstance(steps, list):
        update["entries"] = [_plan_entry(step) for step in steps]


def _plan_entry(step: Any) -> Any:
    if isinstance(step, str):
        return {"content": step}
    if isinstance(step, dict) and "content" not in step:
        return {**step, "content": step.get("description") or step.get("title")}
    return step


def _commands(update: Object) -> None:
    commands = update.get("availableCommands")
    if isinstance(commands, list):
        update["availableCommands"] = [_command(command) for command in commands]


def _command(command: Any) -> Any:
    if isinstance(command, dict) and isinstance(command.get("input"), str):
        return {**command, "input": {"hint": command["input"]}}
    return command


# ------------------------------------------------------------------ requests and results


def _initialize(value: Object) -> Object:
    changes: Object = {}
    capabilities = value.get("capabilities")
    if isinstance(value.get("agentCapabilities"), dict):
        capabilities = value["agentCapabilities"]
    if isinstance(capabilities, dict) and ("agentCapabilities" not in value or _is_older(capabilities)):
        changes["agentCapabilities"] = _capabilities(capabilities)
    methods = value.get("authMethods", value.get("authenticationMethods"))
    if isinstance(methods, list) and ("authMethods" not in value or not all(map(_is_whole_login, methods))):
        changes["authMethods"] = [_login(method) for method in methods]
    info = value.get("meta")
    if "agentInfo" not in value and isinstance(info, dict) and "name" in info:
        changes["agentInfo"] = info
    return {**value, **changes} if changes else value


def _is_whole_login(method: Any) -> bool:
    return isinstance(method, dict) and {"id", "name"} <= method.keys()


def _login(method: Any) -> Any:
    """Return a login method with an id and a display name."""
    if isinstance(method, str):
        return {"id": method, "name": method}
    if not isinstance(method, dict):
        return method
    found = method.get("id") or method.get("methodId")
    return {**method, "id": found, "name": method.get("name") or found}


def _is_older(capabilities: Object) -> bool:
    return any(isinstance(capabilities.get(name), dict) for name in ("sessions", "prompts", "mcp"))


def _capabilities(capabilities: Object) -> Object:
    renamed = dict(capabilities)
    sessions = renamed.get("sessions")
    if "loadSession" not in renamed and isinstance(sessions, dict):
        renamed["loadSession"] = sessions.get("load")
    for old, new in (("prompts", "promptCapabilities"), ("mcp", "mcpCapabilities")):
        if new not in renamed and isinstance(renamed.get(old), dict):
            renamed[new] = renamed[old]
    return renamed


def _new_session(value: Object) -> Object:
    if "sessionId" in value or "session_id" in value:
        return value
    session = value.get("session", value)
    found = session
    if isinstance(session, dict):
        found = next((session[key] for key in ("id", "sessionId", "session_id") if key in session), None)
    return {**value, "sessionId": found} if isinstance(found, str) else value


def _prompt_response(value: Object) -> Object:
    content = value.get("content")
    if content is None:
        return value
    blocks = content if isinstance(content, list) else [content]
    texts = [{"type": "text", "text": block} if isinstance(block, str) else _block(block) for block in blocks]
    return {**value, "content": texts}


def _permission(value: Object) -> Object:
    changes: Object = {}
    call = value.get("toolCall", value.get("tool_call"))
    if not isinstance(call, dict):
        found = next((value[key] for key in ("toolCallId", "tool_call_id") if key in value), call)
        call = {"toolCallId": found} if isinstance(found, str | int) else {}
        changes["toolCall"] = call
        value = {key: each for key, each in value.items() if key not in ("toolCallId", "tool_call_id")}
    if call and (not isinstance(call.get("toolCallId"), str) or is_older_call(call)):
        changes["toolCall"] = dict(call)
        _tool_call(changes["toolCall"])
    if not call:
        changes.clear()
    options = value.get("options")
    if isinstance(options, list) and not all(_whole_option(option) for option in options):
        changes["options"] = [_option(option) for option in options]
    return {**value, **changes} if changes else value


def _whole_option(option: Any) -> bool:
    if not isinstance(option, dict) or not {"optionId", "name", "kind"} <= option.keys():
        return False
    kind = option["kind"]
    return not isinstance(kind, str) or _option_kind(kind) == kind


def _option(option: Any) -> Any:
    if isinstance(option, str):
        option = {"optionId": option}
    if not isinstance(option, dict):
        return option
    keys = ("optionId", "option_id", "id", "action", "value")
    found = next((option[key] for key in keys if option.get(key)), None)
    name = option.get("name") or option.get("label") or found
    kind = option.get("kind") or option.get("action") or found
    return {**option, "optionId": found, "name": name, "kind": _option_kind(kind)}


def _option_kind(kind: Any) -> str:
    """Return the kind of an option in current terms: `allowOnce` and `allow` become `allow_once`."""
    return _OPTION_KINDS.get(str(kind), _snake(str(kind)))


_MODELS: Final[dict[str, Callable[[Object], Object]]] = {
    "InitializeResponse": _initialize,
    "NewSessionResponse": _new_session,
    "PromptResponse": _prompt_response,
    "PermissionRequest": _permission,
}
