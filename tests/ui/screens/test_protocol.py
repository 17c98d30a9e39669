"""Tests of `ui/screens/protocol.py`."""

from __future__ import annotations

import json
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from acp_tui.store.journal import HEAD, Journal, TailLine
from acp_tui.ui.screens.protocol import FrameList, FrameReader, FrameRow, FrameScreen, ProtocolScreen, matches
from tests.ui.screens.stage import Stage, screen_text, styles, until


def line(direction: str, msg: Any, t: float = 1.0) -> TailLine:
    text = json.dumps({"t": t, "dir": direction, "msg": msg}).encode()
    return TailLine(0, len(text), text[:HEAD], text[-256:] if len(text) > HEAD else b"")


def test_a_response_has_the_name_and_session_of_its_request_and_its_latency() -> None:
    frames = FrameReader()
    frames.read(line("out", {"id": 3, "method": "session/prompt", "params": {"sessionId": "s1"}}, 1.0))

    answer = frames.read(line("in", {"id": 3, "result": {"stopReason": "end_turn"}}, 3.5))

    assert (answer.kind, answer.name, answer.session) == ("response", "session/prompt", "s1")
    assert (answer.latency, answer.detail) == (2.5, "end_turn")


def test_the_same_id_on_both_sides_is_two_requests() -> None:
    frames = FrameReader()
    frames.read(line("out", {"id": 1, "method": "session/new", "params": {}}))
    frames.read(line("in", {"id": 1, "method": "fs/read_text_file", "params": {"path": "/a b"}}))

    assert frames.read(line("out", {"id": 1, "result": {}})).name == "fs/read_text_file"
    assert frames.read(line("in", {"id": 1, "error": {"code": 1, "message": "no"}})).name == "session/new"


def test_an_update_says_its_kind() -> None:
    update = {"sessionId": "s1", "update": {"sessionUpdate": "agent_message_chunk"}}

    frame = FrameReader().read(line("in", {"method": "session/update", "params": update}))

    assert (frame.kind, frame.name, frame.detail, frame.session) == (
        "notification",
        "session/update",
        "agent_message_chunk",
        "s1",
    )


def test_a_huge_response_is_paired_by_the_id_at_its_end() -> None:
    frames = FrameReader()
    frames.read(line("out", {"id": "x1", "method": "session/load", "params": {}}, 1.0))

    answer = frames.read(line("in", {"jsonrpc": "2.0", "result": {"text": "y" * 500_000}, "id": "x1"}, 2.0))

    assert (answer.name, answer.latency) == ("session/load", 1.0)


def test_odd_rows_are_shown_neutrally() -> None:
    frames = FrameReader()

    assert frames.read(line("raw", "Hello  agent")).name == "Hello agent"
    assert frames.read(line("err", "warning: x")).kind == "err"
    assert frames.read(line("note", {"exit": 1})).name == "exit 1"
    for text in (b"no json", b"", b"[1]", b'{"dir": 3}', b'{"t": "x", "dir": "in", "msg": 5}', b"\xff\xfe"):
        assert frames.read(TailLine(0, len(text), text, b"")).kind == "broken"
    for odd in ({}, {"method": 3}, {"id": [1], "error": "text"}, {"method": "x", "params": [1]}):
        assert frames.read(line("in", odd)).kind in ("response", "error", "notification")


def test_a_filter_wants_all_of_its_words() -> None:
    frame = FrameRow(0, 0, 0.0, "in", "error", "session/prompt")

    assert matches(frame, "PROMPT errors", b"")
    assert matches(frame, "overloaded prompt", b'{"error": "overloaded"}')
    assert not matches(frame, "prompt other", b"{}")
    assert not matches(FrameRow(0, 0, 0.0, "in", "response", "session/prompt"), "errors", b'"errors"')


def encoded(msg: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **msg}).encode()


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    journal = Journal(tmp_path / "j.ndjson", clock=(n / 10 for n in count()).__next__)
    journal.note({"start": ["agent"], "cwd": "/w"})
    journal.record("out", encoded({"id": 1, "method": "session/new", "params": {"cwd": "/w"}}))
    journal.record("in", encoded({"id": 1, "result": {"sessionId": "session-abcdefgh"}}))
    params = {"sessionId": "session-abcdefgh", "prompt": [{"type": "text", "text": "needle [/x]"}]}
    journal.record("out", encoded({"id": 2, "method": "session/prompt", "params": params}))
    journal.raw("Welcome to [bold]agent \x1b]0;t\x07")
    journal.err("a warning")
    journal.record("in", encoded({"id": 2, "error": {"code": -32603, "message": "overloaded"}}))
    journal.flush()
    return journal


@pytest.mark.slow
async def test_frames_are_listed_with_what_they_mean(journal: Journal) -> None:
    app = Stage(ProtocolScreen(journal.path, styles()))
    async with app.run_test(size=(110, 20)) as pilot:
        await until(pilot, lambda: "overloaded" in screen_text(app))

        shown = screen_text(app)
        assert "→ session/new" in shown
        assert "← response to session/new" in shown
        assert "← error for session/prompt  overloaded" in shown
        assert "300 ms" in shown
        assert "abcdefgh" in shown
        assert "Welcome to [bold]agent ␛]0;t␇" in shown
        assert "stderr  a warning" in shown


