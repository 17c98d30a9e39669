"""Google's Gemini API."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from tests.real.dialects.answer import Piece, Use

_USAGE: Final = {"promptTokenCount": 1000, "candidatesTokenCount": 10, "totalTokenCount": 1010}


def heard(request: dict[str, Any]) -> Iterator[str | None]:
    """Yield what the user's side says, None for a result of a tool."""
    for message in request.get("contents", ()):
        if message.get("role", "user") != "user":
            continue
        for part in message.get("parts", ()):
            if "functionResponse" in part:
                yield None
            elif "text" in part:
                yield part["text"]


def tools(request: dict[str, Any]) -> list[str]:
    """Return the names of the tools on offer."""
    groups = request.get("tools") or ()
    return [tool["name"] for group in groups for tool in group.get("functionDeclarations", ())]


def stream(request: dict[str, Any], pieces: Iterable[Piece]) -> Iterator[dict[str, Any]]:
    """Yield an answer in parts."""
    for piece in pieces:
        yield _response([_part(piece)])
    yield _response([{"text": ""}], finishReason="STOP")


def whole(request: dict[str, Any], pieces: Iterable[Piece]) -> dict[str, Any]:
    """Return an answer in one."""
    return _response([_part(piece) for piece in pieces], finishReason="STOP")


def _part(piece: Piece) -> dict[str, Any]:
    if isinstance(piece, Use):
        return {"functionCall": {"name": piece.tool, "args": piece.arguments}}
    return {"text": piece}


def _response(parts: list[dict[str, Any]], **rest: str) -> dict[str, Any]:
    candidate = {"index": 0, "content": {"role": "model", "parts": parts}, **rest}
    return {"candidates": [candidate], "usageMetadata": _USAGE}
