"""Tests of `store/search_documents.py`."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from acp_tui.store.search_documents import COLUMNS, Document, DocumentReader, document_at
from tests import recordings
from tests.recorded_talks import (
    TALK,
    Row,
    answered,
    call,
    call_update,
    chunk,
    lines,
    prompt,
    start,
    update,
    write,
)
from tests.tables import each


def documents(rows: tuple[Row, ...] | list[Row]) -> list[Document]:
    """Return the documents of a journal that nobody writes any more."""
    reader = DocumentReader()
    done = [found for line in lines(rows) for found in reader.take(line)]
    return sorted([*done, *reader.finish()], key=lambda one: one.offset)


def told(document: Document) -> dict[str, str]:
    return {column: text for column in COLUMNS if (text := document.text(column).strip())}


def test_messages_and_tool_calls_are_documents_of_their_own() -> None:
    found = documents(TALK)

    assert [told(one) for one in found] == [
        {"prompt": "Please mend the flaky parser"},
        {"answer": "I look at the tokenizer first."},
        {
            "tool": "Edit parser.py\n/work/app/parser.py",
            "output": "fresh\n\ngone",
            "decision": "yes Allow heartily",
            "file": "/work/app/parser.py",
        },
        {"answer": "All mended."},
    ]
    assert [(one.session, one.call, one.t) for one in found] == [
        ("s1", "", 1.0),
        ("s1", "", 2.0),
        ("s1", "c1", 4.0),
        ("s1", "", 8.0),
    ]


def test_a_document_is_read_again_from_its_place(tmp_path: Path) -> None:
    path = write(tmp_path / "a.ndjson", TALK)

    for one in documents(TALK):
        assert document_at(path, one.offset, one.end) == one

    assert document_at(path, 3, 50) is None


@pytest.mark.parametrize("cut", range(len(TALK)))
def test_a_journal_that_grows_gives_the_same_documents(cut: int) -> None:
    rows = lines(TALK)
    first = DocumentReader()
    done = [found for line in rows[:cut] for found in first.take(line)]
    place = first.unfinished_from()
    again = DocumentReader(place)
    rest = b"".join(rows)[place:].splitlines(keepends=True)
    done += [found for line in rest for found in again.take(line) if found not in done]
    done += again.finish()

    assert sorted(done, key=lambda one: one.offset) == documents(TALK)


def test_what_an_agent_replays_is_left_to_the_earlier_journal() -> None:
    load = {"jsonrpc": "2.0", "id": 3, "method": "session/load", "params": {"sessionId": "s1"}}
    rows = [
        start(),
        ("out", load),
        chunk("said long ago"),
        ("in", {"jsonrpc": "2.0", "id": 3, "result": {}}),
        chunk("said now"),
    ]

    assert [told(one) for one in documents(rows)] == [{"answer": "said now"}]


def test_a_command_of_the_user_and_the_output_of_a_terminal_are_documents() -> None:
    rows: list[Row] = [
        start(),
        ("note", {"ran": "u1", "session": "s1", "command": "make test"}),
        ("note", {"ran": "u1", "session": "s1", "more": "12 pas"}),
        ("note", {"ran": "u1", "session": "s1", "code": 0, "output": "12 passed"}),
        ("note", {"printed": "t1", "session": "s1", "output": "built in 3 s"}),
    ]

    assert [told(one) for one in documents(rows)] == [
        {"tool": "make test", "output": "12 passed"},
        {"output": "built in 3 s"},
    ]


def test_updates_of_an_older_dialect_are_read() -> None:
    rows = [
        start(),
        prompt("hello"),
        update({"type": "text_delta", "text": "an old greeting"}),
        update({"type": "toolCall", "id": "c1", "name": "Read", "arguments": {"file": "old.txt"}}),
        update({"type": "toolCallUpdate", "id": "c1", "status": "success", "output": "old lines"}),
        answered(),
    ]

    found = [told(one) for one in documents(rows)]

    assert found[1] == {"answer": "an old greeting"}
    assert found[2] == {"tool": "Read\nold.txt", "output": "old lines"}


def test_the_last_state_of_each_plan_of_a_turn_is_a_document(tmp_path: Path) -> None:
    def plan(**fields: Any) -> Row:
        return update({"sessionUpdate": "plan_update", "plan": fields})

    rows: list[Row] = [
        start(),
        prompt("go"),
        update({"sessionUpdate": "plan", "entries": [{"content": "Look"}]}),
        update({"sessionUpdate": "plan", "content": {"steps": ["Look", "Mend"]}}),
        plan(type="markdown", planId="a", content="# Big"),
        plan(type="markdown", planId="a", content="# Big plan"),
        plan(type="file", planId="b", uri="file:///w/plan.md"),
        plan(type="board", planId="c"),
        chunk("Done."),
        answered(),
    ]
    found = documents(rows)

    assert [told(one) for one in found] == [
        {"prompt": "go"},
        {"plan": "Look\nMend"},
        {"plan": "# Big plan"},
        {"plan": "file:///w/plan.md", "file": "file:///w/plan.md"},
        {"answer": "Done."},
    ]
    path = write(tmp_path / "j.ndjson", rows)
    again = [document_at(path, one.offset, one.end) for one in found]
    assert [told(one) for one in again if one is not None] == [told(one) for one in found]


def test_rows_that_are_torn_or_strange_are_passed_over() -> None:
    reader = DocumentReader()
    strange = [
        b"\n",
        b"{torn\n",
        b"[1, 2]\n",
        b'{"t": 0, "dir": "in", "msg": 7}\n',
        b'{"t": "x", "dir": "in", "msg": {}}\n',
        b'{"t": 0, "dir": "in", "msg": {"method": "session/update", "params": {"update": 3}}}\n',
        b'{"t": 0, "dir": "in", "msg": {"method": "session/update", "params": []}}\n',
        b'{"t": 0, "dir": "note", "msg": {"ran": "x", "output": 3}}\n',
        b'{"t": 0, "dir": "out", "msg": {"id": 1, "method": "session/prompt", "params": {"prompt": 9}}}\n',
    ]

    done = [found for line in strange for found in reader.take(line)]

    assert [told(one) for one in [*done, *reader.finish()]] == [{}]


def test_a_tool_call_that_never_ends_is_told_at_the_end_of_its_turn() -> None:
    rows = [start(), prompt("go"), call("c9", "Run forever"), call_update("c9"), answered(), chunk("late")]

    assert [told(one) for one in documents(rows)] == [
        {"prompt": "go"},
        {"tool": "Run forever"},
        {"answer": "late"},
    ]


@pytest.mark.slow
@each("name", recordings.NAMES)
def test_recorded_traffic_of_agents_gives_what_was_said(name: str) -> None:
    reader = DocumentReader()
    data = (recordings.FOLDER / f"{name}.ndjson").read_bytes()
    done = [found for line in data.splitlines(keepends=True) for found in reader.take(line)]
    done += reader.finish()
    prompts = [row.msg for row in recordings.rows(name) if isinstance(row.msg, dict)]
    count = sum(msg.get("method") == "session/prompt" for msg in prompts)

    assert sum("prompt" in one.texts for one in done) == count


def test_v2_what_is_said_in_version_2_is_found() -> None:
    def coded(words: str) -> str:
        return base64.b64encode(words.encode()).decode()

    patch = {"format": "git_patch", "text": "--- a/w/a\n+++ b/w/a\n@@ -1 +1 @@\n-before\n+after\n"}
    diff = {"type": "diff", "changes": [{"operation": "modify", "path": "/w/a"}], "patch": patch}
    subject = {"type": "command", "command": "rm -r build", "cwd": "/w"}
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    asked = {"sessionId": "s1", "title": "May I?", "subject": subject, "options": options}
    rows = [
        start(),
        prompt("go"),
        ("in", {"id": 1, "result": {"messageId": "u1"}}),
        update({"sessionUpdate": "agent_message_chunk", "messageId": "a1", "content": {"text": "draft"}}),
        update({"sessionUpdate": "agent_message", "messageId": "a1", "content": [{"text": "final"}]}),
        update({"sessionUpdate": "tool_call_update", "toolCallId": "t1", "title": "Edit", "content": [diff]}),
        update({"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "completed"}),
        update({"sessionUpdate": "terminal_output_chunk", "terminalId": "x", "data": coded("12 ")}),
        update({"sessionUpdate": "terminal_output_chunk", "terminalId": "x", "data": coded("passed")}),
        update(
            {
                "sessionUpdate": "tool_call_update",
                "toolCallId": "t2",
                "title": "make test",
                "content": [{"type": "terminal", "terminalId": "x"}],
                "status": "completed",
            }
        ),
        ("in", {"id": 9, "method": "session/request_permission", "params": asked}),
        ("out", {"id": 9, "result": {"outcome": {"outcome": "selected", "optionId": "y"}}}),
        update({"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}),
    ]

    assert [told(one) for one in documents(rows)] == [
        {"prompt": "go"},
        {"answer": "final"},
        {"tool": "Edit", "output": "after\n\nbefore", "file": "/w/a"},
        {"tool": "make test", "output": "12 passed"},
        {"tool": "rm -r build\nrm -r build\n/w", "decision": "y Yes"},
    ]


def test_v16_a_replay_in_version_2_is_in_an_earlier_journal() -> None:
    resumed = {"sessionId": "s1", "cwd": "/w", "mcpServers": [], "replayFrom": {"type": "start"}}
    rows = [
        start(),
        ("out", {"id": 1, "method": "session/resume", "params": resumed}),
        chunk("told before"),
        ("in", {"id": 1, "result": {}}),
        chunk("told now"),
    ]

    assert [told(one) for one in documents(rows)] == [{"answer": "told now"}]


@pytest.mark.parametrize("name", recordings.IN_VERSION_2)
def test_v2_recorded_traffic_in_version_2_gives_what_was_said(name: str) -> None:
    reader = DocumentReader()
    data = (recordings.FOLDER / f"{name}.ndjson").read_bytes()
    done = [found for line in data.splitlines(keepends=True) for found in reader.take(line)]
    done += reader.finish()
    prompts = [row.msg for row in recordings.rows(name) if isinstance(row.msg, dict)]

    assert sum("prompt" in one.texts for one in done) == sum(
        msg.get("method") == "session/prompt" for msg in prompts
    )
    assert any(one.texts.get("output") for one in done) is (name not in ("claude-v2more", "codex-v2more"))