@pytest.mark.slow
async def test_what_comes_is_followed_until_the_cursor_moves_up(journal: Journal) -> None:
    app = Stage(ProtocolScreen(journal.path, styles()))
    async with app.run_test(size=(100, 12)) as pilot:
        await until(pilot, lambda: "overloaded" in screen_text(app))
        for number in range(50):
            journal.record("in", encoded({"method": f"_news/{number}"}))
        journal.flush()
        await until(pilot, lambda: "_news/49" in screen_text(app))

        await pilot.press("up")
        journal.record("in", encoded({"method": "_news/last"}))
        journal.flush()
        await until(pilot, lambda: "58 frames" in screen_text(app))

        assert "_news/last" not in screen_text(app)


@pytest.mark.slow
async def test_a_filter_finds_words_within_frames(journal: Journal) -> None:
    app = Stage(ProtocolScreen(journal.path, styles()))
    async with app.run_test(size=(100, 20)) as pilot:
        await until(pilot, lambda: "overloaded" in screen_text(app))
        await pilot.press("slash", *"needle")
        await until(pilot, lambda: "1 of 7 frames" in screen_text(app))
        assert "session/prompt" in screen_text(app)

        app.screen.query_one(Input).value = "errors"
        await until(pilot, lambda: "overloaded" in screen_text(app))
        assert "1 of 7 frames" in screen_text(app)

        await pilot.press("escape")
        await until(pilot, lambda: "session/new" in screen_text(app))
        assert app.results == []


async def test_a_frame_opens_as_json_and_is_copied_whole(journal: Journal) -> None:
    app = Stage(ProtocolScreen(journal.path, styles()))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "overloaded" in screen_text(app))
        app.screen.query_one(FrameList).action_move(-3)
        await pilot.press("enter")
        await until(pilot, lambda: '"text": "needle [/x]"' in screen_text(app))
        await pilot.press("c")

        assert json.loads(app.clipboard)["msg"]["params"]["prompt"][0]["text"] == "needle [/x]"
        await pilot.press("escape")
        assert not isinstance(app.screen, FrameScreen)


@pytest.mark.slow
async def test_from_an_answer_a_key_leads_to_its_request_and_back(journal: Journal) -> None:
    app = Stage(ProtocolScreen(journal.path, styles()))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "overloaded" in screen_text(app))
        await pilot.press("enter")
        await until(pilot, lambda: '"code": -32603' in screen_text(app))
        await pilot.press("p")
        await until(pilot, lambda: '"text": "needle [/x]"' in screen_text(app))
        assert '"code": -32603' not in screen_text(app)
        await pilot.press("p")
        await until(pilot, lambda: '"code": -32603' in screen_text(app))

        await pilot.press("escape")
        app.screen.query_one(FrameList).action_move(-1)
        await pilot.press("enter")
        await until(pilot, lambda: "a warning" in screen_text(app) and isinstance(app.screen, FrameScreen))
        assert "Request or answer" not in screen_text(app), "what is said on the side has none"


async def test_a_request_without_an_answer_says_so(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.ndjson")
    journal.record("out", encoded({"id": 1, "method": "session/prompt", "params": {}}))
    journal.flush()
    app = Stage(ProtocolScreen(journal.path, styles()))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "session/prompt" in screen_text(app))
        await pilot.press("enter")
        await until(pilot, lambda: '"jsonrpc"' in screen_text(app))
        await pilot.press("p")

        assert [note.message for note in app._notifications] == ["No response yet."]


@pytest.mark.slow
async def test_a_huge_frame_is_shown_in_part_at_once(journal: Journal) -> None:
    journal.record("in", encoded({"id": 9, "result": {"content": "x" * 10_000_000}}))
    journal.flush()
    app = Stage(ProtocolScreen(journal.path, styles()))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "9.5 MB" in screen_text(app))
        started = time.process_time()
        await pilot.press("enter")
        await until(pilot, lambda: "The first " in screen_text(app))

        assert '"content": "xxx' in screen_text(app)
        assert time.process_time() - started < 2  # the keys and frames of the pilot included
        await pilot.press("c")
        assert app.clipboard == ""


@pytest.mark.slow
async def test_a_large_journal_opens_at_its_end_and_is_read_whole_on_request(journal: Journal) -> None:
    line = encoded({"method": "session/update", "params": {"sessionId": "s", "update": {}, "pad": "p" * 200}})
    for _ in range(10_000):
        journal.record("in", line)
    journal.flush()
    app = Stage(ProtocolScreen(journal.path, styles()))
    async with app.run_test(size=(100, 20)) as pilot:
        await until(pilot, lambda: "before them are not shown" in screen_text(app))
        await pilot.press("b")
        await until(pilot, lambda: "10,007 frames" in screen_text(app))

        assert "not shown" not in screen_text(app)


@pytest.mark.parametrize("path", [None, Path("/no/such/journal.ndjson")])
async def test_without_a_journal_it_says_how_to_have_one(path: Path | None) -> None:
    app = Stage(ProtocolScreen(path, styles()))
    async with app.run_test() as pilot:
        await until(pilot, lambda: "journal = true" in screen_text(app))
        await pilot.press("c", "e", "slash", "escape")

        assert app.results == [None]
