"""The bounds of plans: of one without end, the steps around the current one are read."""

from __future__ import annotations

from typing import Any, Final

MOST_STEPS: Final = 500
"""Steps of a plan; each costs work whenever the agent sends its plan again."""
DONE: Final = ("completed", "done")
"""Statuses of steps that are done."""


def bounded(update: Any) -> Any:
    """Return an update without the steps that are too many; the plan says how many these are."""
    if not isinstance(update, dict):
        return update
    plan = update.get("plan")
    if isinstance(plan, dict):
        short = _bounded(plan)
        return update if short is plan else {**update, "plan": short}
    return _bounded(update)


def _bounded(plan: dict[str, Any]) -> dict[str, Any]:
    steps = plan.get("entries")
    if not isinstance(steps, list) or len(steps) <= MOST_STEPS:
        return plan
    statuses = [step.get("status") if isinstance(step, dict) else None for step in steps]
    current = statuses.index("in_progress") if "in_progress" in statuses else 0
    first = max(0, min(current - MOST_STEPS // 2, len(steps) - MOST_STEPS))
    others = statuses[:first] + statuses[first + MOST_STEPS :]
    return {
        **plan,
        "entries": steps[first : first + MOST_STEPS],
        "leftOut": len(others),
        "leftOutDone": sum(status in DONE for status in others),
    }
