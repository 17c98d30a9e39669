"""What the chat says when a turn ends in another way than with an answer."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.acp.content import TextContent
from acp_tui.acp.reading import read_update
from acp_tui.session import endings, events
from acp_tui.session.entries import Notice
from acp_tui.session.session import Session
from tests.session.building import call


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


@pytest.mark.parametrize(
    ("reason", "says"),
    [
        ("end_turn", None),
        ("cancelled", "Cancelled."),
        ("max_tokens", "The token limit was reached: the answer may be cut."),
        ("max_turn_requests", "The limit of model calls in one turn was reached. Say so to go on."),
        ("refusal", "The agent refused. This prompt and what followed are not in its context."),
        ("of tomorrow", "The turn stopped: OfTomorrow"),
    ],
)
def test_each_reason_has_its_own_words_and_an_unknown_one_the_agents(reason: str, says: str | None) -> None:
    notice = endings.notice(reason, "OfTomorrow", silent=False, at=1.0)

    assert (notice.text if notice is not None else None) == says


def test_a_turn_that_was_cancelled_is_not_called_silent() -> None:
    notice = endings.notice("cancelled", "cancelled", silent=True, at=1.0)

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
    notice = endings.failure(events.Failed(-32603, "overloaded", data), at=1.0)

    assert (notice.text, notice.detail) == ("overloaded (error -32603)", detail)


@pytest.mark.parametrize("reason", ["end_turn", "cancelled", "refusal", "max_tokens", "of tomorrow", ""])
def test_a_turn_that_the_user_stopped_is_cancelled_whatever_the_agent_calls_it(reason: str) -> None:
    session = Session("s")
    for event in (events.Prompted([TextContent(text="go")]), events.Cancelled(), events.Ended(reason)):
        session.apply(event)

    assert session.turns[-1].stop_reason == "cancelled"
    assert [entry.text for entry in session.entries if isinstance(entry, Notice)] == ["Cancelled."]


def test_a_stop_that_comes_after_the_end_changes_nothing() -> None:
    session = Session("s")
    for event in (events.Prompted([TextContent(text="go")]), events.Ended("end_turn"), events.Cancelled()):
        session.apply(event)

    assert session.turns[-1].stop_reason == "end_turn"


PAGE = """<!DOCTYPE html><html><head><title>502 Bad Gateway</title><style>h1 {color: red}</style></head>
<body><h1>Bad&nbsp;Gateway</h1><script>alert(1)</script></body></html>"""


@pytest.mark.parametrize("data", [PAGE, {"details": PAGE}, {"message": PAGE}])
def test_a_page_of_html_in_an_error_is_reduced_to_its_words(data: Any) -> None:
    notice = endings.failure(events.Failed(-32603, "Internal error", data), 0.0)

    assert notice.detail.split() == ["502", "Bad", "Gateway", "Bad", "Gateway"]


def test_a_message_that_is_a_page_is_reduced_and_angles_in_words_are_kept() -> None:
    assert "<" not in endings.failure(events.Failed(-32603, PAGE), 0.0).text
    assert endings.failure(events.Failed(-32603, "no", "a <b> c"), 0.0).detail == "a <b> c"
