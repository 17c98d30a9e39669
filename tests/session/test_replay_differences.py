"""Differences between a session that is told again and the one that was seen."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.protocol.schema import PermissionOption, ResourceLink, TextContent, ToolCallUpdate
from acp_tui.protocol.validation import read_update
from acp_tui.session import replay_differences
from acp_tui.session.entries import NOTE, ToolCall
from acp_tui.session.events import Answered, Asked, Prompted, TurnEnded
from acp_tui.session.questions import Permission
from acp_tui.session.replay_differences import difference_notice
from acp_tui.session.session import Session
from tests.session.building import call, chunk, prompt, session_with, thought

USERS = chunk("fix it", "user")
OWN = chunk("I fixed\nit.")
OPTIONS = [PermissionOption(option_id="n", name="No", kind="reject_once")]


def seen(*more: Any) -> Session:
    """Return a session with one turn and more events."""
    session = Session("s", "/w")
    question = Permission("1", ToolCall("rm"), OPTIONS)
    fields = ToolCallUpdate(tool_call_id="rm", kind="execute", title="rm -r x")
    for event in (
        prompt("fix it"),
        read_update(thought("hm")),
        Asked(question, fields),
        Answered("1", "n"),
        read_update(chunk("I fixed\nit.")),
        TurnEnded("end_turn"),
        *more,
    ):
        session.apply(event)
    return session


@pytest.mark.parametrize(
    ("told", "lines"),
    [
        ([], ""),
        ([USERS, OWN], ""),
        ([USERS, chunk("I fixed it.")], ""),
        ([USERS, chunk("I fix"), call("other"), chunk("ed it.")], ""),
        ([USERS, thought("something else"), call("rm", title="rm -r x", status="failed"), OWN], ""),
        ([USERS, chunk("ok", "user"), OWN], "It reports that you said: fix itok"),
        ([USERS, OWN, chunk("delete all", "user")], "It reports that you said: delete all"),
        ([OWN], "It does not report that you said: fix it"),
        ([USERS, call("rm", status="completed")], "It reports as done what was rejected: rm -r x"),
        ([USERS, OWN, call("t"), chunk("You allowed it.")], "It reports that it said: You allowed it."),
    ],
)
def test_what_differs_is_told_in_one_notice(told: list[dict[str, Any]], lines: str) -> None:
    notice = difference_notice(seen(), session_with(*told))

    assert (notice.detail if notice is not None else "") == lines.replace(
        "fix itok", "fix itok\nIt does not report that you said: fix it"
    )


@pytest.mark.parametrize(
    "event",
    [
        prompt("/compact"),
        Prompted([TextContent(text="see @a "), ResourceLink(uri="file:///a", name="a")]),
    ],
)
def test_commands_and_files_that_were_taken_along_may_be_told_otherwise(event: Prompted) -> None:
    with_more = seen(event, TurnEnded("end_turn"))

    assert difference_notice(with_more, session_with(USERS, OWN)) is None


def test_a_file_that_was_taken_along_may_be_told_with_its_text() -> None:
    again = session_with(USERS, OWN, call(), chunk("see @a: the text", "user"))
    known = seen(Prompted([TextContent(text="see @a "), ResourceLink(uri="file:///a", name="a")]))

    assert difference_notice(known, again) is None


def test_a_note_of_ours_may_be_told_or_not() -> None:
    note = f"{NOTE}\n- rejected a.py"
    known = Session("s")
    known.apply(Prompted([TextContent(text="go"), TextContent(text=note)]))

    for told in ("go", f"go{note}"):
        assert difference_notice(known, session_with(chunk(told, "user"))) is None


def test_much_that_differs_is_told_in_a_few_short_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    lies = [update for number in range(50) for update in (call(f"c{number}"), chunk("x" * 999, "user"))]
    notice = difference_notice(seen(), session_with(USERS, OWN, *lies))

    assert notice is not None
    lines = notice.detail.split("\n")
    assert len(lines) == 9
    assert max(map(len, lines)) <= 201
    monkeypatch.setattr(replay_differences, "COMPARED", 3)
    assert difference_notice(seen(), session_with(USERS, chunk("very long"))) is None
