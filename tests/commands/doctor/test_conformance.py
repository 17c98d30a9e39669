"""Conformance checks of recorded messages, without an agent."""

from __future__ import annotations

from typing import Any

import pytest

from acp_tui.commands.doctor import conformance
from acp_tui.commands.doctor.findings import WireMessage
from acp_tui.protocol.frames import StrayLine
from acp_tui.workspace.processes import ExitStatus


def out(call_id: int, method: str) -> WireMessage:
    return WireMessage("out", {"jsonrpc": "2.0", "id": call_id, "method": method, "params": {}})


def came(**msg: Any) -> WireMessage:
    return WireMessage("in", {"jsonrpc": "2.0", **msg})


def update(kind: str, **fields: Any) -> WireMessage:
    params = {"sessionId": "s", "update": {"sessionUpdate": kind, **fields}}
    return came(method="session/update", params=params)


INITIALIZED = [out(0, "initialize"), came(id=0, result={"protocolVersion": 1})]


def told(findings: Any) -> list[tuple[str, str]]:
    return [(finding.check, finding.verdict) for finding in findings]


def test_what_comes_before_the_answer_to_initialize_breaks_the_order() -> None:
    early = [INITIALIZED[0], came(method="ping"), INITIALIZED[1]]

    assert told(conformance.order(INITIALIZED)) == [("order", "well")]
    (finding,) = conformance.order(early)
    assert (finding.verdict, finding.text) == ("broken", "ping came before the answer to initialize")


def test_updates_before_the_answer_that_names_their_session_are_odd_and_allowed() -> None:
    frames = [
        *INITIALIZED,
        out(1, "session/new"),
        update("available_commands_update", availableCommands=[]),
        came(id=1, result={"sessionId": "s"}),
    ]

    assert told(conformance.order(frames)) == [("order", "note")]


def test_envelopes_without_their_version_or_with_our_ids_as_text_are_broken() -> None:
    frames = [out(1, "initialize"), WireMessage("in", {"id": 0, "result": {}}), came(id="1", result={})]

    assert told(conformance.envelopes(frames)) == [("JSON-RPC", "broken"), ("JSON-RPC", "broken")]
    assert told(conformance.envelopes(INITIALIZED)) == [("JSON-RPC", "well")]
    assert not list(conformance.envelopes([]))


def test_unknown_and_older_kinds_of_updates_are_told_by_name() -> None:
    known = update("agent_message_chunk", content={"type": "text", "text": "hi"})

    (unknown,) = conformance.updates([known, update("of_tomorrow")])
    assert (unknown.verdict, unknown.text) == ("note", "of unknown kinds: of_tomorrow")
    (well,) = conformance.updates([known, known])
    assert (well.verdict, well.text) == ("well", "2, of kinds agent_message_chunk")


def test_lines_that_are_no_messages_are_told_with_the_first_of_them() -> None:
    strays = [StrayLine(b"starting up\n", "no JSON"), StrayLine(b"x", "a response to nothing that we asked")]

    plain, odd = conformance.stray_lines(strays)

    assert plain.text == "lines that are not messages: 1, the first: starting up"
    assert odd.text == "responses without a request, as to a notification: 1"
    assert told(conformance.stray_lines([])) == [("stdout", "well")]


@pytest.mark.parametrize(
    ("size", "tail", "text"),
    [
        (0, "", "silent"),
        (12, "one\ntwo\n", "12 bytes, the last line: two"),
        (100_000, "much", "100,000 bytes of log for a few calls"),
    ],
)
def test_what_is_said_on_the_side_is_measured(size: int, tail: str, text: str) -> None:
    assert conformance.stderr(size, tail).text == text


@pytest.mark.parametrize(
    ("by_itself", "status", "left", "verdicts"),
    [
        (True, ExitStatus(0, None), False, ["well", "well"]),
        (True, ExitStatus(3, None), False, ["note", "well"]),
        (False, ExitStatus(None, "SIGKILL"), True, ["note", "broken"]),
    ],
)
def test_an_end_is_judged_with_what_it_leaves(
    by_itself: bool, status: ExitStatus, left: bool, verdicts: list[str]
) -> None:
    assert [finding.verdict for finding in conformance.ending(by_itself, status, left)] == verdicts


def test_a_list_that_gives_the_same_cursor_again_is_broken() -> None:
    pages = [
        out(1, "session/list"),
        came(id=1, result={"sessions": [{}], "nextCursor": "c"}),
        out(2, "session/list"),
        came(id=2, result={"sessions": [{}, {}], "nextCursor": "c"}),
    ]

    assert told(conformance.pages(pages)) == [("session/list", "broken")]
    (well,) = conformance.pages(pages[:2])
    assert well.text == "1 sessions on 1 page(s)"
    assert told(conformance.pages([pages[0], came(id=1, result={})])) == [("session/list", "broken")]
