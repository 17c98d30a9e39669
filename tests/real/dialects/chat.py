"""OpenAI's chat completions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from tests.real.dialects.answer import Piece, Use, fresh, texts

_USAGE: Final = {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010}


def heard(request: dict[str, Any]) -> Iterator[str | None]:
    """Yield what the user's side says, None for a result of a tool."""
    for message in request["messages"]:
        if message["role"] == "tool":
            yield None
        elif message["role"] == "user":
            yield from texts(message.get("content"))


def tools(request: dict[str, Any]) -> list[str]:
    """Return the names of the tools on offer."""
    return [tool["function"]["name"] for tool in request.get("tools") or () if "function" in tool]


def stream(request: dict[str, Any], pieces: Iterable[Piece]) -> Iterator[dict[str, Any] | str]:
    """Yield an answer as chunks."""
    head = {**_head(request), "object": "chat.completion.chunk"}
    finish = "stop"
    for piece in pieces:
        if isinstance(piece, Use):
            finish = "tool_calls"
            delta: dict[str, Any] = {"tool_calls": [{"index": 0, **_call(piece)}]}
        else:
            delta = {"role": "assistant", "content": piece}
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
    yield {**head, "choices": [], "usage": _USAGE}
    yield "[DONE]"


def whole(request: dict[str, Any], pieces: Iterable[Piece]) -> dict[str, Any]:
    """Return an answer in one."""
    given = list(pieces)
    uses = [piece for piece in given if isinstance(piece, Use)]
    text = "".join(piece for piece in given if isinstance(piece, str))
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if uses:
        message["tool_calls"] = [_call(use) for use in uses]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if uses else "stop"}
    return {**_head(request), "object": "chat.completion", "choices": [choice], "usage": _USAGE}


def _head(request: dict[str, Any]) -> dict[str, Any]:
    return {"id": fresh("chatcmpl"), "created": 0, "model": request.get("model", "")}


def _call(use: Use) -> dict[str, Any]:
    function = {"name": use.tool, "arguments": json.dumps(use.arguments)}
    return {"id": use.id, "type": "function", "function": function}
