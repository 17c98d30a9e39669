"""Anthropic's messages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from tests.real.dialects.answer import Piece, Use, fresh, texts

_USAGE: Final = {"input_tokens": 1000, "output_tokens": 10}


def heard(request: dict[str, Any]) -> Iterator[str | None]:
    """Yield what the user's side says, None for a result of a tool."""
    for message in request["messages"]:
        if message["role"] != "user":
            continue
        content = message["content"]
        for part in [{"text": content}] if isinstance(content, str) else content:
            if part.get("type") == "tool_result":
                yield None
            else:
                yield from texts([part])


def tools(request: dict[str, Any]) -> list[str]:
    """Return the names of the tools on offer."""
    return [tool["name"] for tool in request.get("tools") or ()]


def stream(request: dict[str, Any], pieces: Iterable[Piece]) -> Iterator[dict[str, Any]]:
    """Yield an answer as events."""
    message = {**_head(request), "content": [], "stop_reason": None, "stop_sequence": None}
    yield {"type": "message_start", "message": message}
    says, stop = False, "end_turn"
    for piece in pieces:
        if isinstance(piece, Use):
            stop = "tool_use"
            yield {"type": "content_block_start", "index": 0, "content_block": {**_block(piece), "input": {}}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(piece.arguments)}
        else:
            if not says:
                block = {"type": "text", "text": ""}
                yield {"type": "content_block_start", "index": 0, "content_block": block}
            delta = {"type": "text_delta", "text": piece}
        says = True
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    ending = {"stop_reason": stop, "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 10}}
    yield {"type": "message_stop"}


def whole(request: dict[str, Any], pieces: Iterable[Piece]) -> dict[str, Any]:
    """Return an answer in one."""
    given = list(pieces)
    blocks: list[dict[str, Any]] = [_block(piece) for piece in given if isinstance(piece, Use)]
    stop = "tool_use" if blocks else "end_turn"
    if text := "".join(piece for piece in given if isinstance(piece, str)):
        blocks.insert(0, {"type": "text", "text": text})
    return {**_head(request), "content": blocks, "stop_reason": stop, "stop_sequence": None}


def _head(request: dict[str, Any]) -> dict[str, Any]:
    model = request.get("model", "")
    return {"id": fresh("msg"), "type": "message", "role": "assistant", "model": model, "usage": _USAGE}


def _block(use: Use) -> dict[str, Any]:
    return {"type": "tool_use", "id": use.id, "name": use.tool, "input": use.arguments}
