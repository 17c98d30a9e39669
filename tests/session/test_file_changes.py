"""Tests of `session/file_changes.py`."""

from __future__ import annotations

import pytest

from acp_tui.protocol import schema as news
from acp_tui.protocol.schema import PermissionOption, PlanEntry, TextContent, ToolCallFields, ToolCallLocation
from acp_tui.session.entries import ToolCall
from acp_tui.session.events import (
    Answered,
    Asked,
    Prompted,
    RangeChosen,
    Resumed,
    TurnEnded,
    WorkspaceCompared,
    Wrote,
)
from acp_tui.session.file_changes import DiskState, Origin
from acp_tui.session.questions import Permission
from acp_tui.session.session import THIS_TURN, Session


def prompted(session: Session, text: str, at: float) -> None:
    session.apply(Prompted([TextContent(text=text)]), at)


def call(name: str, kind: str, status: str = "in_progress", path: str = "") -> news.NewToolCall:
    places = [ToolCallLocation(path=path)] if path else None
    return news.NewToolCall(
        tool_call_id=name, title=f"{kind} {name}", kind=kind, status=status, locations=places
    )


def on_disk(path: str, content: str = "1", outside: bool = False) -> DiskState:
    return DiskState(path, "M", path, id=content, outside=outside)


def origins(session: Session, path: str) -> list[Origin]:
    return session.all_files[path].origins


def test_a_change_belongs_to_the_turn_the_running_call_and_the_step_of_the_plan_in_progress() -> None:
    session = Session("s", "/w")
    prompted(session, "one", 1)
    steps = [PlanEntry(content="look", status="completed"), PlanEntry(content="write", status="in_progress")]
    session.apply(news.Plan(entries=steps), 2)
    session.apply(call("r", "read"), 2)
    session.apply(call("x", "execute"), 3)

    session.apply(WorkspaceCompared((on_disk("/w/a"),)), 4)

    assert origins(session, "/w/a") == [Origin(1, "x", "execute x", "write")]


def plan(session: Session, in_progress: str, at: float) -> None:
    session.apply(news.Plan(entries=[PlanEntry(content=in_progress, status="in_progress")]), at)


def test_the_step_is_the_one_in_which_the_call_began_though_the_plan_has_gone_on_when_it_is_seen() -> None:
    session = Session("s", "/w")
    prompted(session, "one", 1)
    plan(session, "write", 2)
    session.apply(call("e", "edit", path="/w/a"), 3)
    plan(session, "test", 4)

    session.apply(WorkspaceCompared((on_disk("/w/a"),)), 5)

    assert origins(session, "/w/a") == [Origin(1, "e", "edit e", "write")]


def test_a_plan_that_comes_after_its_first_call_counts_for_that_and_no_call_means_the_newest_step() -> None:
    session = Session("s", "/w")
    prompted(session, "one", 1)
    session.apply(call("e", "edit", path="/w/a"), 2)
    plan(session, "write", 3)
    plan(session, "test", 4)
    session.apply(WorkspaceCompared((on_disk("/w/a"),)), 5)
    session.apply(news.ToolCallUpdate(tool_call_id="e", status="completed"), 6)
    session.apply(WorkspaceCompared((on_disk("/w/a"),)), 7)

    session.apply(WorkspaceCompared((on_disk("/w/a"), on_disk("/w/b"))), 8)

    assert origins(session, "/w/a") == [Origin(1, "e", "edit e", "write")]
    assert origins(session, "/w/b") == [Origin(1, plan_entry="test")]


def test_the_plan_of_a_session_that_another_process_has_taken_up_counts_by_the_clock_of_that() -> None:
    session = Session("s", "/w")
    prompted(session, "one", 1)
    plan(session, "look", 100)
    plan(session, "write", 200)
    session.apply(Resumed(), 0)
    prompted(session, "two", 1)
    session.apply(call("e", "edit", path="/w/a"), 2)

    session.apply(WorkspaceCompared((on_disk("/w/a"),)), 3)

    assert origins(session, "/w/a") == [Origin(2, "e", "edit e", "write")]


def test_of_several_calls_the_one_that_names_the_file_made_the_change() -> None:
    session = Session("s", "/w")
    prompted(session, "one", 1)
    session.apply(call("e", "edit", path="/w/a"), 2)
    session.apply(call("x", "execute"), 3)

    session.apply(WorkspaceCompared((on_disk("/w/a"), on_disk("/w/b"))), 4)

    assert [origins(session, path)[0].tool_call_id for path in ("/w/a", "/w/b")] == ["e", "x"]


def test_a_call_that_ended_since_the_last_look_counts_and_an_earlier_one_does_not() -> None:
    session = Session("s", "/w")
    prompted(session, "one", 1)
    session.apply(call("x", "execute"), 2)
    session.apply(news.ToolCallUpdate(tool_call_id="x", status="completed"), 3)
    session.apply(WorkspaceCompared((on_disk("/w/a"),)), 4)
    session.apply(WorkspaceCompared((on_disk("/w/a"), on_disk("/w/b"))), 5)

    assert origins(session, "/w/a") == [Origin(1, "x", "execute x")]
    assert origins(session, "/w/b") == [Origin(1)]
    assert session.files["/w/b"].by == "by no tool call"


def test_changes_outside_a_turn_belong_to_none_and_all_origins_are_kept() -> None:
    session = Session("s", "/w")
    session.apply(WorkspaceCompared((on_disk("/w/a", outside=True),)), 1)
    prompted(session, "one", 2)
    session.apply(WorkspaceCompared((on_disk("/w/a", "2"),)), 3)
    session.apply(TurnEnded("end_turn"), 4)
    prompted(session, "two", 5)
    session.apply(WorkspaceCompared((on_disk("/w/a", "3"),)), 6)

    assert [origin.turn for origin in origins(session, "/w/a")] == [0, 1, 2]


