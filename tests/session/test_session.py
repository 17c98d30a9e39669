"""What a session makes of each event, alone."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.acp.content import ContentBlock, ImageContent, TextContent
from acp_tui.acp.permissions import PermissionOption
from acp_tui.acp.reading import read_update
from acp_tui.acp.sessions import SessionSetup
from acp_tui.acp.tools import ToolCallFields
from acp_tui.session import events
from acp_tui.session.changes import Change
from acp_tui.session.entries import AgentMessage, Notice, OwnCommand, Thought, ToolCall, UserMessage, text_of
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session
from acp_tui.session.turn import IllegalStep


def session_with(*updates: dict[str, Any]) -> Session:
    session = Session("s", "/w")
    for number, update in enumerate(updates):
        session.apply(read_update(update), float(number))
    return session


def chunk(text: str, kind: str = "agent", **more: Any) -> dict[str, Any]:
    return {"sessionUpdate": f"{kind}_message_chunk", "content": {"type": "text", "text": text}, **more}


def thought(text: str) -> dict[str, Any]:
    return {"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": text}}


def call(name: str = "t1", **fields: Any) -> dict[str, Any]:
    return {"sessionUpdate": "tool_call", "toolCallId": name, "title": name, **fields}


def call_update(name: str = "t1", **fields: Any) -> dict[str, Any]:
    return {"sessionUpdate": "tool_call_update", "toolCallId": name, **fields}


def texts(session: Session) -> list[str]:
    return [
        text_of(entry) if isinstance(entry, UserMessage | AgentMessage | Thought) else type(entry).__name__
        for entry in session.entries
    ]


def prompt(text: str) -> events.Prompted:
    return events.Prompted([TextContent(text=text)])


# ------------------------------------------------------------------ messages


def test_r35_chunks_join_byte_for_byte() -> None:
    session = session_with(chunk("he"), chunk("llo **b"), chunk(""), chunk("old** \n"))

    assert texts(session) == ["hello **bold** \n"]


def test_c67_r35_chunks_of_one_id_are_one_message_across_what_comes_between() -> None:
    session = session_with(
        chunk("a1 ", messageId="a"), call(), chunk("b1", messageId="b"), chunk("a2", messageId="a")
    )

    assert texts(session) == ["a1 a2", "ToolCall", "b1"]


def test_c68_chunks_without_an_id_join_only_their_neighbour() -> None:
    session = session_with(
        chunk("a"), thought("b"), chunk("c"), call(), chunk("d"), call_update(), chunk("e")
    )

    assert texts(session) == ["a", "b", "c", "ToolCall", "de"]


def test_c68_of_a_replay_a_prompt_after_an_answer_is_a_prompt_of_its_own() -> None:
    told = (chunk("one", "user"), chunk("1"), chunk("two", "user"), call(), chunk("three", "user"))

    assert texts(session_with(*told)) == ["one", "1", "two", "ToolCall", "three"]


def test_c67_c68_two_prompts_with_nothing_between_are_told_apart_by_their_ids_alone() -> None:
    with_ids = (chunk("one", "user", messageId="m1"), chunk("two", "user", messageId="m2"))

    assert texts(session_with(*with_ids)) == ["one", "two"]
    assert texts(session_with(chunk("one", "user"), chunk("two", "user"))) == ["onetwo"]


def test_a_new_turn_begins_a_new_message() -> None:
    session = session_with(chunk("welcome"))
    session.apply(prompt("go"))
    session.apply(read_update(chunk("done")))

    assert texts(session) == ["welcome", "go", "done"]


def test_c29_halves_of_a_character_meet_across_chunks() -> None:
    session = session_with(chunk("\ud83d"), chunk("\ude00!"), chunk("\ud83d"), call())

    assert texts(session) == ["😀!\ufffd", "ToolCall"]


def test_c77_a_picture_stands_between_two_texts() -> None:
    image = {"type": "image", "data": "AA", "mimeType": "image/png"}
    session = session_with(chunk("a"), {**chunk(""), "content": image}, chunk("b"))

    (message,) = session.entries
    assert isinstance(message, AgentMessage)
    assert [str(part) if not isinstance(part, ImageContent) else "*" for part in message.parts] == [
        "a",
        "*",
        "b",
    ]


def test_r35_what_only_begins_like_the_prompt_is_shown_whole() -> None:
    session = Session("s")
    session.apply(prompt("hello world"))
    for piece in ("hello ", "moon"):
        session.apply(read_update(chunk(piece, "user")))

    assert texts(session) == ["hello world", "hello moon"]


def test_an_echo_that_is_complete_hides_nothing_that_follows() -> None:
    session = Session("s")
    session.apply(prompt("hello"))
    for piece in ("hel", "lo", "and more"):
        session.apply(read_update(chunk(piece, "user")))

    assert texts(session) == ["hello", "and more"]


def test_a_replay_shows_what_the_user_said() -> None:
    session = session_with(chunk("Why?", "user"), chunk("Because."), chunk("Why?", "user"))

    assert texts(session) == ["Why?", "Because.", "Why?"]


# ------------------------------------------------------------------ tool calls


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

    assert session.apply(events.Cancelled()) is None

    known = session.tool_call("t1")
    assert known is not None
    assert known.status == "in_progress"


def test_c54_a_refusal_marks_the_prompt_and_what_followed() -> None:
    session = session_with(chunk("before"))
    session.apply(prompt("bad"))
    session.apply(read_update(chunk("no")))

    change = session.apply(events.Ended("refusal"))

    assert change is not None
    assert [entry.dropped for entry in session.entries] == [False, True, True, False]
    assert {1, 2, 3} <= set(change.entries)


def test_the_end_of_the_agent_ends_all_and_a_resumed_session_goes_on() -> None:
    session = session_with(chunk("\ud83d"))
    session.apply(prompt("go"))
    session.apply(events.Setting("mode", "x"))

    change = session.apply(events.Disconnected("gone"), 5.0)

    assert change is not None
    assert {"turn", "questions", "connection"} <= set(change.fields)
    assert (session.connected, session.turn_state, session.pending) == (False, "idle", {})
    assert isinstance(session.entries[-1], Notice)

    change = session.apply(events.SetUp(SessionSetup()))
    assert change == Change(fields=("options", "connection"))
    assert session.connected


def test_a_session_that_another_process_takes_up_goes_on_with_calls_of_its_own() -> None:
    session = session_with(call())
    session.apply(events.TakenUp(), 5.0)
    session.apply(events.SetUp(SessionSetup()))

    session.apply(read_update(call(status="completed")), 1.0)

    assert [entry.status for entry in session.entries if isinstance(entry, ToolCall)] == [
        "interrupted",
        "completed",
    ]


def test_what_an_answer_takes_is_not_the_time_of_the_call() -> None:
    session = session_with(call())
    option = PermissionOption(option_id="yes", name="Yes", kind="allow_once")
    session.apply(events.Asked(Permission("q", "t1", [option]), ToolCallFields(tool_call_id="t1")), 2.0)

    session.apply(events.Answered("q", "yes"), 90.0)
    session.apply(read_update(call_update(status="completed")), 91.5)

    done = session.tool_call("t1")
    assert done is not None
    assert done.ended is not None
    assert done.ended - done.started == 1.5


def test_a_change_says_where() -> None:
    session = Session("s")

    assert session.apply(prompt("x")) == Change((0,), ("turn",))
    assert session.apply(read_update(chunk("y"))) == Change((1,))
    assert session.apply(read_update(chunk("z"))) == Change((1,))
    assert session.apply(read_update(call())) == Change((1, 2)), "the message before it is finished"
    assert session.apply(read_update({"sessionUpdate": "plan", "entries": []})) == Change(fields=("plan",))
    assert session.apply(read_update({"sessionUpdate": "hologram"})) is None
    assert session.apply(events.Answered("nothing open")) is None


def test_what_an_agent_says_only_at_the_end_is_a_message() -> None:
    session = Session("s")
    session.apply(prompt("go"))
    content: tuple[ContentBlock, ...] = (TextContent(text="done"),)

    change = session.apply(events.Ended("end_turn", content))

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
    assert [entry.text for entry in session.entries if isinstance(entry, Notice)] == [
        "Mode: Go",
        "Mode: unheard",
    ]


def test_r41_ids_with_any_signs_are_only_keys() -> None:
    name = "toolu/[/x]:1 \u0000"
    session = session_with(call(name), call_update(name, status="completed"))

    (known,) = session.entries
    assert isinstance(known, ToolCall)
    assert known.status == "completed"


def test_a_command_of_the_person_stands_where_it_was_run_and_knows_its_end() -> None:
    session = Session("s1")
    session.apply(events.CommandStarted("own-1", "make"), 1.0)
    session.apply(events.CommandStarted("own-2", "ls"), 2.0)

    change = session.apply(events.CommandEnded("own-1", 2), 5.0)

    assert change == Change((0,))
    assert session.entries[0] == OwnCommand("own-1", "make", 1.0, 5.0, 2)
    assert session.entries[1] == OwnCommand("own-2", "ls", 2.0)
    assert session.apply(events.CommandEnded("own-9", 0), 6.0) is None


def test_a_turn_of_which_nothing_came_says_so() -> None:
    session = Session("s")
    session.apply(events.Prompted([TextContent(text="hello")]))

    session.apply(events.Ended("end_turn"))

    assert [entry.text for entry in session.entries if isinstance(entry, Notice)] == [
        "The agent ended the turn without a word."
    ]


def test_a_turn_in_which_something_was_done_ends_quietly() -> None:
    session = Session("s")
    session.apply(events.Prompted([TextContent(text="hello")]))
    session.apply(read_update(call()))

    session.apply(events.Ended("end_turn"))

    assert not [entry for entry in session.entries if isinstance(entry, Notice)]
