"""What the chat says when a turn ends in another way than with an answer."""

from __future__ import annotations

import json
from typing import Final

from acp_tui.acp.errors import as_text, said_in
from acp_tui.session.entries import Notice
from acp_tui.session.events import Failed

_STOPS: Final = {
    "max_tokens": "The token limit was reached: the answer may be cut.",
    "max_turn_requests": "The limit of model calls in one turn was reached. Say so to go on.",
    "refusal": "The agent refused. This prompt and what followed are not in its context.",
}

_SILENT: Final = "The agent ended the turn without a word."
"""Said after a turn of which nothing came, so that it does not look like one that still runs."""


def notice(reason: str, told: str, *, silent: bool, at: float) -> Notice | None:
    """Return what to say about the end of a turn, if anything.

    Args:
        reason: the stop reason in the protocol's words.
        told: the stop reason in the agent's words.
        silent: whether nothing came of the turn.
        at: when it ended.
    """
    if reason not in ("end_turn", "cancelled"):
        return Notice(_STOPS.get(reason, f"The turn stopped: {told}"), "warning", at=at)
    if reason == "cancelled":
        return Notice("Cancelled.", at=at)
    return Notice(_SILENT, at=at) if silent else None


def failure(event: Failed, at: float) -> Notice:
    """Return what to say about a turn that the agent answered with an error."""
    said = as_text(event.message)
    text = f"{said} (error {event.code})" if event.code else said
    return Notice(text, "error", _shown(event.data), at)


def _shown(data: object) -> str:
    """Return an error's data as text: all of it where it says nothing in words."""
    if data is None:
        return ""
    if isinstance(data, str):
        return as_text(data)
    return said_in(data) or json.dumps(data, ensure_ascii=False)
