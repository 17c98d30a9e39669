"""The context of the model on the status line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from acp_tui.protocol.schema import TextContent
from acp_tui.protocol.validation import read_update
from acp_tui.session import events
from acp_tui.session.session import Session
from acp_tui.ui.panes.status_line import Computing, pending, silence_notice
from acp_tui.ui.screens.questions.permission import PermissionDialog
from tests.ui.seats import seat


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

    session.apply(events.TurnEnded("end_turn"), 3.0)
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


def test_an_unknown_processor_time_is_not_shown() -> None:
    computing = Computing()
    computing.note(1.0, None)
    computing.note(9.0, None)

    assert silence_notice("0:25", "run pytest", computing.is_busy) == "silent 0:25, run pytest"
    assert silence_notice("0:25", "", False) == "silent 0:25, idle"
    assert silence_notice("0:25", "session/prompt", False, 3 << 20) == (
        "silent 0:25, not reading its input (3.0 MB)"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("usage", "shown"),
    [
        ({"used": 50, "size": 200}, "ctx 25 %"),
        ({"used": 900, "size": 100}, "ctx 100 %"),
        ({"used": 5000, "size": 0}, "ctx 5k of ?"),
        ({"used": None, "size": 100}, "ctx ?"),
    ],
)
async def test_r39_usage_is_capped_and_what_is_unknown_is_said(
    usage: dict[str, Any], shown: str, tmp_path: Path
) -> None:
    """R39: more used than there is, no size, and missing fields."""
    async with seat(tmp_path, updates=[{"kind": "usage_update", **usage}]) as here:
        await here.sees(shown)


@pytest.mark.slow
async def test_a_name_of_any_length_leaves_in_view_what_is_allowed_unasked(tmp_path: Path) -> None:
    async with seat(tmp_path, name="agent " * 10_000) as here:
        await here.sees("agent agent agent agent…")
        await here.sees("asks before everything")


@pytest.mark.slow
async def test_facts_for_which_there_is_no_room_are_left_out_whole(tmp_path: Path) -> None:
    usage = {"kind": "usage_update", "used": 50, "size": 200, "cost": {"amount": 1.25, "currency": "USD"}}
    async with seat(tmp_path, updates=[usage]) as here:
        await here.sees("asks before everything ▾  ctx 25 %  1.25 USD  F1 help")

        await here.pilot.resize_terminal(66, 24)
        await here.until(lambda: "1.2" not in here.text)
        assert "asks before everything ▾  ctx 25 %  F1 help" in here.text
        await here.pilot.resize_terminal(47, 24)
        await here.until(lambda: "ctx" not in here.text)
        assert "Plain agent  ready   asks before everything ▾" in here.text
        await here.pilot.resize_terminal(34, 24)
        await here.until(lambda: "asks all ▾" in here.text)
        assert "Plain agent  ready" in here.text


@pytest.mark.slow
async def test_the_line_has_who_is_in_which_state_then_what_is_pending_then_who_asks(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.asked("one")
        await here.press("escape")
        await here.until(lambda: "asks before everything" in here.text)
        line = here.text.splitlines()[-1].strip()

        groups = [re.sub(r"\d:\d\d", "0:00", group) for group in re.split(r" {3,}", line)]
        who, pending, asks = groups
        assert (who, pending) == ("Plain agent  waiting for you 0:00  Esc stops", "1 question Ctrl+Y")
        assert asks == "asks before everything ▾"


@pytest.mark.slow
async def test_a_click_on_what_waits_opens_the_question(tmp_path: Path) -> None:
    async with seat(tmp_path) as here:
        await here.asked("one")
        await here.press("escape")
        await here.until(lambda: "1 question" in here.text)

        await here.pilot.click("#status", offset=(here.text.splitlines()[-1].index("1 question") + 1, 0))

        await here.is_before(PermissionDialog)


@pytest.mark.slow
async def test_the_line_shows_the_model_if_the_sidebar_is_hidden(tmp_path: Path) -> None:
    choices = [{"value": "one", "name": "One"}]
    model = {"id": "m", "name": "Model", "category": "model", "type": "select", "currentValue": "one"}
    async with seat(tmp_path, options=[{**model, "options": choices}]) as here:
        assert "model One ▾" not in here.text.splitlines()[-1]

        await here.press("f9")
        await here.until(lambda: "model One ▾" in here.text.splitlines()[-1])
