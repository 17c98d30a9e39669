"""The bounds of lists in updates."""

from __future__ import annotations

from typing import Any

from acp_tui.protocol.list_limits import MOST_ITEMS, bounded

MANY: list[Any] = [{"path": "/a"}] * (MOST_ITEMS + 1)


def test_long_lists_are_cut_at_any_depth_and_the_input_of_a_call_is_not() -> None:
    update = {"locations": MANY, "configOptions": [{"options": MANY}], "rawInput": {"files": MANY}, "x": [1]}

    short = bounded(update)

    assert len(short["locations"]) == len(short["configOptions"][0]["options"]) == MOST_ITEMS
    assert short["rawInput"] is update["rawInput"]
    assert len(update["locations"]) == MOST_ITEMS + 1, "the update itself stays as it is"


def test_an_update_of_usual_size_is_the_same_object() -> None:
    update = {"sessionUpdate": "tool_call", "locations": [{"path": "/a"}], "content": [{"a": [1, {}]}]}

    assert bounded(update) is update
