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
    """What was in progress of the plan when that call began."""


class Steps:
    """What was in progress of the plan, and since when: the agent goes on before a change is seen."""

    def __init__(self, plan: Iterable[PlanEntry] = ()) -> None:
        """Begin with a plan that is there already."""
        self._since: list[tuple[float, str]] = []
        self.take_over(plan, 0.0)

    def take_over(self, plan: Iterable[PlanEntry], at: float) -> None:
        """The plan is this from `at` on, in seconds."""
        step = next((entry.content for entry in plan if entry.status == "in_progress"), "")
        if step != self.newest:
            self._since.append((at, step))

    @property
    def newest(self) -> str:
        """The step that is in progress; may be empty."""
        return self._since[-1][1] if self._since else ""

    def of(self, call: ToolCall) -> str:
        """Return the step in which a call began, or else the first one after that."""
        begun = sum(since <= call.started for since, _ in self._since)
        steps = [step for _, step in self._since[max(0, begun - 1) :]]
        return next(filter(None, steps), "")


def origin(entries: Sequence[Entry], steps: Steps, turn: int, path: str, since: float) -> Origin:
    """Return the origin of a change that was seen just now, and was not yet there at `since`.

    Args:
        entries: those of the turn.
        steps: of the plan.
        turn: the number of the turn; 0 for a change outside any.
        path: the file, absolute.
        since: seconds, on the clock of the entries.
    """
    if not turn:
        return Origin(0)
    running = [entry for entry in entries if isinstance(entry, ToolCall) and _may_write(entry, since)]
    naming = [call for call in running if _names(call, path)]
    if not running:
        return Origin(turn, plan_entry=steps.newest)
    call = (naming or running)[-1]
    return Origin(turn, call.tool_call_id, call.title, steps.of(call))


def _may_write(call: ToolCall, since: float) -> bool:
    is_over = call.ended is not None and call.ended < since
    return not is_over and call.kind not in _ONLY_LOOK and not call.waits and call.status != "rejected"


def _names(call: ToolCall, path: str) -> bool:
    """Whether a call says that it is about a file."""
    return any(path == name or path.endswith(f"/{name}") for name in call.named_paths if name)
