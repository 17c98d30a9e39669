"""Tool call ids reused in later turns."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.protocol.schema import PermissionOption, ToolCallFields
from acp_tui.protocol.validation import read_update
from acp_tui.session import events
from acp_tui.session.entries import ToolCall
from acp_tui.session.events import Event
from acp_tui.session.questions import Permission
from acp_tui.session.session import Session
from tests.session.building import call, call_update, chunk, prompt, texts

YES = PermissionOption(option_id="y", name="Yes", kind="allow_once")
END = events.TurnEnded("end_turn")


def told(*happened: Event | dict[str, Any]) -> Session:
    session = Session("s", "/w")
    for at, event in enumerate(happened):
        session.apply(read_update(event) if isinstance(event, dict) else event, float(at))
    return session


def calls(session: Session) -> list[tuple[str, str]]:
    return [(entry.title, entry.status) for entry in session.entries if isinstance(entry, ToolCall)]


def asked(title: str, name: str = "t1") -> events.Asked:
    return events.Asked(
        Permission(f"q-{title}", ToolCall(name), [YES]), ToolCallFields(tool_call_id=name, title=title)
    )


FIRST = (prompt("one"), call(title="rm", status="completed"), END)
CALLS: list[tuple[str, tuple[Event | dict[str, Any], ...], list[tuple[str, str]]]] = [
    (
        "announced in the next turn: a new call",
        (*FIRST, prompt("two"), call(title="ls")),
        [("rm", "completed"), ("ls", "pending")],
    ),
    (
        "a permission in the next turn: a new call",
        (*FIRST, prompt("two"), asked("ls")),
        [("rm", "completed"), ("ls", "pending")],
    ),
    (
        "an update of the next turn after the new call: of the new one",
        (*FIRST, prompt("two"), call(title="ls"), call_update(status="failed")),
        [("rm", "completed"), ("ls", "failed")],
    ),
    (
        "a late update without an announcement: of the old one",
        (*FIRST, prompt("two"), call_update(status="failed")),
        [("rm", "failed")],
    ),
    (
        "announced again in its own turn: the same call",
        (prompt("one"), call(title="rm"), call(title="rm -r")),
        [("rm -r", "pending")],
    ),
    (
        "announced again after its turn and before the next: the same call",
        (*FIRST, call(title="rm -r", status="failed")),
        [("rm -r", "failed")],
    ),
    (
        "announced while the old one has come back to life: both, and the old one is settled",
        (*FIRST, call_update(status="in_progress"), prompt("two"), call(title="ls")),
        [("rm", "interrupted"), ("ls", "pending")],
    ),
    (
        "announced in a turn that another process has: a new call",
        (prompt("one"), call(title="rm"), events.Resumed(), call(title="ls")),
        [("rm", "interrupted"), ("ls", "pending")],
    ),
    (
        "an update by another process: a new call",
        (prompt("one"), call(title="rm"), events.Resumed(), call_update(title="ls")),
        [("rm", "interrupted"), ("ls", "pending")],
    ),
    (
        "told anew by the agent, turn for turn: as many calls as there were",
        (
            chunk("one", "user"),
            call(title="rm", status="completed"),
            chunk("two", "user"),
            call(title="ls", status="completed"),
        ),
        [("rm", "completed"), ("ls", "completed")],
    ),
    (
        "after a word of the user in the middle of a turn: the same call",
        (prompt("one"), call(title="rm"), chunk("and", "user"), call(title="rm -r")),
        [("rm -r", "pending")],
    ),
]


@pytest.mark.parametrize(
    ("happened", "expected"), [case[1:] for case in CALLS], ids=[case[0] for case in CALLS]
)
def test_which_call_news_belong_to(
    happened: tuple[Event | dict[str, Any], ...], expected: list[tuple[str, str]]
) -> None:
    assert calls(told(*happened)) == expected


def test_a_decision_stands_at_the_call_that_was_asked_about() -> None:
    session = told(*FIRST, prompt("two"), asked("ls"), events.Answered("q-ls", "y"))

    first, second = (entry for entry in session.entries if isinstance(entry, ToolCall))
    assert (first.decision, second.decision) == ("", "Yes (you)")


def test_the_call_that_waits_for_a_permission_is_the_one_of_this_turn() -> None:
    session = told(*FIRST, prompt("two"), asked("ls"))

    asking = [entry for entry in session.entries if isinstance(entry, ToolCall) and session.asks(entry)]
    assert [one.title for one in asking] == ["ls"]


def test_a_question_of_a_later_turn_takes_no_word_from_the_earlier_call() -> None:
    session = told(
        *FIRST, call_update(status="in_progress", rawInput={"command": "rm"}), prompt("two"), asked("")
    )

    (question,) = session.questions.values()
    assert isinstance(question, Permission)
    assert (question.call.title, question.call.command) == ("", None)


def test_edits_that_two_calls_of_one_id_report_are_two() -> None:
    def edit(old: str, new: str) -> dict[str, Any]:
        diff = {"type": "diff", "path": "/w/a", "oldText": old, "newText": new}
        return call(status="completed", kind="edit", content=[diff])

    session = told(prompt("one"), edit("a", "b"), END, prompt("two"), edit("b", "c"))

    assert [(one.old, one.new) for one in session.files["/w/a"].edits] == [("a", "b"), ("b", "c")]


MESSAGES: list[tuple[str, tuple[Event | dict[str, Any], ...], list[str]]] = [
    (
        "of the next turn: a new message",
        (prompt("one"), chunk("1", messageId="m"), END, prompt("two"), chunk("2", messageId="m")),
        ["one", "1", "two", "2"],
    ),
    (
        "after its turn and before the next: the same message",
        (prompt("one"), chunk("1", messageId="m"), END, chunk("2", messageId="m")),
        ["one", "12"],
    ),
    (
        "of another process: a new message",
        (prompt("one"), chunk("1", messageId="m"), END, events.Resumed(), chunk("2", messageId="m")),
        ["one", "1", "2"],
    ),
    (
        "told anew by the agent: one for each turn",
        (
            chunk("one", "user", messageId="u"),
            chunk("1", messageId="m"),
            chunk("two", "user", messageId="v"),
            chunk("2", messageId="m"),
        ),
        ["one", "1", "two", "2"],
    ),
]


@pytest.mark.parametrize(
    ("happened", "expected"), [case[1:] for case in MESSAGES], ids=[case[0] for case in MESSAGES]
)
def test_which_message_a_chunk_belongs_to(
    happened: tuple[Event | dict[str, Any], ...], expected: list[str]
) -> None:
    assert texts(told(*happened)) == expected
