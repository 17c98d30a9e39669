"""The effect of each event on a session."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.protocol.schema import ContentBlock, PermissionOption, SessionSetup, TextContent, ToolCallFields
from acp_tui.protocol.validation import read_update
from acp_tui.session import events, notices
from acp_tui.session.entries import AgentMessage, AgentNotice, Notice, ToolCall, UnknownNews, UserCommand
from acp_tui.session.events import SessionChange
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session
from acp_tui.session.turns import IllegalStep
from tests.session.building import call, call_update, chunk, prompt, session_with, texts


def test_a_turn_of_which_nothing_came_says_so() -> None:
    session = Session("s")
    session.apply(events.Prompted([TextContent(text="hello")]))

    session.apply(events.TurnEnded("end_turn"))

    assert [entry.text for entry in session.entries if isinstance(entry, Notice)] == [
        "The agent ended the turn without an answer."
    ]


def test_a_turn_in_which_something_was_done_ends_quietly() -> None:
    session = Session("s")
    session.apply(events.Prompted([TextContent(text="hello")]))
    session.apply(read_update(call()))

    session.apply(events.TurnEnded("end_turn"))

    assert not [entry for entry in session.entries if isinstance(entry, Notice)]


@pytest.mark.parametrize(
    ("reason", "says"),
    [
        ("end_turn", None),
        ("cancelled", "Cancelled."),
        ("max_tokens", "The token limit was reached: the answer may be cut."),
        ("max_turn_requests", "The limit of model calls in one turn was reached. Send a prompt to continue."),
        ("refusal", "The agent refused. This prompt and everything after it are not in its context."),
        ("of tomorrow", "The turn stopped: OfTomorrow"),
    ],
)
def test_each_reason_has_its_own_words_and_an_unknown_one_the_agents(reason: str, says: str | None) -> None:
    notice = notices.end_notice(reason, "OfTomorrow", silent=False, at=1.0)

    assert (notice.text if notice is not None else None) == says


def test_a_turn_that_was_cancelled_is_not_called_silent() -> None:
    notice = notices.end_notice("cancelled", "cancelled", silent=True, at=1.0)

    assert notice is not None
    assert notice.text == "Cancelled."


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        (None, ""),
        ("as it is", "as it is"),
        ({"code": 7, "details": "here"}, "here"),
        ({"message": "or here"}, "or here"),
        ({"code": 7, "reason": "or there"}, "or there"),
        ({"code": 7}, '{"code": 7}'),
        ([1], "[1]"),
    ],
)
def test_an_error_is_told_with_its_code_and_with_what_stands_in_its_data(data: Any, detail: str) -> None:
    notice = notices.failure_notice(events.TurnFailed(-32603, "overloaded", data), at=1.0)

    assert (notice.text, notice.detail) == ("overloaded (error -32603)", detail)


@pytest.mark.parametrize("reason", ["end_turn", "cancelled", "refusal", "max_tokens", "of tomorrow", ""])
def test_a_turn_that_the_user_stopped_is_cancelled_whatever_the_agent_calls_it(reason: str) -> None:
    session = Session("s")
    for event in (
        events.Prompted([TextContent(text="go")]),
        events.TurnCancelled(),
        events.TurnEnded(reason),
    ):
        session.apply(event)

    assert session.turns[-1].stop_reason == "cancelled"
    assert [entry.text for entry in session.entries if isinstance(entry, Notice)] == ["Cancelled."]


def test_a_stop_that_comes_after_the_end_changes_nothing() -> None:
    session = Session("s")
    for event in (
        events.Prompted([TextContent(text="go")]),
        events.TurnEnded("end_turn"),
        events.TurnCancelled(),
    ):
        session.apply(event)

    assert session.turns[-1].stop_reason == "end_turn"


PAGE = """<!DOCTYPE html><html><head><title>502 Bad Gateway</title><style>h1 {color: red}</style></head>
<body><h1>Bad&nbsp;Gateway</h1><script>alert(1)</script></body></html>"""


@pytest.mark.parametrize("data", [PAGE, {"details": PAGE}, {"message": PAGE}])
def test_a_page_of_html_in_an_error_is_reduced_to_its_words(data: Any) -> None:
    notice = notices.failure_notice(events.TurnFailed(-32603, "Internal error", data), 0.0)

    assert notice.detail.split() == ["502", "Bad", "Gateway", "Bad", "Gateway"]


def test_a_message_that_is_a_page_is_reduced_and_angles_in_words_are_kept() -> None:
    assert "<" not in notices.failure_notice(events.TurnFailed(-32603, PAGE), 0.0).text
    assert notices.failure_notice(events.TurnFailed(-32603, "no", "a <b> c"), 0.0).detail == "a <b> c"


# ------------------------------------------------------------------ plan, commands, usage, title


def test_c71_a_plan_replaces_the_plan() -> None:
    session = session_with(
        {"sessionUpdate": "plan", "entries": [{"content": "a", "priority": "high", "status": "completed"}]},
        {"sessionUpdate": "plan", "entries": [{"content": "b"}, {"content": "c"}]},
    )
    assert [entry.content for entry in session.plan] == ["b", "c"]

    session.apply(read_update({"sessionUpdate": "plan", "entries": []}))
    assert session.plan == []


def test_c72_commands_replace_the_commands() -> None:
    session = session_with(
        {"sessionUpdate": "available_commands_update", "availableCommands": [{"name": "a"}, {"name": "/b"}]},
        {"sessionUpdate": "available_commands_update", "availableCommands": [{"name": "c d"}]},
    )

    assert [command.name for command in session.commands] == ["c d"]


def test_c73_a_title_is_kept_when_absent_and_cleared_by_null() -> None:
    session = session_with(
        {"sessionUpdate": "session_info_update", "title": "T"},
        {"sessionUpdate": "session_info_update", "updatedAt": "2026-01-01T00:00:00Z"},
    )
    assert session.title == "T"

    session.apply(read_update({"sessionUpdate": "session_info_update", "title": None}))
    assert session.title == ""


def test_c75_changed_files_are_those_of_completed_calls_against_the_folder() -> None:
    diff = {"type": "diff", "path": "src/a.py", "oldText": None, "newText": "x\n"}
    session = session_with(call(content=[diff], status="in_progress"))
    assert session.files == {}

    session.apply(read_update(call_update(status="completed")))

    (edit,) = session.files["/w/src/a.py"].edits
    assert (edit.old, edit.new) == (None, "x\n")


def test_a_file_that_we_wrote_is_told_from_before_the_first_write_to_after_the_last() -> None:
    session = Session("s")
    for old, new in (("1", "2"), ("2", "3")):
        session.apply(events.Wrote("/a", old, new))

    (edit,) = session.files["/a"].edits
    assert (edit.old, edit.new) == ("1", "3")


# ------------------------------------------------------------------ turns


def test_a_prompt_into_a_running_turn_is_a_mistake_and_changes_nothing() -> None:
    session = Session("s")
    session.apply(prompt("one"))

    with pytest.raises(IllegalStep):
        session.apply(prompt("two"))

    assert texts(session) == ["one"]


def test_stopping_what_has_stopped_changes_nothing() -> None:
    session = session_with(call(status="in_progress"))

    assert session.apply(events.TurnCancelled()) is None

    known = session.tool_call("t1")
    assert known is not None
    assert known.status == "in_progress"


def test_c54_a_refusal_marks_the_prompt_and_what_followed() -> None:
    session = session_with(chunk("before"))
    session.apply(prompt("bad"))
    session.apply(read_update(chunk("no")))

    change = session.apply(events.TurnEnded("refusal"))

    assert change is not None
    assert [entry.dropped for entry in session.entries] == [False, True, True, False]
    assert {1, 2, 3} <= set(change.entries)


def test_the_end_of_the_agent_ends_all_and_a_resumed_session_goes_on() -> None:
    session = session_with(chunk("\ud83d"))
    session.apply(prompt("go"))
    session.apply(events.OptionRequested("mode", "x"))

    change = session.apply(events.Disconnected("gone"), 5.0)

    assert change is not None
    assert {"turn", "questions", "connection"} <= set(change.fields)
    assert (session.connected, session.turn_state, session.pending) == (False, "idle", {})
    assert isinstance(session.entries[-1], Notice)

    change = session.apply(events.SetUp(SessionSetup()))
    assert change == SessionChange(fields=("options", "connection"))
    assert session.connected


def test_what_an_agent_told_its_model_beside_the_prompt_is_no_word_of_the_user() -> None:
    context = "<session_context>\nToday is Saturday.\n</session_context>"

    session = session_with(chunk(context, "user"), chunk("Go on", "user"), chunk("Yes"))

    assert texts(session) == ["Go on", "Yes"]


def test_a_session_that_another_process_takes_up_goes_on_with_calls_of_its_own() -> None:
    session = session_with(call())
    session.apply(events.Resumed(), 5.0)
    session.apply(events.SetUp(SessionSetup()))

    session.apply(read_update(call(status="completed")), 1.0)

    assert [entry.status for entry in session.entries if isinstance(entry, ToolCall)] == [
        "interrupted",
        "completed",
    ]


def test_what_an_answer_takes_is_not_the_time_of_the_call() -> None:
    session = session_with(call())
    option = PermissionOption(option_id="yes", name="Yes", kind="allow_once")
    session.apply(
        events.Asked(Permission("q", ToolCall("t1"), [option]), ToolCallFields(tool_call_id="t1")), 2.0
    )

    session.apply(events.Answered("q", "yes"), 90.0)
    session.apply(read_update(call_update(status="completed")), 91.5)

    done = session.tool_call("t1")
    assert done is not None
    assert done.ended is not None
    assert done.ended - done.started == 1.5


@pytest.mark.parametrize(
    ("answer", "told", "shown"),
    [
        ("no", "failed", "rejected"),
        ("no", "completed", "completed"),
        (None, "failed", "cancelled"),
        ("yes", "failed", "failed"),
    ],
)
def test_a_call_that_the_user_ended_is_no_failure_where_the_agent_calls_it_one(
    answer: str | None, told: str, shown: str
) -> None:
    session = session_with(call())
    options = [
        PermissionOption(option_id="no", name="No", kind="reject_once"),
        PermissionOption(option_id="yes", name="Yes", kind="allow_once"),
    ]
    session.apply(
        events.Asked(Permission("q", ToolCall("t1"), options), ToolCallFields(tool_call_id="t1")), 2.0
    )

    session.apply(events.Answered("q", answer), 9.0)
    session.apply(read_update(call_update(status=told)), 9.5)

    done = session.tool_call("t1")
    assert done is not None
    assert done.status == shown


def test_a_call_of_a_turn_that_the_user_stopped_is_no_failure() -> None:
    session = Session("s")
    session.apply(prompt("go"))
    session.apply(read_update(call()))
    session.apply(events.TurnCancelled())

    session.apply(read_update(call_update(status="failed")))
    session.apply(events.TurnEnded("cancelled"))

    (stopped,) = (entry for entry in session.entries if isinstance(entry, ToolCall))
    assert stopped.status == "cancelled"


def test_a_change_says_where() -> None:
    session = Session("s")

    assert session.apply(prompt("x")) == SessionChange((0,), ("turn",))
    assert session.apply(read_update(chunk("y"))) == SessionChange((1,))
    assert session.apply(read_update(chunk("z"))) == SessionChange((1,))
    assert session.apply(read_update(call())) == SessionChange((1, 2)), "the message before it is finished"
    assert session.apply(read_update({"sessionUpdate": "plan", "entries": []})) == SessionChange(
        fields=("plan",)
    )
    assert session.apply(read_update({"sessionUpdate": "hologram"})) == SessionChange((3,))
    assert session.apply(events.Answered("nothing open")) is None


def test_what_an_agent_says_only_at_the_end_is_a_message() -> None:
    session = Session("s")
    session.apply(prompt("go"))
    content: tuple[ContentBlock, ...] = (TextContent(text="done"),)

    change = session.apply(events.TurnEnded("end_turn", content))

    assert texts(session) == ["go", "done"]
    assert change is not None
    assert 1 in change.entries
    message = session.entries[1]
    assert isinstance(message, AgentMessage)
    assert message.finished


def test_c113_c114_a_mode_that_changes_is_told_and_chosen() -> None:
    option = {
        "id": "m",
        "name": "Mode",
        "category": "mode",
        "type": "select",
        "currentValue": "ask",
        "options": [{"value": "ask", "name": "Ask"}, {"value": "go", "name": "Go"}],
    }
    odd = {"id": "z", "name": "Z", "category": "weather", "type": "boolean", "currentValue": True}
    session = session_with({"sessionUpdate": "config_option_update", "configOptions": [odd, option]})
    assert [known.config.id for known in session.options] == ["z", "m"]

    for mode in ("go", "go", "unheard"):
        session.apply(read_update({"sessionUpdate": "current_mode_update", "currentModeId": mode}))

    chosen = session.option("mode")
    assert chosen is not None
    assert (chosen.config.current_value, chosen.value_name) == ("unheard", "unheard")
    assert [entry.text for entry in session.entries if isinstance(entry, Notice)] == ["Mode: unheard"]


def test_of_several_modes_in_a_row_the_last_is_said() -> None:
    modes = [{"id": name, "name": name.title()} for name in ("ask", "plan", "go")]
    session = Session("s")
    session.apply(
        events.SetUp(
            SessionSetup.model_validate({"modes": {"currentModeId": "ask", "availableModes": modes}})
        )
    )

    for mode in ("plan", "go", "ask", "plan"):
        change = session.apply(read_update({"sessionUpdate": "current_mode_update", "currentModeId": mode}))
        assert change is not None
        assert change.entries == (0,)
    session.apply(events.Noted("between"))
    session.apply(read_update({"sessionUpdate": "current_mode_update", "currentModeId": "go"}))

    said = [entry.text for entry in session.entries if isinstance(entry, Notice)]
    assert said == ["Mode: Plan", "between", "Mode: Go"]


def test_a_mode_that_the_user_has_chosen_leaves_an_empty_chat_empty() -> None:
    modes = [{"id": name, "name": name.title()} for name in ("ask", "plan", "go")]
    state = {"modes": {"currentModeId": "ask", "availableModes": modes}}
    session = Session("s")
    session.apply(events.SetUp(SessionSetup.model_validate(state)))
    option = session.option("mode")
    assert option is not None
    session.apply(events.OptionRequested(option.config.id, "plan"))

    for mode, told in (("plan", []), ("go", ["Mode: Go"])):
        session.apply(read_update({"sessionUpdate": "current_mode_update", "currentModeId": mode}))
        assert [entry.text for entry in session.entries if isinstance(entry, Notice)] == told


def test_r41_ids_with_any_signs_are_only_keys() -> None:
    name = "toolu/[/x]:1 \u0000"
    session = session_with(call(name), call_update(name, status="completed"))

    (known,) = session.entries
    assert isinstance(known, ToolCall)
    assert known.status == "completed"


def test_a_command_of_the_user_stands_where_it_was_run_and_knows_its_end() -> None:
    session = Session("s1")
    session.apply(events.CommandStarted("own-1", "make"), 1.0)
    session.apply(events.CommandStarted("own-2", "ls"), 2.0)

    change = session.apply(events.CommandEnded("own-1", 2), 5.0)

    assert change == SessionChange((0,))
    assert session.entries[0] == UserCommand("own-1", "make", 1.0, 5.0, 2)
    assert session.entries[1] == UserCommand("own-2", "ls", 2.0)
    assert session.apply(events.CommandEnded("own-9", 0), 6.0) is None


@pytest.mark.parametrize(
    ("is_act", "expected"),
    [(True, ["before", "Notice", "after"]), (False, ["beforeafter", "Notice"])],
)
def test_a_notice_of_an_act_stands_where_it_happened(is_act: bool, expected: list[str]) -> None:
    session = session_with(chunk("before"))

    session.apply(events.Noted("You let it run.", is_act=is_act))
    session.apply(read_update(chunk("after")))

    assert texts(session) == expected


def test_c74_r39_usage_that_is_odd_is_taken_as_far_as_it_goes() -> None:
    cost = {"amount": 0.5, "currency": "USD"}
    session = session_with(
        {"sessionUpdate": "usage_update", "used": 900, "size": 0},
        {"sessionUpdate": "usage_update", "used": None, "size": 10, "cost": cost},
        {"sessionUpdate": "usage_update", "used": 900, "size": 100},
    )

    usage = session.usage
    assert usage is not None
    assert usage.cost is not None
    assert (usage.used, usage.size, usage.cost.amount) == (900, 100, 0.5)


def agent_notice(title: str, severity: str = "info", **fields: Any) -> dict[str, Any]:
    return {"sessionUpdate": "notice", "severity": severity, "title": title, **fields}


def test_c122_notices_of_the_agent_stand_where_they_came_also_between_turns() -> None:
    session = session_with(agent_notice("before"), chunk("hi"), agent_notice("in it", "warning"))
    session.apply(prompt("go"), 3.0)
    session.apply(events.TurnEnded("end_turn"), 4.0)
    session.apply(read_update(agent_notice("after", "error", description="why")), 5.0)

    found = [entry for entry in session.entries if isinstance(entry, AgentNotice)]
    assert [(each.title, each.severity, each.description) for each in found] == [
        ("before", "info", ""),
        ("in it", "warning", ""),
        ("after", "error", "why"),
    ]
    assert [type(entry) for entry in session.entries[:3]] == [AgentNotice, AgentMessage, AgentNotice]


def test_c123_an_error_notice_ends_no_turn_and_is_no_word_of_the_agent() -> None:
    session = Session("s")
    session.apply(prompt("go"), 1.0)
    session.apply(read_update(agent_notice("broken", "error")), 2.0)
    assert session.turn_state == "running"

    session.apply(events.TurnEnded("end_turn"), 3.0)

    assert [entry.text for entry in session.entries if isinstance(entry, Notice)] == [
        "The agent ended the turn without an answer."
    ]
    assert session.turns[-1].stop_reason == "end_turn"


def test_c121_an_unknown_severity_is_kept() -> None:
    session = session_with(agent_notice("x", "of tomorrow"))

    assert session.entries == [AgentNotice("x", "of tomorrow")]


def test_c129_the_name_of_a_tool_is_kept_over_updates_without_it() -> None:
    session = session_with(call("t1") | {"name": "mcp__docs__search"})

    session.apply(read_update(call_update("t1", status="completed") | {"name": None}))

    known = session.tool_call("t1")
    assert known is not None
    assert known.name == "mcp__docs__search"


def test_c119_null_clears_nothing_of_a_tool_call() -> None:
    item = {"type": "content", "content": {"type": "text", "text": "found"}}
    place = {"path": "/w/a"}
    known = call("t1", kind="read", content=[item], locations=[place], rawInput={"a": 1}, rawOutput=[2])
    session = session_with(known | {"name": "Read"})
    nothing = dict.fromkeys(("title", "kind", "status", "content", "locations", "rawInput", "rawOutput"))

    session.apply(read_update(call_update("t1", **nothing)))

    found = session.tool_call("t1")
    assert found is not None
    assert (found.title, found.kind, found.name) == (known["title"], "read", "Read")
    assert (len(found.content), [each.path for each in found.locations]) == (1, ["/w/a"])
    assert (found.raw_input, found.raw_output) == ({"a": 1}, [2])


def after_a_turn(*updates: dict[str, Any]) -> Session:
    session = Session("s")
    session.apply(prompt("go"), 1.0)
    for update in updates:
        session.apply(read_update(update), 2.0)
    session.apply(events.TurnEnded("end_turn"), 3.0)
    return session


def test_c153_a_command_that_runs_at_the_end_of_the_turn_goes_on_in_the_background() -> None:
    session = after_a_turn(
        call("run", kind="execute", status="in_progress"),
        call("read", kind="read", status="in_progress"),
        call("wait", kind="execute", status="pending"),
    )
    statuses = [entry.status for entry in session.entries if isinstance(entry, ToolCall)]
    assert statuses == ["in_progress", "interrupted", "interrupted"]
    assert [each.tool_call_id for each in session.background_calls] == ["run"]

    change = session.apply(read_update(call_update("run", status="completed", rawOutput="out")), 9.0)

    known = session.tool_call("run")
    assert known is not None
    assert (known.status, known.ended, known.raw_output) == ("completed", 9.0, "out")
    assert session.background_calls == []
    assert change is not None
    assert "turn" in change.fields


def test_c153_a_cancel_and_the_end_of_the_connection_end_it() -> None:
    for end in (events.TurnCancelled(), events.Disconnected("The agent has ended.")):
        session = after_a_turn(call("run", kind="execute", status="in_progress"))
        session.apply(prompt("again"), 4.0)
        session.apply(end, 5.0)
        assert session.background_calls == []


def test_c153_a_command_that_begins_behind_a_cancel_is_over_with_its_turn() -> None:
    session = Session("s")
    session.apply(prompt("go"), 1.0)
    session.apply(events.TurnCancelled(), 2.0)
    session.apply(read_update(call("run", kind="execute", status="in_progress")), 3.0)

    session.apply(events.TurnEnded("end_turn"), 4.0)

    known = session.tool_call("run")
    assert known is not None
    assert (known.status, session.background_calls) == ("cancelled", [])


def left_running(name: str) -> list[dict[str, Any]]:
    """Return what claude tells of a command that it leaves running: no update says how that ends."""
    meta = {"claudeCode": {"toolResponse": {"backgroundTaskId": f"task {name}"}}}
    return [call(name, kind="execute"), call_update(name, _meta=meta), call_update(name, status="completed")]


TASK_ENDED = {
    "sessionUpdate": "usage_update",
    "cost": {"amount": 1, "currency": "USD"},
    "_meta": {"_claude/origin": {"kind": "task-notification"}},
}


def test_c153_a_command_that_claude_leaves_running_goes_on_until_it_wakes_by_itself() -> None:
    session = after_a_turn(*left_running("one"), *left_running("two"))
    assert [each.tool_call_id for each in session.background_calls] == ["one", "two"]
    session.apply(prompt("again"), 4.0)
    session.apply(events.TurnCancelled(), 5.0)
    session.apply(events.TurnEnded("cancelled"), 6.0)
    assert len(session.background_calls) == 2

    change = session.apply(read_update(TASK_ENDED), 9.0)

    assert [each.tool_call_id for each in session.background_calls] == ["two"]
    assert change is not None
    assert "turn" in change.fields
    session.apply(events.Disconnected("The agent has ended."), 10.0)
    assert session.background_calls == []


def test_c154_output_without_a_turn_is_marked_once_and_is_apart_from_the_last_message() -> None:
    session = after_a_turn(chunk("answer"))
    for text in ("news", " and more"):
        session.apply(read_update(chunk(text)), 8.0)
    session.apply(read_update(call("late")), 9.0)

    assert texts(session)[1:] == ["answer", "Notice", "news and more", "ToolCall"]
    notice = session.entries[2]
    assert isinstance(notice, Notice)
    assert notice.text == "The agent continues on its own."
    assert session.unprompted_at == 9.0
    session.apply(prompt("next"), 10.0)
    assert session.unprompted_at is None


def test_c154_a_late_chunk_of_a_message_of_the_turn_belongs_to_that() -> None:
    session = after_a_turn(chunk("answer", messageId="m1"))
    session.apply(read_update(chunk(" late", messageId="m1")), 8.0)

    assert texts(session)[1:] == ["answer late"]
    assert session.unprompted_at is None


@pytest.mark.parametrize(
    "end",
    [
        TASK_ENDED,
        {"sessionUpdate": "session_info_update", "_meta": {"codex": {"threadStatus": {"type": "idle"}}}},
        {"sessionUpdate": "session_info_update", "_meta": {"piAcp": {"running": False}}},
    ],
)
def test_c154_the_agents_own_word_ends_what_it_does_by_itself(end: dict[str, Any]) -> None:
    session = after_a_turn(chunk("answer"))
    session.apply(read_update(chunk("news")), 8.0)
    assert session.unprompted_at is not None

    change = session.apply(read_update(end), 9.0)

    assert session.unprompted_at is None
    assert change is not None
    assert "turn" in change.fields


def test_c154_a_context_without_a_cost_does_not_end_it() -> None:
    session = after_a_turn(chunk("answer"))
    session.apply(read_update(chunk("news")), 8.0)

    session.apply(read_update({**TASK_ENDED, "cost": None, "used": 1, "size": 2}), 9.0)

    assert session.unprompted_at is not None


def test_c154_behind_a_turn_that_failed_output_is_the_agents_own() -> None:
    session = Session("s")
    session.apply(prompt("go"), 1.0)
    session.apply(events.TurnFailed(-32603, "It broke"), 2.0)

    session.apply(read_update(chunk("news")), 8.0)

    assert (texts(session)[-1], session.unprompted_at) == ("news", 8.0)


def test_before_the_first_turn_nothing_is_the_agents_own_work() -> None:
    assert texts(session_with(chunk("welcome"))) == ["welcome"]


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("All done.", ["I look.", "All done."]),
        ("I  look.", ["I look."]),
        ("look", ["I look."]),
    ],
)
def test_d13_text_in_the_answer_to_a_prompt_is_shown_unless_it_repeats_what_was_said(
    told: str, shown: list[str]
) -> None:
    session = Session("s")
    session.apply(prompt("go"), 1.0)
    session.apply(read_update(chunk("I look.")), 2.0)

    session.apply(events.TurnEnded("end_turn", (TextContent(text=told),)), 3.0)

    assert texts(session)[1:] == shown


def test_c27_an_update_that_is_not_understood_is_one_entry_also_if_it_comes_often() -> None:
    odd = {"sessionUpdate": "of_tomorrow", "x": 1}
    session = session_with(odd, {**odd, "x": 2}, chunk("hi"), odd, {"kind": 5})

    found = [entry for entry in session.entries if isinstance(entry, UnknownNews)]
    assert [(entry.name, entry.count) for entry in found] == [("of_tomorrow", 2), ("of_tomorrow", 1), ("", 1)]
    assert found[0].raw == {**odd, "x": 2}


def test_a_turn_of_updates_that_are_not_understood_has_said_nothing() -> None:
    session = after_a_turn({"sessionUpdate": "of_tomorrow"})

    assert any(isinstance(entry, Notice) and "without an answer" in entry.text for entry in session.entries)
