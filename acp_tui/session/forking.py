"""What a fork shows of the session that it came from."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from acp_tui.session.calls import settle
from acp_tui.session.entries import AgentMessage, Entry, ToolCall, UserMessage


def inherited(entries: Sequence[Entry], at: float) -> list[Entry]:
    """Return entries of another session as they may stand in a fork: nothing in them goes on."""
    copies = copy.deepcopy(list(entries))
    for entry in copies:
        if isinstance(entry, ToolCall):
            settle(entry, "interrupted", at)
    return copies


def said_of(subject: str, own: Sequence[Entry], taken_over: bool) -> str:
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
