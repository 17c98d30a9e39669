"""The work on a step of a plan: the spans in which it was in progress, and the calls and changes in them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

from acp_tui.session.entries import ToolCall
from acp_tui.session.file_changes import FileChange, Steps
from acp_tui.session.turns import Turn


@dataclass(frozen=True, slots=True)
class StepWork:
    """The work on one step."""

    calls: tuple[ToolCall, ...]
    files: tuple[FileChange, ...]
    """The changed files."""
    seconds: float
    """Time in turns; a pause between them does not count."""
    tokens: int | None
    """Growth of the context; None if unknown."""

    @property
    def questions(self) -> int:
        """Number of calls with an answered permission request."""
        return sum(bool(call.decision) for call in self.calls)


def work_on(
    step: str,
    steps: Steps,
    calls: Iterable[ToolCall],
    files: Iterable[FileChange],
    turns: Sequence[Turn],
    *,
    now: float,
    used: int | None,
) -> StepWork:
    """Return the work on a step.

    Args:
        step: its text.
        steps: the history of the plan.
        calls: tool calls whose times are on the clock of the steps.
        files: the changed files.
        turns: turns whose times are on that clock.
        now: the current time.
        used: the tokens in the context now.
    """
    changed = files_of(files, step)
    named = {one.tool_call_id for file in changed for one in file.origins if one.plan_entry == step}
    spans = steps.spans(step, used)
    seconds = sum(
        max(
            0.0, min(span.stop, turn.ended if turn.ended is not None else now) - max(span.start, turn.started)
        )
        for span in spans
        for turn in turns
    )
    starts = sorted(turn.started for turn in turns)

    def is_part(call: ToolCall) -> bool:
        """A call before a plan belongs to its first step, but only in the same turn."""
        later = bisect_right(starts, call.started)
        return steps.of(call, starts[later] if later < len(starts) else inf) == step

    grown = [span.tokens for span in spans if span.tokens is not None]
    return StepWork(
        tuple(call for call in calls if is_part(call) or call.tool_call_id in named - {""}),
        changed,
        seconds if seconds != inf else 0.0,
        sum(grown) if grown else None,
    )


def files_of(files: Iterable[FileChange], step: str) -> tuple[FileChange, ...]:
    """Return the files that were changed while a step was in progress."""
    return tuple(file for file in files if any(one.plan_entry == step for one in file.origins))
