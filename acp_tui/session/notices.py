"""Notices about how a turn ended and where a fork came from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from acp_tui.protocol.schema import as_text, error_text
from acp_tui.session.entries import AgentMessage, Entry, Notice, UserMessage
from acp_tui.session.events import TurnFailed

_STOPS: Final = {
    "max_tokens": "The token limit was reached: the answer may be cut.",
    "max_turn_requests": "The limit of model calls in one turn was reached. Send a prompt to continue.",
    "refusal": "The agent refused. This prompt and everything after it are not in its context.",
}

_SILENT: Final = "The agent ended the turn without an answer."
"""Shown after an empty turn, so that it does not look like one still running."""


def end_notice(reason: str, own_reason: str, *, silent: bool, at: float) -> Notice | None:
    """Return the notice for the end of a turn, if it needs one.

    Args:
        reason: the normalised stop reason.
        own_reason: the agent's own stop reason.
        silent: True if the turn was empty.
        at: the time of the end.
    """
    if reason not in ("end_turn", "cancelled"):
        return Notice(_STOPS.get(reason, f"The turn stopped: {own_reason}"), "warning", at=at)
    if reason == "cancelled":
        return Notice("Cancelled.", at=at)
    return Notice(_SILENT, at=at) if silent else None


def failure_notice(event: TurnFailed, at: float) -> Notice:
    """Return the notice for a turn that ended with an error."""
    said = as_text(event.message)
    text = f"{said} (error {event.code})" if event.code else said
    return Notice(text, "error", _error_data(event.data), at)


def _error_data(data: object) -> str:
    """Return an error's data as text: the readable part, else all of it."""
    if data is None:
        return ""
    if isinstance(data, str):
        return as_text(data)
    return error_text(data) or json.dumps(data, ensure_ascii=False)


def fork_notice(subject: str, entries: Sequence[Entry], *, copied: bool, at: float) -> Notice:
    """Return the notice at the start of a fork.

    Args:
        subject: the subject of the source session, or "".
        entries: the entries above the notice.
        copied: True if the client copied them because the agent replayed none.
        at: the time of the fork.
    """
    source = f"“{subject}”" if subject else "another session"
    text = f"Forked from {source}."
    if copied:
        text += " The conversation above was recorded here: the agent sent no history."
    elif not any(isinstance(entry, UserMessage | AgentMessage) for entry in entries):
        text += " The agent knows the earlier conversation; it is not shown here."
    return Notice(text, at=at)
