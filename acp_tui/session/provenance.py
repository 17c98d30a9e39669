"""Where a change of a file comes from: the turn, the tool call and the step of the plan of that time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from acp_tui.acp.plan import PlanEntry
from acp_tui.session.entries import Entry, ToolCall

_ONLY_LOOK: Final = ("read", "search", "think", "fetch", "switch_mode")
"""Kinds of tool calls that change no files."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What went on when a file changed, as far as it is known."""

    turn: int
    """From 1, as in the session's list of turns, whose first entry is the prompt; 0 for none."""
    tool_call_id: str = ""
    title: str = ""
    """What that call was called then."""
    plan_entry: str = ""
    """What was in progress of the plan."""


def origin(entries: Sequence[Entry], plan: Iterable[PlanEntry], turn: int, path: str, since: float) -> Origin:
    """Return the origin of a change that was seen just now, and was not yet there at `since`.

    Args:
        entries: those of the turn.
        plan: as it is.
        turn: the number of the turn; 0 for a change outside any.
        path: the file, absolute.
        since: seconds, on the clock of the entries.
    """
    if not turn:
        return Origin(0)
    step = next((entry.content for entry in plan if entry.status == "in_progress"), "")
    running = [entry for entry in entries if isinstance(entry, ToolCall) and _may_write(entry, since)]
    naming = [call for call in running if _names(call, path)]
    if not running:
        return Origin(turn, plan_entry=step)
    call = (naming or running)[-1]
    return Origin(turn, call.tool_call_id, call.title, step)


def _may_write(call: ToolCall, since: float) -> bool:
    is_over = call.ended is not None and call.ended < since
    return not is_over and call.kind not in _ONLY_LOOK and call.status not in ("pending", "rejected")


def _names(call: ToolCall, path: str) -> bool:
    """Whether a call says that it is about a file."""
    return any(path == name or path.endswith(f"/{name}") for name in call.named_paths if name)
