"""Tool call updates merged into entries."""

from __future__ import annotations

import pytest

from acp_tui.protocol.validation import read_update
from acp_tui.session import events
from acp_tui.session import tool_calls as calls
from acp_tui.session.entries import ToolCall
from tests.session.building import call, call_update, chunk, session_with


def test_r8_c69_an_update_of_an_unknown_call_makes_it_and_invents_nothing() -> None:
    session = session_with(call_update("x"), call_update("y", title="Read", status="completed"))

    x, y = session.tool_call("x"), session.tool_call("y")
    assert x is not None
    assert y is not None
    assert (x.is_empty, x.title, x.kind, x.status) == (True, "", "other", "pending")
    assert (y.is_empty, y.title, y.status) == (False, "Read", "completed")


def test_c69_an_announcement_of_a_known_call_updates_it_where_it_stands() -> None:
    session = session_with(
        call_update(status="in_progress", locations=[{"path": "/a"}]), chunk("x"), call(status="pending")
    )

    known = session.tool_call("t1")
    assert known is session.entries[0]
    assert (known.title, known.status, known.locations[0].path) == ("t1", "in_progress", "/a")


def test_c70_absent_and_null_keep_and_lists_replace() -> None:
    session = session_with(
        call(kind="read", rawInput={"a": 1}, locations=[{"path": "/a"}, {"path": "/b"}]),
        call_update(title=None, kind=None, status=None, rawInput=None, content=None),
        call_update(locations=[]),
    )

    known = session.tool_call("t1")
    assert known is not None
    assert (known.title, known.kind, known.raw_input, known.locations) == ("t1", "read", {"a": 1}, ())


def test_a_status_of_tomorrow_changes_nothing_and_a_retry_goes_back() -> None:
    session = session_with(call(status="completed"), call_update(status="beaming"))
    known = session.tool_call("t1")
    assert known is not None
    assert (known.status, known.ended) == ("completed", 0.0)

    session.apply(read_update(call_update(status="in_progress")))

    assert (known.status, known.ended) == ("in_progress", None)


@pytest.mark.parametrize(
    ("word", "status"),
    [
        ("running", "in_progress"),
        ("error", "failed"),
        ("success", "completed"),
        ("canceled", "cancelled"),
        ("cancelled", "cancelled"),
    ],
)
def test_d21_older_words_for_a_status(word: str, status: str) -> None:
    known = session_with(call(), call_update(status=word)).tool_call("t1")

    assert known is not None
    assert known.status == status


def test_d42_output_in_meta_grows_cheaply_and_ends_with_its_code() -> None:
    session = session_with(
        call(_meta={"terminal_info": {"terminal_id": "t", "cwd": "/w"}}),
        call_update(_meta={"terminal_output": {"terminal_id": "t", "data": "one\n"}}),
        call_update(_meta={"terminal_output_delta": {"terminal_id": "t", "data": "two\n"}}),
        call_update(_meta={"terminal_output": "odd", "terminal_exit": {"exit_code": 3, "signal": None}}),
    )

    known = session.tool_call("t1")
    assert known is not None
    assert (str(known.output), known.exit_code, known.exit_signal) == ("one\ntwo\n", 3, None)
    assert known.meta is not None
    assert known.meta["terminal_info"]["cwd"] == "/w"
    assert "terminal_output" not in known.meta


def test_d42_a_command_that_ends_without_output_is_known_to_have_none() -> None:
    session = session_with(call(), call_update(_meta={"terminal_exit": {"exit_code": 0}}))

    known = session.tool_call("t1")
    assert known is not None
    assert known.output is not None
    assert (known.output.length, known.exit_code) == (0, 0)


def test_d42_the_newest_output_is_kept_and_no_more() -> None:
    session = session_with(call())
    piece = "x" * 99_999 + "\n"
    for number in range(100):
        data = {"terminal_id": "t", "data": f"{number}{piece}"}
        session.apply(read_update(call_update(_meta={"terminal_output": data})))

    known = session.tool_call("t1")
    assert known is not None
    assert known.output is not None
    assert known.output.length == 100 * 100_000 + 190
    assert 1 << 20 <= len(str(known.output)) <= 2 << 20
    assert str(known.output).endswith(f"99{piece}")


def test_what_the_end_of_a_turn_costs_does_not_grow_with_the_calls_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_at: list[str] = []
    settle = calls.settle

    def counted(known: ToolCall, status: str, at: float) -> bool:
        looked_at.append(known.tool_call_id)
        return settle(known, status, at)

    monkeypatch.setattr(calls, "settle", counted)
    session = session_with(*[call(f"old-{number}", status="completed") for number in range(500)])
    session.apply(events.Prompted([]))
    session.apply(read_update(call_update("old-7", status="in_progress")))
    session.apply(read_update(call("new", status="pending")))

    session.apply(events.TurnEnded("end_turn"))

    assert looked_at == ["old-7", "new"]
    revived, new = session.tool_call("old-7"), session.tool_call("new")
    assert revived is not None
    assert new is not None
    assert (revived.status, new.status) == ("interrupted", "interrupted")


def test_c133_the_plan_of_a_call_stays_where_it_is_asked_for_with_an_empty_input() -> None:
    session = session_with(call("t1", kind="switch_mode", rawInput={}))

    session.apply(read_update(call_update("t1", rawInput={"plan": "# Plan"}, content=[])))
    session.apply(read_update(call_update("t1", rawInput={}, content=[])))

    known = session.tool_call("t1")
    assert known is not None
    assert (known.plan, known.raw_input) == ("# Plan", {})


def test_only_a_change_of_the_mode_has_a_plan() -> None:
    session = session_with(call("t1", kind="other", rawInput={"plan": "# Plan"}))

    known = session.tool_call("t1")
    assert known is not None
    assert known.plan == ""


def test_the_end_of_a_turn_settles_each_of_many_calls_once(monkeypatch: pytest.MonkeyPatch) -> None:
    session = session_with(*(call(f"t{number}") for number in range(2_000)))
    looks: list[int] = []
    real = calls.ToolCalls.at

    def at(self: calls.ToolCalls, place: int) -> ToolCall:
        looks.append(place)
        return real(self, place)

    monkeypatch.setattr(calls.ToolCalls, "at", at)
    changed = session.apply(events.TurnEnded("end_turn"))

    assert changed is not None
    assert len(changed.entries) == 2_000
    assert len(looks) <= 3 * 2_000
