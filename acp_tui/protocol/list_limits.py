"""Limits of lists in updates: of a longer list only a part is read."""

from __future__ import annotations

from typing import Any, Final

MOST_ITEMS: Final = 5_000
"""Most items of a list that are read, since reading blocks the event loop: commands, locations, values."""
MOST_STEPS: Final = 500
"""Most steps of a plan; each costs work whenever the agent sends its plan again."""
DONE: Final = ("completed", "done")
"""Statuses of finished steps."""
_DEEPEST: Final = 6
_AS_THEY_ARE: Final = ("rawInput", "rawOutput", "_meta", "plan", "steps")
"""Fields that are never cut: a search needs all of an input, and plans of older dialects are cut later."""


def bounded(update: Any) -> Any:
    """Return an update with its long lists cut.

    A plan keeps the steps around the current one, and counts the others; other lists keep their first items.
    """
    if not isinstance(update, dict):
        return update
    plan = update.get("plan")
    if isinstance(plan, dict):
        short = _steps(plan)
        update = update if short is plan else {**update, "plan": short}
    return _items(_steps(update), _DEEPEST)


def _items(value: Any, depth: int) -> Any:
    """Return a value with its lists cut; the same object if none is too long."""
    if isinstance(value, list):
        kept = value[:MOST_ITEMS] if len(value) > MOST_ITEMS else value
        if depth and any(isinstance(item, dict | list) for item in kept):
            found = [_items(item, depth - 1) for item in kept]
            kept = found if any(new is not old for new, old in zip(found, kept, strict=True)) else kept
        return kept
    if isinstance(value, dict) and depth:
        cut = {
            name: short
            for name, item in value.items()
            if isinstance(item, dict | list) and name not in _AS_THEY_ARE
            if (short := _items(item, depth - 1)) is not item
        }
        return {**value, **cut} if cut else value
    return value


def _steps(plan: dict[str, Any]) -> dict[str, Any]:
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
