"""Plans by id, beside the plan without one."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.protocol.list_limits import MOST_STEPS
from acp_tui.protocol.schema import PlanFile, PlanItems, PlanMarkdown, UnknownPlan
from acp_tui.protocol.validation import read_update
from acp_tui.session.events import SessionChange
from acp_tui.session.plans import MOST, Plans
from acp_tui.session.session import Session
from tests.session.building import session_with

STEP = {"content": "mend it", "priority": "low", "status": "in_progress"}


def plan_update(kind: str, name: str = "p1", **fields: Any) -> dict[str, Any]:
    return {"sessionUpdate": "plan_update", "plan": {"type": kind, "planId": name, **fields}}


def removed(name: str) -> dict[str, Any]:
    return {"sessionUpdate": "plan_removed", "planId": name}


def old_plan(*steps: Any) -> dict[str, Any]:
    return {"sessionUpdate": "plan", "entries": list(steps)}


def test_c130_a_plan_is_replaced_whole_also_by_another_type() -> None:
    session = session_with(plan_update("items", entries=[STEP]))

    change = session.apply(read_update(plan_update("markdown", content="# Plan")))

    assert change == SessionChange(fields=("plan",))
    assert session.plans.shown == [PlanMarkdown(plan_id="p1", content="# Plan")]


def test_c130_plans_stand_in_the_order_in_which_they_first_came() -> None:
    session = session_with(
        plan_update("markdown", "b", content="b"),
        plan_update("file", "a", uri="file:///w/plan.md"),
        plan_update("markdown", "b", content="b again"),
    )

    assert [plan.plan_id for plan in session.plans.shown if not isinstance(plan, UnknownPlan)] == ["b", "a"]
    assert session.plans.latest == "b"
    assert isinstance(session.plans.by_id["a"], PlanFile)


def test_c130_a_removed_plan_is_gone_and_an_unknown_id_changes_nothing() -> None:
    session = session_with(plan_update("markdown", "a", content="a"))

    assert session.apply(read_update(removed("z"))) is None
    assert session.apply(read_update(removed("a"))) == SessionChange(fields=("plan",))
    assert session.plans.shown == []


def test_c131_the_plan_without_an_id_stands_beside_the_others() -> None:
    session = session_with(old_plan(STEP), plan_update("items", entries=[STEP, STEP]))

    assert [len(plan.entries) for plan in session.plans.shown if isinstance(plan, PlanItems)] == [1, 2]
    assert len(session.plan) == 1


def test_c131_an_empty_list_of_steps_is_a_plan_that_is_not_shown() -> None:
    session = session_with(plan_update("items", entries=[STEP]), plan_update("items", entries=[]))

    assert session.plans.shown == []
    assert "p1" in session.plans.by_id


def test_c121_a_plan_of_an_unknown_type_is_kept_under_its_id() -> None:
    session = session_with(plan_update("board", "a", lanes=[1]), plan_update("markdown", "a", content="x"))
    assert isinstance(session.plans.by_id["a"], PlanMarkdown)

    session.apply(read_update(plan_update("board", "a", lanes=[1])))

    (plan,) = session.plans.shown
    assert isinstance(plan, UnknownPlan)
    assert (plan.plan_id, plan.raw["lanes"]) == ("a", [1])


def test_c28_a_malformed_step_costs_no_other() -> None:
    session = session_with(plan_update("items", entries=[STEP, 5, STEP]))

    assert len(list(session.plans.entries)) == 2


def test_the_plans_of_earlier_runs_come_with_the_past() -> None:
    before = session_with(plan_update("markdown", content="# Plan"), old_plan(STEP))
    session = Session("s")
    session.plans = Plans(before.past().plans)

    assert [plan.type for plan in session.plans.shown] == ["markdown", "items"]
    assert session.plan == before.plan


def test_of_very_many_plans_the_latest_are_kept() -> None:
    session = session_with(*(plan_update("items", f"p{number}", entries=[STEP]) for number in range(1_000)))

    kept = [f"p{number}" for number in range(1_000 - MOST, 1_000)]
    assert list(session.plans.by_id) == kept
    session.apply(read_update(plan_update("markdown", kept[0], content="again")), 1.0)
    assert list(session.plans.by_id) == kept


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda steps: plan_update("items", entries=steps),
        lambda steps: {"sessionUpdate": "plan", "entries": steps},
        lambda steps: {"sessionUpdate": "plan", "plan": steps},
        lambda steps: {"type": "plan", "content": {"steps": steps}},
    ],
)
def test_of_a_plan_without_end_the_steps_around_the_current_one_are_kept(wrapped: Any) -> None:
    steps = [
        {"content": f"step {n}", "status": "completed" if n < 70_000 else "pending"} for n in range(100_000)
    ]
    steps[70_000]["status"] = "in_progress"

    (plan,) = session_with(wrapped(steps)).plans.shown

    assert isinstance(plan, PlanItems)
    assert [plan.entries[0].content, plan.entries[-1].content] == ["step 69750", "step 70249"]
    assert (plan.left_out, plan.left_out_done) == (99_500, 69_750)


def test_c28_a_malformed_step_of_a_plan_without_end_costs_no_other() -> None:
    (plan,) = session_with(plan_update("items", entries=[STEP, 5, *[STEP] * 1_000])).plans.shown

    assert isinstance(plan, PlanItems)
    assert (len(plan.entries), plan.left_out) == (MOST_STEPS - 1, 502)
