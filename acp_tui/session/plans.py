"""The plans of a session, by id. Source: ACP, page "agent plan", and the draft of plan operations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from acp_tui.protocol.schema import PlanContent, PlanEntry, PlanItems

UNNAMED: Final = ""
"""Id of the plan that an agent sends without one."""


MOST: Final = 200
"""Maximum number of plans of a session; another one replaces the oldest."""


class Plans:
    """The plans of a session, in the order of their first appearance."""

    def __init__(self, plans: Iterable[PlanContent] = ()) -> None:
        self.by_id: dict[str, PlanContent] = {plan.plan_id: plan for plan in plans}
        """Plans by id; an update replaces a plan as a whole, even with another type."""
        self.latest = next(reversed(self.by_id), UNNAMED)
        """Id of the plan that changed last."""

    def take(self, plan: PlanContent) -> None:
        """Add a plan, or replace the one with its id."""
        if plan.plan_id not in self.by_id and len(self.by_id) >= MOST:
            del self.by_id[next(iter(self.by_id))]
        self.by_id[plan.plan_id] = plan
        self.latest = plan.plan_id

    def remove(self, plan_id: str) -> bool:
        """Remove a plan; return False if there is none."""
        return self.by_id.pop(plan_id, None) is not None

    @property
    def shown(self) -> list[PlanContent]:
        """The plans with content."""
        return [
            plan for plan in self.by_id.values() if not isinstance(plan, PlanItems) or len(plan.entries) > 0
        ]

    @property
    def entries(self) -> Iterator[PlanEntry]:
        """The steps of all plans."""
        lists = (plan.entries for plan in self.by_id.values() if isinstance(plan, PlanItems))
        return chain.from_iterable(lists)

    @property
    def has_steps(self) -> bool:
        """True if any plan has a step."""
        return next(self.entries, None) is not None

    def of(self, plan_id: str) -> list[PlanEntry]:
        """Return the steps of a plan."""
        plan = self.by_id.get(plan_id)
        return plan.entries if isinstance(plan, PlanItems) else []
