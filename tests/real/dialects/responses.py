"""OpenAI's responses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from tests.real.dialects.answer import Piece, Use, fresh, texts

_USAGE: Final = {
    "input_tokens": 1000,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 10,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 1010,
}


def heard(request: dict[str, Any]) -> Iterator[str | None]:
    """Yield what the user's side says, None for a result of a tool."""
    for item in request["input"]:
        if item.get("type", "message").endswith("_call_output"):
            yield None
        elif (
            item.get("type") == "agent_message"
        ):  # the task of a subagent, which is called encrypted and is not
            yield from (part["encrypted_content"] for part in item["content"] if "encrypted_content" in part)
        elif item.get("role") == "user":
            yield from texts(item.get("content"))


def tools(request: dict[str, Any]) -> list[str]:
    """Return the names of the tools on offer."""
    return list(_spaces(request))


def stream(request: dict[str, Any], pieces: Iterable[Piece]) -> Iterator[dict[str, Any]]:
    """Yield an answer as events."""
    response: dict[str, Any] = {"id": fresh("resp"), "object": "response", "created_at": 0, "output": []}
    yield {"type": "response.created", "response": {**response, "status": "in_progress"}}
    said = ""
    message: dict[str, Any] = {"type": "message", "id": fresh("msg"), "role": "assistant", "content": []}
    for piece in pieces:
        if isinstance(piece, Use):
            item = _call(request, piece)
            response["output"].append(item)
            yield {"type": "response.output_item.added", "output_index": 0, "item": item}
            yield {"type": "response.output_item.done", "output_index": 0, "item": item}
            continue
        if not said:
            yield {"type": "response.output_item.added", "output_index": 0, "item": message}
        said += piece
        place = {"item_id": message["id"], "output_index": 0, "content_index": 0}
        yield {"type": "response.output_text.delta", **place, "delta": piece}
    if said:
        item = {**message, "content": [{"type": "output_text", "text": said, "annotations": []}]}
        response["output"].append(item)
        yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": {**response, "status": "completed", "usage": _USAGE}}


def whole(request: dict[str, Any], pieces: Iterable[Piece]) -> dict[str, Any]:
    """Return an answer in one."""
    *_, last = stream(request, pieces)
    response: dict[str, Any] = last["response"]
    return response


def _call(request: dict[str, Any], use: Use) -> dict[str, Any]:
    """Return the wish for a tool; one that takes free text gets the only argument as it is."""
    head = {"id": fresh("fc"), "call_id": use.id, "name": use.tool, "status": "completed"}
    kinds = {tool["type"] for tool in request.get("tools") or () if tool.get("name") == use.tool}
    if "custom" in kinds:
        (text,) = use.arguments.values()
        return {"type": "custom_tool_call", **head, "input": text}
    space = _spaces(request).get(use.tool)
    named = {"namespace": space} if space is not None else {}
    return {"type": "function_call", **head, **named, "arguments": json.dumps(use.arguments)}


def _spaces(request: dict[str, Any]) -> dict[str, str | None]:
    """Return the namespace of each tool by its name, None for one that stands alone."""
    found: dict[str, str | None] = {}
    for tool in request.get("tools") or ():
        if tool.get("type") == "namespace":
            found |= {inner["name"]: tool["name"] for inner in tool.get("tools", ()) if "name" in inner}
        elif "name" in tool:
            found[tool["name"]] = None
    return found
