import json
from typing import Any

from acp_tui.store.tail import HEAD, Line
from acp_tui.ui.screens.frames import Frame, Frames, matches


def line(direction: str, msg: Any, t: float = 1.0) -> Line:
    text = json.dumps({"t": t, "dir": direction, "msg": msg}).encode()
    return Line(0, len(text), text[:HEAD], text[-256:] if len(text) > HEAD else b"")


def test_a_response_has_the_name_and_session_of_its_request_and_its_latency() -> None:
    frames = Frames()
    frames.read(line("out", {"id": 3, "method": "session/prompt", "params": {"sessionId": "s1"}}, 1.0))

    answer = frames.read(line("in", {"id": 3, "result": {"stopReason": "end_turn"}}, 3.5))

    assert (answer.kind, answer.name, answer.session) == ("response", "session/prompt", "s1")
    assert (answer.latency, answer.detail) == (2.5, "end_turn")


def test_the_same_id_on_both_sides_is_two_requests() -> None:
    frames = Frames()
    frames.read(line("out", {"id": 1, "method": "session/new", "params": {}}))
    frames.read(line("in", {"id": 1, "method": "fs/read_text_file", "params": {"path": "/a b"}}))

    assert frames.read(line("out", {"id": 1, "result": {}})).name == "fs/read_text_file"
    assert frames.read(line("in", {"id": 1, "error": {"code": 1, "message": "no"}})).name == "session/new"


def test_an_update_says_its_kind() -> None:
    update = {"sessionId": "s1", "update": {"sessionUpdate": "agent_message_chunk"}}

    frame = Frames().read(line("in", {"method": "session/update", "params": update}))

    assert (frame.kind, frame.name, frame.detail, frame.session) == (
        "notification",
        "session/update",
        "agent_message_chunk",
        "s1",
    )


def test_a_huge_response_is_paired_by_the_id_at_its_end() -> None:
    frames = Frames()
    frames.read(line("out", {"id": "x1", "method": "session/load", "params": {}}, 1.0))

    answer = frames.read(line("in", {"jsonrpc": "2.0", "result": {"text": "y" * 500_000}, "id": "x1"}, 2.0))

    assert (answer.name, answer.latency) == ("session/load", 1.0)


def test_odd_rows_are_shown_neutrally() -> None:
    frames = Frames()

    assert frames.read(line("raw", "Hello  agent")).name == "Hello agent"
    assert frames.read(line("err", "warning: x")).kind == "err"
    assert frames.read(line("note", {"exit": 1})).name == "exit 1"
    for text in (b"no json", b"", b"[1]", b'{"dir": 3}', b'{"t": "x", "dir": "in", "msg": 5}', b"\xff\xfe"):
        assert frames.read(Line(0, len(text), text, b"")).kind == "broken"
    for odd in ({}, {"method": 3}, {"id": [1], "error": "text"}, {"method": "x", "params": [1]}):
        assert frames.read(line("in", odd)).kind in ("response", "error", "notification")


def test_a_filter_wants_all_of_its_words() -> None:
    frame = Frame(0, 0, 0.0, "in", "error", "session/prompt")

    assert matches(frame, "PROMPT errors", b"")
    assert matches(frame, "overloaded prompt", b'{"error": "overloaded"}')
    assert not matches(frame, "prompt other", b"{}")
    assert not matches(Frame(0, 0, 0.0, "in", "response", "session/prompt"), "errors", b'"errors"')
