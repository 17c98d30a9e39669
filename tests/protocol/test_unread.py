"""Parts of a tool call that are not understood."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.protocol.unread import unread
from acp_tui.protocol.validation import read_permission, read_update

DIFF = {"type": "diff", "path": "a", "oldText": "x", "newText": "y"}
TEXT = {"type": "content", "content": {"type": "text", "text": "hi"}}


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
    assert unread(call) == {}


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
    ],
)
def test_what_a_question_would_not_show_is_found(call: dict[str, Any], found: dict[str, Any]) -> None:
    assert unread(call) == found
    update = read_update({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "x", **call})
    assert update.model_dump().get("unread") == found


def test_a_request_for_a_permission_has_it_also_where_reading_leaves_it_out() -> None:
    hidden = {**DIFF, "path": ".git/hooks/x", "newText": 5}
    call = {"toolCallId": "t", "content": [DIFF, hidden], "args": ["-rf"]}
    options = [{"optionId": "y", "name": "Allow", "kind": "allow_once"}]

    asked = read_permission({"sessionId": "s", "toolCall": call, "options": options})

    assert asked.tool_call.unread == {"args": ["-rf"], "content": [hidden]}
    assert len(asked.tool_call.content or []) == 1
