"""A prompt and how its turn ended. Source: ACP, page "prompt turn"."""

from __future__ import annotations

from typing import Any

from acp_tui.acp.content import ContentBlock
from acp_tui.acp.word import Word


class PromptRequest(Word):
    """What the person says. The request stays open for the whole turn."""

    session_id: str
    prompt: list[ContentBlock]


class PromptResponse(Word):
    """The end of a turn: end_turn, max_tokens, max_turn_requests, refusal, cancelled, or a new word."""

    stop_reason: str = "end_turn"
    content: list[ContentBlock] = []
    """What some agents say only here (not in the protocol)."""
    usage: dict[str, Any] | None = None
