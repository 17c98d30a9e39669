"""Subagents and messages between sessions as lines of the chat."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.protocol.schema import SessionItem, TurnUsage
from acp_tui.session.entries import AgentMessage, SessionMessage, Subagent
from acp_tui.session.text_buffer import TextBuffer
from tests.ui.entries.rows import block, call, context, rows


def line(**fields: Any) -> str:
    shown = block(Subagent("k1", **{"title": "Explorer", **fields}))
    return " ".join(rows(shown, 100)[1].split())


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"state": "running", "calls": 7}, "▸ Explorer running 7 calls"),
        ({"state": "requires_action", "description": "reads"}, "▸ Explorer reads waits for you"),
        ({"state": "idle", "stop_reason": "end_turn", "started": 1.0, "ended": 3.0}, "▸ Explorer done 2.0 s"),
        ({"state": "idle", "stop_reason": "cancelled"}, "▸ Explorer stopped"),
        ({"state": "idle", "stop_reason": "tired"}, "▸ Explorer tired"),
        ({"state": "running", "is_lost": True}, "▸ Explorer not known, last running"),
        ({"state": "dreaming"}, "▸ Explorer dreaming"),
        ({"title": "", "number": 3}, "▸ agent 3 state not told"),
    ],
)
def test_c121_c134_the_line_of_a_subagent_has_its_name_and_its_state(
    fields: dict[str, Any], shown: str
) -> None:
    assert line(**fields) == shown


def test_the_line_of_a_subagent_counts_tokens_and_seconds() -> None:
    spent = TurnUsage(input_tokens=43_000, output_tokens=40)
    assert line(state="idle", spent=spent).endswith("done ↑ 43k ↓ 40")

    shown = block(Subagent("k1", title="E", state="running", started=1.0))
    assert shown.is_running
    shown.tick(42.0)
    assert rows(shown)[1].endswith("0:41")


def test_a_failed_subagent_says_why_and_a_search_finds_what_it_said() -> None:
    one = Subagent("k1", title="E", state="idle", error="no model")
    one.entries.append(AgentMessage([TextBuffer("deep inside")]))
    shown = block(one)

    assert "failed" in rows(shown)[1]
    assert rows(shown)[2] == "  no model"
    assert "deep inside" in shown.searched()


def test_c141_a_message_names_both_sides_and_is_folded_to_two_lines() -> None:
    told = SessionMessage("m", "s", "k1", [TextBuffer("a\nb\nc\n\x1b[2Jd")])
    place = context()
    place.name_of = {"s": "Claude", "k1": "Explorer"}.__getitem__
    shown = block(told, place)

    assert rows(shown) == ["", "▸ Claude to Explorer: a", "  b…"]
    shown.choose()
    assert "▾ Claude to Explorer:" in rows(shown)[1]
    assert "\x1b" not in "".join(rows(shown))
    assert "c" in "".join(rows(shown)[2:])


def test_c146_a_link_to_a_session_is_a_line_below_its_call() -> None:
    place = context()
    place.name_of = {"k1": "Explorer"}.__getitem__
    shown = block(call(content=(SessionItem(session_id="k1"),)), place)

    assert rows(shown)[2] == "  agent Explorer"
