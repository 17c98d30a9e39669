"""What is allowed where no rule of the person says anything: one of four policies, for a session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from acp_tui.host.files import Files
from acp_tui.host.protected import why_protected
from acp_tui.host.rules import KNOWN_KINDS, Decision

Policy = Literal["ask", "ask-edits-and-commands", "allow-edits", "allow-everything"]
"""From the most careful to the one that asks nothing."""

WORDS: Final[dict[Policy, str]] = {
    "ask": "asks for all",
    "ask-edits-and-commands": "asks for edits and commands",
    "allow-edits": "allows edits in the workspace",
    "allow-everything": "allows everything",
}
"""What a session does under each policy, in words."""

LOOKING: Final = frozenset({"read", "search", "think"})
"""Kinds of tool that change nothing."""


def decide(
    policy: Policy, tool_kind: str, command: str | None, paths: Sequence[str], files: Files | None
) -> Decision:
    """Return `allow` or `ask`; a policy never denies. Asked only when no rule matched.

    Args:
        policy: the session's.
        tool_kind: what the agent calls it; only "allow everything" takes a kind that is new to us.
        command: some agents tell a command by what it does, as a read or a search: it stays a command.
        paths: all that the call names, as the agent wrote them.
        files: the session's roots; None when it has none (any more).
    """
    if policy == "allow-everything":
        return "allow"
    if policy == "ask" or command is not None or files is None or tool_kind not in KNOWN_KINDS:
        return "ask"
    if tool_kind in LOOKING:
        return "allow" if all(map(files.contains, paths)) else "ask"
    if policy == "allow-edits" and tool_kind == "edit" and paths:
        return "allow" if all(_is_edit(path, files) for path in paths) else "ask"
    return "ask"


def _is_edit(path: str, files: Files) -> bool:
    """Whether to change this file, links followed, is an edit of the workspace and nothing else."""
    if not path.startswith("/") or not files.contains(path):
        return False
    return why_protected(path, files.roots) is None