def test_a_call_that_ended_while_the_disk_was_looked_at_counts_for_the_next_look() -> None:
    session = Session("s", "/w")
    prompted(session, "one", 1)
    session.apply(call("x", "execute"), 2)
    session.apply(news.ToolCallUpdate(tool_call_id="x", status="completed"), 3)
    session.apply(WorkspaceCompared((on_disk("/w/a"),), took=1.5), 4)
    session.apply(WorkspaceCompared((on_disk("/w/a"), on_disk("/w/b"))), 5)

    assert origins(session, "/w/b") == [Origin(1, "x", "execute x")]


def test_what_an_undoing_brings_back_comes_from_where_it_came_from() -> None:
    session = Session("s", "/w")
    prompted(session, "one", 1)
    session.apply(call("x", "execute"), 2)
    session.apply(WorkspaceCompared((on_disk("/w/a"), on_disk("/w/b"))), 3)
    session.apply(TurnEnded("end_turn"), 4)
    session.apply(WorkspaceCompared((on_disk("/w/b", "2", outside=True),)), 5)
    assert [origin.turn for origin in origins(session, "/w/b")] == [1, 0]

    session.apply(WorkspaceCompared((on_disk("/w/a"), on_disk("/w/b"))), 6)

    assert origins(session, "/w/a") == origins(session, "/w/b") == [Origin(1, "x", "execute x")]


def test_what_was_rejected_and_undone_is_the_agents_edit_again() -> None:
    session = Session("s", "/w")
    prompted(session, "one", 1)
    session.apply(call("x", "edit", path="/w/a"), 2)
    session.apply(Wrote("/w/a", None, "text"), 2)
    session.apply(WorkspaceCompared((on_disk("/w/a"),)), 3)
    session.apply(TurnEnded("end_turn"), 4)
    assert session.all_files["/w/a"].by == ""

    session.apply(WorkspaceCompared((), undone=frozenset({"/w/a"})), 5)
    session.apply(WorkspaceCompared((on_disk("/w/a"),), undone=frozenset({"/w/a"})), 6)

    assert session.all_files["/w/a"].by == "", "not on disk"


def test_the_user_sees_only_files_that_changed_since_the_chosen_turn() -> None:
    session = Session("s", "/w")
    for number in (1, 2):
        prompted(session, f"prompt\n{number}", number)
        files = [on_disk(f"/w/{each}") for each in range(1, number + 1)]
        session.apply(WorkspaceCompared(tuple(files)), number + 0.5)
        session.apply(TurnEnded("end_turn"), number + 0.7)

    for since, names in ((0, ["/w/1", "/w/2"]), (1, ["/w/1", "/w/2"]), (2, ["/w/2"]), (THIS_TURN, ["/w/2"])):
        session.apply(RangeChosen(since))
        assert list(session.files) == names
    session.apply(RangeChosen(1, (on_disk("/w/1", "0"),)))
    assert list(session.files) == ["/w/1"]
    assert list(session.all_files) == ["/w/1", "/w/2"]
    assert session.prompt_of(2) == "prompt 2"


@pytest.mark.parametrize(
    ("status", "is_named"),
    [(None, True), ("pending", False), ("in_progress", True)],
)
def test_a_call_without_a_status_may_have_begun_and_one_that_waits_has_not(
    status: str | None, is_named: bool
) -> None:
    session = Session("s", "/w")
    prompted(session, "go", 0.0)
    session.apply(news.NewToolCall(tool_call_id="t1", title="edit", status=status), 1.0)
    session.apply(WorkspaceCompared((DiskState("/w/a", "M", "/w/a", id="1"),)), 2.0)

    assert session.files["/w/a"].origins[-1].title == ("edit" if is_named else "")


def test_a_call_that_was_allowed_may_have_begun_though_the_agent_does_not_say_so() -> None:
    session = Session("s", "/w")
    prompted(session, "go", 0.0)
    question = Permission(
        "q", ToolCall("t1"), [PermissionOption(option_id="y", name="Yes", kind="allow_once")]
    )
    session.apply(Asked(question, ToolCallFields(tool_call_id="t1", title="edit")), 1.0)
    session.apply(WorkspaceCompared((DiskState("/w/a", "M", "/w/a", id="1"),)), 2.0)
    session.apply(Answered("q", "y"), 3.0)
    session.apply(WorkspaceCompared((DiskState("/w/a", "M", "/w/a", id="2"),)), 4.0)

    assert [origin.title for origin in session.files["/w/a"].origins] == ["", "edit"]


def test_what_an_undoing_leaves_of_a_change_comes_from_where_it_came() -> None:
    session = Session("s", "/w")
    session.apply(Prompted([]), 1)
    session.apply(WorkspaceCompared((DiskState("/w/a", "M", "/w/a", id="1"),)), 2)
    session.apply(TurnEnded("end_turn"), 3)
    (origin,) = session.files["/w/a"].origins

    session.apply(WorkspaceCompared((DiskState("/w/a", "M", "/w/a", id="2"),), undone={"/w/a"}), 4)
    left = list(session.files["/w/a"].origins)
    session.apply(WorkspaceCompared(()), 5)
    session.apply(WorkspaceCompared((DiskState("/w/a", "M", "/w/a", id="2"),), undone={"/w/a"}), 6)

    assert left == session.files["/w/a"].origins == [origin]
    assert origin.turn == 1
