"""Asking the person for structured input. Source: ACP, page "elicitation"."""

from __future__ import annotations

from typing import Any

from acp_tui.acp.word import Word


class ElicitationRequest(Word):
    """A form to fill in, or an address to visit; about a session, or about a running request of ours."""

    mode: str
    message: str = ""
    session_id: str | None = None
    tool_call_id: str | None = None
    request_id: int | str | None = None
    requested_schema: dict[str, Any] | None = None
    elicitation_id: str | None = None
    url: str | None = None
