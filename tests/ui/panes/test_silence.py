from __future__ import annotations

import pytest

from acp_tui.acp.content import TextContent
from acp_tui.acp.reading import read_update
from acp_tui.session import events
from acp_tui.session.session import Session
from acp_tui.ui.panes.silence import Computing, pending, told


def call(name: str, status: str) -> events.Event:
    return read_update(
        {
            "sessionUpdate": "tool_call",
            "toolCallId": name,
            "title": f"Run {name}",
            "kind": "execute",
            "status": status,
        }
    )


def test_what_is_pending_is_the_newest_open_tool_call_or_else_the_method() -> None:
    session = Session("s", "/w")
    session.apply(events.Prompted([TextContent(text="go")]), 0.0)
    assert pending(session, ["session/prompt"]) == "session/prompt"

    session.apply(call("first", "in_progress"), 1.0)
    session.apply(call("second", "completed"), 2.0)
    assert pending(session, ["session/prompt"]) == "Run first"

    session.apply(events.Ended("end_turn"), 3.0)
    session.apply(events.Prompted([TextContent(text="again")]), 4.0)
    assert pending(session, []) == ""
    assert pending(session, ["session/list", "session/prompt"]) == "session/prompt"
    assert pending(session, ["session/list"]) == "session/list"


@pytest.mark.parametrize(("used", "is_busy"), [(0.0, False), (0.01, False), (2.9, True)])
def test_a_process_computes_when_its_processor_time_grows(used: float, is_busy: bool) -> None:
    computing = Computing()
    assert computing.is_due(100.0)
    computing.note(100.0, 5.0)
    assert computing.is_busy is None
    assert not computing.is_due(101.0)

    computing.note(103.0, 5.0 + used)

    assert computing.is_busy is is_busy


def test_where_processor_time_is_unknown_nothing_is_said_of_it() -> None:
    computing = Computing()
    computing.note(1.0, None)
    computing.note(9.0, None)

    assert told("0:25", "run pytest", computing.is_busy) == "silent 0:25, run pytest"
    assert told("0:25", "", False) == "silent 0:25, idle"
    assert told("0:25", "session/prompt", False, 3 << 20) == (
        "silent 0:25, does not read what it is sent (3.0 MB)"
    )
