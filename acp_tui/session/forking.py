"""What a fork shows of the session that it came from."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from acp_tui.session.calls import settle
from acp_tui.session.entries import AgentMessage, Entry, ToolCall, UserMessage
from acp_tui.session.events import Inherited


def take_over(entries: list[Entry], event: Inherited, at: float) -> str:
    """Add what was said before the fork, where the agent has told nothing; return what to say of that."""
    is_told = bool(entries) or not event.entries
    if not is_told:
        entries += _inherited(event.entries, at)
    return _said_of(event.subject, entries, taken_over=not is_told)


def _inherited(entries: Sequence[Entry], at: float) -> list[Entry]:
    """Return entries of another session as they may stand in a fork: nothing in them goes on."""
    copies = copy.deepcopy(list(entries))
    for entry in copies:
        if isinstance(entry, ToolCall):
            settle(entry, "interrupted", at)
    return copies


def _said_of(subject: str, own: Sequence[Entry], *, taken_over: bool) -> str:
    """Return what a person should know about a fork.

    Args:
        subject: what the other session is about; may be empty.
        own: what the fork shows above this notice.
        taken_over: whether that comes from us and not from the agent.
    """
    source = f"“{subject}”" if subject else "another session"
    if taken_over:
        return f"Forked from {source}. What stands above was kept here: the agent sent no history."
    if any(isinstance(entry, UserMessage | AgentMessage) for entry in own):
        return f"Forked from {source}."
    return f"Forked from {source}. The agent knows what was said there; it is not shown here."
