"""Parts of a tool call that are not understood."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.protocol.list_limits import MOST_ITEMS
from acp_tui.protocol.schema import ToolCallFields
from acp_tui.protocol.validation import read_permission, read_update, read_updates
from tests.agent.dialect_agents import AGENTS

DIFF = {"type": "diff", "path": "a", "oldText": "x", "newText": "y"}
TEXT = {"type": "content", "content": {"type": "text", "text": "hi"}}


TERMINAL = {"type": "terminal", "terminalId": "1"}


def block(**more: Any) -> dict[str, Any]:
    return {"type": "content", "content": {"type": "text", "text": "hi", **more}}


def part(content: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content", "content": content}


def unread(call: dict[str, Any], kind: str = "tool_call") -> Any:
    ids = {} if "tool_call_id" in call else {"toolCallId": "t"}
    return read_update({"sessionUpdate": kind, **ids, **call}).model_dump()["unread"]


def unread_of_request(call: dict[str, Any], **beside: Any) -> Any:
    options = [{"optionId": "y", "name": "Allow", "kind": "allow_once"}]
    request = {"sessionId": "s", "toolCall": {"toolCallId": "t", **call}, "options": options, **beside}
    return read_permission(request).tool_call.unread


@pytest.mark.parametrize(
    "call",
    [
        {"toolCallId": "t", "title": "x", "kind": None, "status": "pending", "_meta": {"a": 1}},
        {"tool_call_id": "t", "raw_input": {"any": ["thing"]}, "raw_output": "x"},
        {
            "content": [DIFF, TEXT, {"type": "terminal", "terminalId": "1"}],
            "locations": [{"path": "a", "line": 1}],
        },
        {"content": [{"type": "diff", "path": "a", "old_text": None, "new_text": "y", "_meta": {}}]},
        {"args": [], "env": {}, "note": None},
    ],
)
def test_a_call_in_the_words_of_the_protocol_is_understood(call: dict[str, Any]) -> None:
    assert unread(call) is None


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ({"args": ["-rf"], "env": {"A": "1"}}, {"args": ["-rf"], "env": {"A": "1"}}),
        ({"content": [DIFF, {**DIFF, "newText": 5}]}, {"content": [{**DIFF, "newText": 5}]}),
        ({"content": [{**DIFF, "changes": [".bashrc"]}]}, {"content": [{**DIFF, "changes": [".bashrc"]}]}),
        ({"content": [{"type": "patch", "text": "x"}]}, {"content": [{"type": "patch", "text": "x"}]}),
        ({"content": "x"}, {"content": "x"}),
        ({"locations": [{"uri": "file:///a"}]}, {"locations": [{"uri": "file:///a"}]}),
        ({"rawInput": '{"path": ".bashrc'}, {"rawInput": '{"path": ".bashrc'}),
        ({"title": 7}, {"title": 7}),
        ({"rawInput": {"command": "ls"}, "raw_input": {"command": "rm"}}, {"raw_input": {"command": "rm"}}),
        ({"content": [{**DIFF, "new_text": "EVIL"}]}, {"content": [{**DIFF, "new_text": "EVIL"}]}),
        ({"content": [{**TERMINAL, "command": "rm"}]}, {"content": [{**TERMINAL, "command": "rm"}]}),
        ({"content": [{**TEXT, "newText": "x"}]}, {"content": [{**TEXT, "newText": "x"}]}),
        ({"content": [block(path=".bashrc")]}, {"content": [block(path=".bashrc")]}),
        ({"sandbox": False}, {"sandbox": False}),
        ({"rawInput": 7}, {"rawInput": 7}),
        ({"content": [DIFF, {**DIFF, "newText": 5}, TEXT]}, {"content": [{**DIFF, "newText": 5}]}),
        *(({key: "x"}, {key: "x"}) for key in ("Raw_Input", "RawInput", "raw__input", "Locations")),
        *(
            ({"content": [DIFF, one]}, {"content": [one]})
            for one in (
                {"type": "diff", "Path": "a", "newText": "evil"},
                {"type": "diff", "path": "a", "New_Text": "evil"},
                {**DIFF, "operation": {"x": 1}},
                {**DIFF, "operation": "symlink"},
                {**DIFF, "oldPath": 5},
                {**DIFF, "meta": {"chmod": "777"}},
                part({"type": "resource", "resource": {"uri": 5, "text": "x"}}),
                part({"type": "resource", "resource": {"uri": "u", "text": 5}}),
                part({"type": "resource", "resource": {"uri": "u", "blob": "AAAA"}}),
                part({"type": "image", "data": "x"}),
                block(annotations="rm -rf"),
            )
        ),
        *(
            ({"locations": [one]}, {"locations": [one]})
            for one in ({"Path": "a"}, {"path": "a", "line": {"x": 1}})
        ),
    ],
)
def test_what_a_question_would_not_show_is_found(call: dict[str, Any], found: dict[str, Any]) -> None:
    assert unread(call) == found
    assert unread_of_request(call) == found


def test_a_request_for_a_permission_has_it_also_where_reading_leaves_it_out() -> None:
    hidden = {**DIFF, "path": ".git/hooks/x", "newText": 5}
    call = {"toolCallId": "t", "content": [DIFF, hidden], "args": ["-rf"]}
    options = [{"optionId": "y", "name": "Allow", "kind": "allow_once"}]

    asked = read_permission({"sessionId": "s", "toolCall": call, "options": options})

    assert asked.tool_call.unread == {"args": ["-rf"], "content": [hidden]}
    assert len(asked.tool_call.content or []) == 1


@pytest.mark.parametrize("name", AGENTS)
def test_the_words_of_an_older_dialect_are_understood(name: str) -> None:
    agent = AGENTS[name]
    calls = [
        call for update in agent.updates for call in read_updates(update) if isinstance(call, ToolCallFields)
    ]

    assert calls
    assert [key for call in calls for key in call.unread or () if key != "rawInput"] == []
    assert read_permission({"sessionId": "s1", **agent.permission}).tool_call.unread is None


def test_what_stands_beside_the_call_of_a_request_is_found() -> None:
    options = [{"optionId": "y", "name": "Allow", "kind": "allow_once"}]
    other = {"toolCallId": "u", "rawInput": {"command": "rm"}}

    asked = read_permission(
        {
            "sessionId": "s",
            "toolCall": {"toolCallId": "t"},
            "tool_call": other,
            "options": options,
            "also": "x",
        }
    )

    assert asked.tool_call.unread == {"request tool_call": other, "request also": "x"}


@pytest.mark.parametrize(
    "beside",
    [
        {"subject": {"type": "command", "command": "rm"}},
        {"title": ["x"]},
        {"description": {"command": "rm"}},
        {"Description": "x"},
        {"hasNoCall": True},
        {"options": [{"optionId": "y", "name": "Allow", "kind": "allow_once", "also": "all later calls"}]},
    ],
)
def test_a_part_of_a_request_that_no_question_shows_is_found(beside: dict[str, Any]) -> None:
    options = [{"optionId": "y", "name": "Allow", "kind": "allow_once"}]

    asked = read_permission({"sessionId": "s", "toolCall": {"toolCallId": "t"}, "options": options, **beside})

    assert asked.tool_call.unread == {f"request {name}": value for name, value in beside.items()}


@pytest.mark.parametrize("key", ["content", "locations"])
def test_what_is_cut_from_a_long_list_is_found(key: str) -> None:
    item = DIFF if key == "content" else {"path": "a"}
    hidden = {**item, "path": ".git/hooks/pre-commit"}
    call = {
        "sessionUpdate": "tool_call",
        "toolCallId": "t",
        "title": "x",
        key: [item] * MOST_ITEMS + [hidden],
    }

    update = read_update(call)

    assert hidden in update.model_dump()["unread"][key]


def test_a_list_that_is_cut_in_a_call_of_an_older_dialect_is_said() -> None:
    update = read_update(
        {"sessionUpdate": "tool_call", "toolCallId": "t", "title": 7, "content": [DIFF] * (MOST_ITEMS + 1)}
    )

    assert "lists" in update.model_dump()["unread"]


def test_extensions_of_all_parts_of_a_request_are_kept_with_its_call() -> None:
    block = {"type": "text", "text": "x", "annotations": {"hint": 1}}
    call = {
        "toolCallId": "t",
        "_meta": {"own": 2},
        "content": [{"type": "content", "content": block, "_meta": {"kind": "add"}}],
        "locations": [{"path": "/w/a", "_meta": {"why": 3}}],
    }

    asked = read_permission({"sessionId": "s", "toolCall": call, "options": [], "_meta": {"more": {"a": 4}}})

    assert asked.tool_call.meta == {
        "own": 2,
        "request more": [{"a": 4}],
        "content kind": ["add"],
        "content hint": [1],
        "locations why": [3],
    }
    assert asked.tool_call.unread is None


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (
            {
                "toolCallId": 5,
                "rawInput": {"command": "ls"},
                "function": {"rawInput": {"command": "rm -rf build"}},
            },
            ["rm -rf build"],
        ),
        (
            {"toolCallId": 5, "toolCall": {"title": "rm"}, "title": "ls", "locations": [{"path": "a"}]},
            ["rm"],
        ),
        ({"toolCallId": 5, "content": [{"diff": DIFF, "note": "also b"}]}, ["also b"]),
        ({"toolCallId": 5, "arguments": '{"command": "ls"}', "title": "ls"}, None),
    ],
)
def test_a_call_in_older_terms_loses_nothing_on_the_way_to_current_ones(
    call: dict[str, Any], found: list[str] | None
) -> None:
    for read in (unread_of_request(call), unread(call)):
        assert (read or {}).get("lost") == found


def test_of_very_many_odd_items_the_first_are_kept_without_comparing_each_with_each() -> None:
    items = [{**DIFF, "also": number} for number in range(4_000)]

    assert unread({"content": items}) == {"content": items[:50]}


def test_a_lost_text_that_looks_like_json_without_end_is_a_text() -> None:
    deep = "[" * 100_000

    found = unread({"toolCallId": 5, "title": "x", "toolCall": {"title": deep}})

    assert found["lost"] == [deep]
