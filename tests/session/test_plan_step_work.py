"""The work on a step of a plan."""

from __future__ import annotations

from acp_tui.protocol.schema import NewToolCall, Plan, PlanEntry, TextContent, ToolCallUpdate, UsageUpdate
from acp_tui.session.events import Prompted, TurnEnded, WorkspaceCompared
from acp_tui.session.file_changes import DiskState
from acp_tui.session.session import Session

STEPS = ("look", "change", "sum up")


def planned(session: Session, current: int, at: float) -> None:
    """Report the plan with a step in progress, and the ones before it completed."""
    states = ["completed" if n < current else "in_progress" if n == current else "pending" for n in range(3)]
    entries = [
        PlanEntry(content=step, priority="low", status=state)
        for step, state in zip(STEPS, states, strict=True)
    ]
    session.apply(Plan(entries=entries), at)


def call(session: Session, name: str, at: float, ended: float) -> None:
    session.apply(NewToolCall(tool_call_id=name, title=name, kind="edit", status="in_progress"), at)
    session.apply(ToolCallUpdate(tool_call_id=name, status="completed"), ended)


def worked() -> Session:
    """A session of one turn that looked for 5 s, and then changed `a` for 10 s."""
    session = Session("s", "/w")
    session.apply(Prompted([TextContent(text="go")]), 100.0)
    session.apply(UsageUpdate(used=1_000, size=200_000), 100.0)
    planned(session, 0, 100.0)
    call(session, "read it", 101.0, 102.0)
    session.apply(UsageUpdate(used=4_000, size=200_000), 104.0)
    planned(session, 1, 105.0)
    session.apply(WorkspaceCompared((), took=0.0), 105.5)
    call(session, "edit it", 106.0, 107.0)
    session.apply(WorkspaceCompared((DiskState("/w/a", "M", "/w/a", id="1"),), took=0.0), 107.5)
    session.apply(UsageUpdate(used=9_000, size=200_000), 114.0)
    planned(session, 2, 115.0)
    session.apply(TurnEnded("end_turn"), 120.0)
    return session


def test_a_step_has_the_calls_that_began_in_it_its_time_and_its_tokens() -> None:
    work = worked().work_on("look", 200.0)

    assert [one.title for one in work.calls] == ["read it"]
    assert (work.seconds, work.tokens, work.files) == (5.0, 3_000, ())


def test_a_step_has_the_files_that_were_changed_in_it() -> None:
    work = worked().work_on("change", 200.0)

    assert [file.path for file in work.files] == ["/w/a"]
    assert [one.title for one in work.calls] == ["edit it"]
    assert (work.seconds, work.tokens) == (10.0, 5_000)


def test_a_step_that_was_left_counts_no_time_after_the_turn() -> None:
    assert worked().work_on("sum up", 1_000.0).seconds == 5.0


def test_without_usage_no_tokens_are_told() -> None:
    session = Session("s", "/w")
    session.apply(Prompted([TextContent(text="go")]), 0.0)
    planned(session, 0, 1.0)

    assert session.work_on("look", 3.0).tokens is None
    assert session.work_on("look", 3.0).seconds == 2.0


def test_a_change_without_a_step_is_told_where_the_turn_had_a_plan() -> None:
    session = worked()
    assert session.unplanned() == []
    session.apply(Prompted([TextContent(text="on")]), 130.0)
    planned(session, 1, 131.0)
    planned(session, 3, 132.0)
    files = (DiskState("/w/a", "M", "/w/a", id="1"), DiskState("/w/b", "A", "/w/b", id="2"))
    session.apply(WorkspaceCompared(files, took=0.0), 133.0)
    session.apply(TurnEnded("end_turn"), 134.0)

    assert session.unplanned() == ["/w/b"]


def test_a_turn_without_a_plan_has_no_change_without_a_step() -> None:
    session = Session("s", "/w")
    session.apply(Prompted([TextContent(text="go")]), 0.0)
    session.apply(WorkspaceCompared((DiskState("/w/a", "A", "/w/a", id="1"),), took=0.0), 1.0)
    session.apply(TurnEnded("end_turn"), 2.0)

    assert session.unplanned() == []


def test_a_call_before_the_plan_is_part_of_its_first_step_only_in_the_same_turn() -> None:
    session = Session("s", "/w")
    session.apply(Prompted([TextContent(text="read")]), 0.0)
    call(session, "of an earlier turn", 1.0, 2.0)
    session.apply(TurnEnded("end_turn"), 3.0)
    session.apply(Prompted([TextContent(text="go")]), 10.0)
    call(session, "before the plan", 11.0, 12.0)
    planned(session, 0, 13.0)

    assert [one.title for one in session.work_on("look", 20.0).calls] == ["before the plan"]


def test_a_call_after_a_plan_is_no_part_of_a_plan_in_a_later_turn() -> None:
    session = worked()
    session.apply(Prompted([TextContent(text="rest")]), 130.0)
    planned(session, 3, 131.0)
    call(session, "after the plan", 132.0, 133.0)
    session.apply(TurnEnded("end_turn"), 134.0)
    session.apply(Prompted([TextContent(text="again")]), 140.0)
    planned(session, 0, 141.0)

    assert [one.title for one in session.work_on("look", 150.0).calls] == ["read it"]
